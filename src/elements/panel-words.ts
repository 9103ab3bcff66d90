/** The words of a panel: the catalogue of its language, and a page's own words in it. */
import { load } from '../base/load.js';
import type { Texts } from '../i18n/en.js';
import { english } from '../i18n/english.js';
import { loadTexts } from '../i18n/localize.js';

export interface PanelWords {
  readonly lang: string;
  readonly texts: Texts;
  /** The first catalog is still loading: until then the words are English. */
  readonly isAwaited: boolean;
  /** What has to be loaded for it comes later. */
  follow(lang: string, ownTexts: unknown): void;
}

/** A slow network must not keep the user from writing. Milliseconds. */
const LONGEST_WAIT = 1000;

/** @param changed called when there are other words */
export function createPanelWords(changed: () => void): PanelWords {
  let catalogue: Texts = english;
  let texts = catalogue;
  let withOwnTexts: typeof import('./own-texts.js').withOwnTexts | undefined;
  let lang = 'en';
  let isAwaited = false;
  let begun = false;

  /** What does not load leaves the catalogue's words. */
  async function loadOwnTexts(): Promise<void> {
    ({ withOwnTexts } = await load(() => import('./own-texts.js')).catch(() => ({ withOwnTexts: (given: Texts) => given })));
    changed();
  }

  function arrived(): void {
    if (!isAwaited) return;
    isAwaited = false;
    changed();
  }

  return {
    get lang() {
      return lang;
    },
    get isAwaited() {
      return isAwaited;
    },
    get texts() {
      return texts;
    },
    follow(wanted, ownTexts) {
      if (wanted !== lang) {
        lang = wanted;
        isAwaited ||= !begun;
        if (!begun) setTimeout(arrived, LONGEST_WAIT);
        void loadTexts(wanted).then((loaded) => {
          if (wanted !== lang) return;
          catalogue = loaded;
          isAwaited = false;
          changed();
        });
      }
      begun = true;
      if (ownTexts !== undefined && !withOwnTexts) void loadOwnTexts();
      texts = withOwnTexts?.(catalogue, ownTexts) ?? catalogue;
    },
  };
}

const renamed = new WeakMap<Texts, Texts>();

/** Seed 002 approves where all others allow. */
export function inWordsOf(preset: unknown, texts: Texts): Texts {
  if (preset !== 'aio-vcp') return texts;
  // Words that are loaded later are seen through it.
  const known = renamed.get(texts) ?? (Object.create(texts, { allow: { value: texts.approve } }) as Texts);
  renamed.set(texts, known);
  return known;
}

/** As `Intl` takes it, which throws at what pages (`en_US`) and browsers (`C`) also call a language. */
export function wellFormed(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}
