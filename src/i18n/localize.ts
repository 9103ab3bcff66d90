/** From a language tag to a catalogue: exact, then base, then English. Each language but English is a file of its own, loaded when asked for. */
import { load } from '../base/load.js';
import type { Texts } from './en.js';
import { english } from './english.js';

/** Never rejects: a catalogue that does not load leaves English. `lang` is BCP 47. */
export async function loadTexts(lang: string): Promise<Texts> {
  const tag = lang.toLowerCase();
  const [base = ''] = tag.split('-');
  try {
    if (base === 'en') return english;
    if (base === 'zh') return (await load(() => import('./zh-cn.js'))).zhCN;
    return (await (await load(() => import('./further.js'))).furtherTexts([tag, base])) ?? english;
  } catch {
    return english;
  }
}
