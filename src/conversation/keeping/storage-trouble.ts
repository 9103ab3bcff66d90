/** Storage that fails is said once, with what to do about it, and is never in the way. */
import type { Texts } from '../../i18n/en.js';
import type { StorageError, StorageReason } from '../../storage/storage-error.js';
import type { Services } from '../chart/services.js';

/** `isShownOnly`: the conversation does not go on in memory. It is shown, and nothing more. Then it is said each time. */
export type Report = (problem: StorageError, isShownOnly?: boolean) => void;

export interface StorageTrouble {
  report: Report;
  /** Saving works again. */
  recovered(): void;
  /** Older parts of the conversation do not fit. */
  leftOut(): void;
}

export function createStorageTrouble({ log, notices, tell, texts, sessionId }: Services): StorageTrouble {
  let told = false;
  /** Another write can end it. */
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
