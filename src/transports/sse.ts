/** Bytes -> server-sent events. Knows nothing of any wire. */
import { createParser } from 'eventsource-parser';
import type { EventSourceMessage } from 'eventsource-parser';

/** UTF-16 units one line, or one event in several lines, may have before the stream is given up (`limits.lineChars`). */
export const LINE_CHARS = 4_194_304;

/** So much of the end of the stream is kept, in UTF-16 units. */
const END_CHARS = 4096;

export interface SseHandlers {
  event(event: EventSourceMessage): void;
  /** A comment: the server is alive and says nothing. */
  comment(): void;
  /** Milliseconds after which the server wants to be asked again when the stream has ended. */
  retry?(ms: number): void;
  /** The limit was passed. Called once; nothing follows. */
  tooLong(): void;
  /** The stream has closed: the data of an event that has no blank line behind it, and what follows the last line of any event. */
  rest?(open: EventSourceMessage | undefined, stray: string): void;
}

/**
 * Reads an event stream in any slicing. An event that repeats the one before it, id and all, counts once. A leading BOM, CR, CRLF,
 * several `data` lines and split UTF-8 sequences are taken care of; bad UTF-8 becomes U+FFFD.
 */
export function createSseReader(handlers: SseHandlers, maxLine = LINE_CHARS): { push(bytes: Uint8Array): void; close(): void } {
  const decoder = new TextDecoder();
  let open = true;
  let closing = false;
  let last: EventSourceMessage | undefined;
  let unended: EventSourceMessage | undefined;
  /** The end of the stream, in the pieces in which it came. */
  const recent: string[] = [];
  let recentChars = 0;
  // Some servers give every event the same id; theirs says nothing.
  let idsTell = true;

  /** A proxy that delivers an event twice must not make the model say everything twice. */
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
      // Unknown fields and odd `retry` values are the other two; the standard says to ignore both.
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
      // Some servers write an error there that is no event.
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
