/** A token bucket for each client, in memory (S0-117 … threat row 22). */
import type { RateLimit } from './options.js';

/** Clients remembered at once; beyond it the one that was silent longest is forgotten, so memory stays bounded. */
const MAX_CLIENTS = 10_000;

/**
 * Takes one token of `client`'s bucket. Gives 0 when there was one, else the whole seconds until the next.
 * A bucket holds `requests` tokens and fills at `requests` in `perMs`.
 */
export function createRateLimiter(now: () => number = Date.now): (client: string, limit: RateLimit) => number {
  const buckets = new Map<string, { tokens: number; at: number }>();

  return (client, { requests, perMs }) => {
    const at = now();
    const last = buckets.get(client) ?? { tokens: requests, at };
    const tokens = Math.min(requests, last.tokens + ((at - last.at) * requests) / perMs);
    const taken = tokens >= 1;
    buckets.delete(client); // set again below: a Map keeps the order of insertion, so the first is the one silent longest
    buckets.set(client, { tokens: taken ? tokens - 1 : tokens, at });
    if (buckets.size > MAX_CLIENTS) buckets.delete(buckets.keys().next().value!);
    return taken ? 0 : Math.max(1, Math.ceil(((1 - tokens) * perMs) / requests / 1000));
  };
}
