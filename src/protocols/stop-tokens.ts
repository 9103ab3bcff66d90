/**
 * The tokens with which chat templates end an answer. Some servers leave them in the text, where they are not part of the answer, so they
 * are removed from its end.
 */

const TOKENS = (
  '<|im_end|> <|eot_id|> <|eom_id|> <|end|> <|endoftext|> <|end_of_text|> <|end_of_turn|> <|eot|> <|eos|> <|return|> ' +
  '<|END_OF_TURN_TOKEN|> <｜end▁of▁sentence｜> <|end▁of▁sentence|> <|end_of_sentence|> <end_of_turn> <eos> </s>'
).split(' ');

/** Maximum length of a run of tokens with blanks, in UTF-16 units. A longer run is text. */
const MOST_HELD = 256;

export interface StopTokens {
  /** Returns the text that cannot be part of the end. */
  push(text: string): string;
  /** Handles a segment other than text: returns an incomplete token as text, and keeps complete tokens waiting. */
  pause(): string;
  /** The text that is waiting. */
  readonly held: string;
  /** Ends the answer. Returns the waiting text that is part of the answer after all; `isText` decides about complete tokens at the end. */
  end(isText: (tokens: string) => boolean): string;
}

export function createStopTokens(): StopTokens {
  let held = '';
  const release = () => {
    const text = held;
    held = '';
    return text;
  };

  return {
    get held() {
      return held;
    },
    push(addition) {
      if (held === '' && !addition.includes('<')) return addition;
      const text = release() + addition;
      const at = beginning(text);
      held = text.slice(at);
      return text.slice(0, at);
    },
    pause: () => (wholeFrom(held, 0) === held.length ? '' : release()),
    end: (isText) => (held !== '' && wholeFrom(held, 0) === held.length && !isText(held) ? ((held = ''), '') : release()),
  };
}

/** Returns where the tokens at the end of the text begin. The last one may be incomplete. */
function beginning(text: string): number {
  for (let at = text.indexOf('<', Math.max(0, text.length - MOST_HELD)); at >= 0; at = text.indexOf('<', at + 1)) {
    const rest = text.slice(wholeFrom(text, at));
    if (rest === '' || TOKENS.some((token) => token.startsWith(rest))) return at;
  }
  return text.length;
}

/** Skips complete tokens and the blanks after them. */
function wholeFrom(text: string, from: number): number {
  let at = from;
  for (let token: string | undefined; (token = TOKENS.find((one) => text.startsWith(one, at))) !== undefined;) {
    at += token.length;
    while (at < text.length && text[at]!.trim() === '') at += 1;
  }
  return at;
}
