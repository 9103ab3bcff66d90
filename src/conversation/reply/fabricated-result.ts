/**
 * Some models continue after a call as if it had been answered: with a result that they make up, or with words of the user, and text about
 * it. None of that is an answer. It is shown as reasoning, and a call in it asks for approval.
 */
import type { ReplyPiece } from './block-reader.js';

/** Beginnings of results in ReAct, in the templates of Qwen, Hermes and Anthropic, and of a turn of the user. */
const SIGNS = ['Observation:', '<tool_response>', '<function_results>', 'Human:', 'User:'];
const LONGEST = 512;

export interface FabricatedResultFilter {
  take(piece: ReplyPiece): void;
  end(): void;
}

export function withoutFabricatedResults(take: (piece: ReplyPiece) => void, onMadeUp: () => void): FabricatedResultFilter {
  let state: 'text' | 'behind-call' | 'made-up' = 'text';
  let held = ''; // text that needs more text to be classified

  function release() {
    if (held) take({ type: 'text', text: held });
    held = '';
    state = 'text';
  }

  function readBehindCall(text: string) {
    held += text;
    const begun = held.trimStart();
    if (SIGNS.some((sign) => begun.startsWith(sign))) {
      state = 'made-up';
      onMadeUp();
      take({ type: 'reasoning', text: held });
      held = '';
    } else if (held.length >= LONGEST || !SIGNS.some((sign) => sign.startsWith(begun))) release();
  }

  return {
    take(piece) {
      if (piece.type === 'text' && state === 'behind-call') return readBehindCall(piece.text);
      if (state === 'made-up') return take(insideFabricated(piece));
      if (piece.type !== 'text') release();
      if (piece.type === 'call') state = 'behind-call';
      take(piece);
    },
    end: release,
  };
}

function insideFabricated(piece: ReplyPiece): ReplyPiece {
  if (piece.type === 'text') return { type: 'reasoning', text: piece.text };
  return piece.type === 'call' ? { ...piece, flags: [...(piece.flags ?? []), 'suspicious'] } : piece;
}
