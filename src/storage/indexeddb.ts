/**
 * The page's database: one for all conversations, opened on first use. Every failure becomes a `StorageError`, and every wait has a limit,
 * since a browser may answer late or never.
 */
import { own } from '../base/objects.js';
import { openDB, type DBSchema, type IDBPDatabase, type IDBPObjectStore, type StoreNames } from 'idb';
import { isFrozen, whenAwake } from './page-lifecycle.js';
import { asStorageError, StorageError } from './storage-error.js';

/** Values are `unknown` when read: any script of the origin can have written them. */
export interface Tables extends DBSchema {
  /**
   * Calls by request id; see `persistent-journal.ts`. Only unfinished ones have `open` and are in that index. Also has the rows of `goneKey`.
   */
  journal: { key: string; value: unknown; indexes: { session: string; open: [string, number]; started: number } };
  /** Rows of conversations; see `conversation-rows.ts`. */
  conversations: { key: (string | number)[]; value: unknown };
  /** Only in a separate database; see `memory-table.ts`. */
  memory: { key: string[]; value: unknown };
}

export type Mode = 'readonly' | 'readwrite';
export type ObjectStore<Name extends StoreNames<Tables>, M extends Mode> = IDBPObjectStore<Tables, [Name], Name, M>;
export type KeptDatabase = IDBPDatabase<Tables>;

/**
 * Key of the journal row with the conversation's number of erasures, so that a call can check it within its own table. The blank keeps it
 * distinct from ids of calls.
 */
export const goneKey = (sessionId: string): string => `gone ${sessionId}`;

/** Returns the number of erasures in a row of any kind; 0 for anything else. */
export function generationOf(row: unknown, name = 'generation'): number {
  const found = own(row, name);
  return Number.isSafeInteger(found) ? (found as number) : 0;
}

export interface Database {
  /**
   * Runs one transaction on one table, and on further ones if listed. Resolves when it is complete: its writes then survive the page, and
   * with durability `strict` the machine. `work` must await nothing but the table, and need not await its writes. Rejects with a
   * `StorageError`; the writes may then have happened or not.
   */
  transact<Name extends StoreNames<Tables>, M extends Mode, T>(
    table: Name | readonly [Name, ...StoreNames<Tables>[]],
    mode: M,
    work: (table: ObjectStore<Name, M>) => Promise<T>,
    durability?: 'strict' | 'relaxed',
  ): Promise<T>;
  /** Returns the open connection, for callers that cannot wait because the page is going away. */
  connection(): KeptDatabase | undefined;
  /** Closes the connection; the next use opens it again. */
  close(): void;
}

export interface DatabaseOptions {
  /** Default `tool-chat`. */
  name?: string;
  /** Time limit of opening and of every transaction. Default 10,000 ms. */
  limitMs?: number;
  /** The migrations that create the tables. Default: those of conversations and their journal. */
  versions?: readonly Step[];
}

export type Step = (db: KeptDatabase) => void;

/** Migration `n` upgrades version `n` to `n + 1`. Append migrations, but never change one. */
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

/** Resolves with the result of a request on an `unwrap`ped table. Use it within the transaction. */
export const answered = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Returns the database that the whole page shares. */
export function sharedDatabase(): Database {
  return (shared ??= createDatabase());
}

export function createDatabase({ name = 'tool-chat', limitMs = 10_000, versions = conversationVersions }: DatabaseOptions = {}): Database {
  let current: KeptDatabase | undefined;
  let opening: Promise<KeptDatabase> | undefined;
  const running = new Set<{ abort(): void }>();
  /** Settles when a page in the back/forward cache is shown again. */
  let shown: Promise<unknown> | undefined;

  // A page in the back/forward cache is frozen, but WebKit lets it keep its connections: no page of the site could use these tables, and no
  // newer version could open them. So close the connection.
  globalThis.addEventListener?.(
    'pagehide',
    ({ persisted }) => {
      if (!persisted) return;
      shown = new Promise((resolve) => {
        globalThis.addEventListener('pageshow', resolve, { once: true });
      }).then(() => (shown = undefined));
      for (const tx of running) abort(tx);
      // Close after all other listeners, which may still have something to write.
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
        // A newer version waits in another tab. Close, so that it can upgrade.
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
      // The page was left, and its upgrade would have blocked other pages. Try again when it is shown.
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
        // A message of another tab may have led here.
        if (isFrozen()) await whenAwake();
        try {
          return db.transaction<[Name], Mode>(names as [Name], mode, { durability });
        } catch (error) {
          // The connection was closed from outside. The transaction has not begun, so one retry is safe.
          letGo(db);
          if (again) return begin(false);
          throw asStorageError(error);
        }
      };
      const tx = await begin(true);
      running.add(tx);
      // An async function turns a synchronous exception into a rejection.
      const run = async () => {
        const result = await work(tx.objectStore(names[0]) as ObjectStore<Name, M>);
        commit(tx); // commit now, without waiting for the events of all requests
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
  // Ignore a later rejection.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const asOpenError = (error: unknown) => asStorageError(error, 'unavailable');
