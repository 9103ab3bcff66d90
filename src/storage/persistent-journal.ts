/**
 * The journal in the browser's database. It gives the same answers after a reload, a crash or a kill, and in every tab. A tool starts only
 * after its record is completely written.
 */
import { unwrap } from 'idb';
import { readField } from '../base/objects.js';
import type { PublishedResult } from '../model/calls.js';
import { generationOf, goneKey, sharedDatabase, type Database, type ObjectStore } from './indexeddb.js';
import { bare, endOf, mayStartAgain, OLDEST_MS, readEntry, rowOf, settled, UNFINISHED_MAX, type JournalRow } from './journal-rows.js';
import type { JournalEntry, LastingJournal } from './journal.js';
import type { Lease } from './lease.js';
import { StorageError } from './storage-error.js';

export interface PersistentJournalOptions {
  sessionId: string;
  /** Default: the page's shared database. */
  database?: Database;
  now?: () => number;
  /** Replacement of Web Locks: no call begins once another page has taken it. */
  lease?: Lease | undefined;
}

/** Every method rejects with a `StorageError` if the database fails; then no call was started. */
export function createPersistentJournal(options: PersistentJournalOptions): LastingJournal {
  const { sessionId, database = sharedDatabase(), now = Date.now, lease } = options;
  let isSwept = false;

  /** Deletes expired records, a portion per page load. */
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

  /**
   * Records a call in one trip to the database, because the page may draw a frame between two. Resolves with false, and writes nothing, if
   * the call has a record already.
   */
  async function add(row: JournalRow, generation: number | undefined): Promise<boolean> {
    let exists = false;
    let gone: Promise<unknown> | undefined;
    const writing = database.transact(
      'journal',
      'readwrite',
      (journal) => {
        journal.add(row).catch((error: unknown) => (exists = readField(error, 'name') === 'ConstraintError'));
        gone = generation === undefined ? undefined : journal.get(goneKey(sessionId));
        return Promise.resolve();
      },
      'strict',
    );
    try {
      await writing;
    } catch (error) {
      gone?.catch(() => undefined);
      if (exists) return false;
      throw error;
    }
    if (generationOf(await gone) <= (generation ?? 0)) return true;
    await database.transact('journal', 'readwrite', (journal) => journal.delete(row.requestId));
    throw forgotten();
  }

  /** Records a call unless another page leads or the call may not start. */
  function check(row: JournalRow, again: number | undefined, generation: number | undefined): Promise<'start' | 'known'> {
    return database.transact(
      lease ? ['journal', 'conversations'] : 'journal',
      'readwrite',
      async (journal): Promise<'start' | 'known'> => {
        if (lease && !(await lease.holds(unwrap(journal).transaction.objectStore('conversations'))))
          throw new StorageError('lost', 'Another tab leads.');
        // The database serializes transactions on a table over all tabs, so nothing can happen between the check and the write.
        const [seen, gone] = await Promise.all([
          journal.get(row.requestId),
          generation === undefined ? undefined : journal.get(goneKey(sessionId)),
        ]);
        if (generationOf(gone) > (generation ?? 0)) throw forgotten();
        if (seen !== undefined && !mayStartAgain(seen, row, again)) return 'known';
        write(journal, seen === undefined ? row : { ...row, attempt: (again ?? 0) + 1 });
        return 'start';
      },
      'strict',
    );
  }

  return {
    async intent(intent, generation) {
      const row = rowOf(sessionId, intent, now());
      const isNew = !lease && intent.again === undefined && (await add(row, generation));
      const answer = isNew ? 'start' : await check(row, intent.again, generation);
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

const forgotten = () => new StorageError('lost', 'The conversation was forgotten elsewhere.');

/** Writes a row. The transaction reports the outcome. */
function write(journal: ObjectStore<'journal', 'readwrite'>, row: object): void {
  journal.put(row).catch(() => undefined);
}
