/** A conversation in `sessionStorage`: one text, of bounded size. What is too long is not kept at all, and that is said. */
import { isObject, own } from '../base/objects.js';
import { asThisVersion, NewerError, newerVersion, unreadable, type ConversationArea } from './conversation-area.js';
import { fromRows, LISTS, type Rows } from './conversation-rows.js';
import { parseStored, sessionArea } from './session-area.js';
import { StorageError } from './storage-error.js';
import type { StoredConversation } from './stored-conversation.js';

/** UTF-16 units; browsers allow about five million for a whole origin, journal included. */
export const SESSION_CHARS = 2_000_000;

/** One text for all of it; of what did not change, the words are remembered. */
export function createTextMaker(): (rows: Rows, at: number, generation?: number, more?: object) => string {
  const texts = new WeakMap<object, string>();
  const textOf = (row: object): string => {
    const text = texts.get(row) ?? JSON.stringify(row);
    texts.set(row, text);
    return text;
  };
  return (rows, at, generation = 0, more = {}) => {
    const fields = LISTS.map((name) => `"${name}":[${rows[name].map(textOf).join(',')}]`);
    return `${JSON.stringify({ ...more, at, generation, head: rows.head }).slice(0, -1)},${fields.join(',')}}`;
  };
}

/** Back from the text; throws what `unreadable` understands. */
export function fromText(found: unknown, sessionId: string): StoredConversation {
  const [messages, calls, results] = LISTS.map((name) => {
    const list = own(found, name);
    if (!Array.isArray(list)) throw new Error(`no ${name}`);
    return list as unknown[];
  }) as [unknown[], unknown[], unknown[]];
  const stored = fromRows({ head: own(found, 'head'), messages, calls, results });
  if (stored.sessionId !== sessionId) throw new Error('another conversation');
  return stored;
}

/** The part of a newer version's data that this version can read. */
export function lookAt(found: unknown, sessionId: string): StoredConversation | undefined {
  const head = own(found, 'head');
  try {
    return isObject(found) && isObject(head) ? fromText({ ...found, head: asThisVersion(head) }, sessionId) : undefined;
  } catch {
    return undefined;
  }
}

export function conversationSession(sessionId: string, storage?: Storage): ConversationArea {
  const area = sessionArea(storage);
  const key = `tool-chat:conversation:${sessionId}`;
  const aside = `tool-chat:aside:${sessionId}`;
  const toText = createTextMaker();
  /** The data there is not ours to write over. */
  let locked: StorageError | undefined;

  function write(rows: Rows): void {
    if (locked) throw locked;
    const text = toText(rows, Date.now());
    try {
      if (text.length > SESSION_CHARS) throw new StorageError('full', 'The conversation is too long for this storage.');
      area.set(key, text);
    } catch (error) {
      // Half of it, or what it was a while ago, would be worse than nothing.
      area.remove(key);
      throw error;
    }
  }

  /** Texts that could not be read when they were found, the oldest first. Earlier versions kept one, as it was. */
  function readAsides(): string[] {
    const text = area.get(aside);
    const found = parseStored(text);
    if (Array.isArray(found)) return found.filter((one) => typeof one === 'string');
    return text === null ? [] : [text];
  }

  function setAside(text: string): void {
    const asides = JSON.stringify([...readAsides(), text]);
    area.remove(key); // there may be no room for both
    try {
      area.set(aside, asides);
    } catch (error) {
      area.set(key, text);
      throw (locked = new StorageError('full', 'There is no room to set a damaged conversation aside.', error));
    }
  }

  /** One that was set aside, if this version can read it. */
  function bringBack(): StoredConversation | undefined {
    const asides = readAsides();
    for (const text of asides.toReversed())
      try {
        const stored = fromText(parseStored(text), sessionId);
        const left = asides.filter((one) => one !== text);
        if (left.length > 0) area.set(aside, JSON.stringify(left));
        else area.remove(aside);
        area.set(key, text);
        return stored;
      } catch {} // it stays where it is
    return undefined;
  }

  return {
    async load() {
      locked = undefined;
      const text = area.get(key);
      if (text === null) return bringBack();
      const found = parseStored(text);
      const version = newerVersion(own(found, 'head'));
      if (version !== undefined) throw (locked = new NewerError(version, lookAt(found, sessionId)));
      try {
        return fromText(found, sessionId);
      } catch (error) {
        setAside(text);
        throw unreadable(error);
      }
    },
    async write(rows) {
      write(rows);
      return true;
    },
    hurry(rows) {
      if (!locked) write(rows);
      return !locked;
    },
    async clear(_all, rest) {
      locked = undefined;
      area.remove(key);
      area.remove(aside);
      if (rest) write(rest);
    },
    generation: undefined,
    forgotten: () => Promise.resolve(undefined), // each tab has its own
  };
}
