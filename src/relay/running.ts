/** What is under way in this process: counted, found by its id whatever the store does, and waited for when the relay goes. */
import type { RelayFault } from './faults.js';
import { createShares } from './shares.js';

export interface RunningReply {
  /** The page that asked; '' = no page. */
  readonly origin: string;
  /** The client that asked, as limits count clients. */
  readonly holder: string;
  stop(fault: RelayFault): void;
}

export interface Running {
  /** Requests that are at the model. */
  readonly size: number;
  /** Bodies that are being sent. */
  readonly sending: number;
  get(id: string): RunningReply | undefined;
  add(id: string, task: RunningReply): void;
  delete(id: string): void;
  /** Why this client can have no further request at the model. */
  lacks(holder: string): 'all' | 'share' | undefined;
  /** A body is being sent. @returns to be called when it no longer is */
  open(): () => void;
  stopAll(fault: RelayFault): void;
  /** Resolves when nothing is at the model and nothing is being sent. */
  idle(): Promise<void>;
}

/** @param most requests at the model at once */
export function createRunning(most = Infinity): Running {
  const shares = createShares(most);
  const tasks = new Map<string, RunningReply>();
  let bodies = 0;
  let waiting: (() => void)[] = [];

  function look() {
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
      look();
    },
    open() {
      let isOpen = true;
      bodies += 1;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        bodies -= 1;
        look();
      };
    },
    stopAll(fault) {
      for (const task of [...tasks.values()]) task.stop(fault);
    },
    idle: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        look();
      }),
  };
}
