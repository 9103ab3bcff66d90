/** The clock that a conversation goes by: the platform's, or a test's. */
import type { SetTimer } from '../../transports/read-reply.js';

export const realClock: Clock = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (id) => {
    clearTimeout(id as ReturnType<typeof setTimeout>);
  },
};

/** The same as a function that returns what stops the wait. */
export const timerOf =
  (clock: Clock): SetTimer =>
  (run, ms) => {
    const id = clock.setTimeout(run, ms) as unknown;
    return () => {
      clock.clearTimeout(id);
    };
  };

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
}
