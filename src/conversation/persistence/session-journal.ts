/** The journal that belongs to a storage, and the queries that a reloaded page makes of it. */
import { load } from '../../base/load.js';
import type { PublishedResult } from '../../model/calls.js';
import type { Log } from '../../base/logging.js';
import type { Journal, JournalEntry, LastingJournal } from '../../storage/journal.js';
import type { Lease } from '../../storage/lease.js';
import { isSettledCall, recordsFor } from '../../storage/recover.js';
import { asStorageError, StorageError } from '../../storage/storage-error.js';
import type { StoredConversation } from '../../storage/stored-conversation.js';
import type { Report } from './storage-notices.js';

export interface GuardedJournal {
  /** The journal that outlives the page. Rejects if it cannot be opened, so that each caller gets the error. */
  readonly lasting: Promise<LastingJournal>;
  /**
   * Returns the records of calls that may be open. If the journal cannot be read, this is every open call, since each of them may have run.
   */
  records(stored: StoredConversation | undefined): Promise<JournalEntry[]>;
  /** Records results that the journal does not know yet. */
  settle(results: readonly PublishedResult[]): void;
  /** Resolves when every result that was reported is recorded, or has failed to be. */
  written(): Promise<void>;
  /**
   * Returns the journal for the calls of this page. `given`: the host's own journal, used instead of the one that belongs to the storage.
   */
  guarded(given: Journal | undefined, lead: Lead): Journal;
}

export interface Lead {
  /** True if this tab may act. */
  readonly holds: boolean;
  /** Number of times the conversation had been erased, as far as this tab knows. If it is undefined, a call has to `verify` first. */
  readonly generation: number | undefined;
  /** Returns `holds` after checking whether the conversation was erased elsewhere. */
  verify(): Promise<boolean>;
  /** Returns the value without the sensitive values that it repeats. */
  clean<T extends object>(value: T): T;
}

/** @param lease the replacement of Web Locks where there are none */
export function createGuardedJournal(
  sessionId: string,
  area: 'session' | 'indexeddb',
  report: Report,
  log: Log,
  lease?: Promise<Lease>,
): GuardedJournal {
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
          // A call that cannot be recorded completely cannot be repeated either.
          const isWhole = !args || lead.clean(args) === args;
          const entry = isWhole ? intent : { ...rest, rerun: false };
          try {
            return await (given ? given.intent(entry) : (await lasting).intent(entry, generation));
          } catch (error) {
            if (asStorageError(error).reason === 'lost') await lead.verify(); // if it was erased, drop what is left of it first
            throw error;
          }
        },
        async settle(requestId, result) {
          // The leading tab reports how the call ended. Here it was only stopped.
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
  return (await load(() => import('../../storage/persistent-journal.js'))).createPersistentJournal({ sessionId, lease: await lease });
}
