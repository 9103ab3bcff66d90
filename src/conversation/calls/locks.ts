/** Named locks: those of the browser, which all chats of an origin share, or our own if there are none. */
export interface NamedLocks {
  /**
   * Acquires a lock, in the order of the requests.
   *
   * @returns a function that releases it; undefined when the signal was aborted, or with `ifAvailable` when it would have to wait
   */
  hold(name: string, how?: { ifAvailable?: boolean; signal?: AbortSignal }): Promise<(() => void) | undefined>;
  /** Returns the names of the locks that are held now. */
  held(): Promise<readonly string[]>;
}

/**
 * Returns the locks of the browser. Undefined in browsers without them, and outside of browsers, where a process may serve several users.
 */
export function sharedLocks(): NamedLocks | undefined {
  const { isSecureContext, navigator } = globalThis as { isSecureContext?: boolean; navigator?: { locks?: LockManager } };
  const locks = isSecureContext === true ? navigator?.locks : undefined;
  return (
    locks && {
      hold: (name, how = {}) =>
        new Promise((resolve) => {
          locks
            .request(name, how, (lock) => (lock ? new Promise<void>((free) => resolve(() => free())) : resolve(undefined)))
            // A frame with an opaque origin has nothing to share: only the chart keeps its calls apart.
            .catch((error: unknown) => resolve((error as Error | undefined)?.name === 'AbortError' ? undefined : () => undefined));
        }),
      held: async () => ((await locks.query().catch(() => ({ held: [] }))).held ?? []).map(({ name = '' }) => name),
    }
  );
}

export function ownLocks(): NamedLocks {
  /** The waiting requests by name. The first one holds the lock. */
  const queues = new Map<string, (() => void)[]>();
  return {
    hold: (name, { ifAvailable = false, signal } = {}) =>
      new Promise((resolve) => {
        const queue = queues.get(name) ?? [];
        if (signal?.aborted || (ifAvailable && queue.length > 0)) return resolve(undefined);
        const leave = () => {
          const at = queue.indexOf(begin);
          if (at < 0) return;
          queue.splice(at, 1);
          if (queue.length === 0) queues.delete(name);
          else if (at === 0) queue[0]?.();
        };
        const stop = () => {
          leave();
          resolve(undefined);
        };
        const begin = () => {
          signal?.removeEventListener('abort', stop);
          resolve(leave);
        };
        queues.set(name, queue);
        signal?.addEventListener('abort', stop);
        queue.push(begin);
        if (queue[0] === begin) begin();
      }),
    held: () => Promise.resolve([...queues.keys()]),
  };
}
