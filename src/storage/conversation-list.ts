/**
 * The conversations in a storage: their ids, titles, and deletion. Conversations that a page adds to its named one have ids derived from
 * that name, so that pages and users with other names never see them.
 */
import { own } from '../base/objects.js';
import { load } from '../base/load.js';
import { createConversationStore } from './conversation-store.js';
import type { Database } from './indexeddb.js';
import { parseStored, sessionArea } from './session-area.js';
import { removeTabDraft } from './tab-draft.js';

export interface ListedConversation {
  id: string;
  /** The title that the user gave, or else the beginning of the first message. '' if there is neither. */
  title: string;
  /** Milliseconds since the epoch. */
  updatedAt: number;
}

/** All methods reject with a `StorageError`. */
export interface ConversationList {
  /** Resolves with the conversations that have messages, the newest first. */
  all(): Promise<ListedConversation[]>;
  /** Renames a conversation. '' restores the title from its first message. */
  rename(id: string, title: string): Promise<void>;
  /** Deletes a conversation with its calls and its title. Tabs that have it open cannot write it back. */
  remove(id: string): Promise<void>;
}

export interface ConversationListOptions {
  /** Id of the page's named conversation. */
  first: string;
  area: 'session' | 'indexeddb';
  /** Default: the page's shared database. */
  database?: Database;
  storage?: Storage;
}

/** Maximum length of a title, in UTF-16 units. */
export const TITLE_CHARS = 120;

const BETWEEN = '~';

/** Returns the id of a conversation that was added to the first one. */
export const siblingId = (first: string, unique: string): string => `${first}${BETWEEN}${unique}`;

/** Matches exactly the ids of `createId('c')`. A conversation that the page names itself (`shop`, `shop~42`) is never one of these. */
const UNIQUE = /^c_[0-9a-z]{18}$/;

export const isSibling = (first: string, id: string): boolean =>
  id === first || (id.startsWith(first + BETWEEN) && UNIQUE.test(id.slice(first.length + 1)));

/** Shortens a text to one line. */
export const asTitle = (text: unknown): string => {
  if (typeof text !== 'string') return '';
  const line = text
    .slice(0, 4 * TITLE_CHARS)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).trimEnd()}…` : line;
};

/** Number of first messages in which the user's first one is searched. */
const FIRST_ROWS = 5;

const titleOf = (named: unknown, rows: readonly unknown[]): string => {
  const said = rows.map((row) => own(row, 'message')).find((message) => own(message, 'role') === 'user');
  return asTitle(own(named, 'title')) || asTitle(own(said, 'text'));
};
const timeOf = (at: unknown): number => (typeof at === 'number' && Number.isFinite(at) ? at : 0);
const newestFirst = (list: ListedConversation[]) => list.sort((a, b) => b.updatedAt - a.updatedAt);

export function createConversationList(options: ConversationListOptions): ConversationList {
  return options.area === 'session' ? inSession(options) : inDatabase(options);
}

async function removeRows({ area, database, storage }: ConversationListOptions, sessionId: string): Promise<void> {
  removeTabDraft(sessionId, storage);
  const given = { ...(database && { database }), ...(storage && { storage }) };
  const store = createConversationStore({ sessionId, area, ...given });
  try {
    await store.clear(false);
    const journal =
      area === 'session'
        ? (await load(() => import('./session-journal.js'))).createSessionJournal({ sessionId, ...given })
        : (await load(() => import('./persistent-journal.js'))).createPersistentJournal({ sessionId, ...given });
    await journal.clear();
  } finally {
    await store.close();
  }
}

function inSession(options: ConversationListOptions): ConversationList {
  const { first, storage } = options;
  const area = sessionArea(storage);
  const prefix = 'tool-chat:conversation:';
  const nameKey = (id: string) => `tool-chat:title:${id}`;
  return {
    async all() {
      const ids = area
        .keys(prefix)
        .map((key) => key.slice(prefix.length))
        .filter((id) => isSibling(first, id));
      return newestFirst(
        ids.flatMap((id) => {
          const found = parseStored(area.get(prefix + id));
          const rows = own(found, 'messages');
          if (!Array.isArray(rows) || rows.length === 0) return [];
          const title = titleOf(parseStored(area.get(nameKey(id))), rows.slice(0, FIRST_ROWS));
          return { id, title, updatedAt: timeOf(own(found, 'at')) };
        }),
      );
    },
    async rename(id, title) {
      if (title) area.set(nameKey(id), JSON.stringify({ title }));
      else area.remove(nameKey(id));
    },
    async remove(id) {
      await removeRows(options, id);
      area.remove(nameKey(id));
    },
  };
}

function inDatabase(options: ConversationListOptions): ConversationList {
  const { first } = options;
  const database = async () => options.database ?? (await load(() => import('./indexeddb.js'))).sharedDatabase();
  /** An upper bound of keys: arrays sort after all strings and numbers. */
  const last: never[] = [];
  const nameKey = (id: string) => ['title', id];
  return {
    async all() {
      return (await database()).transact('conversations', 'readonly', async (table) => {
        const found: ListedConversation[] = [];
        const range = IDBKeyRange.bound(['live', first], ['live', `${first}${BETWEEN}\uFFFF`, last]);
        for (let cursor = await table.openKeyCursor(range); cursor;) {
          const id = String(cursor.key[1]);
          if (isSibling(first, id)) {
            const [head, named, gone, rows] = await Promise.all([
              table.get(['live', id, 'head']),
              table.get(nameKey(id)),
              table.get(['gone', id]),
              table.getAll(IDBKeyRange.bound(['live', id, 'messages'], ['live', id, 'messages', last]), FIRST_ROWS),
            ]);
            const said = rows.map((one) => own(one, 'row'));
            // Rows left over from before an erasure do not count.
            const isGone = timeOf(own(head, 'generation')) < timeOf(own(gone, 'generation'));
            if (said.length > 0 && !isGone) found.push({ id, title: titleOf(named, said), updatedAt: timeOf(own(head, 'at')) });
          }
          cursor = await cursor.continue(['live', id, last as unknown as string]);
        }
        return newestFirst(found);
      });
    },
    async rename(id, title) {
      await (
        await database()
      ).transact('conversations', 'readwrite', async (table) => {
        await (title ? table.put({ title }, nameKey(id)) : table.delete(nameKey(id)));
      });
    },
    async remove(id) {
      await removeRows(options, id);
      await this.rename(id, '');
    },
  };
}
