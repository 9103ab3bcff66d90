/**
 * A paragraph of hundreds of kilobytes in portions. The browser lays out a paragraph as a whole, some scripts in quadratic time, and each
 * change does it again. So inline content is read in segments, each with a box of its own; no emphasis or link reaches from one into the
 * next. Where a segment ends depends on the text alone, not on how it arrived. What people write is shorter than one.
 */
import { isBlank } from './characters.js';
import { make } from './dom.js';

/** From here on a segment ends after the next blank, and at the latest at the end of the second. UTF-16 units. */
const ENOUGH = 6_144;
const LONGEST = 8_192;

/** Where the segment that starts at `from` ends; -1 if it has not ended yet. `from` may lie before `text`, where no blank has ended it. */
export function endOfSegment(text: string, from: number): number {
  const limit = from + LONGEST;
  for (let i = from + ENOUGH; i < text.length && i < limit; i++) if (isBlank(text.charCodeAt(i))) return i + 1;
  if (text.length <= limit) return -1;
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code <= 0xdbff ? limit + 1 : limit; // not between the halves of a character
}

/** The box of the next segment. The first one has none: it stands in the block itself. */
export function nextSegment(block: HTMLElement, last: HTMLElement): HTMLElement {
  if (last !== block) last.classList.add('frozen');
  const box = make(block.ownerDocument, 'span', 'segment');
  block.append(box);
  return box;
}
