/** A language over English: what it does not say yet, English says. */
import { english } from './english.js';
import type { Texts } from './en.js';

/** Over English as it is and as it grows (`wholeEnglish`). */
export function overEnglish(words: Partial<Texts>): Texts {
  return Object.setPrototypeOf(words, english) as Texts;
}
