/**
 * The database of the page: one for all conversations, opened when it is first used. Every failure becomes a `StorageError`, and nothing
 * here waits for ever: a browser may answer late, or not at all.
 */
import { own } from '../base/objects.js';
import { openDB, type DBSchema, type IDBPDatabase, type IDBPObjectStore, type StoreNames } from 'idb';
import { asStorageError } from './read-storage-error.js';
import { StorageError } from './storage-error.js';

/** What is read back is `unknown`: any script of the origin can have written it. */
export interface Tables extends DBSchema {
  /** Calls by request id; see `lasting-journal.ts`. Only unfinished ones have `open`, and so a place in that index. And see `goneKey`. */
  journal: { key: string; value: unknown; indexes: { session: string; open: [string, number]; started: number } };
  /** Rows of conversations; see `conversation-rows.ts`. */
  conversations: { key: (string | number)[]; value: unknown };
  /** Only in a database of its own; see `memory-table.ts`. */
  memory: { key: string[]; value: unknown };
}

export type Mode = 'readonly' | 'readwrite';
export type ObjectStore<Name extends StoreNames<Tables>, M extends Mode> = IDBPObjectStore<Tables, [Name], Name, M>;
export type KeptDatabase = IDBPDatabase<Tables>;

/** In the journal: how often this conversation was forgotten, so that a call looks in the table it is written to. Ids of calls are ours, and others. */
export const goneKey = (sessionId: string): string => `gone ${sessionId}`;

/** How often a conversation was forgotten, by a row of any kind; 0 for whatever else stands there. */
export function generationOf(row: unknown, name = 'generation'): number {
  const found = own(row, name);
  return Number.isSafeInteger(found) ? (found as number) : 0;
}

export interface Database {
  /**
   * One transaction on one table, and on those beside it. Resolves when it is complete, not before: what was written then survives the page, and with durability
   * `strict` the machine. `work` must await nothing but the table, and need not await what it writes. Rejects with a `StorageError`, and then nothing is certain but that
   * nobody was told of success.
   */
  transact<Name extends StoreNames<Tables>, M extends Mode, T>(
    table: Name | readonly [Name, ...StoreNames<Tables>[]],
    mode: M,
    work: (table: ObjectStore<Name, M>) => Promise<T>,
    durability?: 'strict' | 'relaxed',
  ): Promise<T>;
  /** The open connection, for those who cannot wait any more because the page is going away. */
  connection(): KeptDatabase | undefined;
  /** Closes the connection; the next use opens it again. */
  close(): void;
}

export interface DatabaseOptions {
  /** Default `tool-chat`. */
  name?: string;
  /** How long opening and every transaction may take. Default 10,000 ms. */
  limitMs?: number;
  /** The steps that make its tables. Default: those of conversations and their journal. */
  versions?: readonly Step[];
}

export type Step = (db: KeptDatabase) => void;

/** Step `n` makes version `n + 1` out of version `n`. Steps are added, never changed. */
const conversationVersions: readonly Step[] = [
  (db) => {
    const journal = db.createObjectStore('journal', { keyPath: 'requestId' });
    journal.createIndex('session', 'sessionId');
    journal.createIndex('open', ['sessionId', 'open']);
    journal.createIndex('started', 'startedAt');
    db.createObjectStore('conversations');
  },
];

let shared: Database | undefined;

/** For a request of `unwrap`ped tables, within its transaction. */
export const answered = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The database that everybody on the page shares. */
export function sharedDatabase(): Database {
  return (shared ??= createDatabase());
}

export function createDatabase({ name = 'tool-chat', limitMs = 10_000, versions = conversationVersions }: DatabaseOptions = {}): Database {
  let current: KeptDatabase | undefined;
  let opening: Promise<KeptDatabase> | undefined;
  const running = new Set<{ abort(): void }>();
  /** Settles when a page that stands still is shown again. */
  let shown: Promise<unknown> | undefined;

  // In the back/forward cache a page stands still, and WebKit lets it keep what it holds: no page of the site could use these tables any
  // more while it is there, and no newer version open them.
  globalThis.addEventListener?.(
    'pagehide',
    ({ persisted }) => {
      if (!persisted) return;
      shown = new Promise((resolve) => {
        globalThis.addEventListener('pageshow', resolve, { once: true });
      }).then(() => (shown = undefined));
      for (const tx of running) abort(tx);
      // After everybody else who is told that the page is left, and may still have something to write.
      globalThis.addEventListener('pagehide', () => letGo(current), { once: true });
    },
    { capture: true },
  );

  function open(): Promise<KeptDatabase> {
    if (current) return Promise.resolve(current);
    opening ??= connect().finally(() => (opening = undefined));
    return opening;
  }

  async function connect(): Promise<KeptDatabase> {
    let isBlocked = false;
    let tooLate = false;
    const opened = (async () => {
      const db: KeptDatabase = await openDB<Tables>(name, versions.length, {
        upgrade(database, oldVersion, _newVersion, tx) {
          running.add(tx);
          tx.done.catch(() => undefined).finally(() => running.delete(tx));
          for (const step of versions.slice(oldVersion)) step(database);
        },
        blocked: () => (isBlocked = true),
        // A newer version waits in another tab: it must not hang because of this one.
        blocking: () => {
          letGo(db);
        },
        terminated: () => {
          if (current === db) current = undefined;
        },
      });
      if (tooLate) db.close();
      return db;
    })();
    try {
      return (current = await within(limitMs, opened));
    } catch (error) {
      tooLate = true;
      // The page is left, and the tables that it was making would have kept others waiting.
      if (shown) return shown.then(connect);
      throw isBlocked ? new StorageError('blocked', 'Another tab holds an old version of the storage open.', error) : asOpenError(error);
    }
  }

  function letGo(db: KeptDatabase | undefined) {
    db?.close();
    if (current === db) current = undefined;
  }

  return {
    async transact<Name extends StoreNames<Tables>, M extends Mode, T>(
      table: Name | readonly [Name, ...StoreNames<Tables>[]],
      mode: M,
      work: (table: ObjectStore<Name, M>) => Promise<T>,
      durability: 'strict' | 'relaxed' = 'relaxed',
    ): Promise<T> {
      const names = typeof table === 'string' ? ([table] as const) : table;
      const begin = async (again: boolean) => {
        const db = await open();
        try {
          return db.transaction<[Name], Mode>(names as [Name], mode, { durability });
        } catch (error) {
          // The connection was closed under us. Nothing was begun: to try once more with a new one is safe.
          letGo(db);
          if (again) return begin(false);
          throw asStorageError(error);
        }
      };
      const tx = await begin(true);
      running.add(tx);
      // What throws at once is a rejection like any other.
      const run = async () => {
        const result = await work(tx.objectStore(names[0]) as ObjectStore<Name, M>);
        commit(tx); // not only once the page has heard of each request
        return result;
      };
      try {
        const [result] = await within(limitMs, Promise.all([run(), tx.done]));
        return result;
      } catch (error) {
        abort(tx);
        throw asStorageError(error);
      } finally {
        running.delete(tx);
      }
    },
    connection: () => current,
    close: () => {
      letGo(current);
    },
  };
}

function commit(tx: { commit(): void }): void {
  try {
    tx.commit();
  } catch {} // it is over already
}

function abort(tx: { abort(): void }): void {
  try {
    tx.abort();
  } catch {} // it is over already
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new StorageError('slow', `The storage did not answer within ${String(ms)} ms.`));
    }, ms);
  });
  // Whatever it still becomes, nobody waits for it any more.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const asOpenError = (error: unknown) => asStorageError(error, 'unavailable');
