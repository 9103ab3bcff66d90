/** Remembers which of the saved conversations was open last, so that a reloaded page continues it. */
import { isSibling } from '../../storage/conversation-list.js';
import { sessionArea } from '../../storage/session-area.js';
import type { ConversationServices } from '../chart/services.js';

type Place = Pick<ConversationServices, 'storage' | 'firstSession'>;

/** The area of this tab comes first. A new tab begins where the last one was. */
const areas = [() => sessionArea(), () => sessionArea(localStorage)];

/** Returns the conversation that was open last, or the one that the host names if that is unknown or cannot be read. */
export function lastOpened({ storage, firstSession }: Place): string {
  for (const open of areas.slice(0, storage === 'session' ? 1 : 2)) {
    try {
      const id = open().get(keyOf(firstSession));
      if (id !== null) return isSibling(firstSession, id) ? id : firstSession;
    } catch {} // an area that cannot be read names no conversation
  }
  return firstSession;
}

export function rememberOpened({ storage, firstSession }: Place, id: string): void {
  for (const open of areas.slice(0, storage === 'session' ? 1 : 2)) {
    try {
      open().set(keyOf(firstSession), id);
    } catch {} // the next page opens the first conversation
  }
}

const keyOf = (first: string) => `tool-chat:open:${first}`;
