/** What the readers of all wires share: choose by the first bytes, stay silent once ended, hold the limits. */
import { isObject } from '../base/objects.js';
import { field, parseJson, stringOf } from './read-fields.js';
import { createRowReader, type FrameReader } from './rows.js';
import { createSseReader, LINE_CHARS } from './sse.js';
import type { WireEvent, WireReader } from './wire.js';

/** What a reader is told about the response. `maxLine` in UTF-16 units, 4,194,304 by default. */
export interface ResponseInfo {
  status: number;
  contentType: string;
  maxLine?: number;
  /** Hears of frames that were left out because they made no sense. */
  warn?(message: string): void;
  /** A frame was left out that may have held a part of the reply. Told where it stood among the events. */
  missing?(): void;
  /** Sees each frame, or the value of the body, before it is read, for the code that names what is not understood. */
  heard?(data: unknown, name?: string): void;
  /** Hears of the id of each frame, before it is read; `false` = it is left out. */
  frameId?(id: string | undefined): boolean;
}

export interface BodyHandlers {
  /** One frame of a stream. Returns what it means; an empty list = a ping, `undefined` = it cannot be read. */
  frame(data: string, name: string | undefined): readonly WireEvent[] | undefined;
  /** The whole of a JSON body. Nothing = it is no reply. */
  json(value: unknown): readonly WireEvent[];
  /** A clean close: what it means, for wires where a close can end a reply. */
  closed?(): readonly WireEvent[];
  /** Streams are lines of JSON, of which the first is one already. */
  rows?: true;
  /** Streams are not frames but the text itself, under these content types. */
  plain?: { types: readonly string[]; decode(bytes: Uint8Array): string };
}

/**
 * A reader that emits nothing after its first `finish` or `error`. Errors of its own carry the codes `TOO_LARGE` and `BAD_RESPONSE`.
 * The first bytes decide how a body is read, for its label is often wrong: JSON, lines of JSON, or server-sent events. What begins like none
 * of them is refused at once, unless it is labelled as an event stream or not at all.
 */
export function createBodyReader(emit: (event: WireEvent) => void, response: ResponseInfo, handlers: BodyHandlers): WireReader {
  const maxLine = response.maxLine ?? LINE_CHARS;
  const type = (response.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  let open = true;
  /** Something of an answer has come. */
  let said = false;
  /** A frame could be read, whatever it meant. */
  let understood = false;
  /** The last frame, if it could not be read or meant nothing: a server may have written there why it says no more. */
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
    return handlers.frame(data, name);
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

  /** Some servers forget the blank line between events, or write `data:` twice. */
  function readLines(data: string, name: string | undefined): readonly WireEvent[] | undefined {
    const lines = data.split('\n').map(withoutLabels);
    if (lines.length === 1 && lines[0] === data) return undefined;
    const all = lines.map((line) => (line.startsWith('{') || line === '[DONE]' ? frameOf(line, name) : undefined));
    if (all.every((one) => one === undefined)) return undefined;
    // Whatever else the frame says, an error in it is what it came to.
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

  /** Nothing follows. Where no end was told, what came last may say why. */
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
          // A whole object is a whole event; of what was cut off nothing is guessed.
          const lines = unended?.data.split('\n') ?? [];
          if (unended && !isWhole(unended.data)) while (lines.length > 0 && !isWhole(withoutLabels(lines.at(-1)!))) lines.pop();
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

  /** The first bytes decide. */
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
  // No server labels a reply as a web page or a picture by mistake.
  if (type === 'text/html' || type.startsWith('image/')) fail('BAD_RESPONSE');
  if (!plain) return sniffing();
  if (type === '' || plain.types.includes(type)) return reading(plainReader(plain));
  if (type !== 'application/json' && !type.endsWith('+json')) fail('BAD_RESPONSE');
  return reading(rowReader());
}

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

/** Why a service says no more, out of a frame that is no part of a reply: what is not JSON at all, or a JSON with a word of it. */
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

/**
 * `frame` for wires whose frames are JSON. An error that is no JSON is still an error: never read on as if nothing had been said.
 */
export function jsonFrames(meaning: (data: unknown, name: string | undefined) => readonly WireEvent[]): BodyHandlers['frame'] {
  return (source, name) => {
    const data = parseJson(source);
    if (data !== undefined) return meaning(data, name);
    if (name === 'error') return [{ type: 'error', message: source }];
    return source === '' || source === '[DONE]' ? [] : undefined;
  };
}
