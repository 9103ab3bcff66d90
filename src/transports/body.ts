/** The common reader of all wires: decides by the first bytes, ignores everything after the end, and enforces the limits. */
import { isObject } from '../base/objects.js';
import { field, parseJson, stringOf } from './read-fields.js';
import { createRowReader, MOST_LINES, type FrameReader } from './rows.js';
import { createSseReader, LINE_CHARS } from './sse.js';
import type { WireEvent, WireReader } from './wire.js';

/** Information for a reader about the response. `maxLine` is in UTF-16 units, 4,194,304 by default. */
export interface ResponseInfo {
  status: number;
  contentType: string;
  maxLine?: number;
  /** Receives a warning for each frame that was skipped because it made no sense. */
  warn?(message: string): void;
  /** Called when a skipped frame may have contained a part of the reply, at its position among the events. */
  missing?(): void;
  /** Receives each frame, or the value of the body, before it is read, to log fields that are not understood. */
  heard?(data: unknown, name?: string): void;
  /** Receives the id of each frame before it is read; returns `false` to skip the frame. */
  frameId?(id: string | undefined): boolean;
}

export interface BodyHandlers {
  /** Converts one frame of a stream to events. An empty list is a ping; `undefined`: the frame cannot be read. */
  frame(data: string, name: string | undefined): readonly WireEvent[] | undefined;
  /** Converts a complete JSON body. An empty list: it is not a reply. */
  json(value: unknown): readonly WireEvent[];
  /** Returns the events of a clean close, for wires where a close can end a reply. */
  closed?(): readonly WireEvent[];
  /** Set if streams are lines of JSON, so that the first line counts as one already. */
  rows?: true;
  /** Set if streams are not frames but the text itself, under these content types. */
  plain?: { types: readonly string[]; decode(bytes: Uint8Array): string };
}

/**
 * Creates a reader that emits nothing after its first `finish` or `error`. Its own errors have the codes `TOO_LARGE` and `BAD_RESPONSE`.
 * The first bytes decide how a body is read, because content types are often wrong: JSON, lines of JSON, or server-sent events. A body that
 * begins like none of them is rejected at once, unless its content type is an event stream or missing.
 */
