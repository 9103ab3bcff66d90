/** Lets a complaint through once: what it is about is looked at for every request and every view. */
import type { Log } from './logging.js';

const said = new WeakMap<Log, Set<string>>();

/** Whether this is the first time that it is said in this log. */
export function isFirst(log: Log, what: string): boolean {
  const known = said.get(log) ?? new Set();
  said.set(log, known);
  if (known.has(what)) return false;
  known.add(what);
  return true;
}
