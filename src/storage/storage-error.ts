/** The one error of everything that is kept: what went wrong, in a word that the screen can turn into a sentence. */

/**
 * `unavailable`: there is no storage here (private mode, opaque origin, switched off). `blocked`: another tab holds an old version open.
 * `newer`: what is there was made by a newer version, and is left alone. `full`: the quota is used up, or the bound of the area. `slow`: no answer in time.
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
