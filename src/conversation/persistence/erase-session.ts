/** Erases the stored conversation: in the leading tab, or here if that tab is frozen or gone. */
import type { LastingJournal } from '../../storage/journal.js';
import type { ConversationStore } from '../../storage/conversation-store.js';
import { asStorageError, hasNoStorage } from '../../storage/storage-error.js';
import { emptyConversation } from '../../storage/stored-conversation.js';
import type { SessionTabs } from './join-tabs.js';

/** Time to wait for the leading tab, in milliseconds. A frozen tab never answers. */
const LEADER_WAIT = 1500;

export interface ErasureHost {
  sessionId: string;
  store: ConversationStore;
  lasting: Promise<LastingJournal>;
  tabs(): SessionTabs | undefined;
  is(role: 'leading' | 'following'): boolean;
  /** Resolves when it is known which tab leads. */
  known(): Promise<void>;
  /** Calls the host's `clear()`, or its `forget()` if `all` is true. */
  clear(all: boolean): Promise<void>;
  /** Empties the view while another tab leads. */
  showNothing(): void;
}

export interface SessionErasure {
  /**
   * Erases the conversation, in whichever tab leads. Rejects with a `StorageError` if it could not be erased. `here`: this tab erases it,
   * although it does not lead.
   */
  forget(all: boolean, here?: boolean): Promise<void>;
  /** Drops what this tab holds, after a tab that could not wait for this one has erased the conversation. */
  happened(all: boolean): void;
  /** Checks whether this tab leads and nothing that it holds was erased elsewhere. */
  verify(): Promise<boolean>;
}

export function createErasure({ sessionId, store, lasting, tabs, is, known, clear, showNothing }: ErasureHost): SessionErasure {
  /** Number of times the conversation was erased elsewhere. */
  let times = 0;

  async function gone(all: boolean, rest?: Parameters<ConversationStore['clear']>[1]): Promise<void> {
    try {
      await store.clear(all, rest);
      await (await lasting).clear();
    } catch (error) {
      // If nothing can be stored, there is nothing to erase.
      if (!hasNoStorage(error)) throw asStorageError(error);
    }
  }

  /**
   * Checks whether this tab leads. A tab that has just become leader first loads what is stored, and would write it again, so this waits
   * for it.
   */
  async function leadsNow(): Promise<boolean> {
    if (!is('following') || tabs()?.isLeader) await known();
    return is('leading');
  }

  async function elsewhere(all: boolean): Promise<void> {
    if (tabs()?.isLeader && (await leadsNow())) return clear(all);
    try {
      await tabs()?.request(all ? 'forget' : 'clear', undefined, LEADER_WAIT);
    } catch {
      if (await leadsNow()) return clear(all);
      // Erase without the leading tab. It cannot write back what it still holds.
      const stored = all ? undefined : await store.load();
      await gone(all, stored && { ...emptyConversation(sessionId), grants: stored.grants, ...(stored.kept && { kept: stored.kept }) });
      // This tab may have become leader with data that it read before the erasure.
      if (await leadsNow()) return clear(all);
      try {
        tabs()?.tell('gone');
      } catch {} // the other tabs notice when they next read the storage
    }
    showNothing();
  }

  return {
    forget: (all, here = false) => (here || is('leading') ? gone(all) : elsewhere(all)),
    happened(all) {
      times += 1;
      // The next write retries a failed erasure.
      if (is('leading')) clear(all).catch(() => undefined);
      else if (is('following')) void store.load().then(showNothing);
    },
    async verify() {
      const before = times;
      await store.look();
      return is('leading') && times === before;
    },
  };
}
