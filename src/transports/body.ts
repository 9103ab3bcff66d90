/** What the readers of all wires share: choose by content type, stay silent once ended, hold the limits. */
import { parseJson } from './read-fields.js';
import { createSseReader, LINE_CHARS } from './sse.js';
import type { WireEvent, WireReader } from './wire.js';

/** What a reader is told about the response. `maxLine` in UTF-16 units, 4,194,304 by default. */
export interface ResponseInfo {
  status: number;
  contentType: string;
  maxLine?: number;
  /** Hears of frames that were left out because they made no sense (S0-40). */
  warn?(message: string): void;
  /** A frame was left out that may have held a part of the reply. Told where it stood among the events. */
  missing?(): void;
  /** Hears of the id of each frame, before it is read; `false` = it is left out. */
  frameId?(id: string | undefined): boolean;
}

export interface BodyHandlers {
  /** One frame of a stream. Returns what it means; nothing = a ping. */
  frame(data: string, name: string | undefined): readonly WireEvent[];
  /** The whole of a JSON body. Nothing = it is no reply. */
  json(value: unknown): readonly WireEvent[];
  /** A clean close: what it means, for wires where a close can end a reply. */
  closed?(): readonly WireEvent[];
  /** How a stream is cut into frames; server-sent events unless another way is named. */
  framing?: Framing;
}

/** A way to cut bytes into frames. */
export interface Framing {
  /** Content types, in lower case and without parameters. */
  readonly types: readonly string[];
  create(on: FrameHandlers, maxLine: number): FrameReader;
}

export interface FrameHandlers {
  event(frame: { data: string; event?: string | undefined; id?: string | undefined }): void;
  /** The server is alive and says nothing. */
  comment(): void;
  /** The limit was passed. Called once; nothing follows. */
  tooLong(): void;
}

export interface FrameReader {
  push(bytes: Uint8Array): void;
  /** A clean close, for framings whose last frame may lack its end. */
  close?(): void;
}

const sse: Framing = { types: ['text/event-stream'], create: createSseReader };

/**
 * A reader that emits nothing after its first `finish` or `error`. Errors of its own carry the codes `TOO_LARGE` and `BAD_RESPONSE`.
 * A body that is neither such a stream nor JSON is refused at once; a missing content type is taken for the stream. JSON that comes
 * as an event stream, as errors of some proxies do, is read as what it is.
 */
export function createBodyReader(emit: (event: WireEvent) => void, response: ResponseInfo, handlers: BodyHandlers): WireReader {
  const maxLine = response.maxLine ?? LINE_CHARS;
  const framing = handlers.framing ?? sse;
  let open = true;

  function send(events: readonly WireEvent[]) {
    for (const event of events) {
      if (!open) return;
      if (event.type === 'finish' || event.type === 'error') open = false;
      emit(event);
    }
  }
  const ping = () => send([{ type: 'ping' }]);
  const fail = (code: 'TOO_LARGE' | 'BAD_RESPONSE') => send([{ type: 'error', message: '', code }]);

  function streamReader(): WireReader {
    const frames = framing.create(
      {
        event({ data, event, id }) {
          if (!open) return;
          const events = response.frameId?.(id) === false ? [] : handlers.frame(data, event);
          if (events.length > 0) send(events);
          else ping();
        },
        comment: ping,
        tooLong: () => fail('TOO_LARGE'),
      },
      maxLine,
    );
    return {
      push(bytes) {
        if (open) frames.push(bytes);
      },
      end(how) {
        if (how === 'close' && open) {
          frames.close?.();
          if (handlers.closed) send(handlers.closed());
        }
        open = false;
      },
    };
  }

  function jsonReader(): WireReader {
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    let length = 0;
    return {
      push(bytes) {
        if (!open) return;
        const piece = decoder.decode(bytes, { stream: true });
        length += piece.length;
        if (length > maxLine) {
          pieces.length = 0;
          return fail('TOO_LARGE');
        }
        pieces.push(piece);
        ping();
      },
      end(how) {
        if (how === 'close' && open) {
          const events = handlers.json(parseJson(pieces.join('')));
          if (events.length > 0) send(events);
          else fail('BAD_RESPONSE');
        }
        open = false;
      },
    };
  }

  /** No field of an event stream begins with a bracket. */
  function sniffingReader(): WireReader {
    let reader: WireReader | undefined;
    return {
      push(bytes) {
        const first = reader ? undefined : bytes.find((byte) => !leading.includes(byte));
        if (first !== undefined) reader = brackets.includes(first) ? jsonReader() : streamReader();
        if (reader) reader.push(bytes);
        else ping();
      },
      end(how) {
        (reader ?? streamReader()).end(how);
      },
    };
  }

  const type = (response.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type !== '' && !framing.types.includes(type)) {
    if (type === 'application/json' || type.endsWith('+json')) return jsonReader();
    fail('BAD_RESPONSE');
  }
  return framing === sse ? sniffingReader() : streamReader();
}

const leading = [0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]; // blanks, and the bytes of a BOM
const brackets = [0x5b, 0x7b];

/**
 * `frame` for wires whose frames are JSON: one that is none is left out, and said so (S0-40). An error that is no JSON is still an
 * error: never read on as if nothing had been said.
 */
export function jsonFrames(
  response: ResponseInfo,
  meaning: (data: unknown, name: string | undefined) => readonly WireEvent[],
): BodyHandlers['frame'] {
  return (source, name) => {
    const data = parseJson(source);
    if (data !== undefined) return meaning(data, name);
    if (name === 'error') return [{ type: 'error', message: source }];
    if (source === '' || source === '[DONE]') return [];
    response.warn?.('A frame that is not JSON was left out');
    response.missing?.();
    return [];
  };
}
