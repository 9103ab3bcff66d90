/** The journal that goes with a storage, and what a page that comes back asks of it. */
import { load } from '../../base/load.js';
import type { PublishedResult } from '../../model/calls.js';
import type { Log } from '../../base/logging.js';
import type { Journal, JournalEntry, LastingJournal } from '../../storage/journal.js';
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
  /** For the calls of this page. `given`: the host's own, instead of the one that goes with the storage. */
  guarded(given: Journal | undefined, lead: Lead): Journal;
}

export interface Lead {
  /** This tab may act. */
  readonly holds: boolean;
  /** The same, once it was looked whether the conversation was forgotten elsewhere. */
  verify(): Promise<boolean>;
  /** Without sensitive values that something repeats. */
  clean<T extends object>(value: T): T;
}

export function createJournalDesk(sessionId: string, area: 'session' | 'indexeddb', report: Report, log: Log): JournalDesk {
  const lasting = open(sessionId, area);
  lasting.catch(() => undefined);
  return {
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
      const journal = async () => given ?? (await lasting);
      return {
        async intent(intent) {
          if (!lead.holds || !(await lead.verify()))
            throw new StorageError('lost', 'Another tab leads, or has forgotten the conversation.');
          const { args, ...rest } = intent;
          // A call that cannot be written down whole cannot be made again, either.
          const isWhole = !args || lead.clean(args) === args;
          return (await journal()).intent(isWhole ? intent : { ...rest, rerun: false });
        },
        async settle(requestId, result) {
          // Who leads now says how it ended; here it was only stopped.
          if (!lead.holds && result.status === 'cancelled') return;
          await (await journal()).settle(requestId, lead.clean(result));
        },
        find: async (requestId) => (await journal()).find(requestId),
      };
    },
  };
}

async function open(sessionId: string, area: 'session' | 'indexeddb'): Promise<LastingJournal> {
  if (area === 'session') return (await load(() => import('../../storage/session-journal.js'))).createSessionJournal({ sessionId });
  return (await load(() => import('../../storage/lasting-journal.js'))).createLastingJournal({ sessionId });
}
