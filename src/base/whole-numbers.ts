/** Checks of counts and delays. */

/** The longest delay of a timer in milliseconds; a longer one fires at once. */
const MAX_TIMEOUT = 2 ** 31 - 1;

export const isCount = (value: unknown, from = 1, to = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to;

/** Checks a delay in milliseconds. */
export const isWait = (value: unknown, from = 1): boolean => isCount(value, from, MAX_TIMEOUT);
