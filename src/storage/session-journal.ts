/** The journal in `sessionStorage` for `storage="session"`; it lives as long as the tab. One entry per call, written before the answer. */
import { parseStored, sessionArea, JOURNAL_PREFIX, makeRoom, shortEntry } from './session-area.js';
import { bare, endOf, mayStartAgain, readEntry, rowOf, settled, UNFINISHED_MAX } from './journal-rows.js';
import type { JournalEntry, LastingJournal } from './journal.js';
import { isObject, own } from '../base/objects.js';
import { StorageError } from './storage-error.js';

export interface SessionJournalOptions {
  sessionId: string;
  /** Default `sessionStorage`. */
  storage?: Storage;
  now?: () => number;
}

/** Total length of the newest results, in UTF-16 units. Older ones are in the conversation, which is saved soon after. */
const RESULT_CHARS = 400_000;

/** Every method rejects with a `StorageError` if the browser refuses; then no call was started. */
export function createSessionJournal({ sessionId, storage, now = Date.now }: SessionJournalOptions): LastingJournal {
  const area = sessionArea(storage);
  const prefix = JOURNAL_PREFIX;
  /** Records of this page with complete results, the oldest first. */
  const whole: { key: string; chars: number }[] = [];
  let wholeChars = 0;

  /** Writes an entry. If there is no room, shortens the results of other calls. */
  function put(key: string, text: string): void {
    try {
      area.set(key, text);
    } catch (error) {
      if (!(error instanceof StorageError) || error.reason !== 'full' || !makeRoom(area)) throw error;
      area.set(key, text);
    }
  }

  function keep(key: string, row: object): void {
    const text = JSON.stringify(row);
    put(key, text);
    wholeChars += text.length;
    whole.push({ key, chars: text.length });
    while (wholeChars > RESULT_CHARS && whole.length > 1) {
      const { key: oldest, chars } = whole.shift()!;
      wholeChars -= chars;
      const found = parseStored(area.get(oldest));
      if (isObject(found)) area.set(oldest, JSON.stringify(shortEntry(found)));
    }
  }
  const rowAt = (requestId: string) => parseStored(area.get(prefix + requestId));

  function entriesOf(which: string): JournalEntry[] {
    const rows = area
      .keys(prefix)
      .map((key) => parseStored(area.get(key)))
      .filter((row) => own(row, 'sessionId') === which);
    return rows.flatMap((row) => readEntry(row) ?? []).sort((a, b) => a.startedAt - b.startedAt);
  }

  return {
    intent: soon((intent) => {
      const row = rowOf(sessionId, intent, now());
      const key = prefix + intent.requestId;
      const seen = area.get(key);
      // An unreadable entry still means that the call is known.
      if (seen !== null && !mayStartAgain(parseStored(seen), row, intent.again)) return 'known';
      put(key, JSON.stringify(seen === null ? row : { ...row, attempt: (intent.again ?? 0) + 1 }));
      return 'start';
    }),

    settle: soon((requestId, result) => {
      const row = settled(rowAt(requestId), endOf(result, 40_000));
      if (!row) return;
      try {
        keep(prefix + requestId, row);
      } catch {
        // The area is full. The fact that the call has ended matters more than its result.
        area.set(prefix + requestId, JSON.stringify(shortEntry(row)));
      }
    }),

    find: soon((requestId) => readEntry(rowAt(requestId))),
    unfinished: soon(() =>
      entriesOf(sessionId)
        .filter(({ result }) => !result)
        .slice(0, UNFINISHED_MAX),
    ),
    recall: soon((requestIds) => requestIds.flatMap((id) => readEntry(rowAt(id)) ?? [])),
    clear: soon((which = sessionId) => {
      for (const key of area.keys(prefix)) {
        const row = parseStored(area.get(key));
        if (own(row, 'sessionId') === which) area.set(key, JSON.stringify(bare(row, key.slice(prefix.length), which)));
      }
    }),
  };
}

/** Runs synchronous work and returns a promise. Exceptions become rejections. */
function soon<Given extends unknown[], T>(work: (...given: Given) => T): (...given: Given) => Promise<T> {
  return (...given) => {
    try {
      return Promise.resolve(work(...given));
    } catch (error) {
      return Promise.reject(error as Error);
    }
  };
}
