/** Tells the user about the tab that leads the conversation, if it is another one. It shows one notice at a time. */
import type { Notice, Notices } from '../chart/notices.js';
import { cutText } from '../../base/cut-text.js';
import { fullEnglish } from '../../i18n/en.js';

fullEnglish();

/** Time that another tab may take to answer before the user is told, in milliseconds. */
export const SILENT = 1500;

/** Maximum length of a tab's title, in UTF-16 units. */
const TITLE_CHARS = 60;

export interface TabNotices {
  tell(text: Notice['text']): void;
  /** True if the leading tab does not answer and the user was told so. */
  readonly isSilent: boolean;
  tellSilent(): void;
  /** Tells the user that the text was not sent because the leading tab did not answer. */
  tellNotSent(): void;
  /** Called when that tab has answered. `title` is the title of its page. */
  heard(title?: unknown): void;
  /** Resolves as `work` does. If that takes long, the user is told. */
  patiently<T>(work: Promise<T>): Promise<T>;
  remove(): void;
}

/** @param follows whether another tab leads */
export function createTabNotices(notices: Notices, follows: () => boolean): TabNotices {
  let title = '';
  let isSilent = false;

  function tell(text: Notice['text']): void {
    isSilent = false;
    notices.add({ id: 'tab', text });
  }

  function tellSilent(): void {
    if (!follows()) return;
    tell(({ tabSilent }) => tabSilent(title));
    isSilent = true;
  }

  return {
    get isSilent() {
      return isSilent;
    },
    ...{ tell, tellSilent },
    tellNotSent: () => tell(({ tabNotSent }) => tabNotSent(title)),
    heard(called) {
      if (typeof called === 'string') title = cutText(called.trim(), TITLE_CHARS);
      if (isSilent) notices.remove('tab');
      isSilent = false;
    },
    patiently(work) {
      const timer = setTimeout(tellSilent, SILENT);
      return work.finally(() => clearTimeout(timer));
    },
    remove() {
      isSilent = false;
      notices.remove('tab');
    },
  };
}
