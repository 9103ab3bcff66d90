/**
 * Requests of tabs to the leading one, on both sides: to begin a turn, to stop, to undo or to erase. Every script of the page could ask the
 * element for the same. No request allows a call.
 */
import type { Feedback, TurnResult } from '../../model/messages.js';
import { own } from '../../base/objects.js';
import { StorageError } from '../../storage/storage-error.js';
import type { RequestWatch } from '../../storage/tabs.js';
import type { SendOptions } from '../host/api.js';
import { sendEvent, type Chart } from '../chart/services.js';
import type { SessionDeps } from './persistence-types.js';
import { cancelledTurn } from '../host/turn-queue.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { Turns } from '../host/turns.js';
import type { SessionTabs } from './join-tabs.js';

/** A turn that another tab is asked to begin. */
export interface TabTurn {
  /** The id of the turn, in whichever tab it runs. It ensures that no turn begins twice, and that its end is recognized in every tab. */
  id: string;
  type: 'send' | 'retry';
  text?: string;
  extra?: SendOptions;
  byPerson?: boolean;
  goOn?: boolean;
}

export interface OutboxHost extends SessionDeps {
  turns: Turns;
  /** Returns undefined while this tab is away. */
  tabs(): SessionTabs | undefined;
  is(role: 'leading' | 'following'): boolean;
  /** Resolves when it is known which tab leads. */
  resolveKnown(): Promise<void>;
}

export interface Outbox {
  /** Answers a request, in the leading tab. Throws for an unknown request. */
  answer(name: string, body: unknown): unknown;
  /** Sends a turn to the leading tab. It begins there, or here if this tab has become the leader. */
  send(request: TabTurn, watch?: RequestWatch): Promise<TurnResult>;
  /** Returns how a turn of this tab ended. If this tab has lost the lead meanwhile, the turn ends as it does in the new leader. */
  endOf(request: TabTurn, result: TurnResult): Promise<TurnResult>;
  /** Called when a turn that was begun elsewhere for this tab has ended. */
  ended(body: unknown): void;
  /** Registers a turn that was restored here. */
  goesOn(id: string, end: Promise<TurnResult>): void;
  /** Registers a message that was restored here and that no turn had begun to answer. */
  waits(text: string, end: Promise<TurnResult>): void;
  /** Called when the leader has changed. The new one, perhaps this tab, is asked for the turns that the one before had begun. */
  newLeader(): void;
  /** Called when this tab no longer leads. */
  letGo(): void;
  /** Called when this tab is left. */
  close(): void;
}

/** Number of times that a turn is offered to the leading tab. Each attempt waits as long as any request. */
const TRIES = 2;

interface Asked {
  request: TabTurn;
  /** True if the turn may have begun elsewhere. */
  again: boolean;
  isThere: boolean;
  watch?: RequestWatch;
  resolve(result: TurnResult): void;
}

