/** The states of conversations in this process's memory, bounded by count and age. */
import type { StateStore } from './store.js';

/** Conversations at once; beyond it the one that was silent longest is forgotten. A state has some 30 KB at most. */
const MOST = 2_000;

/** @param now milliseconds; a test's own clock */
export function createMemoryStates(now: () => number = Date.now, most = MOST): StateStore {
  const kept = new Map<string, { value: string; version: number; until: number }>();

  /** All are kept equally long by one relay, so those that are over stand first. */
  function forgetOld() {
    for (const [key, { until }] of kept) {
      if (until > now() && kept.size <= most) return;
      kept.delete(key);
    }
  }

  return {
    read(key) {
      const found = kept.get(key);
      return Promise.resolve(found && found.until > now() ? { value: found.value, version: found.version } : undefined);
    },
    swap(key, version, value, ageMs) {
      const found = kept.get(key);
      const current = found && found.until > now() ? found.version : 0;
      if (current !== version) return Promise.resolve(false);
      kept.delete(key); // set again below: a Map keeps the order of insertion
      kept.set(key, { value, version: version + 1, until: now() + ageMs });
      forgetOld();
      return Promise.resolve(true);
    },
  };
}
