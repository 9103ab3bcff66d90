/**
 * Keeps calls that share a resource apart, over all turns: those of one conversation, and in a browser those of all chats of an origin, in
 * every tab (Y-24). A tool that goes on after its end keeps what it works on. Loaded with the first tool that shares anything.
 */
import type { SetTimer } from '../../transports/read-reply.js';
import { createId } from '../../base/ids.js';
import { ownLocks, sharedLocks, type Locks } from './locks.js';

/** Milliseconds after its end for which a tool that has not returned keeps its resources. */
const HELD_AFTER_END = 60_000;

/** Of those that wait, the first goes first (Y-23): what a person said, what the model asks for, what is tried again. */
const RANKS = ['person', 'plan', 'retry'] as const;
export type Rank = (typeof RANKS)[number];

export interface Wanted {
  requestId: string;
  /** Of the tool, for people. */
  label: string;
  resources: readonly string[];
  rank: Rank;
  stop: AbortSignal;
  /** Hears each time what it waits for, and at the end of nothing. `label`: of the tool of this conversation that has it; else it is another's. */
  onWait(what: { resource: string; label: string | undefined } | undefined): void;
}

type Free = () => void;

export function createResourceLocks(setTimer: SetTimer, locks: Locks = sharedLocks() ?? ownLocks()) {
  /** Of this conversation. */
  const holders = new Map<string, Wanted>();
  /** Has been waited for, and is held for a call that is about to start. */
  const kept = new Map<string, Free>();
  let waiters = 0;

  /** All of them, or, when the turn was stopped, none. */
  async function take(wanted: Wanted): Promise<Free | undefined> {
    const taken: Free[] = [];
    const free = () => taken.splice(0).forEach((one) => one());
    // In one order everywhere: no two can wait for each other.
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

  async function takeOne(resource: string, { rank, stop, onWait }: Wanted): Promise<Free | undefined> {
    const name = `tool-chat ${encodeURIComponent(resource)}`;
    const atOnce = stop.aborted ? undefined : await locks.hold(name, { ifAvailable: true });
    if (atOnce || stop.aborted) return atOnce;
    onWait({ resource, label: holders.get(resource)?.label });
    const place = RANKS.indexOf(rank);
    // Who waits says so, for locks themselves know no rank.
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

  /** Waits until it could start, and keeps what it needs for it: for `holding`, unless it is let go or stopped before. */
  async function keep(wanted: Wanted): Promise<void> {
    const { requestId, resources, stop } = wanted;
    if (resources.length === 0 || kept.has(requestId)) return;
    const free = await take(wanted);
    if (!free) return;
    kept.set(requestId, free);
    stop.addEventListener('abort', () => letGo(requestId));
    if (stop.aborted) letGo(requestId);
  }

  /** It does not start. */
  function letGo(requestId: string): void {
    kept.get(requestId)?.();
    kept.delete(requestId);
  }

  /** `work` hands over what it started, if it starts anything: until that settles, or the limit is over, nothing else gets the resources. */
  async function holding<T>(wanted: Wanted, work: (onRun: (run: Promise<unknown>) => void) => Promise<T>): Promise<T> {
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

/** The calls and undos of one conversation wait for each other: its services lead to its locks. */
export function locksOf(services: { readonly setTimer: SetTimer }): ResourceLocks {
  const known = all.get(services) ?? createResourceLocks(services.setTimer);
  all.set(services, known);
  return known;
}
