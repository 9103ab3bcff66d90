/** Retry hints in the headers of an error response. */
import type { RetryHint } from './retry.js';

/**
 * Reads `retry-after-ms`, `Retry-After` (seconds or an HTTP date) and `x-should-retry`. Waits that are over, negative or unreadable are
 * ignored. Across origins a server must expose these headers, or they are invisible.
 *
 * @param now Milliseconds since the epoch.
 */
export function readRetryHeaders(headers: Headers, now = Date.now()): Omit<RetryHint, 'retry'> {
  const value = (name: string) => headers.get(name)?.trim() ?? '';
  const waits = [decimal(value('retry-after-ms')), decimal(value('retry-after')) * 1000, dateOf(value('retry-after')) - now];
  // Comparing with NaN is false, so unreadable values drop out here too.
  const wait = waits.find((each) => each > 0);
  return {
    ...(wait !== undefined && { retryAfterMs: Math.ceil(wait) }),
    ...(value('x-should-retry').toLowerCase() === 'false' && { shouldRetry: false }),
  };
}

function decimal(value: string): number {
  return /^\d{1,12}(?:\.\d{1,6})?$/.test(value) ? Number(value) : NaN;
}

/** Parses an HTTP date. `Date.parse` alone accepts too much: `-1` is a date in some engines. */
function dateOf(value: string): number {
  return /^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(value) ? Date.parse(value) : NaN;
}
