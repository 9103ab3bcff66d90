/**
 * The last words of a page that goes away. WebKit ends a transaction with its page, committed or not, so they are also left in
 * `sessionStorage`, where the next page of the same tab finds them. What fails here is only that much older.
 */
import { own } from '../base/objects.js';
import type { Rows } from './conversation-rows.js';
import { NewerError, newerVersion } from './conversation-area.js';
import { createTextMaker, fromText, lookAt, SESSION_CHARS } from './conversation-session.js';
import { parseStored, sessionArea } from './session-area.js';
import type { StoredConversation } from './stored-conversation.js';

export interface Farewell {
  /** False where there is no room, or no such storage. */
  say(rows: Rows, at: number, generation: number): boolean;
  /**
   * What was said after this time (milliseconds since the epoch; anything else: ever), of this generation: what was forgotten meanwhile is not
   * said again. Unreadable words were not said; those of a newer version are its own (`NewerError`).
   */
  newerThan(at: unknown, generation: number): StoredConversation | undefined;
  forget(): void;
}

export function createFarewell(sessionId: string): Farewell {
  const key = `tool-chat:farewell:${sessionId}`;
  const area = sessionArea();
  const toText = createTextMaker();

  return {
    say(rows, at, generation) {
      try {
        const text = toText(rows, at, generation);
        if (text.length <= SESSION_CHARS) area.set(key, text);
        return text.length <= SESSION_CHARS;
      } catch {
        return false;
      }
    },
    newerThan(at, generation) {
      try {
        const found = parseStored(area.get(key));
        if ((own(found, 'generation') ?? 0) !== generation) return undefined;
        const said = own(found, 'at');
        if (typeof said !== 'number' || (typeof at === 'number' && said <= at)) return undefined;
        const version = newerVersion(own(found, 'head'));
        if (version !== undefined) throw new NewerError(version, lookAt(found, sessionId));
        return fromText(found, sessionId);
      } catch (error) {
        if (error instanceof NewerError) throw error;
        return undefined;
      }
    },
    forget() {
      try {
        area.remove(key);
      } catch {} // where nothing can be said, nothing was
    },
  };
}
