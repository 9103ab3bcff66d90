/** The texts of a conversation without a set language. */
import { firstEn } from './en-first.js';
import type { Texts } from './en.js';

/** The default catalog. It grows as modules with more texts load; see `fullEnglish`. */
export const english = firstEn as Texts;
