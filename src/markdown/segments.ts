/**
 * Splits a paragraph of hundreds of kilobytes. The browser lays out a paragraph as a whole, some scripts in quadratic time, and again after
 * each change. So inline content is parsed in segments, each in a separate box; no emphasis or link crosses segments. The end of a segment
 * depends on the text alone, not on how it arrived. Ordinary paragraphs are shorter than one segment.
 */
import { isWhite } from './characters.js';
import { make } from './dom.js';

/** Lengths in UTF-16 units: after the first, a segment ends with the next blank, and at the latest at the second. */
const MIN_LENGTH = 6_144;
const MAX_LENGTH = 8_192;

/** The same lengths for scripts whose words the browser finds by a dictionary: twice as much text takes four times as long there. */
const MIN_WORDS = 2_048;
const MAX_WORDS = 3_072;

/**
 * Returns the end of the segment that starts at `from`, or -1 if it has not ended yet. `from` may be before the start of `text` if that
 * part does not contain its end; `before` is the code of the character before `text`.
 */
export function endOfSegment(text: string, from: number, before = 0): number {
  const limit = from + MAX_LENGTH;
  for (let i = Math.max(0, from + MIN_WORDS); i < text.length && i < limit; i++) {
    const code = text.charCodeAt(i);
    if (isWhite(code)) {
      if (hasWords(i > 0 ? text.charCodeAt(i - 1) : before)) return i + 1;
    } else if (i > 0 && i >= from + MAX_WORDS && startsSyllable(code)) return i;
  }
  for (let i = from + MIN_LENGTH; i < text.length && i < limit; i++) if (isWhite(text.charCodeAt(i))) return i + 1;
  if (text.length <= limit) return -1;
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code <= 0xdbff ? limit + 1 : limit; // not between the halves of a character
}

/** Matches Thai, Lao and Burmese, which have no blanks between words. */
const hasWords = (code: number): boolean => (code >= 0xe01 && code <= 0xedf) || (code >= 0x1000 && code <= 0x109f);

/** Checks for a consonant, or a vowel written before one: characters that do not belong to the preceding letter. */
const startsSyllable = (code: number): boolean =>
  (code >= 0xe01 && code <= 0xe2e) || (code >= 0xe81 && code <= 0xeae) || (code >= 0x1000 && code <= 0x1021);

/** Creates the box of the next segment. The first segment has none: it is in the block itself. */
export function nextSegment(block: HTMLElement, last: HTMLElement): HTMLElement {
  if (last !== block) last.classList.add('frozen');
  const box = make(block.ownerDocument, 'span', 'segment');
  block.append(box);
  return box;
}
