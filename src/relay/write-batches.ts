/** Batches the writes of many answers that are sent at once, because a write costs more than its bytes. */
import type { ActiveReplies } from './active-replies.js';

export interface WriteBatches {
  /** True if so many answers are being sent that pieces wait for the next tick. */
  readonly busy: boolean;
  /** Calls `write` once, at the next tick, which all answers share. */
  next(write: () => void): void;
}

/** Number of answers being sent from which pieces wait. */
const MANY = 32;
/** Maximum milliseconds that a piece waits: three pieces of a model with 50 tokens per second, too short to notice. */
const TICK_MS = 60;

export function createWriteBatches(running: ActiveReplies): WriteBatches {
  let waiting: (() => void)[] = [];

  function tick() {
    const writes = waiting;
    waiting = [];
    for (const write of writes) write();
  }
  return {
    get busy() {
      return running.sending >= MANY;
    },
    next(write) {
      if (waiting.push(write) === 1) setTimeout(tick, TICK_MS);
    },
  };
}
