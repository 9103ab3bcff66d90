/** The texts of a panel: the catalog of its language, with the page's own texts. */
import { load } from '../base/load.js';
import type { Texts } from '../i18n/en.js';
import { english } from '../i18n/english.js';
import { loadTexts } from '../i18n/localize.js';

export interface PanelWords {
  readonly lang: string;
  readonly texts: Texts;
  /** True while the first catalog is loading. Until then the texts are English. */
  readonly isAwaited: boolean;
  /** Sets the language and the page's texts. Texts that must be loaded follow later. */
  follow(lang: string, ownTexts: unknown): void;
}

/** Longest wait for the catalog, in milliseconds: a slow network must not keep the user from typing. */
const LONGEST_WAIT = 1000;

/**
 * Creates the texts of a panel, in English at first.
 *
 * @param changed called when the texts have changed
 */
export function createPanelWords(changed: () => void): PanelWords {
  let catalogue: Texts = english;
  let texts = catalogue;
  let withOwnTexts: typeof import('./custom-strings.js').withOwnTexts | undefined;
  let lang = 'en';
  let isAwaited = false;
  let begun = false;

  /** If this fails to load, the texts of the catalog are used. */
  async function loadOwnTexts(): Promise<void> {
    ({ withOwnTexts } = await load(() => import('./custom-strings.js')).catch(() => ({ withOwnTexts: (given: Texts) => given })));
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

/** Returns the texts for a preset: the preset `aio-vcp` says "approve" instead of "allow". */
export function inWordsOf(preset: unknown, texts: Texts): Texts {
  if (preset !== 'aio-vcp') return texts;
  // The catalog is the prototype, so that texts loaded later are visible.
  const known = renamed.get(texts) ?? (Object.create(texts, { allow: { value: texts.approve } }) as Texts);
  renamed.set(texts, known);
  return known;
}

/** Returns a language tag that `Intl` accepts. `Intl` throws for some tags of pages (`en_US`) and browsers (`C`). */
export function wellFormed(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}
