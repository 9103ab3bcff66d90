/** `sessionStorage`, with its failures as `StorageError`s. */
import { asStorageError } from './storage-error.js';
import { isObject, own } from '../base/objects.js';

export interface SessionArea {
  get(key: string): string | null;
  set(key: string, text: string): void;
  remove(key: string): void;
  /** Returns all keys with this prefix. */
  keys(prefix: string): string[];
}

/** Returns the area. Even reading the property can throw: in frames of an opaque origin, or with cookies disabled. */
export function sessionArea(storage?: Storage): SessionArea {
  function use<T>(work: (area: Storage) => T): T {
    try {
      return work(storage ?? sessionStorage);
    } catch (error) {
      throw asStorageError(error, 'unavailable');
    }
  }
  return {
    get: (key) => use((area) => area.getItem(key)),
    set: (key, text) => {
      use((area) => {
        area.setItem(key, text);
      });
    },
    remove: (key) => {
      use((area) => {
        area.removeItem(key);
      });
    },
    keys: (prefix) =>
      use((area) => Array.from({ length: area.length }, (_, at) => area.key(at) ?? '').filter((key) => key.startsWith(prefix))),
  };
}

/** Parses JSON. Returns undefined for null and for invalid text. */
export function parseStored(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Free space in `sessionStorage`, which holds a few million characters: a call that cannot be recorded does not run. */
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
