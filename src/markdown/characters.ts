/** Character classes for the block and inline parsers. Nothing here depends on Markdown's grammar. */

const PUNCTUATION = /[\p{P}\p{S}]/u;
const WHITESPACE = /\s/u;
// Han, kana, Hangul and the full-width forms: scripts that put no spaces between words.
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;

export const isPunctuation = (character: string): boolean => PUNCTUATION.test(character);
export const isWhitespace = (character: string): boolean => character === '' || WHITESPACE.test(character);
export const isEastAsian = (character: string): boolean => EAST_ASIAN.test(character);

export const isSpaceOrTab = (code: number): boolean => code === 32 || code === 9;

/** Checks for a space, a tab or a line ending. NaN, the code past the end of a string, is none of them. */
export const isWhite = (code: number): boolean => code === 32 || code === 10 || code === 9;

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

export const isAsciiLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

export const isAsciiAlphanumeric = (code: number): boolean => isDigit(code) || isAsciiLetter(code);

export const isAsciiPunctuation = (code: number): boolean =>
  (code >= 33 && code <= 47) || (code >= 58 && code <= 64) || (code >= 91 && code <= 96) || (code >= 123 && code <= 126);

/** Returns the first index at or after `at` that has no space, tab or line ending. */
export function skipWhite(text: string, at: number): number {
  while (isWhite(text.charCodeAt(at))) at++;
  return at;
}

/** Returns the whole character before `at`, also if it has two units; '' at the start. */
export function characterBefore(text: string, at: number): string {
  if (at === 0) return '';
  const last = text.charCodeAt(at - 1);
  return last >= 0xdc00 && last <= 0xdfff && at > 1 ? text.slice(at - 2, at) : text.charAt(at - 1);
}

/** Returns the whole character at `at`; '' past the end. */
export function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}
