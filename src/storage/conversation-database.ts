/** A conversation in the browser's database. Loaded only for `storage="indexeddb"`. */
import { unwrap } from 'idb';
import { isObject, numbered, own } from '../base/objects.js';
import { asThisVersion, NewerError, newerVersion, unreadable, type ConversationArea } from './conversation-area.js';
import { ownRows, readTail } from './conversation-tail.js';
import { checkRows, fromChecked, LISTS, ROWS_MAX, type ListName, type Rows } from './conversation-rows.js';
import { StorageError } from './storage-error.js';
import type { StoredConversation } from './stored-conversation.js';
import { answered, generationOf, goneKey, sharedDatabase, type Database } from './indexeddb.js';
import type { Lease } from './lease.js';
import { readForDisplay, SESSION_CHARS } from './conversation-session.js';
import { createTextMaker, fromText } from './session-text.js';
import { parseStored, sessionArea } from './session-area.js';

/** Number of rows written before waiting for the database. */
const BATCH_SIZE = 250;

/** At most 8 writers may share the rows. After that, this writer rewrites them all. */
const WRITERS_MAX = 8;

/** An upper bound of keys: arrays sort after all strings and numbers. */
const LAST: never[] = [];

/** The database content of a writer: its own rows, and under `hands` the unchanged rows of other writers that it has read. */
interface Left {
  rows: Rows;
  by: unknown;
  /** Time stamp of its last write. */
  at: unknown;
  hands: Hands;
}

/** The time stamp of the last valid write, by writer. Later writes of that writer (from a page that was frozen meanwhile) are ignored. */
type Hands = Readonly<Record<string, number>>;

/**
 * Stores a conversation in the database. If two tabs write, each replaces all rows of the other: the rows of a writer are only combined
 * with those it has read.
 * @param lease replacement of Web Locks: nothing is written once another page has taken it
 */
