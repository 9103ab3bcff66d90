/** From what a database throws to the one error of everything that is kept. */
import { readField } from '../base/objects.js';
import { messageOf } from '../base/plain.js';
import { StorageError, type StorageReason } from './storage-error.js';

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
