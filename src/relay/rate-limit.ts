/** Keeps a token bucket for each client, in memory. */
import type { RateLimit } from './store.js';

/** Maximum number of buckets kept at once. */
const MAX_CLIENTS = 50_000;

/** Number of groups of buckets, by the tokens that they have left. */
const SHELVES = 4;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Creates a function that takes one token from a client's bucket. It returns 0 if there was one, otherwise the whole seconds until the
 * next. A bucket holds `requests` tokens and refills at `requests` per `perMs` milliseconds.
 *
 * If there are too many clients, those that have used the least are dropped first, so that a client cannot reset its used-up bucket by
 * sending requests from 50,000 addresses.
 */
export function createRateLimiter(now: () => number = Date.now): (client: string, limit: RateLimit) => number {
  // The first group has the emptiest buckets. A Map keeps the order of insertion, so its first entry has been unused longest.
  const shelves = Array.from({ length: SHELVES }, () => new Map<string, Bucket>());

  function take(client: string): Bucket | undefined {
    const shelf = shelves.find((one) => one.has(client));
    const bucket = shelf?.get(client);
    shelf?.delete(client);
    return bucket;
  }

  function forgetOne(perMs: number, at: number) {
    const [emptiest] = shelves[0]!;
    // It has refilled by now, so dropping it changes nothing.
    if (emptiest && at - emptiest[1].at >= perMs) return shelves[0]!.delete(emptiest[0]);
    const fullest = shelves.findLast((shelf) => shelf.size > 0);
    return fullest?.delete(fullest.keys().next().value!);
  }

  return (client, { requests, perMs }) => {
    const at = now();
    const last = take(client) ?? { tokens: requests, at };
    // A clock that was set back must not remove tokens.
    const tokens = Math.min(requests, last.tokens + (Math.max(0, at - last.at) * requests) / perMs);
    const taken = tokens >= 1;
    const left = taken ? tokens - 1 : tokens;
    // Drop another bucket before this one is added, so that this one stays.
    if (shelves.reduce((sum, { size }) => sum + size, 0) >= MAX_CLIENTS) forgetOne(perMs, at);
    shelves[left < 1 ? 0 : Math.min(SHELVES - 1, 1 + Math.floor((left / requests) * (SHELVES - 1)))]!.set(client, { tokens: left, at });
    return taken ? 0 : Math.max(1, Math.ceil(((1 - tokens) * perMs) / requests / 1000));
  };
}
