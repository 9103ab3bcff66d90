/** Levels, structured entries and sinks. What leaves here is redacted (S0-145 … S0-147). Floor 0. */
import type { LogEntry, Logger, LogLevel } from './log.js';
import { messageOf, readField } from './plain.js';
import { redactData, redactText } from './redact.js';

export interface LogExtra {
  errorType?: string;
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
  /** The same log in the shape that tools get: entries carry `context` and the code `tool.log`. */
  forTool(context: object): Logger;
}

/** Read again for every entry, so a host may change any of them at any time by way of getters. */
export interface LogOptions {
  /** What the console and `emit` get. Default `warn`. `off` silences every sink. */
  readonly level?: LogLevel | undefined;
  /** The host's own logger. Gets every level, and then the console gets none. */
  readonly logger?: Logger | undefined;
  /** Gets entries for the `tool-chat-log` event. */
  readonly emit?: ((entry: LogEntry) => void) | undefined;
  /** Sees every string after the built-in redaction. */
  readonly redact?: ((text: string) => string) | undefined;
}

const ORDER: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3, off: 4 };

export function createLog(options: LogOptions = {}): Log {
  function write(level: Exclude<LogLevel, 'off'>, code: string, message: string, context: LogContext = {}, extra: LogExtra = {}): void {
    const limit = options.level ?? 'warn';
    const { logger, emit, redact } = options;
    const wanted = ORDER[level] >= ORDER[limit];
    if (limit === 'off' || (!wanted && !logger)) return;

    const clean = (text: string) => (redact ? redact(redactText(text)) : redactText(text));
    // A host's redactor or logger that throws must not take a turn down with it.
    try {
      const entry: LogEntry = {
        time: new Date().toISOString(),
        level,
        code,
        message: clean(message),
        context: readContext(context, redact),
      };
      if (extra.errorType !== undefined) entry.errorType = extra.errorType;
      if (extra.stage !== undefined) entry.stage = extra.stage;
      if (extra.error !== undefined) entry.stack = clean(stackOf(extra.error));
      Object.freeze(entry);
      (logger ?? console)[level](logger ? entry.message : `[tool-chat] ${entry.message}`, entry.context);
      if (wanted) emit?.(entry);
    } catch {
      // There is nobody left to tell.
    }
  }

  const at =
    (level: Exclude<LogLevel, 'off'>): Write =>
    (code, message, context, extra) =>
      write(level, code, message, context, extra);
  const [debug, info, warn, error] = [at('debug'), at('info'), at('warn'), at('error')];

  function forTool(context: object): Logger {
    const say = (to: Write) => (message: string, data?: unknown) =>
      to('tool.log', String(message), data === undefined ? context : { ...context, data });
    return { debug: say(debug), info: say(info), warn: say(warn), error: say(error) };
  }

  return { debug, info, warn, error, forTool };
}

/** Message and stack: Firefox and WebKit leave the message out of theirs. */
function stackOf(error: unknown): string {
  const [message, stack] = [messageOf(error), readField(error, 'stack')];
  if (typeof stack !== 'string') return message;
  return stack.includes(message) ? stack : `${message}\n${stack}`;
}

function readContext(context: LogContext, redact: ((text: string) => string) | undefined): object {
  const data = redactData(typeof context === 'function' ? context() : context, redact);
  return typeof data === 'object' && data !== null ? data : { value: data };
}
