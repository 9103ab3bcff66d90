/** Timers and `Date` of this process stand still until a test lets time pass. Sockets go on. */
import { mock } from 'node:test';
import { afterEach, beforeEach } from 'mocha';

const settle = globalThis.setImmediate;

export function useFakeTimers() {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 }));
  afterEach(() => mock.timers.reset());
  /** Lets so much time pass, in steps, with room for what each step brings about. */
  async function pass(ms: number, steps = 10) {
    for (let step = 0; step < steps; step++) {
      mock.timers.tick(ms / steps);
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => settle(resolve));
    }
  }
  return {
    pass,
    async until<T>(promise: Promise<T>): Promise<T> {
      let over = false;
      const settled = promise.finally(() => (over = true));
      while (!over) await pass(1_000, 1);
      return settled;
    },
  };
}
