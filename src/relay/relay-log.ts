/** The relay's log: has the interface of pino, and is redacted before any sink sees it (pino's `redact`). */
import { callHook } from './call-hook.js';

import { importOptional } from './import-optional.js';

export interface RelayLogger {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

type Level = keyof RelayLogger;
const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];
/** The page of the package that explains the codes. */
const CODES = 'docs/relay.md#codes';
const HIDDEN = '[hidden]';
const SECRET_NAME = /^(authorization|proxy-authorization|cookie|set-cookie|password|secret|token|access_?token|x?-?api[-_]?key|apikey)$/i;
const KEY_LIKE = /\b(sk-|Bearer )[\w.~+/-]{6,}/g;

/** Wraps a logger so that it never gets `secrets`, nor the value of a field with a secret's name. Errors of the logger are ignored. */
export function redactedLogger(logger: RelayLogger | false | undefined, secrets: () => readonly string[]): RelayLogger {
  if (logger === false) return { debug() {}, info() {}, warn() {}, error() {} };
  const sink = logger ?? defaultLogger();
  const scrub = createScrubber(secrets);
  const ignore = () => {}; // a failing log must not break the answer
  const write = (level: Level) => (data: object, message: string) =>
    callHook(() => sink[level](scrub(data) as object, scrub(message) as string), ignore);
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/**
 * Creates a function that copies a value without secrets: removes them from strings, and hides the values of fields with a secret's name.
 * Copies at most 6 levels.
 */
export function createScrubber(secrets: () => readonly string[]): (value: unknown) => unknown {
  function clean(text: string): string {
    let rest = text;
    // A shorter key is a placeholder for servers without keys. Removing it would only garble the log.
    for (const secret of secrets()) if (secret.length >= 4) rest = rest.replaceAll(secret, HIDDEN);
    return rest.replace(KEY_LIKE, HIDDEN);
  }

  function scrub(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return clean(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === 0) return '[…]';
    if (Array.isArray(value)) return value.slice(0, 100).map((item) => scrub(item, depth - 1));
    const fields: [string, unknown][] = Object.entries(value);
    // `fetch failed` alone is no help: its cause names the refused connection.
    if (value instanceof Error)
      fields.push(['name', value.name], ['message', value.message], ['stack', value.stack], ['cause', value.cause]);
    return Object.fromEntries(
      fields
        .filter(([, field]) => field !== undefined)
        .map(([name, field]) => [name, SECRET_NAME.test(name) ? HIDDEN : scrub(field, depth - 1)]),
    );
  }
  return (value) => scrub(value, 6);
}

/**
 * Returns pino, or the console if pino is not installed. Loads pino with the first line, so a worker with its own logger never loads it. A
 * line with a code ends with the page that explains it.
 */
function defaultLogger(): RelayLogger {
  let sink: Promise<RelayLogger> | undefined;
  const load = () =>
    importOptional<typeof import('pino')>('pino').then(
      ({ pino }): RelayLogger =>
        pino({
          name: 'tool-chat-relay',
          redact: { paths: ['apiKey', 'headers.authorization', 'headers.cookie', '*.apiKey'], censor: HIDDEN },
        }),
      () => consoleLogger,
    );
  const write = (level: Level) => (data: object, message: string) => {
    sink ??= load();
    return sink.then((logger) => logger[level](data, 'code' in data ? `${message} → ${CODES}` : message));
  };
  return Object.fromEntries(LEVELS.map((level) => [level, write(level)])) as unknown as RelayLogger;
}

const consoleLogger = Object.fromEntries(
  LEVELS.map((level) => [
    level,
    (data: object, message: string) => console[level](JSON.stringify({ time: new Date().toISOString(), level, message, ...data })),
  ]),
) as unknown as RelayLogger;
