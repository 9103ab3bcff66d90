/** Runs someone else's code under a time limit and a stop signal. Never throws. */
export type Ending<T> = { how: 'done'; value: T } | { how: 'failed'; error: unknown } | { how: 'timeout' } | { how: 'aborted' };

/** Longest time that timers can wait. */
const LONGEST = 2 ** 31 - 1;

export interface Clock {
  /** Starts the limit again. From its first use on, no more than `most` milliseconds are left. */
  extend(): void;
  /** Stops the clock. All limits start again once every function that was returned has been called. */
  pause(): () => void;
}

/** The signal handed to `work` is aborted by the limit (in milliseconds) and by `stop`. A later result of `work` is ignored. */
export function runLimited<T>(
  work: (signal: AbortSignal, clock: Clock) => T | PromiseLike<T>,
  { ms, most = ms, stop }: { ms: number; most?: number; stop?: AbortSignal | undefined },
): Promise<Ending<T>> {
  if (stop?.aborted) return Promise.resolve({ how: 'aborted' });
  return new Promise((resolve) => {
    const controller = new AbortController();

    function settle(ending: Ending<T>, reason?: unknown) {
      isOver = true;
      clearTimeout(timer);
      clearTimeout(last);
      stop?.removeEventListener('abort', onStop);
      resolve(ending); // the first ending stands
      if (ending.how === 'timeout' || ending.how === 'aborted') controller.abort(reason);
    }
    const onStop = () => settle({ how: 'aborted' }, stop?.reason);
    const onTime = () => settle({ how: 'timeout' }, new DOMException('The time limit was reached.', 'TimeoutError'));

    stop?.addEventListener('abort', onStop, { once: true });
    let isOver = false;
    let pauses = 0;
    const startTimer = (limit: number) => setTimeout(onTime, Math.min(limit, LONGEST));
    let last: ReturnType<typeof setTimeout> | undefined;
    let timer = startTimer(ms);
    const extend = () => {
      if (isOver || pauses > 0) return;
      last ??= startTimer(most);
      clearTimeout(timer);
      timer = startTimer(ms);
    };
    const pause = () => {
      clearTimeout(timer);
      clearTimeout(last);
      last = undefined;
      pauses += 1;
      let isPaused = true;
      return () => {
        if (!isPaused) return;
        isPaused = false;
        pauses -= 1;
        extend();
      };
    };
    void attempt(() => work(controller.signal, { extend, pause })).then(settle);
  });
}

/** An async function, so that a thrown error, a rejected promise and a hostile `then` all end in the same place. */
async function attempt<T>(work: () => T | PromiseLike<T>): Promise<Ending<T>> {
  try {
    return { how: 'done', value: await work() };
  } catch (error) {
    return { how: 'failed', error };
  }
}
