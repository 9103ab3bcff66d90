/**
 * Keeps a conversation: takes every change, writes the last one, at most every 250 ms and once more when the page goes away. Storage that
 * fails is reported and never in the way: the conversation goes on in memory.
 */
import { load } from '../base/load.js';
import type { ConversationArea, Forgotten } from './conversation-area.js';
import type { ConversationEnd } from './conversation-end.js';
import { createRowMaker } from './conversation-rows.js';
import { conversationSession, type LeftOut } from './conversation-session.js';
import type { Database } from './indexeddb.js';
import type { Lease } from './lease.js';
import { standsStill } from './stillness.js';
import { asStorageError } from './read-storage-error.js';
import { StorageError, type StorageReason } from './storage-error.js';
import type { StoredConversation } from './stored-conversation.js';

export interface ConversationStore {
  /** What was kept, checked; undefined for nothing, for what cannot be read (set aside) and where there is no storage. Never rejects. */
  load(): Promise<StoredConversation | undefined>;
  /** The same, but rejects with a `StorageError` instead of reporting it. */
  read(): Promise<StoredConversation | undefined>;
  /** What can be looked at while all of it is read (`readEnd`). Never rejects. */
  end(): Promise<ConversationEnd | undefined>;
  /**
   * To be written soon; what was to be written before is not, any more. The lists are compared by identity of their items. A function is
   * called when it is written, and what it gives then counts; undefined = nothing. `restMs`: not before so long after the last of these,
   * unless something else is to be written sooner.
   */
  save(stored: StoredConversation | (() => StoredConversation | undefined) | undefined, restMs?: number): void;
  /** Resolves when everything given to `save` is written, or has failed: `true` if it is written. */
  flush(): Promise<boolean>;
  /**
   * Forgets the conversation, also what was to be written and what was set aside: whoever else has it open cannot write it back. Keeps `rest`.
   * `all` is passed on to them. Rejects with a `StorageError`.
   */
  clear(all?: boolean, rest?: StoredConversation): Promise<void>;
  /** How often it had been forgotten when it was last read; undefined where nobody counts. */
  readonly generation: number | undefined;
  /** Looks whether it was forgotten elsewhere, and says so (`onForgotten`). Never rejects. */
  look(): Promise<void>;
  /** Writes what is left and listens to the page no longer. */
  close(): Promise<void>;
}

export interface ConversationStoreOptions {
  sessionId: string;
  area: 'session' | 'indexeddb';
  /** Told once of each kind of trouble, until saving works again. */
  onProblem?(problem: StorageError): void;
  /** It was forgotten elsewhere, while this page stood still or nobody told it: nothing is written until it is loaded or cleared. */
  onForgotten?(how: Forgotten): void;
  /** Saving works again, after trouble that was told. */
  onRecovered?(): void;
  /** Where only so much fits (`session`). */
  leftOut?: LeftOut;
  /** Milliseconds between two writes. Default 250. */
  everyMs?: number;
  /** Default: those of the page. */
  database?: Database;
  storage?: Storage;
  /** The replacement of Web Locks where there are none. */
  lease?: Promise<Lease> | undefined;
}

export function createConversationStore(options: ConversationStoreOptions): ConversationStore {
  const { sessionId, everyMs = 250, onProblem, onForgotten, onRecovered } = options;
  const { rowsOf, prepare } = createRowMaker();
  const told = new Set<StorageReason>();
  const opening = openArea(options).then((opened) => (area = opened));
  opening.catch(() => undefined); // whoever uses it hears of it
  let area: ConversationArea | undefined;
  let waiting: StoredConversation | (() => StoredConversation | undefined) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> | undefined;
  /** What is being written. */
  let written: typeof waiting;
  /** The last write has failed. */
  let isLost = false;
  /** How often the page was left: what it broke off then is no trouble. */
  let left = 0;
  let lastAt = -Infinity;
  /** Before that, nothing has to be written. */
  let restUntil = 0;

  function report(error: unknown): void {
    const problem = asStorageError(error, 'unavailable');
    if (told.has(problem.reason)) return;
    told.add(problem.reason);
    onProblem?.(problem);
  }

  /** One at a time. */
  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing ??= (async () => {
      const before = left;
      try {
        const to = await opening; // also where it is known: nothing below may end before `writing` is set
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
        // What came meanwhile.
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

  /** A page that stood still hears nothing, and goes on where it was. */
  const onWake = () => void look();

  async function look(): Promise<void> {
    if (standsStill()) return; // it looks when it goes on
    try {
      const how = await area?.forgotten();
      if (how) onForgotten?.(how);
    } catch (error) {
      report(error);
    }
  }

  // Workers and servers have neither; they end otherwise.
  const page = typeof document === 'undefined' ? undefined : document;
  page?.addEventListener('visibilitychange', onHidden);
  page?.addEventListener('resume', onWake);
  page?.defaultView?.addEventListener('pagehide', onLeave);

  async function flush(): Promise<boolean> {
    while (waiting || writing) await write();
    return !isLost;
  }

  async function read(): Promise<StoredConversation | undefined> {
    // Who comes back at once finds what was said last.
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
        return undefined; // so will the rest, and say why
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

/** The database and what it needs are loaded only where they are used. */
async function openArea({ area, sessionId, database, storage, lease, leftOut }: ConversationStoreOptions): Promise<ConversationArea> {
  if (area === 'session') return conversationSession(sessionId, storage, leftOut);
  const { conversationDatabase } = await load(() => import('./conversation-database.js'));
  return conversationDatabase(sessionId, database, await lease);
}
