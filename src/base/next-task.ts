/** Lets timers, input and painting in. Not `setTimeout`: browsers stretch nested ones, in background tabs to a second. */
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
