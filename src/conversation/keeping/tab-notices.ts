/** Tells the user about the tab that leads the conversation, if another one does. One line at a time. */
import type { Notice, Notices } from '../chart/notices.js';
import { cutText } from '../../base/cut-text.js';
import { wholeEnglish } from '../../i18n/en.js';

wholeEnglish();

/** Milliseconds that another tab may take to answer before the user is told. */
export const SILENT = 1500;

/** UTF-16 units of its title. */
const TITLE_CHARS = 60;

export interface TabNotices {
  tell(text: Notice['text']): void;
  /** The tab that leads does not answer, and the user was told. */
  readonly isSilent: boolean;
  tellSilent(): void;
  /** The user's text was not sent, since the tab that leads did not answer. */
  tellNotSent(): void;
  /** That tab has answered, and says what it is called. */
  heard(title?: unknown): void;
  /** Resolves as `work` does. When it takes long, the user is told. */
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
