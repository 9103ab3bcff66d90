/** Notifies listeners of changes to a conversation: elements at most once per microtask, all others with a copy of their own. */
import type { Log } from '../../base/logging.js';
import { plainCopy } from '../../base/plain-copy.js';
import type { ConversationSnapshot, ViewSnapshot } from '../../model/snapshot.js';

export interface ViewStore {
  /** The current view, built on the first access after a change. */
  readonly view: ViewSnapshot;
  /** Reports a change of anything other than the text of the running reply. */
  changed(): void;
  /** Reports new text of the running reply. Elements follow it by themselves; other listeners are notified at most every 50 ms. */
  textGrew(): void;
  /** Notifies the listeners now. */
  tell(): void;
  listen(listener: (snapshot: ConversationSnapshot) => void): () => void;
  watch(viewer: (view: ViewSnapshot) => void): () => void;
  close(): void;
}

const TEXT_INTERVAL = 50;

/** Creates the audience. `of` returns the object that the view is built from: a different object means a different view. */
export function createViewStore(log: Log, source: { of(): object; build(): ViewSnapshot }): ViewStore {
  const listeners = new Set<(snapshot: ConversationSnapshot) => void>();
  const viewers = new Set<(view: ViewSnapshot) => void>();
  let last: { view: ViewSnapshot; of: object } | null = null;
  let told = true;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function view(): ViewSnapshot {
    const of = source.of();
    if (last?.of !== of) last = { view: source.build(), of };
    return last.view;
  }

  /** Runs a listener. One that throws does not affect the others. */
  function guarded(listen: () => void): void {
    try {
      listen();
    } catch (error) {
      log.error('host.failed', 'A listener failed', {}, { error });
    }
  }

  function tell(): void {
    for (const listener of [...listeners]) guarded(() => listener(plainCopy(publicPart(view()))));
  }

  return {
    get view() {
      return view();
    },
    changed() {
      last = null;
      if (!told) return;
      told = false;
      queueMicrotask(() => {
        told = true;
        for (const viewer of [...viewers]) guarded(() => viewer(view()));
      });
    },
    textGrew() {
      last = null;
      if (listeners.size === 0) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        tell();
      }, TEXT_INTERVAL);
    },
    tell,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    watch(viewer) {
      viewers.add(viewer);
      return () => void viewers.delete(viewer);
    },
    close() {
      clearTimeout(timer);
      listeners.clear();
      viewers.clear();
    },
  };
}

/** Returns the public part of the view. */
function publicPart(view: ViewSnapshot): ConversationSnapshot {
  const { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants } = view;
  return { state, activities, messages, isLoading, error, currentTool, toolHistory, streamingText, isToolExecuting, session, grants };
}
