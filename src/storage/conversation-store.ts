/**
 * Saves a conversation: accepts every change and writes the latest state at most every 250 ms, and once more when the page goes away.
 * Storage failures are reported and never block: the conversation continues in memory.
 */
import { load } from '../base/load.js';
import type { ConversationArea, ErasedError } from './conversation-area.js';
import type { ConversationTail } from './conversation-tail.js';
import { createRowMaker } from './conversation-rows.js';
import { conversationSession, type LeftOut } from './conversation-session.js';
import type { Database } from './indexeddb.js';
import type { Lease } from './lease.js';
import { isFrozen } from './page-lifecycle.js';
import { asStorageError, StorageError, type StorageReason } from './storage-error.js';
import type { StoredConversation } from './stored-conversation.js';

export interface ConversationStore {
  /**
   * Resolves with the checked conversation; undefined if there is none, if it is unreadable (set aside) or if there is no storage. Never
   * rejects.
   */
  load(): Promise<StoredConversation | undefined>;
  /** Does the same, but rejects with a `StorageError` instead of reporting it. */
  read(): Promise<StoredConversation | undefined>;
  /** Resolves with the part that can be shown while the rest loads (`readEnd`). Never rejects. */
  end(): Promise<ConversationTail | undefined>;
  /**
   * Schedules a write, replacing a pending one. Lists are compared by the identity of their items. A function is called when the write
   * happens; if it returns undefined, nothing is written. `restMs`: wait until this long after the last call with it, unless another change
   * has to be written sooner.
   */
  save(stored: StoredConversation | (() => StoredConversation | undefined) | undefined, restMs?: number): void;
  /** Resolves when everything given to `save` is written, or has failed: `true` if it is written. */
  flush(): Promise<boolean>;
  /**
   * Erases the conversation, including pending writes and data set aside. Tabs that have it open cannot write it back. Saves `rest`
   * instead. `all` is passed on to the other tabs. Rejects with a `StorageError`.
   */
  clear(all?: boolean, rest?: StoredConversation): Promise<void>;
  /** Number of erasures when it was last read; undefined if the area does not count them. */
  readonly generation: number | undefined;
  /** Checks whether it was erased elsewhere, and then calls `onForgotten`. Never rejects. */
  look(): Promise<void>;
  /** Writes pending changes and removes the page's listeners. */
  close(): Promise<void>;
}

export interface ConversationStoreOptions {
  sessionId: string;
  area: 'session' | 'indexeddb';
  /** Called once per kind of problem, until saving works again. */
  onProblem?(problem: StorageError): void;
  /**
   * Called if the conversation was erased elsewhere while this page was frozen or not informed. Nothing is written until it is loaded or
   * cleared.
   */
  onForgotten?(how: ErasedError): void;
  /** Called when saving works again after a reported problem. */
  onRecovered?(): void;
  /** Handling of content that does not fit (`session`). */
  leftOut?: LeftOut;
  /** Milliseconds between two writes. Default 250. */
  everyMs?: number;
  /** Default: the page's shared database. */
  database?: Database;
  storage?: Storage;
  /** The replacement of Web Locks in browsers without them. */
  lease?: Promise<Lease> | undefined;
}

