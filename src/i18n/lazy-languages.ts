/** The languages other than English and Chinese. A page in one of them loads this table and that language, nothing else. */
import { load } from '../base/load.js';
import type { Texts } from './en.js';
import { withEnglishFallback } from './english-fallback.js';

/** Loaders by the base of a language tag. */
const languages: Readonly<Record<string, () => Promise<Texts>>> = {
  ar: async () => (await load(() => import('./ar.js'))).ar,
  de: async () => (await load(() => import('./de.js'))).de,
  es: async () => (await load(() => import('./es.js'))).es,
  fr: async () => (await load(() => import('./fr.js'))).fr,
  ja: async () => (await load(() => import('./ja.js'))).ja,
};

/** Returns the catalog of the first available tag, or undefined. Rejects if it cannot be loaded. */
export async function loadLazyLanguage(tags: readonly string[]): Promise<Texts | undefined> {
  const tag = tags.find((one) => Object.hasOwn(languages, one));
  const words = tag === undefined ? undefined : await languages[tag]?.();
  // The file of a language has no fallback for missing texts by itself.
  return words && withEnglishFallback(words);
}
