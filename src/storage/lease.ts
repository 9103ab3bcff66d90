/**
 * The lock of a conversation on pages without Web Locks (http). A row in the database names the page that has it. There is no heartbeat,
 * since browsers throttle timers of hidden pages. Instead, a page that wants the lock asks its holder over a channel, which hidden pages
 * hear at once, and takes it from a holder that does not answer. That holder may be frozen or busy and continue later. So each ended lease
 * has a row that says so, and every transaction of its page checks for that row (`holds`, `fence`). The lock makes it rare that two pages
 * act; this check makes it impossible.
 */
import { unwrap } from 'idb';
import { own } from '../base/objects.js';
import { answered, sharedDatabase, type Database } from './indexeddb.js';
import { OLDEST_MS } from './journal-rows.js';
import { asStorageError, type StorageError } from './storage-error.js';
import { sessionArea } from './session-area.js';
import { isFrozen } from './page-lifecycle.js';
import type { Locks } from './tabs.js';

export interface Lease extends Locks {
  /** Checks within a transaction on `conversations` whether this page still has the lock. Throws if the storage could not give it one. */
  holds(table: IDBObjectStore): Promise<boolean>;
  /**
   * Makes the transaction fail if another page has taken the lock, and releases the lock. For a page without time to wait. It must be the
   * last request before `commit`: Firefox aborts for no other. Returns false without a lock.
   */
  fence(table: IDBObjectStore): boolean;
  /** Takes the lock back after `fence`, if the page is still there and no other page has it. */
  renew(): void;
}

export interface LeaseOptions {
  /** Default: the page's shared database. */
  database?: Database;
  /** Milliseconds without an answer after which the holder counts as gone. Default 3,000: a page may be busy. */
  answerMs?: number;
  /** Milliseconds between two questions to a holder that answers. Default 2,000. */
  everyMs?: number;
}

/**
 * Delay in milliseconds for a page that has just begun to wait or has just released the lock: it lets pages that have waited longer go
 * first.
 */
const NEW = 200;

const TABLE = 'conversations';

/** Returns the prefix of a token. Tokens sort by time. */
const tokenOf = (time: number) => time.toString(36).padStart(9, '0');

