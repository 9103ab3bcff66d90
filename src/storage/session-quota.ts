/** Free space in `sessionStorage`, which holds a few million characters: a call that cannot be recorded does not run. */
import { isObject, own } from '../base/objects.js';
import { parseStored, type SessionArea } from './session-area.js';

export const JOURNAL_PREFIX = 'tool-chat:journal:';

/** Space reserved for records of future calls, in UTF-16 units. */
const RESERVE = 32_768;
const RESERVE_KEY = 'tool-chat:room';

/** Records up to this length are not shortened, in UTF-16 units. */
const SHORT = 1000;

/** Checks whether calls can still be recorded. */
export function hasRoom(area: SessionArea): boolean {
  try {
    area.set(RESERVE_KEY, ' '.repeat(RESERVE));
    return true;
  } catch {
    return false;
  } finally {
    area.remove(RESERVE_KEY);
  }
}

/** Returns the record without the content of its result, which the conversation has. */
export function shortEntry(row: object): object {
  const result = own(row, 'result');
  if (!isObject(result)) return row;
  const { data: _, ...rest } = result;
  const message = own(result, 'message');
  return { ...row, result: { ...rest, result: '', message: typeof message === 'string' ? message.slice(0, 200) : '' } };
}

/** Shortens the records of all calls that have ended. @returns true if that freed space */
export function makeRoom(area: SessionArea): boolean {
  let isFreed = false;
  for (const key of area.keys(JOURNAL_PREFIX)) {
    const text = area.get(key);
    if (text === null || text.length <= SHORT) continue;
    const row = parseStored(text);
    const short = isObject(row) ? JSON.stringify(shortEntry(row)) : text;
    if (short.length >= text.length) continue;
    area.set(key, short);
    isFreed = true;
  }
  return isFreed;
}
