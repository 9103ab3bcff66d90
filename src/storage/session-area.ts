/** `sessionStorage`, with its failures as `StorageError`s. */
import { asStorageError } from './read-storage-error.js';

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
