/** Room in `sessionStorage`, where a few million characters are all there is: a call that cannot be written down does not run. */
import { isObject, own } from '../base/objects.js';
import { parseStored, type SessionArea } from './session-area.js';

export const JOURNAL_PREFIX = 'tool-chat:journal:';

/** UTF-16 units that are left for calls that are to be written down. */
const RESERVE = 32_768;
const RESERVE_KEY = 'tool-chat:room';

/** A record of a call that ended is not shorter without its result. UTF-16 units. */
const SHORT = 1000;

/** True while calls can still be written down. */
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

/** The end of a call, without its result: the conversation itself holds that. */
export function shortEntry(row: object): object {
  const result = own(row, 'result');
  if (!isObject(result)) return row;
  const { data: _, ...rest } = result;
  const message = own(result, 'message');
  return { ...row, result: { ...rest, result: '', message: typeof message === 'string' ? message.slice(0, 200) : '' } };
}

/** Of all calls that have ended, the journal keeps no more than that. @returns whether that freed anything */
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
