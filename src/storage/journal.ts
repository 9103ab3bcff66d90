/**
 * The record written before a tool runs. Only the journal's answer `start` lets a tool run, so the same call cannot run twice. A lasting
 * journal answers in the same way after a reload.
 */
import type { PublishedResult } from '../model/calls.js';

export interface JournalIntent {
  requestId: string;
  toolName: string;
  /** Digest of the call that was shown; see `Call.digest`. */
  digest: string;
  args?: Readonly<Record<string, unknown>>;
  /** True if the tool declares that running it again does no harm (a query, or `idempotent`). */
  rerun?: boolean;
  /**
   * After a crash: the `attempt` of the entry with an unknown outcome. A lasting journal answers `start` once more if the entry is still at
   * this attempt, has no result, and has `rerun`. Of several concurrent requests, one gets it.
   */
  again?: number;
}

export interface JournalEntry extends Omit<JournalIntent, 'again'> {
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Number of starts, from 1. Only a lasting journal counts them. */
  attempt?: number;
  /** Absent while the call runs, and after a crash: it may have taken effect. */
  result?: PublishedResult;
}

export interface Journal {
  /**
   * Records a call. `start`: it is new, and the tool may run. `known`: it ran or runs already, and must not start. Rejects if it cannot
   * write.
   */
  intent(entry: JournalIntent): Promise<'start' | 'known'>;
  /** Records the result. Only the first result of a call counts; a later one, or one of an unknown call, changes nothing. */
  settle(requestId: string, result: PublishedResult): Promise<void>;
  find(requestId: string): Promise<JournalEntry | undefined>;
}

/** A journal that outlives the page. After a call has ended, it keeps the fact and the result, not the arguments. */
export interface LastingJournal extends Journal {
  /**
   * Records a call. `generation`: the conversation's number of erasures when it was last read (`ConversationStore.generation`). If any tab
   * has erased it since, this rejects with a `StorageError` (`lost`) and leaves no record.
   */
  intent(entry: JournalIntent, generation?: number): Promise<'start' | 'known'>;
  /**
   * Resolves with the calls of this conversation that were started and have no result. After a reload or crash, they may have taken effect.
   */
  unfinished(): Promise<JournalEntry[]>;
  /** Resolves with the records of these calls, without unknown ones. */
  recall(requestIds: readonly string[]): Promise<JournalEntry[]>;
  /**
   * Erases the content of the calls of a conversation (default: this one), but not the fact that they were made: a stale tab may still ask.
   */
  clear(sessionId?: string): Promise<void>;
}

/** A journal that lives as long as the page. */
export function createMemoryJournal(now: () => number = Date.now): Journal {
  const entries = new Map<string, JournalEntry>();

  return {
    // Check and write happen in one synchronous step, so two intents in the same tick cannot both start.
    intent(entry) {
      if (entries.has(entry.requestId)) return Promise.resolve('known');
      entries.set(entry.requestId, Object.freeze({ ...entry, startedAt: now() }));
      return Promise.resolve('start');
    },
    settle(requestId, result) {
      const entry = entries.get(requestId);
      if (entry && !entry.result) entries.set(requestId, Object.freeze({ ...entry, result }));
      return Promise.resolve();
    },
    find: (requestId) => Promise.resolve(entries.get(requestId)),
  };
}
