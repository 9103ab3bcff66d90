/**
 * Shares the relay's single thread among clients: long work runs in slices, the sockets are served between two slices, and clients take
 * turns. So neither one large request nor many of one client block the others. On Workers nothing pauses: the clock stands still there
 * while code runs, and each request has its own time limit.
 */
import { nextTask } from '../base/next-task.js';
import type { Yield } from '../tools/yield-to-main.js';

/** Length of one slice in milliseconds. */
export const SLICE_MS = 10;

/** Number of turns of the event loop between two slices, because the system accepts one connection in each. */
const LOOPS = 8;

/** Resolves when the request may work for one slice. */
export type Pause = () => Promise<void>;

/**
 * @param turns number of turns of the event loop between two slices
 * @returns a function that gives each request of a client its `Pause`
 */
export function createTimeSlices(turns = LOOPS): (client: string) => Pause {
  /** The waiting requests of each client. The next client comes first. */
  const waiting = new Map<string, (() => void)[]>();
  let isServing = false;

  async function serve() {
    isServing = true;
    for (;;) {
      for (let loops = 0; loops < turns; loops += 1) await nextTask();
      const [next] = waiting;
      if (!next) break;
      const [client, requests] = next;
      const go = requests.shift();
      waiting.delete(client);
      if (requests.length > 0) waiting.set(client, requests);
      go?.();
    }
    isServing = false;
  }

  return (client) => () =>
    new Promise((resolve) => {
      const requests = waiting.get(client);
      if (requests) requests.push(resolve);
      else waiting.set(client, [resolve]);
      if (!isServing) void serve();
    });
}

/** Calls `act` when the turn of the event loop is over. Not all platforms have `setImmediate`. */
const endOfTurn = (act: () => void) => void ((globalThis.setImmediate as typeof setImmediate | undefined) ?? setTimeout)(act);

/**
 * Limits small pieces of work, each too short for a slice: hundreds of answers may have one in the same turn of the event loop. Once they
 * have taken a slice together, each of the others gets a turn of its own, in which clients take turns.
 *
 * @returns a function that gives each request of a client the `Yield` to call before a piece
 */
export function createTurnLimit(): (client: string) => Yield {
  const turns = createTimeSlices(1);
  let began: number | undefined;
  let waiting = 0;

  return (client) => {
    const pause = turns(client);
    return () => {
      if (began === undefined) {
        began = performance.now();
        endOfTurn(() => (began = undefined));
      }
      // Those that wait already come first.
      if (waiting === 0 && performance.now() - began < SLICE_MS) return undefined;
      waiting += 1;
      return pause().then(() => {
        waiting -= 1;
        began = undefined;
      });
    };
  };
}

/** Does a piece of work when its turn has come. */
export function inTurn(breathe: Yield, work: () => void): void {
  const pause = breathe();
  if (pause) void pause.then(work);
  else work();
}

/** Waits for a place. Resolves to a function that frees it. */
export type AcquirePlace = () => Promise<() => void>;

/** Limits each client to `most` places at a time. Its other requests wait, in order. */
export function createClientLimit(most: number): (client: string) => AcquirePlace {
  /** For each client, the number of taken places and the requests that wait for one. */
  const clients = new Map<string, { taken: number; waiting: (() => void)[] }>();

  return (client) => async () => {
    const places = clients.get(client) ?? { taken: 0, waiting: [] };
    clients.set(client, places);
    if (places.taken < most) places.taken += 1;
    else await new Promise<void>((resolve) => places.waiting.push(resolve));
    return () => {
      const next = places.waiting.shift();
      if (next) return next();
      places.taken -= 1;
      if (places.taken === 0) clients.delete(client);
    };
  };
}
