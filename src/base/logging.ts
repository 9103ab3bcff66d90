/** Levels and sinks of the log. What an entry says is made and redacted in `log-entry.ts`, loaded with the first. */
import { load } from './load.js';
import type { ErrorLayer } from './errors.js';
import type { LogEntry, Logger, LogLevel } from './log.js';

export interface LogExtra {
  errorType?: string;
  layer?: ErrorLayer;
  stage?: NonNullable<LogEntry['stage']>;
  /** Gives the entry its `stack`. */
  error?: unknown;
}

/** Data of an entry; a function is only called when someone listens. */
export type LogContext = object | (() => object);

type Write = (code: string, message: string, context?: LogContext, extra?: LogExtra) => void;

export interface Log {
  /** Parsing, conversions, chunks. */
  readonly debug: Write;
  /** Tools that start and succeed, conversations that end. */
  readonly info: Write;
  /** What was repaired, ignored or slow. */
  readonly warn: Write;
  /** Network, failed tools, what should not happen. */
  readonly error: Write;
  /** Whether an entry of this level goes anywhere: what is costly to gather is not gathered for nobody. */
  hears(level: Exclude<LogLevel, 'off'>): boolean;
  /** The same log in the shape that tools get: entries carry `context` and the code `tool.log`. */
  forTool(context: object): Logger;
}

/** Read again for every entry, so a host may change any of them at any time by way of getters. */
export interface LogOptions {
  /** What every sink gets: the console or the host's logger, and `emit`. Default `warn`; `off` silences them all. */
  readonly level?: LogLevel | undefined;
  /** The host's own logger; the console then gets nothing. */
  readonly logger?: Logger | undefined;
  /** Gets entries for the `tool-chat-log` event. */
  readonly emit?: ((entry: LogEntry) => void) | undefined;
  /** Sees every string after the built-in redaction. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** An entry that goes out, before it is put into words. */
export interface RawEntry extends LogExtra {
  time: Date;
  level: Exclude<LogLevel, 'off'>;
  code: string;
  message: string;
  context: LogContext;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'off'];

type Words = Pick<typeof import('./log-entry.js'), 'makeEntry' | 'consoleLine'>;

let words: Words | undefined;
let loading: Promise<void> | undefined;
const waiting: (() => void)[] = [];

/** Resolves when entries go out at once; until then they wait, in order. */
export function loadLog(): Promise<void> {
  loading ??= load(() => import('./log-entry.js'))
    .catch(() => withoutWords)
    .then((loaded) => {
      words = loaded;
      for (const send of waiting.splice(0)) send();
    });
  return loading;
}

/** Used when nothing can be redacted: it writes nothing that could hold a secret. The address of a missing file is ours, so it is written. */
const withoutWords: Words = {
  makeEntry: ({ time, level, code, context }) => ({
    ...{ time: time.toISOString(), level, code, message: code },
    context: code === 'feature.missing' ? context : {},
  }),
  consoleLine: ({ code }) => `[tool-chat] ${code}`,
};

export function createLog(options: LogOptions = {}): Log {
  const hears = (level: RawEntry['level']) => LEVELS.indexOf(level) >= LEVELS.indexOf(options.level ?? 'warn');

  function write(level: RawEntry['level'], code: string, message: string, context: LogContext = {}, extra: LogExtra = {}): void {
    const { logger, emit, redact } = options;
    if (!hears(level)) return;
    const raw: RawEntry = { time: new Date(), level, code, message, context, ...extra };

    function send() {
      // A host's redactor or logger that throws must not take a turn down with it.
      try {
        const entry = words!.makeEntry(raw, redact);
        (logger ?? console)[level](logger ? entry.message : words!.consoleLine(entry), entry.context);
        emit?.(entry);
      } catch {
        // There is nobody left to tell.
      }
    }
    if (words) return send();
    waiting.push(send);
    void loadLog();
  }

  const at =
    (level: RawEntry['level']): Write =>
    (...what) =>
      write(level, ...what);
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };

  function forTool(context: object): Logger {
    const say = (to: Write) => (message: string, data?: unknown) =>
      to('tool.log', String(message), data === undefined ? context : { ...context, data });
    return { debug: say(log.debug), info: say(log.info), warn: say(log.warn), error: say(log.error) };
  }

  return { ...log, hears, forTool };
}
