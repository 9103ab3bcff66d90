/** Calls a function of the host. `onError` gets what it throws or rejects with: an unhandled rejection would end the whole process. */
export function callHook(call: () => unknown, onError: (error: unknown) => void): void {
  void new Promise((resolve) => resolve(call())).catch(onError);
}
