/** Retry policy: a table, and the one function that reads it. Pure. */
import type { RetryClass } from './failure.js';

/** Waits in milliseconds; the length of a list is the number of retries. */
export interface RetryTable {
  /** Cannot connect, dropped or silent before the first event, 408. */
  network: readonly number[];
  /** 500, 502, 503, 504, 529. */
  server: readonly number[];
  /** 409, 429. */
  busy: readonly number[];
  /** Fraction by which a wait is randomly lengthened or shortened, so that many pages do not retry at once. */
  jitter: number;
  /** Milliseconds. A longer `Retry-After` is shown to the user instead of waited for. */
  longestWait: number;
}

const balanced: RetryTable = { network: [1000, 2000, 4000], server: [1000, 2000], busy: [1000, 2000], jitter: 0.2, longestWait: 60_000 };

/** The tables by preset. Presets that are not listed use `balanced`. */
export const retryTables: Readonly<Record<'balanced' | 'cutie-xml', RetryTable>> = {
  balanced,
  'cutie-xml': { ...balanced, busy: [] },
};

/** Automatic retries of this turn so far, by class. A busy server counts as a failing one. */
export interface RetriesMade {
  network: number;
  server: number;
}

/** The parts of a failed reply that `nextRetry` needs. */
export interface RetryHint {
  retry: RetryClass;
  /** From `Retry-After` or `retry-after-ms`. */
  retryAfterMs?: number;
  /** From `x-should-retry`. */
  shouldRetry?: false;
}

/**
 * Returns the wait before the next attempt, or `null` if there is no automatic retry. The caller counts (`made[class] + 1`), and calls it
 * only before the first event and before any tool of the turn. A wait that the server named is used exactly.
 *
 * @param random Returns 0 ≤ x < 1, like `Math.random`.
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
