/** Keeps the states of conversations in this process's memory, bounded by number and age. */
import type { StateAbout, StateStore } from './store.js';

/** Maximum number of states. A state has at most about 30 KB. */
const MOST = 2_000;

interface StoredState extends StateAbout {
  value: string;
  version: number;
  until: number;
}

/** @param now returns the time in milliseconds; tests pass their own clock */
export function createMemoryStates(now: () => number = Date.now, most = MOST): StateStore {
  const kept = new Map<string, StoredState>();
  /** The keys of each client, open ones apart from closed ones. The client and the key that have been unused longest come first. */
  const held = new Map<string, Record<'open' | 'closed', Set<string>>>();

  function remove(key: string) {
    const state = kept.get(key);
    if (!state) return;
    kept.delete(key);
    const { open, closed } = held.get(state.holder)!;
    open.delete(key);
    closed.delete(key);
    if (open.size + closed.size === 0) held.delete(state.holder);
  }

  function add(key: string, state: StoredState) {
    kept.set(key, state);
    const keys = held.get(state.holder) ?? { open: new Set(), closed: new Set() };
    keys[state.isOpen ? 'open' : 'closed'].add(key);
    held.delete(state.holder);
    held.set(state.holder, keys);
  }

  /** Removes expired states. One relay keeps all states equally long, so the expired ones come first. */
  function removeOld() {
    for (const [key, { until }] of kept) {
      if (until > now()) return;
      remove(key);
    }
  }

  /**
   * Removes one state of the client that has the most, so that no client can evict those of a client with fewer. The newest state stays.
   */
  function makeRoom(newest: string) {
    let largest = { open: new Set<string>(), closed: new Set<string>() };
    for (const keys of held.values()) if (sizeOf(keys) > sizeOf(largest)) largest = keys;
    for (const keys of [largest.closed, largest.open])
      for (const key of keys)
        if (key !== newest) {
          remove(key);
          return;
        }
  }

  return {
    read(key) {
      const found = kept.get(key);
      return Promise.resolve(found && found.until > now() ? { value: found.value, version: found.version } : undefined);
    },
    swap(key, version, value, ageMs, { holder, isOpen } = { holder: '', isOpen: true }) {
      const found = kept.get(key);
      const current = found && found.until > now() ? found.version : 0;
      if (current !== version) return Promise.resolve(false);
      remove(key); // added again below: a Map keeps the order of insertion
      removeOld();
      if (ageMs > 0) add(key, { value, version: version + 1, until: now() + ageMs, holder, isOpen });
      if (kept.size > most) makeRoom(key);
      return Promise.resolve(true);
    },
  };
}

const sizeOf = ({ open, closed }: Record<'open' | 'closed', Set<string>>): number => open.size + closed.size;
