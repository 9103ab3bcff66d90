/** The scanning functions of our readers. They never use a regular expression that can backtrack, and never look beyond a small window. */

/** Maximum length of held-back text, in UTF-16 units, so that the cost of a chunk is its own length plus a constant. */
export const HOLD_LIMIT = 512;

/** Results of a matcher other than an end position: no match, or undecidable before more text arrives. */
export const NO_MATCH = -1;
export const NEED_MORE = -2;

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;

/** Creates a lookup table for characters. Text without any of them is skipped at next to no cost. */
export function charTable(chars: string): Uint8Array {
  const table = new Uint8Array(chars.includes('◁') ? 0x25c2 : 128);
  for (const char of chars) table[char.charCodeAt(0)] = 1;
  return table;
}

/** Returns the position of the first character from `at` on that is in the table, or `end`. */
export function findChar(text: string, at: number, end: number, table: Uint8Array): number {
  while (at < end && table[text.charCodeAt(at)] !== 1) at += 1;
  return at;
}

/** Checks for a blank of the grammars: space, tab or line break. */
export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB || code === LINE_FEED || code === CARRIAGE_RETURN;
}

/** Returns the first position from `at` on that is not a blank. */
export function skipBlanks(text: string, at: number): number {
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** Removes the blanks at both ends. Other white space is kept, because it makes a different name. */
export function trimBlanks(text: string): string {
  const start = skipBlanks(text, 0);
  let end = text.length;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Returns the position after `word` if it is at `at`, or `NO_MATCH` or `NEED_MORE`. */
export function matchWord(text: string, at: number, word: string): number {
  const length = Math.min(word.length, text.length - at);
  for (let index = 0; index < length; index += 1) {
    if (text.charCodeAt(at + index) !== word.charCodeAt(index)) return NO_MATCH;
  }
  return length === word.length ? at + length : NEED_MORE;
}

/** Returns the position after the first of `words` that is at `at`, or `NO_MATCH` or `NEED_MORE`. */
export function matchAny(text: string, at: number, words: readonly string[]): number {
  let result = NO_MATCH;
  for (const word of words) {
    const end = matchWord(text, at, word);
    if (end > NO_MATCH) return end;
    if (end === NEED_MORE) result = NEED_MORE;
  }
  return result;
}

/**
 * Matches `start`, blanks and `>`, a tag without attributes, and returns the position after it. The whole tag must fit into the hold limit.
 */
export function matchBareTag(text: string, at: number, start: string): number {
  const named = matchWord(text, at, start);
  if (named < 0) return named;
  const closed = skipBlanks(text, named);
  if (closed - at >= HOLD_LIMIT) return NO_MATCH;
  if (closed === text.length) return NEED_MORE;
  return text[closed] === '>' ? closed + 1 : NO_MATCH;
}

/**
 * Returns the position after `start` if a blank or `>` follows: a tag that may have attributes. The following character is not consumed.
 */
export function matchTagStart(text: string, at: number, start: string): number {
  const named = matchWord(text, at, start);
  if (named < 0) return named;
  if (named === text.length) return NEED_MORE;
  return text[named] === '>' || isBlank(text.charCodeAt(named)) ? named : NO_MATCH;
}
