/**
 * Turns wait here for one another: one at a time. What a person says comes before what goes on by itself, and that before what
 * is only tried again (Y-23); of equals, in the order they were asked for.
 */
import type { TurnResult } from '../../model/messages.js';
import { say, type Chart, type Services } from '../chart/services.js';
import { createId } from '../../base/ids.js';

/** The first goes first. */
const ORDER = ['person', 'plan', 'retry'] as const;
export type Priority = (typeof ORDER)[number];

interface Waiting {
  turnId: string;
  priority: Priority;
  /** What the user said; empty for a turn without words of its own. */
  text: string;
  /** False when there was nothing to begin. */
  begin(): boolean;
  resolve(result: TurnResult): void;
}

export interface TurnQueue {
  /** Texts that wait to be sent, in order. */
  readonly texts: readonly string[];
  readonly isEmpty: boolean;
  /** `priority`: default `person`. */
  enqueue(text: string, begin: (turnId: string) => boolean, priority?: Priority, turnId?: string): Promise<TurnResult>;
  /** The running turn is over: it resolves with this, and the next begins. */
  finish(result: TurnResult): void;
  /** The one at this place among `texts`, if it is still this text, resolves as cancelled. Gives whether there was one. */
  remove(at: number, text: string): boolean;
  /** Another conversation was to be opened, and is not: what waits begins. */
  goOn(): void;
  /** All that wait resolve as cancelled. */
  cancel(): void;
  /** Nothing is taken any more. */
  close(): void;
}

export const cancelledTurn = (): TurnResult => ({ success: false, reason: 'cancelled', text: '', results: [] });

export function createTurnQueue(chart: Chart, { log, happens, nextPlace }: Services): TurnQueue {
  const changed = () => {
    happens('view');
    happens('kept');
  };
  const waiting: Waiting[] = [];
  let running: Waiting | null = null;
  /** What the chart of this turn was told. */
  let isFilled = false;
  let closed = false;

  function tellChart(): void {
    const isNow = waiting.length > 0;
    if (isNow !== isFilled) say(chart, { type: isNow ? 'queue.filled' : 'queue.emptied' });
    isFilled = isNow;
  }

  /** `running` alone says whether a turn may begin: the chart may be in the middle of a step when a listener sends. */
  function beginNext(): void {
    // A message of one conversation is not sent when another one is to be opened.
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
