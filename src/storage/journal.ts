/**
 * The record written before a tool runs. An effect is started by the journal's answer and by nothing else, so the same call
 * cannot run twice. A lasting journal answers the same three questions after a reload.
 */
import type { PublishedResult } from '../model/calls.js';

export interface JournalIntent {
  requestId: string;
  toolName: string;
  /** Of the call that was shown; see `Call.digest`. */
  digest: string;
  args?: Readonly<Record<string, unknown>>;
  /** The tool says that running it again does no harm (a query, or `idempotent`). */
  rerun?: boolean;
  /**
   * After a crash: the `attempt` of the entry whose end nobody knows. A lasting journal answers `start` once more if the entry still is at
   * this attempt, has no result, and said `rerun`; of several who ask, one gets it.
   */
  again?: number;
}

export interface JournalEntry extends Omit<JournalIntent, 'again'> {
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** How often it was started, from 1; only a lasting journal counts. */
  attempt?: number;
  /** Absent while it runs, and after a crash, when it may have gone through. */
  result?: PublishedResult;
}

export interface Journal {
  /** `start`: this is the first time, the tool may run. `known`: it ran or runs already; nothing may start. Rejects when it cannot write. */
  intent(entry: JournalIntent): Promise<'start' | 'known'>;
  /** Records the end. The first end of a call stands; a later one, or one of an unknown call, changes nothing. */
  settle(requestId: string, result: PublishedResult): Promise<void>;
  find(requestId: string): Promise<JournalEntry | undefined>;
}

/** A journal that outlives the page. Once a call has ended it keeps that it ran and how it ended, not its arguments. */
export interface LastingJournal extends Journal {
  /**
   * `generation`: how often the conversation had been forgotten when it was last read (`ConversationStore.generation`). Where it was since, by
   * whatever tab, this rejects with a `StorageError` (`lost`) and writes nothing.
   */
  intent(entry: JournalIntent, generation?: number): Promise<'start' | 'known'>;
  /** Calls of this conversation that were started and have no result: after a reload or crash, those that may have happened. */
  unfinished(): Promise<JournalEntry[]>;
  /** What is known of these calls; unknown ones are left out. */
  recall(requestIds: readonly string[]): Promise<JournalEntry[]>;
  /** Forgets what the calls of a conversation (default: this one) were about, not that they were made: a stale tab may still ask. */
  clear(sessionId?: string): Promise<void>;
}

/** A journal that lives as long as the page. */
export function createMemoryJournal(now: () => number = Date.now): Journal {
  const entries = new Map<string, JournalEntry>();

  return {
    // Asking and writing happen in one synchronous step: two intents of the same tick cannot both be first.
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
