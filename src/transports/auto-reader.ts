/**
 * A reader for `wire="auto"`: starts with the wire that fits the address, and switches if the response turns out to be of another kind.
 * Until that is decided, the bytes are kept (at most 8 KiB of a stream), and the new reader reads them again.
 */
import { load } from '../base/load.js';
import type { ResponseInfo } from './body.js';
import type { Wire, WireEvent, WireReader } from './wire.js';

export interface AutoReader extends WireReader {
  /** Returns a promise to await after each `push` and after `end`. It is almost always undefined. */
  settle(): Promise<void> | undefined;
}

const HEAD_BYTES = 8_192;

/** @param chosen Called if another wire takes over, with its id and how it was recognized. */
export function createAutoReader(
  wire: Wire,
  emit: (event: WireEvent) => void,
  response: ResponseInfo & { headers: Headers },
  endpoint: URL,
  chosen: (wireId: string, why: string) => void,
): AutoReader {
  /** All bytes so far, while the wire is undecided. */
  let held: Uint8Array[] | undefined = [];
  let size = 0;
  /** The error of the wire if it cannot read the response. */
  let refused: WireEvent | undefined;
  /** True if a part of the response, or a header, means nothing to the wire. */
  let puzzled = response.headers.has('x-vercel-ai-ui-message-stream');
  let ended: 'close' | 'reset' | undefined;
  /** True if the body begins like JSON, so it may be one JSON text. */
  let isWhole = false;
  /** True if the body has more than one line. */
  let hasLines = false;

  /** True if the wire could not read a piece. The piece is lost only if this wire stays. */
  let isMissing = false;
  const own: ResponseInfo = {
    ...response,
    missing() {
      if (held) isMissing = true;
      else response.missing?.();
    },
  };

  let reader = wire.createReader((event) => {
    if (!held) return emit(event);
    if (event.type === 'error' && event.code === 'BAD_RESPONSE') {
      refused = event;
      return;
    }
    if (event.type === 'ping') puzzled = true;
    else keep(); // the wire could read it
    emit(event);
  }, own);

  /** Keeps the current wire. */
  function keep() {
    held = undefined;
    if (isMissing) response.missing?.();
    isMissing = false;
  }

  /**
   * Checks whether the wire is still undecided. A wire that fits the address stays while it can read anything. The default wire must match,
   * and a row-based wire has no events.
   */
  const isOpen = () =>
    refused !== undefined || (puzzled && (isWhole ? wire.id === 'cutie' && hasLines : wire.id === 'cutie' || wire.id === 'ollama'));

  /**
   * Checks whether enough has been read. A stream is recognizable by then; an unstreamed reply is recognizable only at its end and has a
   * separate limit.
   */
  const isTooMuch = () => size >= HEAD_BYTES && !isWhole;

  async function choose(pieces: Uint8Array[]): Promise<void> {
    const { detectWire } = await load(() => import('./detect-wire.js'));
    const found = await detectWire(response, joined(pieces, size), ended !== undefined, { wire, endpoint });
    puzzled = false;
    if (found && 'refused' in found) {
      held = undefined;
      response.warn?.(found.refused);
      emit({ type: 'error', code: 'PLAIN_TEXT', message: `${found.refused}: ${found.text}` });
    } else if (found && found.wire.id !== wire.id) {
      held = undefined;
      chosen(found.wire.id, found.why);
      reader = found.wire.createReader(emit, response);
      for (const piece of pieces) reader.push(piece);
      if (ended) reader.end(ended);
    } else if (found || ended || found === null || isTooMuch()) {
      keep();
      if (refused) emit(refused);
    }
  }

  return {
    push(bytes) {
      if (isTooMuch() && !refused) keep();
      if (held) {
        if (!isWhole && held.every((piece) => piece.every(isBlank))) isWhole = isBracket(bytes.find((byte) => !isBlank(byte)));
        hasLines ||= bytes.includes(0x0a);
        held.push(bytes.slice());
        size += bytes.length;
      }
      reader.push(bytes);
    },
    end(how) {
      ended = how;
      reader.end(how);
    },
    settle: () => (held && isOpen() ? choose(held) : undefined),
  };
}

const isBlank = (byte: number) => byte <= 0x20 || byte >= 0xbb;
const isBracket = (byte: number | undefined) => byte === 0x5b || byte === 0x7b;

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
