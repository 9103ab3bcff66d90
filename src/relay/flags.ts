/** The command line of the standalone relay: each flag corresponds to an environment variable and overrides it. */
import { parseArgs } from 'node:util';
import { optionRows } from './option-table.js';
import type { OptionRow } from './option-table.js';

/** All flags: those of the relay options, and those of the program itself. */
const flags: Readonly<Record<string, OptionRow>> = {
  ...Object.fromEntries(
    optionRows
      .filter(([, { flag }]) => flag !== false)
      .map(([name, row]) => [row.flag || name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), row]),
  ),
  port: { env: 'PORT', value: 'N', about: 'default 8787' },
  host: { env: 'HOST', value: 'ADDRESS', about: 'default 127.0.0.1; 0.0.0.0 takes requests of other computers, too' },
};

export interface CommandLine {
  help: boolean;
  /** Tests the settings and the model once, then exits. */
  check: boolean;
  /** The environment, overridden by the flags. */
  env: Record<string, string | undefined>;
}

/**
 * Reads the command line.
 *
 *   @throws TypeError for an unknown flag, with Node's message
 */
export function readCommandLine(args: readonly string[], env: Readonly<Record<string, string | undefined>>): CommandLine {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' } as const]),
  );
  const { values } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' }, check: { type: 'boolean' } },
  });
  const said: Record<string, string | boolean | undefined> = values;
  const told = Object.entries(flags).flatMap(([name, flag]) => (said[name] === undefined ? [] : [[flag.env, String(said[name])] as const]));
  return { help: said['help'] === true, check: said['check'] === true, env: { ...env, ...Object.fromEntries(told) } };
}

export function helpText(): string {
  const rows = Object.entries(flags).map(([name, { env, value = '', about, default: initial }]) => {
    const line = initial === undefined ? about : `${about}, default ${initial}`;
    return [`--${name} ${value}`.trim(), env, line] as const;
  });
  const [flagWidth, envWidth] = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]!.length)));
  return [
    'tool-chat-relay: stands between pages with <tool-chat> and a model, and keeps the key.',
    '',
    'Usage: MODEL_API_KEY=… tool-chat-relay --base-url https://host/v1 --model NAME --allowed-origins https://shop.example',
    '',
    'Each flag stands for an environment variable, and wins over it. The key is only MODEL_API_KEY.',
    '',
    ...rows.map(([flag, env, about]) => `  ${flag.padEnd(flagWidth!)}  ${env.padEnd(envWidth!)}  ${about}`),
    '',
    `  ${'--check'.padEnd(flagWidth!)}  ${''.padEnd(envWidth!)}  tries settings, store and model once, and says what is wrong`,
    `  ${'--help'.padEnd(flagWidth!)}  ${''.padEnd(envWidth!)}  this text`,
    '',
  ].join('\n');
}