export function conversationDatabase(sessionId: string, database: Database = sharedDatabase(), lease?: Lease): ConversationArea {
  const writer = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
  const at = (...rest: (string | number)[]) => ['live', sessionId, ...rest];
  const all = () => IDBKeyRange.bound(['live', sessionId], ['live', sessionId, LAST]);
  const asides = () => IDBKeyRange.bound(['aside', sessionId], ['aside', sessionId, LAST]);
  const gone = ['gone', sessionId];
  const farewell = createUnloadSnapshot(sessionId);
  /** The database content, as far as this writer wrote or read it; undefined if unknown. */
  let written: Left | undefined;
  /** The head that was last read. */
  let seen: { by: unknown; at: unknown } = nothing;
  /** Number of operations so far. Only the end of the last one tells the content of the database. */
  let asked = 0;
  /**
   * Number of erasures when this writer last looked. Data written with an older number (by a tab that was frozen, or in a farewell) is
   * ignored.
   */
  let generation = 0;

  /** Set if a newer version of this code wrote the data, which must not be overwritten. */
  let newer: NewerError | undefined;

  /** The last time stamp. Stamps increase with each operation, even within a millisecond. */
  let latest = 0;

  function begin() {
    const mine = (asked += 1);
    latest = Math.max(Date.now(), latest + 1);
    const base = written;
    const stamp = latest;
    written = undefined;
    return {
      base,
      stamp,
      done(rows: Rows, hands: Hands = {}) {
        if (mine !== asked) return;
        written = { rows, by: writer, at: stamp, hands };
        farewell.forget();
      },
    };
  }

  /**
   * Writes the rows. The transaction reports the outcome. The yielded requests, one per portion, are for callers with time to wait: a long
   * history would block the page for hundreds of milliseconds.
   */
  function* put(table: IDBObjectStore, rows: Rows, base: Left | undefined, stamp: number, of = generation): Generator<IDBRequest, void> {
    let puts = 0;
    if (!base) table.delete(all());
    for (const name of LISTS) {
      const list = rows[name];
      const before = base?.rows[name] ?? [];
      const from = firstOf(list);
      for (let index = from; index < list.length; index += 1)
        if (before[index] !== list[index] || index < firstOf(before)) {
          const request = table.put({ by: writer, at: stamp, row: list[index] }, at(name, index));
          if ((puts += 1) % BATCH_SIZE === 0) yield request;
        }
      if (before.length > list.length) table.delete(IDBKeyRange.bound(at(name, list.length), at(name, before.length)));
      if (firstOf(before) < from) table.delete(IDBKeyRange.bound(at(name, 0), at(name, from), false, true));
    }
    const ends = LISTS.map((name) => [firstOf(rows[name]), rows[name].length]);
    table.put({ by: writer, row: rows.head, at: stamp, generation: of, ends, ...(base && { hands: base.hands }) }, at('head'));
  }

  async function setAside(keys: readonly (string | number)[][], values: readonly unknown[], why: string): Promise<void> {
    await database.transact('conversations', 'readwrite', async (table) => {
      const rows = keys.map((key, index) => ({ key, value: values[index] }));
      await table.put({ at: Date.now(), why, rows }, ['aside', sessionId, Date.now(), writer]);
      await table.delete(all());
    });
  }

  /** Restores the newest rows set aside that this version can read. An earlier or faulty version could not read them. */
  async function restoreFromAside(forgotten: number): Promise<StoredConversation | undefined> {
    const [keys, found] = await database.transact('conversations', 'readonly', (table) =>
      Promise.all([table.getAllKeys(asides()), table.getAll(asides())]),
    );
    for (const [at, key] of numbered(keys).reverse()) {
      const rows = own(found[at], 'rows');
      const [rowKeys, values] = [Array.isArray(rows) ? rows : []].flatMap((list: unknown[]) => [
        list.map((row) => own(row, 'key') as (string | number)[]),
        list.map((row) => own(row, 'value')),
      ]) as [(string | number)[][], unknown[]];
      try {
        const isOurs = rowKeys.length > 0 && rowKeys.every((one) => Array.isArray(one) && one[0] === 'live' && one[1] === sessionId);
        const first = values.find((_, index) => rowKeys[index]?.[2] === 'head');
        if (!isOurs || generationOf(first) < forgotten) continue;
        const { stored, left } = await gather(sessionId, rowKeys, values);
        await database.transact('conversations', 'readwrite', async (table) => {
          for (const [index, one] of numbered(rowKeys)) void table.put(values[index], one);
          await table.delete(key);
        });
        written = left;
        return stored;
      } catch {} // it stays where it is
    }
    return undefined;
  }

  function begun() {
    try {
      return database.connection()?.transaction('conversations', 'readwrite');
    } catch {
      return undefined; // the connection is closed
    }
  }

  return {
    async load() {
      const before = asked;
      const [keys, values, tombstone] = await database.transact('conversations', 'readonly', (table) =>
        Promise.all([table.getAllKeys(all()), table.getAll(all()), table.get(gone)]),
      );
      const first = values.find((_, index) => keys[index]?.[2] === 'head');
      const forgotten = generationOf(tombstone);
      const isLeftOver = generationOf(first) < forgotten;
      generation = Math.max(generationOf(first), forgotten);
      newer = undefined;
      seen = isLeftOver ? nothing : { by: own(first, 'by'), at: own(first, 'at') };
      try {
        const last = farewell.newerThan(isLeftOver ? undefined : first, generation);
        if (last && newerVersion(first) === undefined) return last;
      } catch (error) {
        throw error instanceof NewerError ? (newer = error) : error;
      }
      const version = isLeftOver ? undefined : newerVersion(first);
      if (version !== undefined) throw (newer = new NewerError(version, await lookAt(sessionId, keys, values)));
      farewell.forget();
      if (keys.length === 0) return restoreFromAside(forgotten);
      if (isLeftOver) {
        await database.transact('conversations', 'readwrite', (table) => table.delete(all()));
        return undefined;
      }
      try {
        const { stored, left } = await gather(sessionId, keys, values);
        if (before === asked) written = left;
        return stored;
      } catch (error) {
        const found = unreadable(error);
        await setAside(keys, values, found.message);
        throw found;
      }
    },

    end: () =>
      database.transact('conversations', 'readonly', async (table) => {
        const [first, tombstone] = await Promise.all([table.get(at('head')), table.get(gone)]);
        const now = generationOf(first);
        if (now < generationOf(tombstone) || farewell.newerThan(first, now)) return undefined;
        return readTail(first, sessionId, (name, from, to) => table.getAll(IDBKeyRange.bound(at(name, from), at(name, to), false, true)));
      }),

    async write(rows) {
      if (newer) throw newer;
      const { base, stamp, done } = begin();
      let kept: Left | undefined;
      const isWritten = await database.transact('conversations', 'readwrite', async (table) => {
        // Issue both reads at once: other pages that wait for the table also wait for every round trip here.
        const [tombstone, head] = await Promise.all([table.get(gone), table.get(at('head'))]);
        if (generationOf(tombstone) > generation || (lease && !(await lease.holds(unwrap(table))))) return false;
        const version = newerVersion(head);
        // Without locks, a tab with a newer version may write in between.
        if (version !== undefined && generationOf(head) >= generationOf(tombstone)) throw (newer = new NewerError(version));
        kept = base && own(head, 'by') === base.by && own(head, 'at') === base.at ? base : undefined;
        for (const request of put(unwrap(table), rows, kept, stamp)) await answered(request);
        return true;
      });
      if (isWritten) done(rows, kept?.hands);
      return isWritten;
    },

    hurry(rows) {
      if (newer) return false;
      const { base: before, stamp, done } = begin();
      // There is no time to check whether rows of other writers are still there.
      const base = before?.by === writer ? before : undefined;
      const isSaid = farewell.write(rows, stamp, generation, { writer, ...seen });
      const tx = begun();
      if (!tx) return isSaid;
      tx.done.then(
        () => {
          done(rows, base?.hands);
        },
        () => undefined, // the next write writes everything
      );
      try {
        for (const _ of put(unwrap(tx.store), rows, base, stamp));
        if (lease && !lease.fence(unwrap(tx.store))) throw new StorageError('lost', 'Another tab leads.');
        // Without an explicit commit, the transaction would end with the page.
        tx.commit();
        lease?.renew();
        return true;
      } catch {
        tx.abort(); // a page in the back/forward cache would keep it open
        return isSaid;
      }
    },

    async clear(everything = true, rest) {
      const { stamp } = begin();
      newer = undefined;
      farewell.forget();
      generation = await database.transact(['conversations', 'journal'], 'readwrite', async (table) => {
        const before = await table.get(gone);
        const next = Math.max(generation, generationOf(before)) + 1;
        await Promise.all([table.delete(all()), table.delete(asides())]);
        await table.put({ generation: next, all: everything ? next : own(before, 'all'), at: Date.now() }, gone);
        unwrap(table)
          .transaction.objectStore('journal')
          .put({ requestId: goneKey(sessionId), generation: next });
        if (rest) for (const request of put(unwrap(table), rest, undefined, stamp, next)) await answered(request);
        return next;
      });
    },

    get generation() {
      return generation;
    },

    async forgotten() {
      const tombstone = await database.transact('conversations', 'readonly', async (table) => {
        await lease?.holds(unwrap(table)).catch(() => undefined); // the lease reports a lost lock itself
        return table.get(gone);
      });
      return generationOf(tombstone) > generation ? { all: generationOf(tombstone, 'all') > generation } : undefined;
    },
  };
}

