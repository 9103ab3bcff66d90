/** Keeps calls of one conversation that share a resource apart, over all turns: a tool that goes on after its end keeps what it works on. */
import type { SetTimer } from '../../transports/read-reply.js';

/** Milliseconds after its end for which a tool that has not returned keeps its resources. */
export const HELD_AFTER_END = 60_000;

export interface Wanted {
  requestId: string;
  /** Of the tool, for people. */
  label: string;
  resources: readonly string[];
  stop: AbortSignal;
  /** Hears each time whom it waits for, and at the end nobody. */
  onWait(label: string | undefined): void;
}

interface Holder extends Pick<Wanted, 'requestId' | 'label'> {
  free: Promise<void>;
}

export function createResourceLocks(setTimer: SetTimer) {
  const holders = new Map<string, Holder>();
  const holderOf = (names: readonly string[]) => names.map((name) => holders.get(name)).find((holder) => holder !== undefined);

  /** Or the turn was stopped. */
  async function whenFree({ resources, stop, onWait }: Omit<Wanted, 'requestId' | 'label'>): Promise<void> {
    let holder = holderOf(resources);
    if (!holder || stop.aborted) return;
    for (; holder && !stop.aborted; holder = holderOf(resources)) {
      onWait(holder.label);
      await freed(holder, stop);
    }
    onWait(undefined);
  }

  /** `work` hands over what it started, if it starts anything: until that settles, or the limit is over, nothing else gets the resources. */
  async function holding<T>(wanted: Wanted, work: (onRun: (run: Promise<unknown>) => void) => Promise<T>): Promise<T> {
    const { resources, stop } = wanted;
    // Nothing comes between the last look and the taking.
    while (holderOf(resources) && !stop.aborted) await whenFree(wanted);
    const held = stop.aborted ? [] : resources;
    let free = () => {};
    const holder: Holder = { ...wanted, free: new Promise((resolve) => (free = resolve)) };
    for (const name of held) holders.set(name, holder);
    let running = false;
    let cancel = () => {};
    function release() {
      running = false;
      cancel();
      for (const name of held) if (holders.get(name) === holder) holders.delete(name);
      free();
    }
    const out = await work((run) => {
      running = true;
      void run.then(release, release);
    });
    if (running && held.length > 0) cancel = setTimer(release, HELD_AFTER_END);
    else if (!running) release();
    return out;
  }

  const isHolding = (requestId: string) => [...holders.values()].some((holder) => holder.requestId === requestId);

  return { whenFree, holding, isHolding };
}

function freed({ free }: Holder, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop.removeEventListener('abort', done);
      resolve();
    };
    stop.addEventListener('abort', done);
    void free.then(done);
  });
}
