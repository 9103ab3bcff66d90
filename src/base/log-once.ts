/** Lets a warning through only once, because its cause is checked for every request and every view. */
import type { Log } from './logging.js';

const said = new WeakMap<Log, Set<string>>();

/** Returns true on the first call with this text for this log. */
export function isFirst(log: Log, what: string): boolean {
  const known = said.get(log) ?? new Set();
  said.set(log, known);
  if (known.has(what)) return false;
  known.add(what);
  return true;
}
