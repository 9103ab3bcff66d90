/** The default stores of memory items: in IndexedDB, with the tab, or in the page's memory. */
import { load } from '../base/load.js';
import type { MemoryItem, MemoryStore } from '../model/memory.js';
import { parseStored, sessionArea } from '../storage/session-area.js';
import { readItem, readItems } from './items.js';
import { createSearcher } from './search.js';

/** Creates a store that is lost with the page. Also works in Node, Deno and Bun. */
export function inMemoryStore(): MemoryStore {
  return storeOf([], () => undefined);
}

/**
 * Creates a store that lives as long as the tab, like `storage="session"`.
 *
 * @param owner the user who owns the memory, so that users of the same page do not see each other's
 */
export function sessionMemoryStore(owner = '', storage?: Storage): MemoryStore {
  const area = sessionArea(storage);
  const key = `tool-chat:memory:${owner}`;
  return storeOf(readItems(parseStored(area.get(key))), (items) => {
    if (items.length === 0) area.remove(key);
    else area.set(key, JSON.stringify(items));
  });
}

/** Creates a store in IndexedDB, shared by all tabs of the origin and separate for each owner. */
export function lastingMemoryStore(owner = ''): MemoryStore {
  const table = load(() => import('../storage/memory-table.js')).then(({ memoryTable }) => memoryTable(owner));
  table.catch(() => undefined); // each use of the table reports the error
  const searcher = createSearcher();
  const list = async () => readItems(await (await table).list());
  return {
    put: async (item) => (await table).put(item.id, item),
    search: async (query) => searcher.search(await list(), query),
    list,
    delete: async (id) => (await table).delete(id),
    clear: async () => (await table).clear(),
  };
}

function storeOf(initial: readonly MemoryItem[], save: (items: readonly MemoryItem[]) => void): MemoryStore {
  const items = new Map(initial.map((item) => [item.id, item]));
  const searcher = createSearcher();
  const list = () => [...items.values()].map((item) => ({ ...item }));
  const saveAll = () => {
    save([...items.values()]);
  };
  return {
    async put(item) {
      const known = readItem(item);
      if (!known) throw new TypeError('A memory item is { id, kind, text, vector?, createdAt, usedAt }.');
      items.set(known.id, known);
      saveAll();
    },
    search: (query) => searcher.search(list(), query),
    list: async () => list(),
    async delete(id) {
      if (items.delete(id)) saveAll();
    },
    async clear() {
      items.clear();
      saveAll();
    },
  };
}
