/**
 * The rows of long-term memory, in a database of their own: a change of its tables must never keep a tab that still runs the old version
 * from writing its journal, for without a journal no tool runs.
 */
import { createDatabase, type Database } from './indexeddb.js';

let shared: Database | undefined;

/** The one that everybody on the page shares. */
export function memoryDatabase(name = 'tool-chat-memory'): Database {
  return createDatabase({ name, versions: [(db) => void db.createObjectStore('memory')] });
}

export interface MemoryTable {
  /** What is read back is `unknown`: any script of the origin can have written it. */
  list(): Promise<unknown[]>;
  put(id: string, item: unknown): Promise<void>;
  delete(id: string): Promise<void>;
  clear(): Promise<void>;
}

/** The rows of one owner. All reject with a `StorageError`. */
export function memoryTable(owner: string, database: Database = (shared ??= memoryDatabase())): MemoryTable {
  // A list is above every text.
  const all = () => IDBKeyRange.bound([owner], [owner, []]);
  return {
    list: () => database.transact('memory', 'readonly', (table) => table.getAll(all())),
    put: (id, item) =>
      database.transact('memory', 'readwrite', async (table) => {
        await table.put(item, [owner, id]);
      }),
    delete: (id) => database.transact('memory', 'readwrite', (table) => table.delete([owner, id])),
    clear: () => database.transact('memory', 'readwrite', (table) => table.delete(all())),
  };
}
