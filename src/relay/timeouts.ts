/** Resolves like the promise, or after `ms` milliseconds to the result of `late`, which may also throw. Leaves no timer behind. */
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

/** Lets the process exit while the timer runs, if the platform supports it. */
export function letGo(timer: ReturnType<typeof setTimeout>) {
  (timer as { unref?: () => void }).unref?.();
}

export interface TimeLimit {
  /** Starts counting from zero. */
  start(): void;
  /** Stops counting until `start`. */
  pause(): void;
  /** Stops the clock for good. */
  stop(): void;
}

/** Number of times that a clock checks within its period. */
const LOOKS = 4;

/**
 * Creates a clock that rings when it has counted for `ms` milliseconds, or up to a quarter more, without a pause, and rings again after the
 * same time if it is not paused. Starting and pausing it cost nothing, neither a timer nor reading the time, because both happen for every
 * piece of a stream.
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
