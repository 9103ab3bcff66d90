/** The contract of the two storage areas of a conversation. */
import { own } from '../base/objects.js';
import { ValidationError } from '../base/checks.js';
import type { ConversationTail } from './conversation-tail.js';
import type { Rows } from './conversation-rows.js';
import { StorageError } from './storage-error.js';
import { FORMAT, VERSION, type StoredConversation } from './stored-conversation.js';

/** All methods reject or throw with a `StorageError`. */
export interface ConversationArea {
  /**
   * Resolves with undefined if nothing is stored. Damaged data is set aside and reported by rejecting; it comes back once this code can
   * read it and nothing else is stored. Data of a newer version stays where it is (`NewerError`), and nothing is written until it is
   * cleared.
   */
  load(): Promise<StoredConversation | undefined>;
  /** See `readEnd`. Absent if it would not be faster than `load`. */
  end?(): Promise<ConversationTail | undefined>;
  /**
   * Writes the rows. Never called concurrently. Resolves with false, without writing, if another writer has erased the conversation
   * (`forgotten`).
   */
  write(rows: Rows): Promise<boolean>;
  /** Writes without waiting, because the page is going away. Returns false if that is not possible. */
  hurry(rows: Rows): boolean;
  /**
   * Erases the conversation, including data set aside. Later writes of other writers' older copies are ignored. `rest` replaces the
   * conversation. `all`: nothing at all is kept.
   */
  clear(all?: boolean, rest?: Rows): Promise<void>;
  /** Number of erasures when this writer last looked; undefined if only `forgotten` knows. */
  readonly generation: number | undefined;
  /** Checks whether another writer has erased the conversation since this one loaded or cleared it. */
  forgotten(): Promise<ErasedError | undefined>;
}

/** An erasure by another writer. `all`: nothing was kept. */
export interface ErasedError {
  all: boolean;
}

/** A newer version of this code stored the conversation. It is left alone: overwriting it would lose data when that version runs again. */
export class NewerError extends StorageError {
  /** The part that this version can read, for display only. */
  readonly stored: StoredConversation | undefined;

  constructor(version: number, stored?: StoredConversation) {
    super('newer', `The conversation was stored by a newer version (${String(version)}). Reload the page.`);
    this.stored = stored;
  }
}

/** Returns the version of a head (or its row) if a newer version of this code has written it. */
export function newerVersion(head: unknown): number | undefined {
  const row = own(head, 'row') ?? head;
  const version = own(row, 'version');
  return own(row, 'format') === FORMAT && typeof version === 'number' && version > VERSION ? version : undefined;
}

/** Returns the head with this code's version. Unknown fields are dropped when it is read. */
export const asThisVersion = (head: object): object => ({ ...head, version: VERSION });

/** The error for data that cannot be read. */
export function unreadable(error: unknown): StorageError {
  const where = error instanceof ValidationError ? error.where() : error instanceof Error ? error.message : 'unreadable';
  return new StorageError('damaged', `The stored conversation is damaged (${where}) and was set aside.`, error);
}
