/** Lets a warning through only once, because its cause is checked for every request and every view. */
import type { Log } from './logging.js';

const loggedMessages = new WeakMap<Log, Set<string>>();

/** Returns true on the first call with this text for this log. */
export function isFirst(log: Log, what: string): boolean {
  const logged = loggedMessages.get(log) ?? new Set();
  loggedMessages.set(log, logged);
  if (logged.has(what)) return false;
  logged.add(what);
  return true;
}
