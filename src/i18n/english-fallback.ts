/** Uses English for texts that a language does not have yet. */
import { english } from './english.js';
import type { Texts } from './en.js';

/** Adds English as the fallback, including texts that `fullEnglish` adds later. */
export function withEnglishFallback(words: Partial<Texts>): Texts {
  return Object.setPrototypeOf(words, english) as Texts;
}
