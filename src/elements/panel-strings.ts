/** The texts of a panel: the catalog of its language, with the page's own texts. */
import { load } from '../base/load.js';
import type { Texts } from '../i18n/en.js';
import { english } from '../i18n/english.js';
import { loadTexts } from '../i18n/localize.js';

export interface PanelStrings {
  readonly lang: string;
  readonly texts: Texts;
  /** True while the first catalog is loading. Until then the texts are English. */
  readonly isLoading: boolean;
  /** Sets the language and the page's texts. Texts that must be loaded follow later. */
  follow(lang: string, ownTexts: unknown): void;
}

/** Longest wait for the catalog, in milliseconds: a slow network must not keep the user from typing. */
const MAX_WAIT = 1000;

/**
 * Creates the texts of a panel, in English at first.
 *
 * @param changed called when the texts have changed
 */
export function createPanelStrings(changed: () => void): PanelStrings {
  let catalog: Texts = english;
  let texts = catalog;
  let withCustomTexts: typeof import('./custom-strings.js').withCustomTexts | undefined;
  let lang = 'en';
  let isLoading = false;
  let hasLanguage = false;

  /** If this fails to load, the texts of the catalog are used. */
  async function loadCustomTexts(): Promise<void> {
    ({ withCustomTexts } = await load(() => import('./custom-strings.js')).catch(() => ({ withCustomTexts: (texts: Texts) => texts })));
    changed();
  }

  function stopWaiting(): void {
    if (!isLoading) return;
    isLoading = false;
    changed();
  }

  return {
    get lang() {
      return lang;
    },
    get isLoading() {
      return isLoading;
    },
    get texts() {
      return texts;
    },
    follow(wanted, ownTexts) {
      if (wanted !== lang) {
        lang = wanted;
        isLoading ||= !hasLanguage;
        if (!hasLanguage) setTimeout(stopWaiting, MAX_WAIT);
        void loadTexts(wanted).then((loaded) => {
          if (wanted !== lang) return;
          catalog = loaded;
          isLoading = false;
          changed();
        });
      }
      hasLanguage = true;
      if (ownTexts !== undefined && !withCustomTexts) void loadCustomTexts();
      texts = withCustomTexts?.(catalog, ownTexts) ?? catalog;
    },
  };
}

const presetTexts = new WeakMap<Texts, Texts>();

/** Returns the texts for a preset: the preset `aio-vcp` says "approve" instead of "allow". */
export function textsForPreset(preset: unknown, texts: Texts): Texts {
  if (preset !== 'aio-vcp') return texts;
  // The catalog is the prototype, so that texts loaded later are visible.
  const result = presetTexts.get(texts) ?? (Object.create(texts, { allow: { value: texts.approve } }) as Texts);
  presetTexts.set(texts, result);
  return result;
}

/** Returns a language tag that `Intl` accepts. `Intl` throws for some tags of pages (`en_US`) and browsers (`C`). */
export function validLanguageTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}
