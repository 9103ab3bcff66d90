/** Long work in steps: between two of them the page may go on. */
import { nextTask } from '../base/next-task.js';

/** Milliseconds that work may take in one go before others have their turn. */
const AT_ONCE = 50;

/** Asked between steps: what it answers is to be awaited, and it answers nothing as long as the work has taken little. */
export function createBreath(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < AT_ONCE) return undefined;
    return nextTask().then(() => {
      since = performance.now();
    });
  };
}
