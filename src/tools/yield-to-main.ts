/** Splits long work into steps, so that the page stays responsive between two of them. */
import { nextTask } from '../base/next-task.js';

/** Milliseconds of continuous work after which other tasks get their turn. */
const AT_ONCE = 50;

export type Yield = () => Promise<void> | undefined;

/**
 * Creates a function to call between steps of long work. It returns a promise to await once the work has taken `atOnce` milliseconds, and
 * `undefined` before that.
 *
 * @param pause resolves when the work may continue. Default: after the tasks that are waiting by then
 */
export function createYield(atOnce = AT_ONCE, pause = nextTask): Yield {
  let since = performance.now();
  return () => {
    if (performance.now() - since < atOnce) return undefined;
    return pause().then(() => {
      since = performance.now();
    });
  };
}
