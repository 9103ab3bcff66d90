/**
 * The rows of long-term memory, in a separate database: an upgrade of its tables must never keep a tab with an older version from writing
 * its journal, because without a journal no tool runs.
 */
import { createDatabase, type Database } from './indexeddb.js';

let shared: Database | undefined;

/** Creates the database of long-term memory. */
export function memoryDatabase(name = 'tool-chat-memory'): Database {
  return createDatabase({ name, versions: [(db) => void db.createObjectStore('memory')] });
}

export interface MemoryTable {
  /** Resolves with unchecked values: any script of the origin can have written them. */
  list(): Promise<unknown[]>;
  put(id: string, item: unknown): Promise<void>;
  delete(id: string): Promise<void>;
  clear(): Promise<void>;
}

/** Returns the rows of one owner. All methods reject with a `StorageError`. */
export function memoryTable(owner: string, database: Database = (shared ??= memoryDatabase())): MemoryTable {
  // An array sorts after every string.
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
