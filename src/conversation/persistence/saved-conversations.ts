/** Lists, creates, opens, renames and deletes saved conversations. Loaded on the first use of one of these. */
import { createId } from '../../base/ids.js';
import type { ConversationDesk } from '../../model/session.js';
import { asTitle, createConversationList, isSibling, siblingId } from '../../storage/conversation-list.js';
import { sendEvent, type Chart, type ConversationServices } from '../chart/services.js';
import type { SessionSync } from './session-sync-types.js';
import type { SessionDeps } from './persistence-types.js';
import { rememberOpened } from './last-opened.js';

export interface SavedConversationsHost {
  /** Returns the keeper of the open conversation. */
  keeper(): Promise<SessionSync>;
  /**
   * Replaces it with the keeper of another conversation. `leave` is called in between: requests that arrive from then on wait for the new
   * keeper.
   */
  swap(leave: () => void, id: string): Promise<SessionSync>;
}

export function createSavedConversations(
  chart: Chart,
  services: ConversationServices,
  { queue, stop, forgetSession }: SessionDeps,
  { keeper, swap }: SavedConversationsHost,
): ConversationDesk {
  const { storage, firstSession } = services;
  const list = createConversationList({ first: firstSession, area: storage === 'session' ? 'session' : 'indexeddb' });

  let moving: Promise<unknown> = Promise.resolve();

  async function all() {
    const now = await keeper();
    await now.ready();
    await now.written();
    return list.all();
  }

  /** Checks whether the conversation has no messages, here or in the leading tab. */
  async function isEmpty(): Promise<boolean> {
    const now = await keeper();
    if (!now.follows) await now.ready();
    return (now.shown?.context ?? chart.getSnapshot().context).messages.length === 0;
  }

  async function move(id: string): Promise<void> {
    const before = await keeper();
    await before.ready();
    // Stop calls that are already having an effect, as the user would. Everything else is left as it is when a page is left.
    if (before.leads && chart.getSnapshot().hasTag('executing')) stop();
    let written: Promise<void> | undefined;
    const next = await swap(() => {
      written = before.close();
      queue.cancel();
      stop();
      sendEvent(chart, { type: 'user.clear' });
      before.forgetParts();
    }, id);
    await written;
    await next.ready();
  }

  async function find(id: string): Promise<void> {
    // The conversation that the host names can always be opened.
    if (id === services.sessionId || id === firstSession) return;
    if (typeof id === 'string' && isSibling(firstSession, id) && (await all()).some((one) => one.id === id)) return;
    throw new TypeError(`No conversation “${String(id)}” is saved here. listConversations() lists those that are.`);
  }

  /** Opens conversations one after the other. */
  function open(id: string): Promise<void> {
    const opened = moving.then(async () => {
      if (id === services.sessionId) return;
      await move(id);
      rememberOpened(services, id);
    });
    moving = opened.catch(() => undefined);
    return opened;
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
    // An empty conversation counts as a new one.
    newConversation: async () => ((await isEmpty()) ? services.sessionId : begin()),
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