const nothing = { by: undefined, at: undefined };

const firstOf = (list: readonly unknown[]): number => Math.max(0, list.length - ROWS_MAX);

/** Returns the part of a newer version's data that this version can read. */
async function lookAt(sessionId: string, keys: readonly (string | number)[][], values: readonly unknown[]) {
  const readable = values.map((value, index) => {
    const row = own(value, 'row');
    return keys[index]?.[2] === 'head' && isObject(value) && isObject(row) ? { ...value, row: asThisVersion(row) } : value;
  });
  try {
    return (await gather(sessionId, keys, readable)).stored;
  } catch {
    return undefined;
  }
}

async function gather(sessionId: string, keys: readonly (string | number)[][], values: readonly unknown[]) {
  const lists: Record<ListName, unknown[]> = { messages: [], calls: [], results: [], extras: [] };
  let first: unknown;
  const hands = new Map<unknown, number>();
  keys.forEach(([, , name, index], nth) => {
    const value = values[nth];
    const at = own(value, 'at');
    const [by, latest] = [own(value, 'by'), typeof at === 'number' ? at : Infinity];
    if (name === 'head') first = value;
    else hands.set(by, Math.max(latest, hands.get(by) ?? 0));
    if (name === 'head') return;
    if (LISTS.includes(name as ListName) && typeof index === 'number') lists[name as ListName].push(own(value, 'row'));
    else throw new Error('a row of no known kind');
  });
  const by = own(first, 'by');
  if (!values.every(ownRows(first))) throw new Error('rows of several writers');
  let isWhole = true;
  LISTS.forEach((name, nth) => {
    // Earlier versions had fewer lists.
    const ends = own(own(first, 'ends'), nth) ?? [0, 0];
    if (lists[name].length > ROWS_MAX) throw new Error(`too many ${name}`);
    if (Number(own(ends, 1)) - Number(own(ends, 0)) !== lists[name].length) throw new Error(`missing ${name}`);
    isWhole &&= own(ends, 0) === 0;
  });
  const rows = await checkRows({ head: own(first, 'row'), ...lists });
  const stored = fromChecked(rows);
  if (stored.sessionId !== sessionId) throw new Error('another conversation');
  const at = own(first, 'at');
  // In a list without its beginning, positions differ from those in memory.
  const stays = isWhole && typeof at === 'number' && hands.size < WRITERS_MAX && [...hands.values()].every(Number.isFinite);
  const kept = Object.fromEntries([...hands].map(([hand, latest]) => [String(hand), latest]));
  return { stored, left: stays ? { rows, by, at, hands: { ...kept, [String(by)]: at } } : undefined };
}

