/**
 * Splits text so that nothing in it stays unseen: characters without a shape, characters that turn the reading direction, and long
 * runs of white space become marked pieces (faults 115: hidden arguments). One pass, linear.
 */

/** Plain text, or a mark that stands for `count` characters of one kind. */
export type Piece = string | { mark: string; count: number; hidden: boolean };

export interface VisibleText {
  pieces: readonly Piece[];
  /** How many characters would not have been seen. White space is not counted. */
  hidden: number;
  lines: number;
  characters: number;
}

/** From this many in a row on, blanks or line breaks are counted instead of shown: nothing is pushed out of sight. */
const LONG_BLANK = 24;
const LONG_BREAK = 4;
/** So many marks become elements of their own; the rest are written into the text. */
const MARKS_AS_PIECES = 500;

// Controls but tab and line feed, soft hyphen, joiners and fillers, direction marks, invisible operators, variation selectors, tags.
const INVISIBLE =
  /[\0-\x08\x0B-\x1F\x7F-\x9F\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\uD800-\uDFFF\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/u;
// eslint-disable-next-line no-regex-spaces -- counted runs; neither alternative can begin inside itself
const LONG_RUN = / {24}|\t{24}|\n{4}/;
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\uFE0F\u20E3#*0-9]/u;

export function visibleText(text: string): VisibleText {
  if (!INVISIBLE.test(text) && !LONG_RUN.test(text) && text.trim())
    return { pieces: [text], hidden: 0, lines: countLines(text), characters: text.length };
  const pieces: Piece[] = [];
  let plain = '';
  let hidden = 0;
  let lines = 1;
  let characters = 0;
  let before = '';

  const mark = (label: string, count: number, isHidden: boolean) => {
    if (pieces.length >= MARKS_AS_PIECES) {
      plain += `⟦${label}${count > 1 ? `×${String(count)}` : ''}⟧`;
      return;
    }
    if (plain) pieces.push(plain);
    plain = '';
    pieces.push({ mark: label, count, hidden: isHidden });
  };

  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    const step = character.length;
    if (character === ' ' || character === '\t' || character === '\n') {
      const count = runLength(text, at, character);
      characters += count;
      if (character === '\n') lines += count;
      const whole = count === text.length;
      if (whole || count >= (character === '\n' ? LONG_BREAK : LONG_BLANK)) {
        mark(character === '\n' ? '↵' : character === ' ' ? '␣' : '⇥', count, false);
        if (character === '\n') plain += '\n';
      } else plain += character.repeat(count);
      at += count;
    } else if (INVISIBLE.test(character) && !partOfEmoji(character, before, text, at + step)) {
      const count = runLength(text, at, character);
      characters += count;
      hidden += count;
      mark(codePoint(character), count, true);
      at += count * step;
    } else {
      plain += character;
      characters += 1;
      at += step;
    }
    before = character;
  }
  if (plain) pieces.push(plain);
  return { pieces, hidden, lines, characters };
}

/** The text without what nobody sees: for the clipboard. */
export function withoutHidden(text: string): string {
  if (!INVISIBLE.test(text)) return text;
  let kept = '';
  let before = '';
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    at += character.length;
    if (!INVISIBLE.test(character) || partOfEmoji(character, before, text, at)) kept += character;
    before = character;
  }
  return kept;
}

/** A joiner between two emoji, or the selector that makes one colourful, belongs to what people see. */
function partOfEmoji(character: string, before: string, text: string, next: number): boolean {
  if (character === '\uFE0F') return EMOJI.test(before);
  if (character !== '\u200D' || !EMOJI.test(before)) return false;
  const after = text.codePointAt(next);
  return after !== undefined && /\p{Extended_Pictographic}/u.test(String.fromCodePoint(after));
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function runLength(text: string, from: number, character: string): number {
  let count = 1;
  while (text.startsWith(character, from + count * character.length)) count += 1;
  return count;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`;
}
