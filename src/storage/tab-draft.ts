/**
 * What stands in the composer of this tab. Tabs that show one conversation have a draft each, so it is not kept with the conversation, but in
 * `sessionStorage`: it comes back after a reload, and in no other tab.
 */
import { sessionArea } from './session-area.js';

export interface TabDraft {
  /** Undefined where nothing was written in this tab. */
  read(): string | undefined;
  /** Soon, and at the latest when the page is left. */
  write(text: string): void;
  /** Writes what is left. */
  close(): void;
}

/** A draft is stored when nothing has been written for so long, in milliseconds. */
const REST = 300;

const keyOf = (sessionId: string) => `tool-chat:draft:${sessionId}`;

/** A draft is gone with its page if nothing can be stored. */
export function createTabDraft(sessionId: string, area = sessionArea()): TabDraft {
  const key = keyOf(sessionId);
  let waiting: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === undefined) return;
    const text = waiting;
    waiting = undefined;
    try {
      if (text) area.set(key, text);
      else area.remove(key);
    } catch {} // there is no room, or no storage
  }

  const page = typeof document === 'undefined' ? undefined : document;
  page?.addEventListener('visibilitychange', flush);
  page?.defaultView?.addEventListener('pagehide', flush);

  return {
    read() {
      if (waiting !== undefined) return waiting;
      try {
        return area.get(key) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(text) {
      waiting = text;
      // A draft that was sent or given up does not come back, whatever happens next.
      if (text === '') return flush();
      clearTimeout(timer);
      timer = setTimeout(flush, REST);
    },
    close() {
      page?.removeEventListener('visibilitychange', flush);
      page?.defaultView?.removeEventListener('pagehide', flush);
      flush();
    },
  };
}

/** The conversation was deleted. */
export function removeTabDraft(sessionId: string, storage?: Storage): void {
  try {
    sessionArea(storage).remove(keyOf(sessionId));
  } catch {} // where nothing can be stored, nothing is
}
