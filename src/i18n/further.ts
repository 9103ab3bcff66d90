/** The languages beyond English and Chinese. The table is loaded for a page that speaks neither; so is its language, and nothing else. */
import { load } from '../base/load.js';
import type { Texts } from './en.js';
import { overEnglish } from './over-english.js';

/** By the base of a language tag. */
const languages: Readonly<Record<string, () => Promise<Texts>>> = {
  ar: async () => (await load(() => import('./ar.js'))).ar,
  de: async () => (await load(() => import('./de.js'))).de,
  es: async () => (await load(() => import('./es.js'))).es,
  fr: async () => (await load(() => import('./fr.js'))).fr,
  ja: async () => (await load(() => import('./ja.js'))).ja,
};

/** The first of them that there is, or undefined. Rejects where it does not load. */
export async function furtherTexts(tags: readonly string[]): Promise<Texts | undefined> {
  const tag = tags.find((one) => Object.hasOwn(languages, one));
  const words = tag === undefined ? undefined : await languages[tag]?.();
  // A language by itself, as a page loads it, is words and nothing under them.
  return words && overEnglish(words);
}
