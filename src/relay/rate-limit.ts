/** A token bucket for each client, in memory. */
import type { RateLimit } from './store.js';

/** Clients remembered at once. */
const MAX_CLIENTS = 50_000;

/** Buckets stand on shelves by how much is left in them. */
const SHELVES = 4;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Takes one token of `client`'s bucket. Gives 0 when there was one, else the whole seconds until the next.
 * A bucket holds `requests` tokens and fills at `requests` in `perMs`.
 *
 * Where there are too many clients, those are forgotten first that have asked least: who has used up a bucket gets no new one by calling in
 * fifty thousand others.
 */
export function createRateLimiter(now: () => number = Date.now): (client: string, limit: RateLimit) => number {
  // The first shelf has the emptiest buckets. A Map keeps the order of insertion, so its first is the one silent longest.
  const shelves = Array.from({ length: SHELVES }, () => new Map<string, Bucket>());

  function take(client: string): Bucket | undefined {
    const shelf = shelves.find((one) => one.has(client));
    const bucket = shelf?.get(client);
    shelf?.delete(client);
    return bucket;
  }

  function forgetOne(perMs: number, at: number) {
    const [emptiest] = shelves[0]!;
    // By now it is as full as a new one.
    if (emptiest && at - emptiest[1].at >= perMs) return shelves[0]!.delete(emptiest[0]);
    const fullest = shelves.findLast((shelf) => shelf.size > 0);
    return fullest?.delete(fullest.keys().next().value!);
  }

  return (client, { requests, perMs }) => {
    const at = now();
    const last = take(client) ?? { tokens: requests, at };
    // A clock that was set back takes nothing away.
    const tokens = Math.min(requests, last.tokens + (Math.max(0, at - last.at) * requests) / perMs);
    const taken = tokens >= 1;
    const left = taken ? tokens - 1 : tokens;
    // Before it is put back: this one is never the one to go.
    if (shelves.reduce((sum, { size }) => sum + size, 0) >= MAX_CLIENTS) forgetOne(perMs, at);
    shelves[left < 1 ? 0 : Math.min(SHELVES - 1, 1 + Math.floor((left / requests) * (SHELVES - 1)))]!.set(client, { tokens: left, at });
    return taken ? 0 : Math.max(1, Math.ceil(((1 - tokens) * perMs) / requests / 1000));
  };
}
