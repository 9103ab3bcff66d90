/**
 * What tabs ask the one that leads, on both sides: a turn to begin, a stop, something to take back or to forget. Everything here could as well
 * be asked of the element by any script of the page; nothing of it allows a call.
 */
import type { Feedback, TurnResult } from '../../model/messages.js';
import { own } from '../../base/objects.js';
import { StorageError } from '../../storage/storage-error.js';
import type { SendOptions } from '../host/api.js';
import { createId } from '../../base/ids.js';
import { say, type Chart } from '../chart/services.js';
import type { KeptThings } from './keeping-host.js';
import { cancelledTurn } from '../host/turn-queue.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { Turns } from '../host/turns.js';
import type { OwnTabs } from './tabs-of.js';

/** A turn that another tab is to begin. */
export interface TabTurn {
  type: 'send' | 'retry';
  text?: string;
  extra?: SendOptions;
  byPerson?: boolean;
  goOn?: boolean;
}

export interface RequestsHost extends KeptThings {
  turns: Turns;
  /** Absent while this tab is away. */
  tabs(): OwnTabs | undefined;
  leads(): boolean;
  /** Resolves when it is known who leads. */
  known(): Promise<void>;
  /** Of the tab that leads, as this one shows it. */
  shown(): ConversationContext;
}

export interface Requests {
  /** In the tab that leads. Throws for what it does not know. */
  answer(name: string, body: unknown): unknown;
  /** In another: the turn begins there, or here if nobody leads any more. */
  send(request: TabTurn): Promise<TurnResult>;
  /** What was begun elsewhere for this tab has come to its end. */
  ended(body: unknown): void;
  /** Another tab leads from now on: what the one before had begun, nobody will tell the end of. */
  dropBegun(): void;
  /** This tab leads from now on. */
  dropAll(): void;
}

export function createRequests(chart: Chart, host: RequestsHost): Requests {
  const { queue, turns } = host;
  /** Turns that another tab is to begin for this one; `begun`: it has said that it did. */
  const results = new Map<string, (result: TurnResult) => void>();
  const begun = new Set<string>();
  const context = () => chart.getSnapshot().context;

  function begin(body: unknown): true {
    const [type, id, text, given] = ['type', 'id', 'text', 'extra'].map((key) => own(body, key));
    if (typeof id !== 'string') throw new Error('A request has an id.');
    if (type === 'retry') {
      void turns.retry({ goOn: own(body, 'goOn') === true }).then((result) => tellEnd(id, result));
      return true;
    }
    if (typeof text !== 'string') throw new Error('There is nothing to send.');
    const tool = own(given, 'tool');
    const tools = own(given, 'tools');
    const attachments = own(given, 'attachments');
    const extra: SendOptions = {
      ...(typeof tool === 'string' && { tool }),
      ...(typeof tools === 'boolean' && { tools }),
      ...(Array.isArray(attachments) && { attachments: attachments as NonNullable<SendOptions['attachments']> }),
    };
    const waits = own(body, 'byPerson') === true && chart.getSnapshot().hasTag('awaitingApproval');
    turns
      .send(text, extra, () => {
        if (waits && !chart.getSnapshot().hasTag('executing')) turns.stop();
      })
      .then(
        (result) => tellEnd(id, result),
        () => tellEnd(id, cancelledTurn()),
      );
    return true;
  }

  function tellEnd(id: string, result: TurnResult): void {
    try {
      host.tabs()?.tell('ended', { id, result });
    } catch {} // whoever asked will see it on the screen
  }

  const here = ({ type, text = '', extra, goOn }: TabTurn) =>
    type === 'retry' ? turns.retry({ goOn: goOn === true }) : turns.send(text, extra);

  function isThere({ text }: TabTurn, seen: number): boolean {
    const since = context().messages.slice(seen);
    return text !== undefined && (queue.texts.includes(text) || since.some((message) => message.role === 'user' && message.text === text));
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
        case 'revoke':
          host.grants.now()?.revoke(String(field('grantId')));
          return undefined;
        case 'rate': {
          const [value, reason] = ['value', 'reason'].map((key) => own(field('feedback'), key));
          const feedback: Feedback | null =
            value === 'up' || value === 'down' ? { value, ...(typeof reason === 'string' && { reason }) } : null;
          return say(chart, { type: 'user.rate', messageId: String(field('messageId')), feedback });
        }
        case 'undo':
          return host.undoing.undoByPerson(String(field('requestId')), field('back') === true);
        case 'clear':
        case 'forget':
          return host.clear(name === 'forget');
        default:
          throw new Error('Nobody knows this request.');
      }
    },

    async send(request) {
      const id = createId('turn');
      const seen = host.shown().messages.length;
      const done = new Promise<TurnResult>((resolve) => results.set(id, resolve));
      try {
        for (let tries = 3; ; tries -= 1) {
          try {
            await host.tabs()?.request('turn', { ...request, id });
            begun.add(id);
            break;
          } catch (error) {
            // The one that led is gone. It may have begun: then what was said stands in what it stored.
            await host.known();
            if (host.leads()) return isThere(request, seen) ? cancelledTurn() : await here(request);
            if (tries === 0 || !(error instanceof StorageError)) throw error;
          }
        }
        return await done;
      } finally {
        results.delete(id);
        begun.delete(id);
      }
    },

    ended(body) {
      const id = own(body, 'id');
      if (typeof id === 'string') results.get(id)?.(readResult(own(body, 'result')));
    },
    dropBegun() {
      for (const id of begun) results.get(id)?.(cancelledTurn());
    },
    dropAll() {
      for (const resolve of results.values()) resolve(cancelledTurn());
    },
  };
}

const REASONS: readonly unknown[] = ['stop', 'length', 'cut', 'cancelled', 'error', 'limit', 'budget', 'denied'];

/** As far as another tab can be believed: nothing depends on it but what a caller is told. */
function readResult(result: unknown): TurnResult {
  const [success, reason, text] = ['success', 'reason', 'text'].map((key) => own(result, key));
  if (!REASONS.includes(reason)) return cancelledTurn();
  return { success: success === true, reason: reason as TurnResult['reason'], text: typeof text === 'string' ? text : '', results: [] };
}
