/** Bytes -> server-sent events. Knows nothing of any wire. */

/** UTF-16 units one line, or one event in several lines, may have before the stream is given up (`limits.lineChars`). */
export const LINE_CHARS = 4_194_304;

/** Lines that are read: fields, and comments. */
const known = /^(?:data|event|id)?:/;
/** UTF-16 units of the longest name of one, without its colon. */
const FIELD = 5;
/** The beginning of a line that is not read. */
const UNKNOWN = '-';

/** One event as it was sent; of `event` and `id` what stood in it and in none before it. */
export interface SseEvent {
  data: string;
  event: string | undefined;
  id: string | undefined;
}

export interface SseHandlers {
  event(event: SseEvent): void;
  /** A comment: the server is alive and says nothing. */
  comment(): void;
  /** The limit was passed. Called once; nothing follows. */
  tooLong(): void;
}

/**
 * Reads an event stream in any slicing. What stands after the last blank line when the stream ends is never dispatched: half an event is
 * no event. An event that repeats the one before it, id and all, counts once. A leading BOM, CR, CRLF, several `data` lines and split UTF-8
 * sequences are taken care of; bad UTF-8 becomes U+FFFD.
 */
export function createSseReader(handlers: SseHandlers, maxLine = LINE_CHARS): { push(bytes: Uint8Array): void } {
  const decoder = new TextDecoder();
  let open = true;
  /** Of the line that is not over. */
  let begun = '';
  /** A line feed that comes next belongs to it. */
  let endsInCr = false;
  /** The fields of the event that is not over. */
  let now: Partial<SseEvent> = {};
  let last: SseEvent | undefined;
  // Some servers give every event the same id; theirs says nothing.
  let idsTell = true;

  /** A proxy that delivers an event twice must not make the model say everything twice. */
  function isRepeated(event: SseEvent): boolean {
    const sameId = event.id !== undefined && event.id === last?.id;
    const same = sameId && event.data === last?.data && event.event === last.event;
    if (sameId && !same) idsTell = false;
    last = event;
    return same && idsTell;
  }

  function endEvent(): void {
    const { data, event, id } = now;
    now = {};
    if (data === undefined) return;
    const whole = { data, event, id };
    if (isRepeated(whole)) handlers.comment();
    else handlers.event(whole);
  }

  function takeLine(line: string): void {
    if (line === '') return endEvent();
    const colon = line.indexOf(':');
    if (colon === 0) return handlers.comment();
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') now.data = now.data === undefined ? value : `${now.data}\n${value}`;
    else if (field === 'event') now.event = value || undefined;
    else if (field === 'id' && !value.includes('\0')) now.id = value;
  }

  return {
    push(bytes) {
      const text = open ? decoder.decode(bytes, { stream: true }) : '';
      if (text === '') return;
      const lines = (endsInCr && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n?|\n/);
      endsInCr = text.endsWith('\r');
      lines[0] = begun + lines[0]!;
      begun = '';
      const rest = lines.length - 1;
      for (const [at, line] of lines.entries()) {
        // A line is looked into once it is whole, or over the limit: to look means to put its pieces together.
        const isOver = line.length > FIELD && line.length + (now.data?.length ?? 0) > maxLine;
        if (isOver && known.test(line)) {
          open = false;
          return handlers.tooLong();
        }
        // What nobody reads needs no room.
        if (at === rest) begun = isOver ? UNKNOWN : line;
        else if (!isOver) takeLine(line);
      }
    },
  };
}
