/** Converts errors of a database to `StorageError`. */
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
