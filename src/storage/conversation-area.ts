/** Where a conversation can be kept: the contract of the two areas. */
import { own } from '../base/objects.js';
import { Damaged } from '../base/checks.js';
import type { ConversationEnd } from './conversation-end.js';
import type { Rows } from './conversation-rows.js';
import { StorageError } from './storage-error.js';
import { FORMAT, VERSION, type StoredConversation } from './stored-conversation.js';

/** Everything rejects or throws with a `StorageError`. */
export interface ConversationArea {
  /**
   * Undefined where there is nothing. What is damaged is set aside and reported by rejecting; it comes back once this code can read it and nothing
   * else is stored. What a newer version has stored stays where it is (`NewerError`), and nothing is written until it is cleared.
   */
  load(): Promise<StoredConversation | undefined>;
  /** See `readEnd`; absent where it is no gain. */
  end?(): Promise<ConversationEnd | undefined>;
  /** Never called twice at a time. False where another hand has forgotten the conversation (`forgotten`): then nothing is written. */
  write(rows: Rows): Promise<boolean>;
  /** The page is going away: writes without waiting for anything. False where that is not possible. */
  hurry(rows: Rows): boolean;
  /**
   * What was set aside goes, too, and what other hands still hold of it is not taken any more. With `rest` that is all there is from now on;
   * `all`: nothing outlives it.
   */
  clear(all?: boolean, rest?: Rows): Promise<void>;
  /** How often it had been forgotten when this hand last looked; undefined where only `forgotten` knows. */
  readonly generation: number | undefined;
  /** Whether another hand has forgotten the conversation since this one loaded or cleared it. */
  forgotten(): Promise<Forgotten | undefined>;
}

/** By another hand; `all`: nothing outlives it. */
export interface Forgotten {
  all: boolean;
}

/** A newer version of this code stored the conversation. It is left alone: written over, it would be lost when that version runs again. */
export class NewerError extends StorageError {
  /** The part of it that this version can read, to be looked at only. */
  readonly stored: StoredConversation | undefined;

  constructor(version: number, stored?: StoredConversation) {
    super('newer', `The conversation was stored by a newer version (${String(version)}). Reload the page.`);
    this.stored = stored;
  }
}

/** The version of a head (or the row that holds it) that a newer version of this code has written. */
export function newerVersion(head: unknown): number | undefined {
  const row = own(head, 'row') ?? head;
  const version = own(row, 'version');
  return own(row, 'format') === FORMAT && typeof version === 'number' && version > VERSION ? version : undefined;
}

/** The same head under the version of this code: fields that it does not know are dropped when it is read. */
export const asThisVersion = (head: object): object => ({ ...head, version: VERSION });

/** The error for data that cannot be read. */
export function unreadable(error: unknown): StorageError {
  const where = error instanceof Damaged ? error.where() : error instanceof Error ? error.message : 'unreadable';
  return new StorageError('damaged', `The stored conversation is damaged (${where}) and was set aside.`, error);
}
