/** The journal in `sessionStorage`: as long as the tab, for `storage="session"`. One entry a call, written before the answer. */
import { toPlain } from '../base/plain.js';
import { parseStored, sessionArea } from './session-area.js';
import { bare, mayStartAgain, readEntry, rowOf, settled, UNFINISHED_MAX } from './journal-rows.js';
import type { JournalEntry, LastingJournal } from './journal.js';
import { own } from '../base/objects.js';

export interface SessionJournalOptions {
  sessionId: string;
  /** Default `sessionStorage`. */
  storage?: Storage;
  now?: () => number;
}

/** Every method rejects with a `StorageError` where the browser refuses; then nothing was started. */
export function createSessionJournal({ sessionId, storage, now = Date.now }: SessionJournalOptions): LastingJournal {
  const area = sessionArea(storage);
  const prefix = 'tool-chat:journal:';
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
      // What cannot be read is there all the same.
      if (seen !== null && !mayStartAgain(parseStored(seen), row, intent.again)) return 'known';
      area.set(key, JSON.stringify(seen === null ? row : { ...row, attempt: (intent.again ?? 0) + 1 }));
      return 'start';
    }),

    settle: soon((requestId, result) => {
      const row = settled(rowAt(requestId), toPlain(result, { chars: 80_000 }));
      if (!row) return;
      const { data: _, ...short } = result;
      try {
        area.set(prefix + requestId, JSON.stringify(row));
      } catch {
        // The area is full: that it has ended matters more than what came out.
        area.set(prefix + requestId, JSON.stringify({ ...row, result: { ...short, result: '', message: short.message.slice(0, 200) } }));
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

/** Done at once, answered as a promise: what the area throws becomes a rejection. */
function soon<Given extends unknown[], T>(work: (...given: Given) => T): (...given: Given) => Promise<T> {
  return (...given) => {
    try {
      return Promise.resolve(work(...given));
    } catch (error) {
      return Promise.reject(error as Error);
    }
  };
}
