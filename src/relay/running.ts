/** What is under way in this process: counted, found by its id whatever the store does, and waited for when the relay goes. */
import type { RelayFault } from './faults.js';

export interface RunningReply {
  /** The page that asked; '' = no page. */
  readonly origin: string;
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
  /** A body is being sent. @returns to be called when it no longer is */
  open(): () => void;
  stopAll(fault: RelayFault): void;
  /** Resolves when nothing is at the model and nothing is being sent. */
  idle(): Promise<void>;
}

export function createRunning(): Running {
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
    add: (id, task) => void tasks.set(id, task),
    delete(id) {
      tasks.delete(id);
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
