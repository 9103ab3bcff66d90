/** Reports a storage failure once, with what to do about it, and does not block the conversation. */
import type { Texts } from '../../i18n/en.js';
import type { StorageError, StorageReason } from '../../storage/storage-error.js';
import type { ConversationServices } from '../chart/services.js';

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
