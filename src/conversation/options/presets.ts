/**
 * The seeds' own readings of how a turn goes, as settings. A setting of the host's own goes before its preset, a preset before
 * the default.
 */
import type { Log } from '../../base/logging.js';
import { isFirst } from '../../base/said-once.js';
import type { Settings } from './settings.js';

/** The seeds wrote their prompts themselves. */
const seed = { wording: 'seed' } as const;

const typed = { coercion: 'none', memory: 'full', onBrokenCall: 'report' } as const satisfies Partial<Settings>;

/** `balanced` is what `defaultSettings` says. */
export const presets: Readonly<Record<string, Partial<Settings>>> = {
  __proto__: null as never, // a preset may be named anything
  balanced: {},
  /** Seed 000: calls run while the reply streams, without asking. */
  'cutie-xml': {
    ...{ protocol: 'xml-invoke', dispatch: 'on-block', afterCall: 'continue', callsPerTurn: 'one', approval: 'auto' },
    ...{ coercion: 'pattern', memory: 'full', onBrokenCall: 'skip', retries: 'cutie-xml' },
    promptOptions: { ...seed, counterExamples: true },
  },
  /** Seed 001: one typed call in a JSON block, and nothing after it. */
  'json-block': { ...typed, protocol: 'json-action', callsPerTurn: 'one', afterCall: 'stop-stream', promptOptions: seed },
  /** Seed 002: many calls, read and run when the reply is over; off until `toolCallConfig.enabled` says otherwise. */
  'aio-vcp': { ...typed, protocol: 'vcp', parseMode: 'complete', approval: 'auto', resultRole: 'tool', tools: 'off', promptOptions: seed },
  /** Seed 003: nothing runs but by a person's click. */
  'semi-auto': { ...typed, protocol: 'json-tool-calls', parseMode: 'complete', approval: 'user-run', promptInjection: 'relay' },
  /** Seed 004: a controlled chain of calls. */
  orchestrated: {
    ...{ parseMode: 'complete', afterCall: 'stop-stream', callsPerTurn: 'confirm-chain', execution: 'by-resource', resultRole: 'tool' },
    ...{ maxIterations: 20, memory: 'layered', planning: 'threshold', orchestration: 'relay-gated' },
  },
};

/** @returns what the preset sets; nothing, with a warning, for one that nobody knows */
export function presetOf(name: unknown, log: Log): Partial<Settings> {
  const preset = typeof name === 'string' ? presets[name] : undefined;
  if (!preset && isFirst(log, `preset ${String(name)}`))
    log.warn('config.preset', `There is no preset named “${String(name)}”; using balanced`, { preset: name });
  return preset ?? {};
}
