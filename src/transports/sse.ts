/** Reads bytes as server-sent events. Independent of any wire. */
import { createParser } from 'eventsource-parser';
import type { EventSourceMessage } from 'eventsource-parser';

/**
 * Maximum length, in UTF-16 units, of one line, or of one event in several lines; beyond it the stream is abandoned (`limits.lineChars`).
 */
export const LINE_CHARS = 4_194_304;

/** Length, in UTF-16 units, that is kept of the end of the stream. */
const END_CHARS = 4096;

export interface SseHandlers {
  event(event: EventSourceMessage): void;
  /** A comment: the server is alive but sends no content. */
  comment(): void;
  /** Milliseconds after which the server wants a new request when the stream has ended. */
  retry?(ms: number): void;
  /** The limit was exceeded. Called once; nothing follows. */
  tooLong(): void;
  /** The stream has closed. `open` is an event without a blank line after it, `stray` the text after the last line of any event. */
  rest?(open: EventSourceMessage | undefined, stray: string): void;
}

/**
 * Creates a reader of an event stream in any chunks. An event that equals the previous one, including its id, counts once. A leading BOM,
 * CR, CRLF, several `data` lines and split UTF-8 sequences are handled; invalid UTF-8 becomes U+FFFD.
 */
export function createSseReader(handlers: SseHandlers, maxLine = LINE_CHARS): { push(bytes: Uint8Array): void; close(): void } {
  const decoder = new TextDecoder();
  let open = true;
  let closing = false;
  let last: EventSourceMessage | undefined;
  let unended: EventSourceMessage | undefined;
  /** The end of the stream, in pieces as it came. */
  const recent: string[] = [];
  let recentChars = 0;
  // Some servers give every event the same id; such ids are ignored.
  let idsTell = true;

  /** Checks for a repeated event: if a proxy delivers an event twice, its text must not appear twice. */
  function isRepeated(event: EventSourceMessage): boolean {
    const sameId = event.id !== undefined && event.id === last?.id;
    const same = sameId && event.data === last?.data && event.event === last.event;
    if (sameId && !same) idsTell = false;
    last = event;
    return same && idsTell;
  }

  const parser = createParser({
    maxBufferSize: maxLine,
    onEvent(event) {
      if (closing) unended = event;
      else if (isRepeated(event)) handlers.comment();
      else handlers.event(event);
    },
    onComment: () => handlers.comment(),
    onRetry: (ms) => handlers.retry?.(ms),
    onError(error) {
      // The other two errors are unknown fields and invalid `retry` values; the standard says to ignore both.
      if (error.type !== 'max-buffer-size-exceeded') return;
      open = false;
      handlers.tooLong();
    },
  });

  return {
    push(bytes) {
      if (!open) return;
      const text = decoder.decode(bytes, { stream: true });
      recent.push(text);
      recentChars += text.length;
      while (recentChars - recent[0]!.length > END_CHARS) recentChars -= recent.shift()!.length;
      parser.feed(text);
    },
    close() {
      // Some servers write an error there that is not an event.
      const lines = recent
        .join('')
        .slice(-END_CHARS)
        .split(/[\r\n]/);
      const stray = lines.slice(lines.findLastIndex((line) => /^(?:data|event|id|retry)?:/.test(line)) + 1).join('\n');
      closing = true;
      if (open) parser.feed('\n\n');
      if (open) handlers.rest?.(unended && !isRepeated(unended) ? unended : undefined, stray);
    },
  };
}
