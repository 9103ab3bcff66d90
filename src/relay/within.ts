/** The promise, or after so many milliseconds what `late` gives or throws. Leaves no timer behind. */
export async function within<T>(promise: Promise<T>, ms: number, late: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([promise, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Where a timer can, it keeps no process from ending. */
export function letGo(timer: ReturnType<typeof setTimeout>) {
  (timer as { unref?: () => void }).unref?.();
}

export interface TimeLimit {
  /** From now on it counts. */
  start(): void;
  /** It does not count until `start`. */
  pause(): void;
  /** It never rings again. */
  stop(): void;
}

/** A clock looks so often within its time. */
const LOOKS = 4;

/**
 * Rings when it has counted for `ms`, or up to a quarter more, without a pause; after that again, if it is not paused. To start and to pause it
 * costs nothing, neither a timer nor a look at the time: it is done for every piece of a stream.
 */
export function createClock(ms: number, ring: () => void): TimeLimit {
  let counts = false;
  let isNew = false;
  let looks = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function look() {
    timer = undefined;
    if (!counts) return;
    looks = isNew ? 0 : looks + 1;
    isNew = false;
    const isTime = looks >= LOOKS;
    if (isTime) looks = 0;
    timer = setTimeout(look, ms / LOOKS);
    if (isTime) ring();
  }
  return {
    start() {
      counts = isNew = true;
      timer ??= setTimeout(look, ms / LOOKS);
    },
    pause() {
      counts = false;
    },
    stop() {
      counts = false;
      clearTimeout(timer);
    },
  };
}
