/** Resolves like the promise, or after `ms` milliseconds to the result of `late`, which may also throw. Leaves no timer behind. */
export async function withTimeout<T>(promise: Promise<T>, ms: number, late: () => T): Promise<T> {
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
export function unref(timer: ReturnType<typeof setTimeout>) {
  (timer as { unref?: () => void }).unref?.();
}

export interface IdleTimer {
  /** Starts counting from zero. */
  start(): void;
  /** Stops counting until `start`. */
  pause(): void;
  /** Stops the clock for good. */
  stop(): void;
}

/** Number of times that a clock checks within its period. */
const CHECKS = 4;

/**
 * Creates a clock that rings when it has counted for `ms` milliseconds, or up to a quarter more, without a pause, and rings again after the
 * same time if it is not paused. Starting and pausing it cost nothing, neither a timer nor reading the time, because both happen for every
 * piece of a stream.
 */
export function createIdleTimer(ms: number, ring: () => void): IdleTimer {
  let counts = false;
  let isNew = false;
  let checks = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function check() {
    timer = undefined;
    if (!counts) return;
    checks = isNew ? 0 : checks + 1;
    isNew = false;
    const isTime = checks >= CHECKS;
    if (isTime) checks = 0;
    timer = setTimeout(check, ms / CHECKS);
    if (isTime) ring();
  }
  return {
    start() {
      counts = isNew = true;
      timer ??= setTimeout(check, ms / CHECKS);
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
