/** Finds the catalog of a language tag: exact, then base, then English. Each other language is a file of its own, loaded on demand. */
import { load } from '../base/load.js';
import type { Texts } from './en.js';
import { english } from './english.js';

/** Loads a catalog; `lang` is BCP 47. Never rejects: if the catalog cannot be loaded, the result is English. */
export async function loadTexts(lang: string): Promise<Texts> {
  const tag = lang.toLowerCase();
  const [base = ''] = tag.split('-');
  try {
    if (base === 'en') return english;
    if (base === 'zh') return (await load(() => import('./zh-cn.js'))).zhCN;
    return (await (await load(() => import('./lazy-languages.js'))).loadLazyLanguage([tag, base])) ?? english;
  } catch {
    return english;
  }
}
