/**
 * A conversation in `sessionStorage`: one text of bounded length. If it is too long, the oldest content is left out and the user is told.
 */
import { isObject, own } from '../base/objects.js';
import { asThisVersion, NewerError, newerVersion, unreadable, type ConversationArea } from './conversation-area.js';
import type { Rows } from './conversation-rows.js';
import { parseStored, sessionArea, hasRoom, makeRoom } from './session-area.js';
import { createTextMaker, fromText } from './session-text.js';
import { StorageError } from './storage-error.js';
import type { StoredConversation } from './stored-conversation.js';

/** Maximum length in UTF-16 units. Browsers allow about five million per origin, including the journal. */
export const SESSION_CHARS = 2_000_000;

/** Returns the part of a newer version's data that this version can read. */
export function readForDisplay(found: unknown, sessionId: string): StoredConversation | undefined {
  const head = own(found, 'head');
  try {
    return isObject(found) && isObject(head) ? fromText({ ...found, head: asThisVersion(head) }, sessionId) : undefined;
  } catch {
    return undefined;
  }
}

/** Minimum length. If even less is available, nothing is saved. */
const LEAST_CHARS = 20_000;

/** A text longer than this must leave room for the journal. */
const LARGE = 200_000;

/** Handling of content that is too long to be saved. */
export interface LeftOut {
  /** Returns the text that replaces the content of a result. */
  sentence(): string;
  /** Called once if content was left out, now or by an earlier page. */
  happened(): void;
}

export function conversationSession(sessionId: string, storage?: Storage, leftOut?: LeftOut): ConversationArea {
  const area = sessionArea(storage);
  const key = `tool-chat:conversation:${sessionId}`;
  const aside = `tool-chat:aside:${sessionId}`;
  const texts = createTextMaker(leftOut?.sentence);
  let most = SESSION_CHARS;
  let isTold = false;
  /** Set if the stored data must not be overwritten. */
  let locked: StorageError | undefined;

  function tellLeftOut(): void {
    if (!isTold) leftOut?.happened();
    isTold = true;
  }

  function write(rows: Rows): void {
    if (locked) throw locked;
    for (;;) {
      const fitted = texts.fitting(rows, { at: Date.now() }, most);
      try {
        if (!fitted) throw new StorageError('full', 'The conversation is too long for this storage.');
        area.set(key, fitted.text);
        if (fitted.text.length > LARGE && !hasRoom(area)) throw new StorageError('full', 'There is no room for the next call.');
        if (!fitted.isWhole) tellLeftOut();
        return;
      } catch (error) {
        // A partial or outdated conversation would be worse than none.
        area.remove(key);
        const isFull = error instanceof StorageError && error.reason === 'full';
        if (isFull && fitted && makeRoom(area)) continue;
        // Other parts of the page need room, too.
        most = isFull && fitted ? Math.floor(fitted.text.length / 2) : 0;
        if (most >= LEAST_CHARS) continue;
        most = SESSION_CHARS;
        throw error;
      }
    }
  }

  /** Returns the unreadable texts that were set aside, the oldest first. Earlier versions kept one text instead of a list. */
  function readAsides(): string[] {
    const text = area.get(aside);
    const found = parseStored(text);
    if (Array.isArray(found)) return found.filter((one) => typeof one === 'string');
    return text === null ? [] : [text];
  }

  function setAside(text: string): void {
    const asides = JSON.stringify([...readAsides(), text]);
    area.remove(key); // there may be no room for both
    try {
      area.set(aside, asides);
    } catch (error) {
      area.set(key, text);
      throw (locked = new StorageError('full', 'There is no room to set a damaged conversation aside.', error));
    }
  }

  /** Restores a text that was set aside, if this version can read it. */
  function bringBack(): StoredConversation | undefined {
    const asides = readAsides();
    for (const text of asides.toReversed())
      try {
        const stored = fromText(parseStored(text), sessionId);
        const left = asides.filter((one) => one !== text);
        if (left.length > 0) area.set(aside, JSON.stringify(left));
        else area.remove(aside);
        area.set(key, text);
        return stored;
      } catch {} // it stays where it is
    return undefined;
  }

  return {
    async load() {
      locked = undefined;
      const text = area.get(key);
      if (text === null) return bringBack();
      const found = parseStored(text);
      const version = newerVersion(own(found, 'head'));
      if (version !== undefined) throw (locked = new NewerError(version, readForDisplay(found, sessionId)));
      try {
        const stored = fromText(found, sessionId);
        if (own(found, 'leftOut') === true) tellLeftOut();
        return stored;
      } catch (error) {
        setAside(text);
        throw unreadable(error);
      }
    },
    async write(rows) {
      write(rows);
      return true;
    },
    hurry(rows) {
      if (!locked) write(rows);
      return !locked;
    },
    async clear(_all, rest) {
      locked = undefined;
      area.remove(key);
      area.remove(aside);
      if (rest) write(rest);
    },
    generation: undefined,
    forgotten: () => Promise.resolve(undefined), // each tab has its own
  };
}
