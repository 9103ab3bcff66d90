/** Which of the conversations that are kept beside one another was open last: a page that comes back goes on with it. */
import { isSibling } from '../../storage/conversation-list.js';
import { sessionArea } from '../../storage/session-area.js';
import type { Services } from '../chart/services.js';

type Place = Pick<Services, 'storage' | 'firstSession'>;

/** This tab's own; a new tab begins where the last one was. */
const areas = [() => sessionArea(), () => sessionArea(localStorage)];

/** The one that the host names, where nothing else is known or can be read. */
export function lastOpened({ storage, firstSession }: Place): string {
  for (const open of areas.slice(0, storage === 'session' ? 1 : 2)) {
    try {
      const id = open().get(keyOf(firstSession));
      if (id !== null) return isSibling(firstSession, id) ? id : firstSession;
    } catch {} // where nothing can be read, nothing was opened
  }
  return firstSession;
}

export function rememberOpened({ storage, firstSession }: Place, id: string): void {
  for (const open of areas.slice(0, storage === 'session' ? 1 : 2)) {
    try {
      open().set(keyOf(firstSession), id);
    } catch {} // the next page begins with the first
  }
}

const keyOf = (first: string) => `tool-chat:open:${first}`;
