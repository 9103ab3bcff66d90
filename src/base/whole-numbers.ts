/** What counts and waits can be. */

/** What a timer can wait: more comes at once. */
const LONGEST_WAIT = 2 ** 31 - 1;

export const isCount = (value: unknown, from = 1, to = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to;

/** Milliseconds. */
export const isWait = (value: unknown, from = 1): boolean => isCount(value, from, LONGEST_WAIT);
