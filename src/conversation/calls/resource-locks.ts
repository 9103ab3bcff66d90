/**
 * Keeps calls that share a resource apart, across all turns: those of one conversation and, in a browser, those of all chats of an origin
 * in every tab. A tool that continues after its call has ended keeps its resources. Loaded with the first tool that shares a resource.
 */
import type { SetTimer } from '../../transports/read-reply.js';
import { createId } from '../../base/ids.js';

/** Time for which a tool that has not returned keeps its resources after its call has ended, in milliseconds. */
const HELD_AFTER_END = 60_000;

/** The order in which waiting calls get a resource: what the user requested, what the model asks for, what is retried. */
const RANKS = ['person', 'plan', 'retry'] as const;
export type Rank = (typeof RANKS)[number];

export interface LockRequest {
  requestId: string;
  /** The label of the tool, for users. */
  label: string;
  resources: readonly string[];
  rank: Rank;
  stop: AbortSignal;
  /**
   * Called with what the call waits for, each time that changes, and finally with undefined. `label`: the label of this conversation's call
   * that holds the resource; undefined if it is held elsewhere.
   */
  onWait(what: { resource: string; label: string | undefined } | undefined): void;
}

type Free = () => void;

export function createResourceLocks(setTimer: SetTimer, locks: NamedLocks = sharedLocks() ?? ownLocks()) {
  /** The holders of resources in this conversation. */
  const holders = new Map<string, LockRequest>();
  /** Resources that are held for calls that are about to start, by request id. */
  const kept = new Map<string, Free>();
  let waiters = 0;

  /** Acquires all resources, or none of them if the turn was stopped. */
  async function take(wanted: LockRequest): Promise<Free | undefined> {
    const taken: Free[] = [];
    const free = () => taken.splice(0).forEach((one) => one());
    // Acquire them in the same order everywhere, so that no two calls wait for each other.
    for (const resource of [...new Set(wanted.resources)].sort()) {
      const one = await takeOne(resource, wanted);
      if (!one) {
        free();
        return undefined;
      }
      holders.set(resource, wanted);
      taken.push(() => {
        if (holders.get(resource) === wanted) holders.delete(resource);
        one();
      });
    }
    return free;
  }

  async function takeOne(resource: string, { rank, stop, onWait }: LockRequest): Promise<Free | undefined> {
    const name = `tool-chat ${encodeURIComponent(resource)}`;
    const atOnce = stop.aborted ? undefined : await locks.hold(name, { ifAvailable: true });
    if (atOnce || stop.aborted) return atOnce;
    onWait({ resource, label: holders.get(resource)?.label });
    const place = RANKS.indexOf(rank);
    // Each waiting call shows its rank by holding a lock of that name, because locks themselves have no rank.
    const sign = locks.hold(`${name} ${String(place)} ${String((waiters += 1))} ${createId('waiter')}`);
    let one: Free | undefined;
    for (;;) {
      one = await locks.hold(name, { signal: stop });
      if (!one) break;
      const better = RANKS.slice(0, place).map((_, at) => `${name} ${String(at)} `);
      if (better.length === 0 || !(await locks.held()).some((held) => better.some((start) => held.startsWith(start)))) break;
      one();
    }
    (await sign)?.();
    onWait(undefined);
    return one;
  }

  /** Waits until the call could start, and keeps its resources for `holding`, unless they are released or the turn is stopped before. */
  async function keep(wanted: LockRequest): Promise<void> {
    const { requestId, resources, stop } = wanted;
    if (resources.length === 0 || kept.has(requestId)) return;
    const free = await take(wanted);
    if (!free) return;
    kept.set(requestId, free);
    stop.addEventListener('abort', () => letGo(requestId));
    if (stop.aborted) letGo(requestId);
  }

  /** Releases the resources of a call that does not start. */
  function letGo(requestId: string): void {
    kept.get(requestId)?.();
    kept.delete(requestId);
  }

  /**
   * Runs `work` with the resources. `work` passes what it started to `onRun`: until that settles, or the limit is over, no other call gets
   * them.
   */
  async function holding<T>(wanted: LockRequest, work: (onRun: (run: Promise<unknown>) => void) => Promise<T>): Promise<T> {
    const { requestId, resources } = wanted;
    const free = kept.get(requestId) ?? (resources.length > 0 ? await take(wanted) : undefined);
    kept.delete(requestId);
    let running = false;
    let cancel = () => {};
    function release() {
      running = false;
      cancel();
      free?.();
    }
    const out = await work((run) => {
      running = true;
      void run.then(release, release);
    });
    if (running && free) cancel = setTimer(release, HELD_AFTER_END);
    else if (!running) release();
    return out;
  }

  const isHolding = (requestId: string) => [...holders.values()].some((holder) => holder.requestId === requestId);

  return { keep, letGo, holding, isHolding, heldAfterEnd: HELD_AFTER_END };
}

export type ResourceLocks = ReturnType<typeof createResourceLocks>;

const all = new WeakMap<object, ResourceLocks>();

/** Returns the locks of the conversation with these services. Its calls and undos wait for each other. */
export function locksOf(services: { readonly setTimer: SetTimer }): ResourceLocks {
  const known = all.get(services) ?? createResourceLocks(services.setTimer);
  all.set(services, known);
  return known;
}

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
