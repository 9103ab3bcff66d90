/** A clock that moves only when it is told to. */
import type { SetTimer } from '../../src/transports/read-reply.js';

export function createClock() {
  let now = 0;
  let set = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  /** Of a host's own clock: it does not say what time it is. */
  const plainTimer: SetTimer = (callback, ms) => {
    set += 1;
    const timer = { at: now + ms, callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  return {
    timers,
    set: () => set,
    plainTimer,
    setTimer: Object.assign((...wait: Parameters<SetTimer>) => plainTimer(...wait), { now: () => now }) as SetTimer,
    async pass(ms: number) {
      now += ms;
      for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.callback();
      await settled();
    },
  };
}

/** What streams and dynamic imports do needs turns of the event loop, not only promises. */
export async function settled() {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export async function until(condition: () => boolean) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
