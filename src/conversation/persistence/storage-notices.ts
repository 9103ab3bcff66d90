/** Tells the user once about each storage failure, with what to do about it, and about other tabs. Nothing here blocks the conversation. */
import { type Texts, fullEnglish } from '../../i18n/en.js';
import type { StorageError, StorageReason } from '../../storage/storage-error.js';
import type { ConversationServices } from '../chart/services.js';
import type { Notice, Notices } from '../chart/notices.js';
import { cutText } from '../../base/cut-text.js';

/** `isShownOnly`: the conversation does not continue in memory and is only displayed. This is reported each time. */
export type Report = (problem: StorageError, isShownOnly?: boolean) => void;

export interface StorageNotices {
  report: Report;
  /** Called when saving works again. */
  recovered(): void;
  /** Called when older parts of the conversation do not fit into the storage. */
  leftOut(): void;
}

export function createStorageNotices({ log, notices, notifyHost: tell, texts, sessionId }: ConversationServices): StorageNotices {
  let told = false;
  /** True if a later write can end the failure. */
  let canRecover = false;
  const report: Report = (problem, isShownOnly = false) => {
    const { reason } = problem;
    log.warn('storage.failed', problem.message, { reason, sessionId }, { error: problem });
    if (told && !isShownOnly) return;
    const isFirst = !told;
    told = true;
    canRecover = reason !== 'damaged' && reason !== 'newer' && !isShownOnly;
    const sentence = SENTENCES[reason];
    notices.add({
      id: 'storage',
      text: (now) => [sentence(now), ...(reason === 'damaged' || isShownOnly ? [] : [now.storageMemory])].join('. '),
    });
    if (isFirst) tellError(sentence(texts()));
  };
  const tellError = (message: string) => tell({ type: 'error', error: { code: 'STORAGE', layer: 'execution', message, retryable: false } });
  return {
    report,
    recovered() {
      if (!canRecover) return;
      notices.remove('storage');
      told = canRecover = false;
    },
    leftOut() {
      log.warn('storage.left-out', 'The oldest results or messages of the conversation are not stored: there is no room', { sessionId });
      notices.add({ id: 'left-out', text: ({ storageLeftOut }) => storageLeftOut });
      tellError(texts().storageLeftOut);
    },
  };
}

const SENTENCES: Readonly<Record<StorageReason, (texts: Texts) => string>> = {
  unavailable: (texts) => texts.storageUnavailable,
  blocked: (texts) => texts.storageBlocked,
  newer: (texts) => texts.storageNewer,
  full: (texts) => texts.storageFull,
  slow: (texts) => texts.storageSlow,
  lost: (texts) => texts.storageLost,
  damaged: (texts) => texts.storageDamaged,
  unkept: (texts) => texts.storageUnkept,
};

/** Tells the user about the tab that leads the conversation, if it is another one. It shows one notice at a time. */
fullEnglish();

/** Time that another tab may take to answer before the user is told, in milliseconds. */
export const SILENT = 1500;

/** Maximum length of a tab's title, in UTF-16 units. */
const TITLE_CHARS = 60;

interface TabNotices {
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
