/** Runs someone else's code under a time limit and a stop signal. Never throws. */
export type Ending<T> = { how: 'done'; value: T } | { how: 'failed'; error: unknown } | { how: 'timeout' } | { how: 'aborted' };

/** Longest time that timers can wait. */
const LONGEST = 2 ** 31 - 1;

/**
 * The signal handed to `work` is aborted by the limit (in milliseconds) and by `stop`. Whatever `work` does after that is ignored.
 */
export function runLimited<T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  { ms, stop }: { ms: number; stop?: AbortSignal | undefined },
): Promise<Ending<T>> {
  if (stop?.aborted) return Promise.resolve({ how: 'aborted' });
  return new Promise((resolve) => {
    const controller = new AbortController();

    function settle(ending: Ending<T>, reason?: unknown) {
      clearTimeout(timer);
      stop?.removeEventListener('abort', onStop);
      resolve(ending); // the first ending stands
      if (ending.how === 'timeout' || ending.how === 'aborted') controller.abort(reason);
    }
    const onStop = () => settle({ how: 'aborted' }, stop?.reason);
    const onTime = () => settle({ how: 'timeout' }, new DOMException('The time limit was reached.', 'TimeoutError'));

    stop?.addEventListener('abort', onStop, { once: true });
    const timer = setTimeout(onTime, Math.min(ms, LONGEST));
    void attempt(work, controller.signal).then(settle);
  });
}

/** An async function, so that a thrown error, a rejected promise and a hostile `then` all end in the same place. */
async function attempt<T>(work: (signal: AbortSignal) => T | PromiseLike<T>, signal: AbortSignal): Promise<Ending<T>> {
  try {
    return { how: 'done', value: await work(signal) };
  } catch (error) {
    return { how: 'failed', error };
  }
}
