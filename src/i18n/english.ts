/** The words of a conversation that was told no language. */
import { firstEn } from './en-first.js';
import type { Texts } from './en.js';

/** What a conversation speaks unless it is told otherwise. Whole as soon as a part is loaded that says more; see `wholeEnglish`. */
export const english = firstEn as Texts;
