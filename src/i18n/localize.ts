/** From a language tag to a catalogue: exact, then base, then English. Each language but English is a file of its own, loaded when asked for. */
import { load } from '../base/load.js';
import type { Texts } from './en.js';
import { english } from './english.js';

const catalogues: Readonly<Record<string, () => Promise<Texts>>> = {
  en: () => Promise.resolve(english),
  zh: async () => (await load(() => import('./zh-cn.js'))).zhCN,
};

/** Never rejects: a catalogue that does not load leaves English. `lang` is BCP 47. */
export async function loadTexts(lang: string): Promise<Texts> {
  const tag = lang.toLowerCase();
  const base = tag.split('-')[0] ?? '';
  const catalogue = [tag, base].map((one) => (Object.hasOwn(catalogues, one) ? catalogues[one] : undefined)).find(Boolean);
  try {
    return catalogue ? await catalogue() : english;
  } catch {
    return english;
  }
}
