/** The clock that a conversation goes by: the platform's, or a test's. */
import type { SetTimer } from '../../transports/read-reply.js';

export const realClock: Clock = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (id) => {
    clearTimeout(id as ReturnType<typeof setTimeout>);
  },
  now: () => performance.now(),
};

/** The same as a function that returns what stops the wait. */
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

/** Rejects what takes longer; what it comes to then is nobody's. */
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
  /** The time it goes by, in milliseconds. Without it, waits that begin anew with every token are new timers. */
  now?(): number;
}
