/** When to ask again: a table, and the one function that reads it. Pure. */
import type { RetryClass } from './failure.js';

/** Waits in milliseconds; the length of a list is the number of retries. */
export interface RetryTable {
  /** Cannot connect, dropped or silent before the first event, 408. */
  network: readonly number[];
  /** 500, 502, 503, 504, 529. */
  server: readonly number[];
  /** 409, 429. */
  busy: readonly number[];
  /** Share of a wait by which it is made longer or shorter at random, so that many pages do not come back at once. */
  jitter: number;
  /** A `Retry-After` above this is shown to the person, not waited for. Milliseconds. */
  longestWait: number;
}

const balanced: RetryTable = { network: [1000, 2000, 4000], server: [1000, 2000], busy: [1000, 2000], jitter: 0.2, longestWait: 60_000 };

/** By preset; presets that are not listed use `balanced`. */
export const retryTables: Readonly<Record<'balanced' | 'cutie-xml', RetryTable>> = {
  balanced,
  'cutie-xml': { ...balanced, busy: [] },
};

/** Automatic retries of this turn so far, by class; a busy server counts as one that fails. */
export interface RetriesMade {
  network: number;
  server: number;
}

/** What `nextRetry` needs of a failed reply. */
export interface RetryHint {
  retry: RetryClass;
  /** From `Retry-After` or `retry-after-ms`. */
  retryAfterMs?: number;
  /** From `x-should-retry`. */
  shouldRetry?: false;
}

/**
 * The wait before the next attempt, or `null` when none is made by itself. The caller counts (`made[class] + 1`), and asks only
 * before the first event and before any tool of the turn. A wait the server named is kept to the millisecond.
 *
 * @param random gives 0 ≤ x < 1, like `Math.random`
 */
export function nextRetry(
  table: RetryTable,
  made: Readonly<RetriesMade>,
  failure: RetryHint,
  random: () => number = Math.random,
): { delayMs: number; class: 'network' | 'server' } | null {
  if (failure.retry === 'none' || failure.shouldRetry === false) return null;
  const counted = failure.retry === 'network' ? 'network' : 'server';
  const base = table[failure.retry][made[counted]];
  if (base === undefined) return null;
  if (failure.retryAfterMs !== undefined) {
    return failure.retryAfterMs > table.longestWait ? null : { delayMs: failure.retryAfterMs, class: counted };
  }
  return { delayMs: Math.round(base * (1 + table.jitter * (2 * random() - 1))), class: counted };
}
