/**
 * The composer's text of this tab. Tabs that show the same conversation have separate drafts, so it is saved in `sessionStorage` instead of
 * the conversation: it comes back after a reload, and in no other tab.
 */
import { type SessionArea, sessionArea } from './session-area.js';

export interface TabDraft {
  /** Returns undefined if nothing was written in this tab. */
  read(): string | undefined;
  /** Saves the text soon, and at the latest when the page is left. */
  write(text: string): void;
  /** Saves a pending draft. */
  close(): void;
}

/** Milliseconds without typing after which a draft is saved. */
const REST = 300;

const keyOf = (sessionId: string) => `tool-chat:draft:${sessionId}`;

/** Creates the draft. Without storage, it is lost with its page. */
export function createTabDraft(sessionId: string, area: SessionArea = sessionArea()): TabDraft {
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
      // Clear at once, so that a sent or discarded draft does not come back.
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

/** Removes the draft of a deleted conversation. */
export function removeTabDraft(sessionId: string, storage?: Storage): void {
  try {
    sessionArea(storage).remove(keyOf(sessionId));
  } catch {} // where nothing can be stored, nothing is
}