export function createBodyReader(emit: (event: WireEvent) => void, response: ResponseInfo, handlers: BodyHandlers): WireReader {
  const maxLine = response.maxLine ?? LINE_CHARS;
  const type = (response.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  let open = true;
  /** True if a part of an answer has come. */
  let said = false;
  /** True if a frame could be read, whatever it contained. */
  let understood = false;
  /** Number of frames that could not be read. */
  let unread = 0;
  /** The last frame, if it was unreadable or empty. A server may have written there why it stopped. */
  let silent = '';

  function send(events: readonly WireEvent[]) {
    for (const event of events) {
      if (!open) return;
      const reason = event.type === 'finish' && !said ? reasonIn(silent) : undefined;
      if (event.type === 'finish' || event.type === 'error') open = false;
      else if (event.type !== 'ping') said = true;
      emit(reason === undefined ? event : { type: 'error', message: reason });
    }
  }
  const ping = () => send([{ type: 'ping' }]);
  const fail = (code: 'TOO_LARGE' | 'BAD_RESPONSE', message = '') => send([{ type: 'error', message, code }]);

  const frameOf: BodyHandlers['frame'] = (data, name) => {
    response.heard?.(data, name);
    const events = handlers.frame(data, name);
    if (!events && ++unread > MOST_UNREAD) fail('BAD_RESPONSE');
    return events;
  };

  function readFrame(data: string, name: string | undefined): readonly WireEvent[] {
    const events = frameOf(data, name) ?? readLines(data, name);
    if (events === undefined) {
      response.warn?.('A frame that is not JSON was left out');
      response.missing?.();
    } else understood = true;
    if (!events || events.length === 0) silent = data;
    else if (events.some(({ type: kind }) => kind !== 'usage' && kind !== 'finish')) silent = '';
    return events ?? [];
  }

  /** Reads the lines of a frame separately: some servers omit the blank line between events, or write `data:` twice. */
  function readLines(data: string, name: string | undefined): readonly WireEvent[] | undefined {
    const lines = data.split('\n').map(withoutLabels);
    if (lines.length > MOST_LINES || (lines.length === 1 && lines[0] === data)) return undefined;
    const all = lines.map((line) => (open && (line.startsWith('{') || line === '[DONE]') ? frameOf(line, name) : undefined));
    if (all.every((one) => one === undefined)) return undefined;
    // If the frame contains an error, the error is its outcome.
    const events = all.flatMap((one) => one ?? []);
    const error = events.find((event) => event.type === 'error');
    return error ? [...events.filter((event) => event.type !== 'finish' && event !== error), error] : events;
  }

  const on = {
    event({ data, event, id }: { data: string; event?: string | undefined; id?: string | undefined }) {
      if (!open) return;
      const events = response.frameId?.(id) === false ? [] : readFrame(data, event);
      if (events.length > 0) send(events);
      else ping();
    },
    comment: ping,
    tooLong: () => fail('TOO_LARGE'),
  };

  /** Ends the body. If there was no end, the last frame may contain the reason. */
  function close() {
    if (handlers.closed) send(handlers.closed());
    if (!open) return;
    const reason = reasonIn(silent);
    if (reason !== undefined && understood) send([{ type: 'error', message: reason }]);
    else if (reason !== undefined) fail('BAD_RESPONSE', reason);
    else if (silent !== '' && !understood) fail('BAD_RESPONSE');
  }

  function reading(frames: FrameReader): WireReader {
    return {
      push(bytes) {
        if (open) frames.push(bytes);
      },
      end(how) {
        if (how === 'close' && open) {
          frames.close();
          if (open) close();
        }
        open = false;
      },
    };
  }

  const eventReader = () =>
    createSseReader(
      {
        ...on,
        rest(unended, stray) {
          // A complete object is a complete event. A cut-off object is never guessed.
          const lines = unended?.data.split('\n') ?? [];
          if (unended && !isWhole(unended.data))
            for (let tries = 0; lines.length > 0 && !isWhole(withoutLabels(lines.at(-1)!)); lines.pop())
              if (++tries > MOST_UNREAD) return fail('BAD_RESPONSE');
          if (unended && lines.length > 0) on.event({ ...unended, data: lines.join('\n') });
          else if (unended && !/^[[{]/.test(unended.data)) silent = unended.data;
          if (stray.trim() !== '') silent = stray;
          const value = parseJson(stray);
          if (isObject(value)) send(frameOf(stray, undefined) ?? []);
        },
      },
      maxLine,
    );

  function whole(value: unknown) {
    response.heard?.(value);
    const events = handlers.json(value);
    if (events.length > 0) send(events);
    else fail('BAD_RESPONSE', reasonOf(value));
  }
  const rowReader = () => createRowReader({ ...on, whole }, maxLine, handlers.rows === true);

  function plainReader({ decode }: NonNullable<BodyHandlers['plain']>): FrameReader {
    return {
      push(bytes) {
        const data = decode(bytes);
        if (data === '') ping();
        else send(handlers.frame(data, undefined) ?? []);
      },
      close() {},
    };
  }

  /** Creates a reader that decides by the first bytes. */
  function sniffing(): WireReader {
    let reader: WireReader | undefined;
    let head = '';
    const held: Uint8Array[] = [];

    function choose(isAll: boolean): FrameReader | undefined {
      if (brackets.includes(head[0] ?? '')) return rowReader();
      if (type === '' || type === 'text/event-stream' || labels.some((label) => head.startsWith(label))) return eventReader();
      if (!isAll && labels.some((label) => label.startsWith(head))) return undefined;
      fail('BAD_RESPONSE');
      return eventReader();
    }
    function begin(isAll: boolean) {
      const frames = choose(isAll);
      if (!frames) return;
      reader = reading(frames);
      for (const bytes of held.splice(0)) reader.push(bytes);
    }

    return {
      push(bytes) {
        if (reader) return reader.push(bytes);
        held.push(bytes.slice());
        for (const byte of bytes) if (head.length < 6 && (head !== '' || !leading.includes(byte))) head += String.fromCharCode(byte);
        if (head !== '') begin(false);
        if (!reader) ping();
      },
      end(how) {
        if (!reader) begin(true);
        reader?.end(how);
      },
    };
  }

  const { plain } = handlers;
  // No server labels a reply as a web page or an image by mistake.
  if (type === 'text/html' || type.startsWith('image/')) fail('BAD_RESPONSE');
  if (!plain) return sniffing();
  if (type === '' || plain.types.includes(type)) return reading(plainReader(plain));
  if (type !== 'application/json' && !type.endsWith('+json')) fail('BAD_RESPONSE');
  return reading(rowReader());
}

/** Number of unreadable frames after which a body is no reply. Each costs the time of an exception. */
const MOST_UNREAD = 2_000;

const leading = [0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]; // blanks, and the bytes of a BOM
const brackets = ['[', '{'];
const labels = ['data:', 'event:', 'id:', 'retry:', ':'];

function withoutLabels(line: string): string {
  let at = 0;
  while (line.startsWith('data:', at)) {
    at += 5;
    while (line[at] === ' ') at += 1;
  }
  return line.slice(at).trim();
}

const isWhole = (source: string): boolean => source === '[DONE]' || isObject(parseJson(source));

/** Returns the reason why a service stopped, from a frame that is not part of a reply: text that is not JSON, or JSON with a message. */
function reasonIn(source: string): string | undefined {
  if (source.trim() === '' || source === '[DONE]') return undefined;
  const value = parseJson(source);
  if (value !== undefined) return reasonOf(value);
  return /^\s*[[{]/.test(source) ? undefined : source.trim().slice(0, 2000);
}

const reasons = ['message', 'detail', 'msg', 'error_msg', 'errmsg', 'status_msg'];

function reasonOf(value: unknown): string | undefined {
  for (const place of [value, field(value, 'error'), field(value, 'base_resp'), field(value, 'status')])
    for (const name of reasons) {
      const said = stringOf(field(place, name));
      if (said !== undefined) return said;
    }
  return undefined;
}

/** Creates a `frame` handler for wires with JSON frames. An error that is not JSON is still an error and never skipped. */
export function jsonFrames(meaning: (data: unknown, name: string | undefined) => readonly WireEvent[]): BodyHandlers['frame'] {
  return (source, name) => {
    const data = parseJson(source);
    if (data !== undefined) return meaning(data, name);
    if (name === 'error') return [{ type: 'error', message: source }];
    return source === '' || source === '[DONE]' ? [] : undefined;
  };
}
