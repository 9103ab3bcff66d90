/** Bytes -> server-sent events. Knows nothing of any wire. */
import { createParser } from 'eventsource-parser';
import type { EventSourceMessage } from 'eventsource-parser';

/** UTF-16 units one line, or one event in several lines, may have before the stream is given up (`limits.lineChars`). */
export const LINE_CHARS = 4_194_304;

export interface SseHandlers {
  event(event: EventSourceMessage): void;
  /** A comment: the server is alive and says nothing. */
  comment(): void;
  /** The limit was passed. Called once; nothing follows. */
  tooLong(): void;
}

/**
 * Reads an event stream in any slicing. What stands after the last blank line when the stream ends is never dispatched: half an event is
 * no event. An event that repeats the one before it, id and all, counts once. A leading BOM, CR, CRLF, several `data` lines and split UTF-8 sequences are taken care of; bad UTF-8 becomes U+FFFD.
 */
export function createSseReader(handlers: SseHandlers, maxLine = LINE_CHARS): { push(bytes: Uint8Array): void } {
  const decoder = new TextDecoder();
  let open = true;
  let last: EventSourceMessage | undefined;
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
    onEvent: (event) => (isRepeated(event) ? handlers.comment() : handlers.event(event)),
    onComment: () => handlers.comment(),
    onError(error) {
      // Unknown fields and odd `retry` values are the other two; the standard says to ignore both.
      if (error.type !== 'max-buffer-size-exceeded') return;
      open = false;
      handlers.tooLong();
    },
  });

  return {
    push(bytes) {
      if (open) parser.feed(decoder.decode(bytes, { stream: true }));
    },
  };
}
