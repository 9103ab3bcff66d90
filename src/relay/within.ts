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
