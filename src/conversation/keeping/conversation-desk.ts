/** The conversations that are kept: listed, begun, opened, renamed and deleted. Loaded when somebody first asks for one of these. */
import { createId } from '../../base/ids.js';
import type { ConversationDesk } from '../../model/session.js';
import { asTitle, createConversationList, isSibling, siblingId } from '../../storage/conversation-list.js';
import type { Services } from '../chart/services.js';
import { rememberOpened } from './last-opened.js';

export interface DeskHost {
  /** Nothing was said yet, here or in the tab that leads. */
  isEmpty(): boolean;
  /** Everything is written, as far as this tab can. */
  written(): Promise<void>;
  /** Leaves the conversation that is open as if the page were left, and goes on with this one. */
  move(id: string): Promise<void>;
  /** Forgets what was summed up of a conversation. */
  forgetSession(id: string): Promise<void>;
}

export function createConversationDesk(services: Services, { isEmpty, written, move, forgetSession }: DeskHost): ConversationDesk {
  const { storage, firstSession } = services;
  const list = createConversationList({ first: firstSession, area: storage === 'session' ? 'session' : 'indexeddb' });

  async function all() {
    await written();
    return list.all();
  }

  async function find(id: string): Promise<void> {
    // The one that the host names can always be opened.
    if (id === services.sessionId || id === firstSession) return;
    if (typeof id === 'string' && isSibling(firstSession, id) && (await all()).some((one) => one.id === id)) return;
    throw new TypeError(`No conversation “${String(id)}” is kept here. listConversations() says which are.`);
  }

  async function open(id: string): Promise<void> {
    if (id === services.sessionId) return;
    await move(id);
    rememberOpened(services, id);
  }

  async function begin(): Promise<string> {
    const id = siblingId(firstSession, createId('c'));
    await open(id);
    return id;
  }

  return {
    async listConversations() {
      return (await all()).map((one) => ({ ...one, isOpen: one.id === services.sessionId }));
    },
    // An empty one is new enough.
    newConversation: async () => (isEmpty() ? services.sessionId : begin()),
    async openConversation(id) {
      await find(id);
      await open(id);
    },
    async renameConversation(id, title) {
      if (typeof title !== 'string') throw new TypeError('renameConversation(id, title) needs the title as a text.');
      await find(id);
      await list.rename(id, asTitle(title));
    },
    async deleteConversation(id) {
      await find(id);
      if (id === services.sessionId) await begin();
      await list.remove(id);
      await forgetSession(id);
    },
  };
}