export function createConversationStore(options: ConversationStoreOptions): ConversationStore {
  const { sessionId, everyMs = 250, onProblem, onForgotten, onRecovered } = options;
  const { rowsOf, prepare } = createRowMaker();
  const told = new Set<StorageReason>();
  const opening = openArea(options).then((opened) => (area = opened));
  opening.catch(() => undefined); // each use of `opening` handles the error
  let area: ConversationArea | undefined;
  let waiting: StoredConversation | (() => StoredConversation | undefined) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> | undefined;
  /** The state that is being written. */
  let written: typeof waiting;
  /** True if the last write has failed. */
  let isLost = false;
  /** Number of times that the page was left. A write that this interrupted is not reported. */
  let left = 0;
  let lastAt = -Infinity;
  /** No write is necessary before this time. */
  let restUntil = 0;

  function report(error: unknown): void {
    const problem = asStorageError(error, 'unavailable');
    if (told.has(problem.reason)) return;
    told.add(problem.reason);
    onProblem?.(problem);
  }

  /** Writes the pending state. Only one write runs at a time. */
  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing ??= (async () => {
      const before = left;
      try {
        const to = await opening; // await even if it is resolved: `writing` must be set before the rest runs
        const next = waiting;
        if (!next) return;
        waiting = undefined;
        written = next;
        lastAt = performance.now();
        const stored = typeof next === 'function' ? next() : next;
        const made = stored && prepare(stored);
        if (made) await made;
        if (stored && !(await to.write(rowsOf(stored)))) await look();
        else if (stored && told.size > 0) onRecovered?.();
        told.clear();
        isLost = false;
      } catch (error) {
        waiting = undefined;
        isLost = true;
        if (before === left) report(error);
      } finally {
        writing = written = undefined;
        // Another state may have arrived meanwhile.
        if (waiting) schedule();
      }
    })();
    return writing;
  }

  function schedule(): void {
    timer ??= setTimeout(() => void write(), Math.max(0, Math.max(lastAt + everyMs, restUntil) - performance.now()));
  }

  function hurry(last = waiting): void {
    if (!last || !area) return;
    try {
      const stored = typeof last === 'function' ? last() : last;
      if (!stored || area.hurry(rowsOf(stored))) waiting = undefined;
    } catch (error) {
      report(error);
    }
  }

  function onLeave(): void {
    left += 1;
    hurry(waiting ?? written);
  }

  function onHidden(): void {
    if (document.visibilityState === 'hidden') hurry();
    else void look();
  }

  /** A frozen page is not informed of erasures, so check when it resumes. */
  const onWake = () => void look();

  async function look(): Promise<void> {
    if (isFrozen()) return; // the check runs when the page resumes
    try {
      const how = await area?.forgotten();
      if (how) onForgotten?.(how);
    } catch (error) {
      report(error);
    }
  }

  // Workers and servers have no document and no such events.
  const page = typeof document === 'undefined' ? undefined : document;
  page?.addEventListener('visibilitychange', onHidden);
  page?.addEventListener('resume', onWake);
  page?.defaultView?.addEventListener('pagehide', onLeave);

  async function flush(): Promise<boolean> {
    while (waiting || writing) await write();
    return !isLost;
  }

  async function read(): Promise<StoredConversation | undefined> {
    // Write first, so that a page that reloads at once finds the latest state.
    await flush();
    return (await opening).load();
  }

  return {
    read,
    async load() {
      try {
        return await read();
      } catch (error) {
        report(error);
        return undefined;
      }
    },
    async end() {
      try {
        return await (await opening).end?.();
      } catch {
        return undefined; // loading the rest will fail, too, and report the error
      }
    },
    save(stored, restMs = 0) {
      if (typeof stored === 'object' && stored.sessionId !== sessionId)
        throw new TypeError('This store keeps another conversation. Create one with its sessionId.');
      const rests = restMs > 0 && (waiting === undefined || restUntil > 0);
      const restedBefore = restUntil > 0;
      restUntil = rests ? performance.now() + restMs : 0;
      waiting = stored;
      if (rests || restedBefore) {
        clearTimeout(timer);
        timer = undefined;
      }
      if (!writing) schedule();
    },
    flush,
    get generation() {
      return area?.generation;
    },
    async clear(all = true, rest) {
      waiting = undefined;
      clearTimeout(timer);
      timer = undefined;
      await writing;
      await (await opening).clear(all, rest && rowsOf(rest));
    },
    look,
    async close() {
      page?.removeEventListener('visibilitychange', onHidden);
      page?.removeEventListener('resume', onWake);
      page?.defaultView?.removeEventListener('pagehide', onLeave);
      await flush();
    },
  };
}

/** Opens the area. The database code is loaded only if it is used. */
async function openArea({ area, sessionId, database, storage, lease, leftOut }: ConversationStoreOptions): Promise<ConversationArea> {
  if (area === 'session') return conversationSession(sessionId, storage, leftOut);
  const { conversationDatabase } = await load(() => import('./conversation-database.js'));
  return conversationDatabase(sessionId, database, await lease);
}