/** The writer of the copy, and the head that its page had read. */
export interface Base {
  writer: string;
  by: unknown;
  at: unknown;
}

export interface UnloadSnapshot {
  /** @returns false if there is no room, or no such storage */
  write(rows: Rows, at: number, generation: number, base: Base): boolean;
  /**
   * Returns the copy if it was written after this head (any copy without one) and with this erasure number. It does not count if another
   * page has written since, or if it is unreadable. Throws `NewerError` for one of a newer version.
   */
  newerThan(first: unknown, generation: number): StoredConversation | undefined;
  forget(): void;
}

export function createUnloadSnapshot(sessionId: string): UnloadSnapshot {
  const key = `tool-chat:farewell:${sessionId}`;
  const area = sessionArea();
  const texts = createTextMaker();

  return {
    write(rows, at, generation, base) {
      try {
        const text = texts.whole(rows, { at, generation, base }, SESSION_CHARS);
        if (text !== undefined) area.set(key, text);
        return text !== undefined;
      } catch {
        return false;
      }
    },
    newerThan(first, generation) {
      try {
        const found = parseStored(area.get(key));
        if ((own(found, 'generation') ?? 0) !== generation) return undefined;
        const [said, at, by] = [own(found, 'at'), own(first, 'at'), own(first, 'by')];
        const base = own(found, 'base'); // absent in data of earlier versions
        const isSame = base === undefined || by === own(base, 'writer') || (by === own(base, 'by') && at === own(base, 'at'));
        if (!isSame) return undefined;
        if (typeof said !== 'number' || (typeof at === 'number' && said <= at)) return undefined;
        const version = newerVersion(own(found, 'head'));
        if (version !== undefined) throw new NewerError(version, readForDisplay(found, sessionId));
        return fromText(found, sessionId);
      } catch (error) {
        if (error instanceof NewerError) throw error;
        return undefined;
      }
    },
    forget() {
      try {
        area.remove(key);
      } catch {} // if the storage fails here, nothing was written to it before
    },
  };
}
