/** Forgetting what is stored, wherever it is: by the tab that leads, or here where that one stands still or is gone. */
import type { LastingJournal } from '../../storage/journal.js';
import type { ConversationStore } from '../../storage/conversation-store.js';
import { asStorageError, hasNoStorage } from '../../storage/read-storage-error.js';
import { emptyConversation } from '../../storage/stored-conversation.js';
import type { OwnTabs } from './tabs-of.js';

/** How long the tab that leads is waited for, in milliseconds. One that stands still never answers. */
const LEADER_WAIT = 1500;

export interface ForgettingHost {
  sessionId: string;
  store: ConversationStore;
  lasting: Promise<LastingJournal>;
  tabs(): OwnTabs | undefined;
  is(role: 'leading' | 'following'): boolean;
  /** Resolves when it is known who leads. */
  known(): Promise<void>;
  /** The host's `clear()`, or `forget()`. */
  clear(all: boolean): Promise<void>;
  /** While another tab leads: nothing is left to show. */
  showNothing(): void;
}

export interface Forgetting {
  /** Wherever it is. Rejects with a `StorageError` when it is not gone. `here`: this tab does it, though it does not lead. */
  forget(all: boolean, here?: boolean): Promise<void>;
  /** By a tab that could not wait for this one: nothing of it is left here. */
  happened(all: boolean): void;
  /** Whether this tab leads, and holds nothing that was forgotten elsewhere. */
  verify(): Promise<boolean>;
}

export function createForgetting({ sessionId, store, lasting, tabs, is, known, clear, showNothing }: ForgettingHost): Forgetting {
  /** How often it happened elsewhere. */
  let times = 0;

  async function gone(all: boolean, rest?: Parameters<ConversationStore['clear']>[1]): Promise<void> {
    try {
      await store.clear(all, rest);
      await (await lasting).clear();
    } catch (error) {
      // Where nothing can be stored, nothing is.
      if (!hasNoStorage(error)) throw asStorageError(error);
    }
  }

  /** Whoever is given the lead takes up first what is stored, and would write it again. */
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
      // Without the one that leads: whatever it still holds, it cannot write back.
      const stored = all ? undefined : await store.load();
      await gone(all, stored && { ...emptyConversation(sessionId), grants: stored.grants, ...(stored.kept && { kept: stored.kept }) });
      // With what was read before it was gone.
      if (await leadsNow()) return clear(all);
      try {
        tabs()?.tell('gone');
      } catch {} // they see it when they look
    }
    showNothing();
  }

  return {
    forget: (all, here = false) => (here || is('leading') ? gone(all) : elsewhere(all)),
    happened(all) {
      times += 1;
      // What fails is tried again with the next write.
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
