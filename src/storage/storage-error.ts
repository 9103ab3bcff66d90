/** The common error of all storage. Its `reason` selects the message on screen. */

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
