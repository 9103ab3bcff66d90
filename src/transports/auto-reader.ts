/**
 * A reader for `wire="auto"`: begins as the wire that the address chose, and changes when the response turns out to be of another kind. What
 * has come until that is known is kept, at most 8 KiB of a stream, and read again by whoever takes over.
 */
import { load } from '../base/load.js';
import type { ResponseInfo } from './body.js';
import type { Wire, WireEvent, WireReader } from './wire.js';

export interface AutoReader extends WireReader {
  /** To be awaited after each `push` and after `end`. Almost always there is nothing to wait for. */
  settle(): Promise<void> | undefined;
}

const HEAD_BYTES = 8_192;

/** @param chosen told when another wire takes over, and by what it was recognised */
export function createAutoReader(
  wire: Wire,
  emit: (event: WireEvent) => void,
  response: ResponseInfo & { headers: Headers },
  endpoint: URL,
  chosen: (wireId: string, why: string) => void,
): AutoReader {
  /** Everything so far, while it is open whose it is. */
  let held: Uint8Array[] | undefined = [];
  let size = 0;
  /** The wire has said that it cannot read this. */
  let refused: WireEvent | undefined;
  /** Something came that means nothing to the wire. */
  let puzzled = response.headers.has('x-vercel-ai-ui-message-stream');
  let ended: 'close' | 'reset' | undefined;
  /** It begins as JSON does, so it may be one text. */
  let isWhole = false;
  /** It has more than one line. */
  let hasLines = false;

  /** A piece that the wire could not read: lost only if it is this wire's reply. */
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
    else keep(); // it understands
    emit(event);
  }, own);

  /** The wire is the right one. */
  function keep() {
    held = undefined;
    if (isMissing) response.missing?.();
    isMissing = false;
  }

  /** A wire that fits the address keeps its reader while it can read at all; the default one has to be right, and one of rows has no events. */
  const isOpen = () =>
    refused !== undefined || (puzzled && (isWhole ? wire.id === 'cutie' && hasLines : wire.id === 'cutie' || wire.id === 'ollama'));

  /** A stream has shown whose it is by then; a whole reply shows it at its end, and has a limit of its own. */
  const isTooMuch = () => size >= HEAD_BYTES && !isWhole;

  async function choose(pieces: Uint8Array[]): Promise<void> {
    const { recognise } = await load(() => import('./choose-reader.js'));
    const found = await recognise(response, joined(pieces, size), ended !== undefined, { wire, endpoint });
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
