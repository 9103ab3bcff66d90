/** When many answers are sent at once, each is written now and then instead of piece by piece: a write costs more than what is written. */
import type { Running } from './running.js';

export interface Ticks {
  /** Whether so many answers are sent that pieces wait for the next tick. */
  readonly busy: boolean;
  /** Calls once, at the next tick, which all answers share. */
  next(write: () => void): void;
}

/** Answers at once from which on pieces wait. */
const MANY = 32;
/** Milliseconds a piece waits at most; three pieces of a model of 50 tokens a second, and too short to be seen. */
const TICK_MS = 60;

export function createTicks(running: Running): Ticks {
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
