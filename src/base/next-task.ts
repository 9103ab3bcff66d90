/**
 * Yields to timers, input and painting. Does not use `setTimeout`, because browsers delay nested timers, in background tabs up to a second.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (!('MessageChannel' in globalThis)) return void setTimeout(resolve); // jsdom under Jest
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
