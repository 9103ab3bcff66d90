/**
 * A last copy of the conversation, written when the page goes away. WebKit aborts a transaction when its page ends, even a committed one,
 * so the data is also written to `sessionStorage`, where the next page of the same tab finds it. If this fails, an older state is loaded.
 */
import { own } from '../base/objects.js';
import type { Rows } from './conversation-rows.js';
import { NewerError, newerVersion } from './conversation-area.js';
import { readForDisplay, SESSION_CHARS } from './conversation-session.js';
import { createTextMaker, fromText } from './session-text.js';
import { parseStored, sessionArea } from './session-area.js';
import type { StoredConversation } from './stored-conversation.js';

/** The writer of the copy, and the head that its page had read. */
export interface Base {
  writer: string;
  by: unknown;
  at: unknown;
}

export interface UnloadSnapshot {
  /** @returns false if there is no room, or no such storage */
  write(rows: Rows, at: number, generation: number, base: Base): boolean;
  /**
   * Returns the copy if it was written after this head (any copy without one) and with this erasure number. It does not count if another
   * page has written since, or if it is unreadable. Throws `NewerError` for one of a newer version.
   */
  newerThan(first: unknown, generation: number): StoredConversation | undefined;
  forget(): void;
}

export function createUnloadSnapshot(sessionId: string): UnloadSnapshot {
  const key = `tool-chat:farewell:${sessionId}`;
  const area = sessionArea();
  const texts = createTextMaker();

  return {
    write(rows, at, generation, base) {
      try {
        const text = texts.whole(rows, { at, generation, base }, SESSION_CHARS);
        if (text !== undefined) area.set(key, text);
        return text !== undefined;
      } catch {
        return false;
      }
    },
    newerThan(first, generation) {
      try {
        const found = parseStored(area.get(key));
        if ((own(found, 'generation') ?? 0) !== generation) return undefined;
        const [said, at, by] = [own(found, 'at'), own(first, 'at'), own(first, 'by')];
        const base = own(found, 'base'); // absent in data of earlier versions
        const isSame = base === undefined || by === own(base, 'writer') || (by === own(base, 'by') && at === own(base, 'at'));
        if (!isSame) return undefined;
        if (typeof said !== 'number' || (typeof at === 'number' && said <= at)) return undefined;
        const version = newerVersion(own(found, 'head'));
        if (version !== undefined) throw new NewerError(version, readForDisplay(found, sessionId));
        return fromText(found, sessionId);
      } catch (error) {
        if (error instanceof NewerError) throw error;
        return undefined;
      }
    },
    forget() {
      try {
        area.remove(key);
      } catch {} // if the storage fails here, nothing was written to it before
    },
  };
}
