/** The relay's log: pino's shape, redacted before any sink sees it (pino's `redact`). */

export interface RelayLogger {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

type Level = keyof RelayLogger;
const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];
/** Where the codes are explained: a page of the package. */
const CODES = 'docs/relay.md#codes';
const HIDDEN = '[hidden]';
const SECRET_NAME = /^(authorization|proxy-authorization|cookie|set-cookie|password|secret|token|access_?token|x?-?api[-_]?key|apikey)$/i;
const KEY_LIKE = /\b(sk-|Bearer )[\w.~+/-]{6,}/g;

/** Wraps a logger so that it never sees `secrets`, nor a field that is named like one. A logger that throws breaks no request. */
export function redactedLogger(logger: RelayLogger | false | undefined, secrets: readonly string[]): RelayLogger {
  if (logger === false) return { debug() {}, info() {}, warn() {}, error() {} };
  const sink = logger ?? defaultLogger();
  const scrub = createScrubber(secrets);
  const write = (level: Level) => (data: object, message: string) => {
    try {
      sink[level](scrub(data) as object, scrub(message) as string);
    } catch {
      // The answer matters more than its log line.
    }
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** A copy without secrets: strings lose them, fields that are named like one lose their value. At most 6 levels deep. */
export function createScrubber(secrets: readonly string[]): (value: unknown) => unknown {
  // What is shorter is a placeholder for servers without keys, and would only garble the log.
  const known = secrets.filter((secret) => secret.length >= 4);
  const clean = (text: string) => known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text).replace(KEY_LIKE, HIDDEN);

  function scrub(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return clean(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === 0) return '[…]';
    if (Array.isArray(value)) return value.slice(0, 100).map((item) => scrub(item, depth - 1));
    const fields: [string, unknown][] = Object.entries(value);
    // `fetch failed` alone says nothing: the cause is what names the refused connection.
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

/** pino, loaded when the first line is written: a worker that brings its own logger never loads it. A line with a code ends with its page. */
function defaultLogger(): RelayLogger {
  let sink: Promise<RelayLogger> | undefined;
  const load = () =>
    // Bundlers leave this import alone: pino is optional.
    import(/* @vite-ignore */ /* webpackIgnore: true */ 'pino').then(
      ({ pino }): RelayLogger =>
        pino({
          name: 'tool-chat-relay',
          redact: { paths: ['apiKey', 'headers.authorization', 'headers.cookie', '*.apiKey'], censor: HIDDEN },
        }),
      () => consoleLogger,
    );
  const write = (level: Level) => (data: object, message: string) => {
    sink ??= load();
    void sink.then((logger) => logger[level](data, 'code' in data ? `${message} → ${CODES}` : message));
  };
  return Object.fromEntries(LEVELS.map((level) => [level, write(level)])) as unknown as RelayLogger;
}

const consoleLogger = Object.fromEntries(
  LEVELS.map((level) => [
    level,
    (data: object, message: string) => console[level](JSON.stringify({ time: new Date().toISOString(), level, message, ...data })),
  ]),
) as unknown as RelayLogger;
