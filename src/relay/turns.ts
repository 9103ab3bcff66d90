/**
 * The relay's one thread, shared among those who ask: long work is done in slices, one slice between two looks at the sockets, and clients take
 * turns. So neither one large request nor many of one client hold up the others. On Workers nothing pauses: the clock stands still there while
 * code runs, and each request has its own limit of time.
 */
import { nextTask } from '../base/next-task.js';

/** Milliseconds of one slice. */
export const SLICE_MS = 10;

/** Resolves when the request may work for one slice. */
export type Pause = () => Promise<void>;

/** @returns gives each request of a client its `Pause` */
export function createTurns(): (client: string) => Pause {
  /** The client that is next comes first. */
  const waiting = new Map<string, (() => void)[]>();
  let isServing = false;

  async function serve() {
    isServing = true;
    for (;;) {
      await nextTask();
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
