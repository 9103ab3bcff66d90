/**
 * The journal in the browser's database: the same three questions, with the same answers, after a reload, a crash or a kill, and for every
 * tab. A tool is started by a record that is complete, never by one that is about to be.
 */
import { unwrap } from 'idb';
import type { PublishedResult } from '../model/calls.js';
import { generationOf, goneKey, sharedDatabase, type Database, type ObjectStore } from './indexeddb.js';
import { bare, endOf, mayStartAgain, OLDEST_MS, readEntry, rowOf, settled, UNFINISHED_MAX } from './journal-rows.js';
import type { JournalEntry, LastingJournal } from './journal.js';
import type { Lease } from './lease.js';
import { StorageError } from './storage-error.js';

export interface LastingJournalOptions {
  sessionId: string;
  /** Default: the one of the page. */
  database?: Database;
  now?: () => number;
  /** Without Web Locks: no call begins once another page has taken it. */
  lease?: Lease | undefined;
}

/** Every method rejects with a `StorageError` where the database does; then nothing was started. */
export function createLastingJournal(options: LastingJournalOptions): LastingJournal {
  const { sessionId, database = sharedDatabase(), now = Date.now, lease } = options;
  let isSwept = false;

  /** What is older than anybody remembers goes, a portion each time the page is used. */
  function sweep(): void {
    if (isSwept) return;
    isSwept = true;
    database
      .transact('journal', 'readwrite', async (journal) => {
        let cursor = await journal.index('started').openCursor(IDBKeyRange.upperBound(now() - OLDEST_MS));
        for (let left = 500; cursor && left > 0; left -= 1) {
          await cursor.delete();
          cursor = await cursor.continue();
        }
      })
      .catch(() => undefined); // the next page tries again
  }

  return {
    async intent(intent, generation) {
      const row = rowOf(sessionId, intent, now());
      const answer = await database.transact(
        lease ? ['journal', 'conversations'] : 'journal',
        'readwrite',
        async (journal): Promise<'start' | 'known'> => {
          if (lease && !(await lease.holds(unwrap(journal).transaction.objectStore('conversations'))))
            throw new StorageError('lost', 'Another tab leads.');
          // Transactions on one table take turns, over all tabs: between this look and this put there is nobody.
          const [seen, gone] = await Promise.all([
            journal.get(intent.requestId),
            generation === undefined ? undefined : journal.get(goneKey(sessionId)),
          ]);
          if (generationOf(gone) > (generation ?? 0)) throw new StorageError('lost', 'The conversation was forgotten elsewhere.');
          if (seen !== undefined && !mayStartAgain(seen, row, intent.again)) return 'known';
          write(journal, seen === undefined ? row : { ...row, attempt: (intent.again ?? 0) + 1 });
          return 'start';
        },
        'strict',
      );
      sweep();
      return answer;
    },

    settle(requestId, result: PublishedResult) {
      return database.transact('journal', 'readwrite', async (journal) => {
        const row = settled(await journal.get(requestId), endOf(result, 131_072));
        if (row) write(journal, row);
      });
    },

    find: (requestId) => database.transact('journal', 'readonly', async (journal) => readEntry(await journal.get(requestId))),

    unfinished() {
      return database.transact('journal', 'readonly', async (journal) => {
        const rows = await journal.index('open').getAll([sessionId, 1], UNFINISHED_MAX);
        return rows.flatMap((row) => readEntry(row) ?? []).sort((a, b) => a.startedAt - b.startedAt);
      });
    },

    recall(requestIds) {
      return database.transact('journal', 'readonly', async (journal) => {
        const entries: JournalEntry[] = [];
        for (const row of await Promise.all(requestIds.map((id) => journal.get(id)))) {
          const entry = readEntry(row);
          if (entry) entries.push(entry);
        }
        return entries;
      });
    },

    clear(which = sessionId) {
      return database.transact('journal', 'readwrite', async (journal) => {
        let cursor = await journal.index('session').openCursor(which);
        while (cursor) {
          await cursor.update(bare(cursor.value, cursor.primaryKey, which));
          cursor = await cursor.continue();
        }
      });
    },
  };
}

/** Whether it went well is the transaction's to tell. */
function write(journal: ObjectStore<'journal', 'readwrite'>, row: object): void {
  journal.put(row).catch(() => undefined);
}
