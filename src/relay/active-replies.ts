/** Tracks the active requests of this process: counts them, finds them by id independently of the store, and waits for them on close. */
import type { RelayError } from './errors.js';
import { createShares } from './fair-shares.js';

export interface ActiveReply {
  /** The origin of the page that sent the request; '' if it came from no page. */
  readonly origin: string;
  /** The client's name for the limits. */
  readonly holder: string;
  stop(fault: RelayError): void;
}

export interface ActiveReplies {
  /** Number of requests that are at the model. */
  readonly size: number;
  /** Number of bodies that are being sent. */
  readonly sending: number;
  get(id: string): ActiveReply | undefined;
  add(id: string, task: ActiveReply): void;
  delete(id: string): void;
  /** Returns why this client cannot send another request to the model; `undefined` if it can. */
  lacks(holder: string): 'all' | 'share' | undefined;
  /** Counts a body that is being sent. @returns a function to call when it no longer is */
  open(): () => void;
  stopAll(fault: RelayError): void;
  /** Resolves when nothing is at the model and nothing is being sent. */
  idle(): Promise<void>;
}

/** @param most maximum number of requests at the model at once */
export function createActiveReplies(most = Infinity): ActiveReplies {
  const shares = createShares(most);
  const tasks = new Map<string, ActiveReply>();
  let bodies = 0;
  let waiting: (() => void)[] = [];

  function resolveIfIdle() {
    if (tasks.size + bodies > 0) return;
    for (const go of waiting) go();
    waiting = [];
  }
  return {
    get size() {
      return tasks.size;
    },
    get sending() {
      return bodies;
    },
    get: (id) => tasks.get(id),
    add(id, task) {
      tasks.set(id, task);
      shares.take(task.holder, 1);
    },
    lacks: (holder) => shares.lacks(holder, 1),
    delete(id) {
      const task = tasks.get(id);
      if (!task) return;
      tasks.delete(id);
      shares.giveBack(task.holder, 1);
      resolveIfIdle();
    },
    open() {
      let isOpen = true;
      bodies += 1;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        bodies -= 1;
        resolveIfIdle();
      };
    },
    stopAll(fault) {
      for (const task of [...tasks.values()]) task.stop(fault);
    },
    idle: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        resolveIfIdle();
      }),
  };
}
