/**
 * Runs turns one at a time. Messages of the user come first, then turns that continue on their own, then retries. Turns of the same
 * priority run in the order of the requests.
 */
import type { TurnResult } from '../../model/messages.js';
import { sendEvent, type Chart, type ConversationServices } from '../chart/services.js';
import { createId } from '../../base/ids.js';

/** Priorities, highest first. */
const ORDER = ['person', 'plan', 'retry'] as const;
export type Priority = (typeof ORDER)[number];

interface Waiting {
  turnId: string;
  priority: Priority;
  /** The user's message; empty for a turn without one. */
  text: string;
  /** Begins the turn. Returns false if there is nothing to begin. */
  begin(): boolean;
  resolve(result: TurnResult): void;
}

export interface TurnQueue {
  /** The waiting messages, in order. */
  readonly texts: readonly string[];
  readonly isEmpty: boolean;
  /** Adds a turn. `priority`: default `person`. */
  enqueue(text: string, begin: (turnId: string) => boolean, priority?: Priority, turnId?: string): Promise<TurnResult>;
  /** Resolves the running turn with this result and begins the next one. */
  finish(result: TurnResult): void;
  /** Cancels the message at this index of `texts`, if it still has this text. Returns whether it did. */
  remove(at: number, text: string): boolean;
  /** Begins the next turn if the switch to another conversation did not happen. */
  goOn(): void;
  /** Resolves all waiting turns as cancelled. */
  cancel(): void;
  /** Closes the queue: further turns resolve as cancelled immediately. */
  close(): void;
}

export const cancelledTurn = (): TurnResult => ({ success: false, reason: 'cancelled', text: '', results: [] });

export function createTurnQueue(chart: Chart, { log, emit, nextLocation: nextPlace }: ConversationServices): TurnQueue {
  const changed = () => {
    emit('view');
    emit('kept');
  };
  const waiting: Waiting[] = [];
  let running: Waiting | null = null;
  /** The queue state that was last sent to the chart for this turn. */
  let isFilled = false;
  let closed = false;

  function tellChart(): void {
    const isNow = waiting.length > 0;
    if (isNow !== isFilled) sendEvent(chart, { type: isNow ? 'queue.filled' : 'queue.emptied' });
    isFilled = isNow;
  }

  /**
   * Begins the next turn. Only `running` decides whether one may begin, because the chart may be in the middle of a step when a listener
   * sends.
   */
  function beginNext(): void {
    // Do not send a message of this conversation if another one is about to be opened.
    if (running || waiting.length === 0 || nextPlace()?.carries === false) return;
    const priority = ORDER.find((one) => waiting.some((each) => each.priority === one));
    const [next] = waiting.splice(
      waiting.findIndex((each) => each.priority === priority),
      1,
    );
    if (!next) return;
    running = next;
    log.debug('stream.start', 'Scheduled', { turnId: next.turnId }, { stage: 'SCH' });
    if (next.begin()) {
      isFilled = false;
      return;
    }
    running = null;
    next.resolve(cancelledTurn());
    beginNext();
  }

  return {
    get texts() {
      return waiting.flatMap(({ text }) => (text ? [text] : []));
    },
    get isEmpty() {
      return waiting.length === 0;
    },
    enqueue(text, begin, priority = 'person', turnId = createId('turn')) {
      if (closed) return Promise.resolve(cancelledTurn());
      return new Promise((resolve) => {
        waiting.push({ turnId, text, priority, resolve, begin: () => begin(turnId) });
        log.debug('stream.start', 'Fetched', { turnId }, { stage: 'IF' });
        changed();
        beginNext();
        tellChart();
      });
    },
    finish(result) {
      const ended = running;
      running = null;
      ended?.resolve(result);
      changed();
      beginNext();
      tellChart();
    },
    goOn: beginNext,
    remove(at, text) {
      const one = waiting.filter((each) => each.text)[at];
      if (one?.text !== text) return false;
      waiting.splice(waiting.indexOf(one), 1);
      one.resolve(cancelledTurn());
      changed();
      tellChart();
      return true;
    },
    cancel() {
      for (const one of waiting.splice(0)) one.resolve(cancelledTurn());
      tellChart();
    },
    close() {
      closed = true;
    },
  };
}
