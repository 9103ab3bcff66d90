/** A conversation in `sessionStorage`: one text, of bounded size. What is too long is not kept at all, and that is said. */
import { own } from '../base/objects.js';
import { unreadable, type ConversationArea } from './conversation-area.js';
import { fromRows, LISTS, type Rows } from './conversation-rows.js';
import { parseStored, sessionArea } from './session-area.js';
import { StorageError } from './storage-error.js';
import type { StoredConversation } from './stored-conversation.js';

/** UTF-16 units; browsers allow about five million for a whole origin, journal included. */
export const SESSION_CHARS = 2_000_000;

/** One text for all of it; of what did not change, the words are remembered. */
export function createTextMaker(): (rows: Rows, at: number, generation?: number) => string {
  const texts = new WeakMap<object, string>();
  const textOf = (row: object): string => {
    const text = texts.get(row) ?? JSON.stringify(row);
    texts.set(row, text);
    return text;
  };
  return (rows, at, generation = 0) => {
    const fields = LISTS.map((name) => `"${name}":[${rows[name].map(textOf).join(',')}]`);
    return `{"at":${String(at)},"generation":${String(generation)},"head":${JSON.stringify(rows.head)},${fields.join(',')}}`;
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

export function conversationSession(sessionId: string, storage?: Storage): ConversationArea {
  const area = sessionArea(storage);
  const key = `tool-chat:conversation:${sessionId}`;
  const aside = `tool-chat:aside:${sessionId}`;
  const toText = createTextMaker();

  function write(rows: Rows): void {
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

  return {
    async load() {
      const text = area.get(key);
      if (text === null) return undefined;
      const found = parseStored(text);
      try {
        return fromText(found, sessionId);
      } catch (error) {
        area.remove(key);
        try {
          if (area.get(aside) === null) area.set(aside, text);
        } catch {} // no room to keep what nobody can read
        throw unreadable(error, own(found, 'head'));
      }
    },
    async write(rows) {
      write(rows);
      return true;
    },
    hurry(rows) {
      write(rows);
      return true;
    },
    async clear(_all, rest) {
      area.remove(key);
      area.remove(aside);
      if (rest) write(rest);
    },
    generation: undefined,
    forgotten: () => Promise.resolve(undefined), // each tab has its own
  };
}
