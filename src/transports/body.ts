/** What the readers of SSE wires share: choose by content type, stay silent once ended, hold the limits. */
import { parseJson } from './fields.js';
import { createSseReader, LINE_CHARS } from './sse.js';
import type { WireEvent, WireReader } from './wire.js';

/** What a reader is told about the response. `maxLine` in UTF-16 units, 4,194,304 by default. */
export interface ResponseInfo {
  status: number;
  contentType: string;
  maxLine?: number;
  /** Hears of frames that were left out because they made no sense (S0-40). */
  warn?(message: string): void;
}

export interface BodyHandlers {
  /** One event of a stream. Returns what it means; nothing = a ping. */
  frame(data: string, name: string | undefined): readonly WireEvent[];
  /** The whole of a JSON body. Nothing = it is no reply. */
  json(value: unknown): readonly WireEvent[];
  /** A clean close: what it means, for wires where a close can end a reply. */
  closed?(): readonly WireEvent[];
}

/**
 * A reader that emits nothing after its first `finish` or `error`. Errors of its own carry the codes `TOO_LARGE` and `BAD_RESPONSE`.
 * A body that is neither an event stream nor JSON is refused at once; a missing content type is taken for an event stream.
 */
export function createBodyReader(emit: (event: WireEvent) => void, response: ResponseInfo, handlers: BodyHandlers): WireReader {
  const maxLine = response.maxLine ?? LINE_CHARS;
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
    const sse = createSseReader(
      {
        event({ data, event }) {
          if (!open) return;
          const events = handlers.frame(data, event);
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
        if (open) sse.push(bytes);
      },
      end(how) {
        if (how === 'close' && handlers.closed) send(handlers.closed());
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

  const type = (response.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === 'application/json' || type.endsWith('+json')) return jsonReader();
  if (type !== '' && type !== 'text/event-stream') fail('BAD_RESPONSE');
  return streamReader();
}
