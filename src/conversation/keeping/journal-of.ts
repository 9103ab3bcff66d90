/** The journal that goes with a storage, and what a page that comes back asks of it. */
import { load } from '../../base/load.js';
import type { PublishedResult } from '../../model/calls.js';
import type { Log } from '../../base/logging.js';
import type { Journal, JournalEntry, LastingJournal } from '../../storage/journal.js';
import type { Lease } from '../../storage/lease.js';
import { isSettledCall, recordsFor } from '../../storage/recover.js';
import { asStorageError } from '../../storage/read-storage-error.js';
import { StorageError } from '../../storage/storage-error.js';
import type { StoredConversation } from '../../storage/stored-conversation.js';
import type { Report } from './storage-trouble.js';

export interface JournalDesk {
  /** Rejects where there is none: whoever uses it hears of it. */
  readonly lasting: Promise<LastingJournal>;
  /** What is known of calls that may be open. Where nothing can be read, every open call may have happened. */
  records(stored: StoredConversation | undefined): Promise<JournalEntry[]>;
  /** Ends that it does not know yet. */
  settle(results: readonly PublishedResult[]): void;
  /** Resolves when every end that was told is recorded, or has failed. */
  written(): Promise<void>;
  /** For the calls of this page. `given`: the host's own, instead of the one that goes with the storage. */
  guarded(given: Journal | undefined, lead: Lead): Journal;
}

export interface Lead {
  /** This tab may act. */
  readonly holds: boolean;
  /** How often the conversation had been forgotten as far as this tab knows; undefined where a call has to ask first (`verify`). */
  readonly generation: number | undefined;
  /** `holds`, once it was looked whether the conversation was forgotten elsewhere. */
  verify(): Promise<boolean>;
  /** Without sensitive values that something repeats. */
  clean<T extends object>(value: T): T;
}

/** @param lease the replacement of Web Locks where there are none */
export function createJournalDesk(
  sessionId: string,
  area: 'session' | 'indexeddb',
  report: Report,
  log: Log,
  lease?: Promise<Lease>,
): JournalDesk {
  const lasting = open(sessionId, area, lease);
  lasting.catch(() => undefined);
  const ends = new Set<Promise<void>>();
  return {
    async written() {
      await Promise.allSettled(ends);
    },
    lasting,
    async records(stored) {
      try {
        return await recordsFor(stored, await lasting);
      } catch (error) {
        report(asStorageError(error));
        const calls = stored?.calls.filter((call) => !isSettledCall(call)) ?? [];
        return calls.map(({ requestId, toolName }) => ({ requestId, toolName, digest: '', startedAt: 0 }));
      }
    },
    settle(results) {
      for (const result of results)
        lasting
          .then((journal) => journal.settle(result.requestId, result))
          .catch((error: unknown) => {
            log.error('journal.failed', 'The end of a call could not be recorded', { requestId: result.requestId }, { error });
          });
    },
    guarded(given, lead) {
      return {
        async intent(intent) {
          const generation = given ? undefined : lead.generation;
          if (!lead.holds || (generation === undefined && !(await lead.verify())))
            throw new StorageError('lost', 'Another tab leads, or has forgotten the conversation.');
          const { args, ...rest } = intent;
          // A call that cannot be written down whole cannot be made again, either.
          const isWhole = !args || lead.clean(args) === args;
          const entry = isWhole ? intent : { ...rest, rerun: false };
          try {
            return await (given ? given.intent(entry) : (await lasting).intent(entry, generation));
          } catch (error) {
            if (asStorageError(error).reason === 'lost') await lead.verify(); // should it be forgotten, what is left of it goes first
            throw error;
          }
        },
        async settle(requestId, result) {
          // Who leads now says how it ended; here it was only stopped.
          if (!lead.holds && result.status === 'cancelled') return;
          const end = (given ? Promise.resolve(given) : lasting).then((journal) => journal.settle(requestId, lead.clean(result)));
          if (!given) ends.add(end);
          await end.finally(() => ends.delete(end));
        },
        find: async (requestId) => (given ?? (await lasting)).find(requestId),
      };
    },
  };
}

async function open(sessionId: string, area: 'session' | 'indexeddb', lease?: Promise<Lease>): Promise<LastingJournal> {
  if (area === 'session') return (await load(() => import('../../storage/session-journal.js'))).createSessionJournal({ sessionId });
  return (await load(() => import('../../storage/lasting-journal.js'))).createLastingJournal({ sessionId, lease: await lease });
}
