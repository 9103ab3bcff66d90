/**
 * The tokens with which models' templates end an answer. Some servers leave them in the text, where they are nobody's words: at the end of an
 * answer they are left out.
 */

const TOKENS = (
  '<|im_end|> <|eot_id|> <|eom_id|> <|end|> <|endoftext|> <|end_of_text|> <|end_of_turn|> <|eot|> <|eos|> <|return|> ' +
  '<|END_OF_TURN_TOKEN|> <｜end▁of▁sentence｜> <|end▁of▁sentence|> <|end_of_sentence|> <end_of_turn> <eos> </s>'
).split(' ');

/** More of them in a row, blanks included, are text. UTF-16 units. */
const MOST_HELD = 256;

export interface StopTokens {
  /** Returns the text that cannot be a part of the end. */
  push(text: string): string;
  /** Something else than text follows: returns what is not whole. Whole tokens wait on. */
  pause(): string;
  /** What waits. */
  readonly held: string;
  /** The answer is over. Returns what is text after all; `isText` is asked about whole tokens that end it. */
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

/** Where the tokens begin that the text ends in, the last of them perhaps not whole. */
function beginning(text: string): number {
  for (let at = text.indexOf('<', Math.max(0, text.length - MOST_HELD)); at >= 0; at = text.indexOf('<', at + 1)) {
    const rest = text.slice(wholeFrom(text, at));
    if (rest === '' || TOKENS.some((token) => token.startsWith(rest))) return at;
  }
  return text.length;
}

/** Passes whole tokens, and blanks behind them. */
function wholeFrom(text: string, from: number): number {
  let at = from;
  for (let token: string | undefined; (token = TOKENS.find((one) => text.startsWith(one, at))) !== undefined;) {
    at += token.length;
    while (at < text.length && text[at]!.trim() === '') at += 1;
  }
  return at;
}
