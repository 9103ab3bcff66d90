/** The common error of all storage. Its `reason` selects the message on screen. */
import { readField } from '../base/objects.js';
import { messageOf } from '../base/plain.js';

/**
 * `unavailable`: there is no storage (private mode, opaque origin, switched off). `blocked`: another tab holds an old version open.
 * `newer`: a newer version made the data, which is left alone. `full`: the quota or the limit of the area is used up. `slow`: no answer in
 * time. `lost`: the connection was closed from outside, e.g. because the data was cleared. `damaged`: the data is unreadable and was set
 * aside. `unkept`: the data to save has a shape that could not be read back.
 */
export type StorageReason = 'unavailable' | 'blocked' | 'newer' | 'full' | 'slow' | 'lost' | 'damaged' | 'unkept';

export class StorageError extends Error {
  /** The `ChatError` code of every storage error. */
  readonly code = 'STORAGE';
  readonly reason: StorageReason;

  constructor(reason: StorageReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StorageError';
    this.reason = reason;
  }
}

/** Converts errors of a database to `StorageError`. */
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

/** Converts any error of an open database. One without a known name means that the connection or its data was lost. */
export function asStorageError(error: unknown, otherwise: StorageReason = 'lost'): StorageError {
  if (error instanceof StorageError) return error;
  const name = readField(error, 'name');
  const reason = (typeof name === 'string' && Object.hasOwn(REASONS, name) && REASONS[name]) || otherwise;
  return new StorageError(reason, `${SENTENCES[reason] ?? ''} ${messageOf(error)}`.trim(), error);
}

/** Checks whether the browser gives this page no storage at all. Then nothing can be stored in it. */
export function hasNoStorage(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  const name = readField(cause, 'name');
  return name === 'SecurityError' || (name === 'ReferenceError' && asStorageError(error).reason === 'unavailable');
}
