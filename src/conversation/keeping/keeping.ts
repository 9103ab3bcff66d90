/** Whether a conversation is kept (`storage`). This file is all that one without storage loads. */
import { createMemoryJournal, type Journal } from '../../storage/journal.js';
import type { Services } from '../chart/services.js';
import type { Keeping } from './keeping-host.js';
import type { kept } from './kept.js';

/**
 * @param journal the host's own; instead of the one that goes with the storage
 * @param keep what keeps it, where the storage is not `none`
 */
export function createKeeping(services: Services, journal: Journal | undefined, keep: typeof kept | undefined): Keeping {
  if (services.storage === 'none') return notKept(services, journal ?? createMemoryJournal());
  if (!keep) throw new Error('What keeps the conversation is not loaded.');
  return keep(services, journal);
}

function notKept(services: Services, journal: Journal): Keeping {
  let clear: () => Promise<void> = () => Promise.resolve();
  return {
    ...{ journal, lasting: false, pending: false, handedOn: false, shown: undefined, end: undefined, draft: '', waiting: [] },
    desk: {
      listConversations: () => Promise.resolve([]),
      async newConversation() {
        await clear();
        return services.sessionId;
      },
      ...{ openConversation: notHere, renameConversation: notHere, deleteConversation: notHere },
    },
    readOn: nothing,
    keep: nothing,
    write: nothing,
    begin(_chart, things, turns) {
      clear = () => things.clear(false);
      return turns;
    },
    elsewhere: () => false,
    clear: () => Promise.resolve(),
    ready: () => Promise.resolve(),
    decorate: (view) => view,
    pause: nothing,
    close: nothing,
  };
}

function nothing() {}

const notHere = () => Promise.reject(new TypeError('No conversation is kept. Set storage="indexeddb" to keep them.'));