export function createLease(sessionId: string, { database = sharedDatabase(), answerMs = 3000, everyMs = 2000 }: LeaseOptions = {}): Lease {
  const key = ['lease', sessionId];
  /** Returns the key of the row that marks a lease as ended. */
  const overKey = (token: string) => [...key, token];
  /** Key of the token that the tab's previous page had. That page may not have had time to write the row. */
  const leftKey = `tool-chat:left:${sessionId}`;
  let held: string | undefined;
  let failure: StorageError | undefined;
  let leftAt = -Infinity;
  let lose = () => {};

  function leftHere(): string | undefined {
    try {
      return sessionArea().get(leftKey) ?? undefined;
    } catch {
      return undefined; // the page of that token is then asked, and does not answer
    }
  }

  /** Resolves with the token of the page that has the lock, or with undefined if it is ours now. */
  const take = (token: string, gone: string | undefined) =>
    database.transact(TABLE, 'readwrite', async (table) => {
      const holder = own(await table.get(key), 'by');
      if (typeof holder === 'string') {
        if (holder !== gone && (await table.getKey(overKey(holder))) === undefined) return holder;
        void table.delete(IDBKeyRange.bound(overKey(''), overKey(tokenOf(Date.now() - OLDEST_MS))));
        void table.put(true, overKey(holder));
      }
      await table.put({ by: token }, key);
      return undefined;
    });

  async function wait(token: string, channel: BroadcastChannel, signal: AbortSignal): Promise<void> {
    const since = performance.now();
    /** Resolves with the type of the next message about this lease, or with undefined after `ms`. */
    const hear = (of: string, types: readonly unknown[], ms: number) =>
      new Promise<unknown>((resolve) => {
        const end = (type?: unknown) => {
          clearTimeout(timer);
          channel.removeEventListener('message', listen);
          signal.removeEventListener('abort', end);
          resolve(type);
        };
        const listen = ({ data }: MessageEvent<unknown>) => {
          if (own(data, 'of') === of && types.includes(own(data, 'type'))) end(own(data, 'type'));
        };
        const timer = setTimeout(end, ms);
        channel.addEventListener('message', listen);
        signal.addEventListener('abort', end);
      });
    // Pages that have waited longer come first.
    if (since - leftAt < NEW) await new Promise((resolve) => setTimeout(resolve, NEW));
    for (let gone = leftHere(); ;) {
      const holder = await take(token, gone);
      if (holder === undefined) return;
      channel.postMessage({ type: 'who', of: holder });
      let said = await hear(holder, ['here', 'free'], answerMs);
      gone = said === undefined && !isFrozen() ? holder : undefined;
      if (said === 'here') said = await hear(holder, ['free'], everyMs);
      const age = performance.now() - since;
      if (said === 'free' && age < NEW) await new Promise((resolve) => setTimeout(resolve, NEW - age));
      signal.throwIfAborted();
    }
  }

  function giveBack(token: string, channel: BroadcastChannel): void {
    if (held === token) held = undefined;
    leftAt = performance.now();
    const over = () => {
      channel.postMessage({ type: 'free', of: token });
      channel.close();
    };
    try {
      sessionArea().set(leftKey, token);
    } catch {} // the next page then asks for the lock
    try {
      // The page may be going away, so do not wait for anything.
      const tx = database.connection()?.transaction(TABLE, 'readwrite');
      if (!tx) return over();
      unwrap(tx.store).put(true, overKey(token));
      tx.commit();
      tx.done.then(over, over);
    } catch {
      over();
    }
  }

  const holds = async (table: IDBObjectStore) => {
    if (failure) throw failure;
    if (held === undefined) return false;
    const [mine, lost] = [held, lose];
    if ((await answered(table.getKey(overKey(mine)))) === undefined) return held === mine;
    lost();
    return false;
  };

  return {
    async request(_name, { signal }, work) {
      const token = `${tokenOf(Date.now())}-${Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')}`;
      failure = undefined;
      let channel: BroadcastChannel;
      try {
        channel = new BroadcastChannel(`tool-chat:lease:${sessionId}`);
        await wait(token, channel, signal).catch((error: unknown) => {
          channel.close();
          throw error;
        });
      } catch (error) {
        signal.throwIfAborted();
        failure = asStorageError(error, 'unavailable');
        // Frames that may not use locks throw the same error.
        throw new DOMException(failure.message, 'SecurityError');
      }
      try {
        signal.throwIfAborted();
        const taken = new Promise<never>((_, reject) => {
          lose = () => reject(new DOMException('Another page has taken the lock.', 'AbortError'));
        });
        held = token;
        channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
          if (own(data, 'type') === 'who' && own(data, 'of') === token && held === token && !isFrozen())
            channel.postMessage({ type: 'here', of: token });
          // Any script can send this message, so check the database.
          else if (own(data, 'type') === 'took' && held === token)
            database.transact(TABLE, 'readonly', (table) => holds(unwrap(table))).catch(() => undefined);
        });
        channel.postMessage({ type: 'took', of: token });
        await Promise.race([work(), taken]);
      } finally {
        giveBack(token, channel);
      }
    },
    holds,
    fence(table) {
      if (held === undefined) return false;
      table.add(true, overKey(held));
      return true;
    },
    renew() {
      const token = held;
      if (token === undefined) return;
      const work = database.transact(TABLE, 'readwrite', async (table) => {
        if (own(await table.get(key), 'by') === token && held === token) await table.delete(overKey(token));
      });
      work.catch(() => undefined); // its next transaction sees that the lock is gone
    },
  };
}
