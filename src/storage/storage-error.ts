/** The one error of everything that is kept: what went wrong, in a word that the screen can turn into a sentence. */
import { readField } from '../base/objects.js';
import { messageOf } from '../base/plain.js';

/**
 * `unavailable`: there is no storage here (private mode, opaque origin, switched off). `blocked`: another tab holds an old version open.
 * `newer`: what is there was made by a newer version. `full`: the quota is used up, or the bound of the area. `slow`: no answer in time.
 * `lost`: the connection was closed from outside, e.g. because the data was cleared. `damaged`: what is there cannot be read, and was set
 * aside. `unkept`: what should be kept is not of the shape that could be read again.
 */
export type StorageReason = 'unavailable' | 'blocked' | 'newer' | 'full' | 'slow' | 'lost' | 'damaged' | 'unkept';

export class StorageError extends Error {
  /** The `ChatError` code of all of them. */
  readonly code = 'STORAGE';
  readonly reason: StorageReason;

  constructor(reason: StorageReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StorageError';
    this.reason = reason;
  }
}

const REASONS: Readonly<Record<string, StorageReason>> = {
  QuotaExceededError: 'full',
  VersionError: 'newer',
  DataCloneError: 'unkept',
  SecurityError: 'unavailable',
};

const SENTENCES: Readonly<Partial<Record<StorageReason, string>>> = {
  full: 'The storage of this site is full.',
  newer: 'The storage was made by a newer version; reload the page.',
  unkept: 'This cannot be stored.',
  unavailable: 'This page has no storage.',
  lost: 'The storage was closed from outside.',
};

/** Whatever the database throws while it is open; what has no name of its own means that the connection or its data went away. */
export function asStorageError(error: unknown, otherwise: StorageReason = 'lost'): StorageError {
  if (error instanceof StorageError) return error;
  const name = readField(error, 'name');
  const reason = (typeof name === 'string' && Object.hasOwn(REASONS, name) && REASONS[name]) || otherwise;
  return new StorageError(reason, `${SENTENCES[reason] ?? ''} ${messageOf(error)}`.trim(), error);
}

/** The browser gives this page no storage at all, so nothing can be in it. */
export function hasNoStorage(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  const name = readField(cause, 'name');
  return name === 'SecurityError' || (name === 'ReferenceError' && asStorageError(error).reason === 'unavailable');
}