export function createOutbox(chart: Chart, host: OutboxHost): Outbox {
  const { turns } = host;
  /** Turns of this tab that are begun elsewhere. */
  const asked = new Map<string, Asked>();
  /** Turns that are begun here for another tab, or that another tab had begun. */
  const ends = new Map<string, Promise<TurnResult>>();
  let restored: { text: string; end: Promise<TurnResult> }[] = [];
  const context = () => chart.getSnapshot().context;

  function begin(body: unknown): true {
    const id = own(body, 'id');
    if (typeof id !== 'string' || !/^turn[\w-]{1,100}$/.test(id)) throw new Error('A request has an id.');
    const known = ends.get(id);
    const end = known ?? start(id, body).catch(cancelledTurn);
    ends.set(id, end);
    void end.then((result) => tellEnd(id, result));
    return true;
  }

  function start(id: string, body: unknown): Promise<TurnResult> {
    const [type, text, given] = ['type', 'text', 'extra'].map((key) => own(body, key));
    const again = own(body, 'again') === true;
    const { messages } = context();
    if (messages.some((message) => message.id === `${id}-user`) || (again && type === 'retry')) return Promise.resolve(endIn(messages, id));
    if (type === 'retry') return turns.retry({ isContinuation: own(body, 'goOn') === true }, id);
    if (typeof text !== 'string') throw new Error('There is nothing to send.');
    const [waiting] = again ? restored.splice(restored.findIndex((one) => one.text === text) >>> 0, 1) : [];
    if (waiting) return waiting.end;
    const tool = own(given, 'tool');
    const tools = own(given, 'tools');
    const attachments = own(given, 'attachments');
    const extra: SendOptions = {
      ...(typeof tool === 'string' && { tool }),
      ...(typeof tools === 'boolean' && { tools }),
      ...(Array.isArray(attachments) && { attachments: attachments as NonNullable<SendOptions['attachments']> }),
    };
    const waits = own(body, 'byPerson') === true && chart.getSnapshot().hasTag('awaitingApproval');
    const accepted = () => {
      if (waits && !chart.getSnapshot().hasTag('executing')) turns.stop();
    };
    return turns.send(text, extra, accepted, id);
  }

  function tellEnd(id: string, result: TurnResult): void {
    // The turn continues in the new leader.
    if (!host.is('leading')) return;
    asked.get(id)?.resolve(result);
    try {
      host.tabs()?.tell('ended', { id, result });
    } catch {} // the tab that asked still sees the end on the screen
  }

  /** Offers a turn until a leading tab has accepted it. */
  async function ask(one: Asked): Promise<void> {
    one.isThere = false;
    for (let tries = TRIES; ;) {
      try {
        await host.tabs()?.request('turn', { ...one.request, again: one.again }, undefined, one.watch);
        one.again = one.isThere = true;
        return;
      } catch (error) {
        if (one.watch?.signal?.aborted || !(error instanceof StorageError)) throw error;
        // The previous leader accepted it and is gone, so the turn may have begun.
        if (error.reason !== 'slow') one.again = true;
        await host.resolveKnown();
        if (host.is('leading')) return;
        tries -= 1;
        if (tries === 0) throw error;
      }
    }
  }

  async function send(request: TabTurn, watch?: RequestWatch, again = false): Promise<TurnResult> {
    try {
      return await new Promise<TurnResult>((resolve, reject) => {
        const one = { request, again, isThere: false, resolve, ...(watch && { watch }) };
        asked.set(request.id, one);
        // A withdrawn turn is over, even while it is not known which tab leads.
        watch?.signal?.addEventListener('abort', () => resolve(cancelledTurn()));
        ask(one).catch(reject);
      });
    } finally {
      asked.delete(request.id);
    }
  }

  return {
    answer(name, body) {
      const field = (key: string) => own(body, key);
      switch (name) {
        case 'turn':
          return begin(body);
        case 'stop':
          return turns.stop();
        case 'sendResults':
          return turns.sendResults();
        case 'unqueue':
          return host.queue.remove(Number(field('at')), String(field('text')));
        case 'revoke':
          host.grants.now()?.revoke(String(field('grantId')));
          return undefined;
        case 'rate': {
          const [value, reason] = ['value', 'reason'].map((key) => own(field('feedback'), key));
          const feedback: Feedback | null =
            value === 'up' || value === 'down' ? { value, ...(typeof reason === 'string' && { reason }) } : null;
          return sendEvent(chart, { type: 'user.rate', messageId: String(field('messageId')), feedback });
        }
        case 'deny':
          return turns.decide({ requestId: String(field('requestId')), digest: String(field('digest')), verdict: 'deny' });
        case 'undo':
          return host.undoing.undoByPerson(String(field('requestId')), field('back') === true);
        case 'clear':
        case 'forget':
          return host.clear(name === 'forget');
        default:
          throw new Error('This request is unknown.');
      }
    },

    send,
    endOf: async (request, result) =>
      result.reason === 'cancelled' && host.is('following') ? send(request, undefined, true).catch(cancelledTurn) : result,

    ended(body) {
      const id = own(body, 'id');
      if (typeof id === 'string') asked.get(id)?.resolve(readResult(own(body, 'result')));
    },
    goesOn(id, end) {
      ends.set(id, end);
      void end.then((result) => tellEnd(id, result));
    },
    waits: (text, end) => void restored.push({ text, end }),
    newLeader() {
      for (const one of asked.values())
        if (host.is('leading')) begin({ ...one.request, again: one.again });
        else if (one.isThere) ask(one).catch(() => one.resolve(cancelledTurn()));
    },
    letGo() {
      ends.clear();
      restored = [];
    },
    close() {
      for (const { resolve } of asked.values()) resolve(cancelledTurn());
    },
  };
}

/** Returns the result of a turn that is over, as its messages show it. */
function endIn(messages: ConversationContext['messages'], id: string): TurnResult {
  const at = messages.findLastIndex((message) => message.id === `${id}-user`);
  const from = at < 0 ? messages.findLastIndex(({ role }) => role === 'user') : at;
  const next = messages.findIndex(({ role }, place) => place > from && role === 'user');
  const said = messages.slice(from + 1, next < 0 ? undefined : next).findLast(({ role }) => role === 'assistant');
  const { text = '', status: { type } = { type: 'cancelled' } } = said ?? {};
  const reason =
    type === 'running' ? 'cancelled' : type !== 'complete' ? type : said?.metadata.finishReason === 'length' ? 'length' : 'stop';
  return { success: type === 'complete', reason, text, results: [] };
}

const REASONS: readonly unknown[] = ['stop', 'length', 'cut', 'cancelled', 'error', 'limit', 'budget', 'denied'];

/** Reads the result that another tab reports. It is only used for what the caller is told. */
function readResult(result: unknown): TurnResult {
  const [success, reason, text] = ['success', 'reason', 'text'].map((key) => own(result, key));
  if (!REASONS.includes(reason)) return cancelledTurn();
  return { success: success === true, reason: reason as TurnResult['reason'], text: typeof text === 'string' ? text : '', results: [] };
}
