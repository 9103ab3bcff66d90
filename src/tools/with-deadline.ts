/** Runs someone else's code under a time limit and a stop signal. Never throws. */
export type Ending<T> = { how: 'done'; value: T } | { how: 'failed'; error: unknown } | { how: 'timeout' } | { how: 'aborted' };

/** The maximum delay of a timer, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

export interface DeadlineControl {
  /** Restarts the time limit. After the first call, at most `most` milliseconds remain in total. */
  extend(): void;
  /** Pauses the clock. All limits restart once every returned function has been called. */
  pause(): () => void;
}

/** Runs `work` with a signal that is aborted after `ms` milliseconds or by `stop`. A later result of `work` is ignored. */
export function withDeadline<T>(
  work: (signal: AbortSignal, clock: DeadlineControl) => T | PromiseLike<T>,
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
      resolve(ending); // only the first call has an effect
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

/** Being async, it handles a thrown error, a rejected promise and a hostile `then` in the same way. */
async function attempt<T>(work: () => T | PromiseLike<T>): Promise<Ending<T>> {
  try {
    return { how: 'done', value: await work() };
  } catch (error) {
    return { how: 'failed', error };
  }
}
