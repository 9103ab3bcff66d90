/** Long work in steps: between two of them the page may go on. */

/** Milliseconds that work may take in one go before others have their turn. */
const AT_ONCE = 50;

/** Asked between steps: what it answers is to be awaited, and it answers nothing as long as the work has taken little. */
export function createBreath(atOnce = AT_ONCE): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < atOnce) return undefined;
    // A timer would wait for a second in a page that nobody looks at.
    const { port1, port2 } = new MessageChannel();
    return new Promise<void>((resolve) => {
      port1.onmessage = () => {
        port1.close();
        since = performance.now();
        resolve();
      };
      port2.postMessage(null);
    });
  };
}
