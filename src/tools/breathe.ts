/** Long work in steps: between two of them the page may go on. */
import { nextTask } from '../base/next-task.js';

/** Milliseconds that work may take in one go before others have their turn. */
const AT_ONCE = 50;

export type Breath = () => Promise<void> | undefined;

/**
 * Asked between steps: what it answers is to be awaited, and it answers nothing as long as the work has taken little.
 *
 * @param pause resolves when the work may go on. Default: after what waits by then
 */
export function createBreath(atOnce = AT_ONCE, pause = nextTask): Breath {
  let since = performance.now();
  return () => {
    if (performance.now() - since < atOnce) return undefined;
    return pause().then(() => {
      since = performance.now();
    });
  };
}
