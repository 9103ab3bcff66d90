/** Levels and sinks of the log. `log-entry.ts`, loaded with the first entry, writes and redacts entries. */
import { load } from './load.js';
import type { ErrorLayer } from './errors.js';
import type { LogEntry, Logger, LogLevel } from './log.js';

export interface LogExtra {
  errorType?: string;
  layer?: ErrorLayer;
  stage?: NonNullable<LogEntry['stage']>;
  /** The error whose stack is logged. */
  error?: unknown;
}

/** The data of an entry. A function is called only if the entry is written. */
export type LogContext = object | (() => object);

type Write = (code: string, message: string, context?: LogContext, extra?: LogExtra) => void;

export interface Log {
  /** Parsing, conversions, chunks. */
  readonly debug: Write;
  /** Tools that start and succeed, conversations that end. */
  readonly info: Write;
  /** Repairs, ignored values, slow operations. */
  readonly warn: Write;
  /** Network errors, failed tools, unexpected errors. */
  readonly error: Write;
  /** Checks whether entries of this level are written, so that costly data is collected only if needed. */
  hears(level: Exclude<LogLevel, 'off'>): boolean;
  /** Returns the same log with the interface that tools get: entries have `context` and the code `tool.log`. */
  forTool(context: object): Logger;
}

/** Options of the log. They are read for every entry, so a host may change them at any time with getters. */
export interface LogOptions {
  /** The minimum level for all sinks: the console or the host's logger, and `emit`. Default `warn`; `off` silences them all. */
  readonly level?: LogLevel | undefined;
  /** The host's own logger; it replaces the console. */
  readonly logger?: Logger | undefined;
  /** Receives entries for the `tool-chat-log` event. */
  readonly emit?: ((entry: LogEntry) => void) | undefined;
  /** Called with every string after the built-in redaction. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** An entry before it is formatted and redacted. */
export interface RawEntry extends LogExtra {
  time: Date;
  level: Exclude<LogLevel, 'off'>;
  code: string;
  message: string;
  context: LogContext;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'off'];

type Formatter = Pick<typeof import('./log-entry.js'), 'makeEntry' | 'consoleLine'>;

let formatter: Formatter | undefined;
let loading: Promise<void> | undefined;
const queued: (() => void)[] = [];

/** Loads the formatter. Resolves when entries are written immediately; until then they are queued. */
export function loadLog(): Promise<void> {
  loading ??= load(() => import('./log-entry.js'))
    .catch(() => fallbackFormatter)
    .then((loaded) => {
      formatter = loaded;
      for (const send of queued.splice(0)) send();
    });
  return loading;
}

/**
 * A fallback if the redaction cannot be loaded: it writes nothing that could contain a secret. The URL of a missing file is ours, so it is
 * written.
 */
const fallbackFormatter: Formatter = {
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
      // A host's redactor or logger that throws must not fail a turn.
      try {
        const entry = formatter!.makeEntry(raw, redact);
        (logger ?? console)[level](logger ? entry.message : formatter!.consoleLine(entry), entry.context);
        emit?.(entry);
      } catch {
        // The error cannot be reported anywhere.
      }
    }
    if (formatter) return send();
    queued.push(send);
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
