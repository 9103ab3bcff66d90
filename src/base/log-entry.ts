/** Creates and redacts one log entry. */
import { DOCS_LINK } from './docs-links.js';
import type { LogEntry } from './log.js';
import type { LogContext, LogOptions, RawEntry } from './logging.js';
import { readField } from './objects.js';
import { messageOf } from './plain.js';
import { redactData, redactText } from './redact.js';

export function makeEntry({ time, level, code, message, context, ...extra }: RawEntry, redact: LogOptions['redact']): LogEntry {
  const clean = (text: string) => (redact ? redact(redactText(text)) : redactText(text));
  return Object.freeze({
    time: time.toISOString(),
    level,
    code,
    message: clean(message),
    context: readContext(context, redact),
    ...(extra.errorType !== undefined && { errorType: extra.errorType }),
    ...(extra.layer !== undefined && { layer: extra.layer }),
    ...(extra.stage !== undefined && { stage: extra.stage }),
    ...(extra.error !== undefined && { stack: clean(stackOf(extra.error)) }),
  });
}

const CODE = /^[A-Z_]+$/;

/**
 * Returns the text for the console. A warning or error ends with a link to the section about its code or its area. Messages that tools log
 * themselves have no link.
 */
export function consoleLine({ level, code, message, errorType, context }: LogEntry): string {
  const line = `[tool-chat] ${message}`;
  if ((level !== 'warn' && level !== 'error') || code === 'tool.log') return line;
  const named = [readField(readField(context, 'result'), 'code'), readField(context, 'code'), errorType].find(
    (one) => typeof one === 'string' && CODE.test(one),
  ) as string | undefined;
  return `${line} → ${DOCS_LINK}${(named ?? code.replace(/\..*/, '')).toLowerCase()}`;
}

/** Returns message and stack. Firefox and WebKit do not include the message in the stack. */
function stackOf(error: unknown): string {
  const [message, stack] = [messageOf(error), readField(error, 'stack')];
  if (typeof stack !== 'string') return message;
  return stack.includes(message) ? stack : `${message}\n${stack}`;
}

function readContext(context: LogContext, redact: LogOptions['redact']): object {
  const data = redactData(typeof context === 'function' ? context() : context, redact);
  return typeof data === 'object' && data !== null ? data : { value: data };
}
