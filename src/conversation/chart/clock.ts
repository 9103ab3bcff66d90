/** The clock of a conversation: the platform's, or a test's. */
import type { SetTimer } from '../../transports/read-reply.js';

export const realClock: Clock = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (id) => {
    clearTimeout(id as ReturnType<typeof setTimeout>);
  },
  now: () => performance.now(),
};

/** Returns the timer of a clock as a function that starts a wait and returns its cancel function. */
export function timerOf(clock: Clock): SetTimer {
  const setTimer: SetTimer = (run, ms) => {
    const id = clock.setTimeout(run, ms) as unknown;
    return () => {
      clock.clearTimeout(id);
    };
  };
  if (clock.now) setTimer.now = () => clock.now!();
  return setTimer;
}

/** Rejects if `promise` takes longer than `ms`. A later result is ignored. */
export const timeLimit =
  (setTimer: SetTimer) =>
  <T>(ms: number, promise: Promise<T>): Promise<T> => {
    promise.catch(ignore);
    let release = ignore;
    const late = new Promise<never>((_, reject) => {
      release = setTimer(() => {
        reject(new Error(`No answer within ${String(ms)} ms.`));
      }, ms);
    });
    return Promise.race([promise, late]).finally(() => {
      release();
    });
  };

function ignore() {}
export interface Clock {
  setTimeout(run: (...args: unknown[]) => void, milliseconds: number): unknown;
  clearTimeout(id: unknown): void;
  /** Returns the current time in milliseconds. Without it, timeouts that restart with every token create a new timer each time. */
  now?(): number;
}
