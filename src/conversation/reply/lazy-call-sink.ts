/**
 * Gives access to the code that takes the calls of a reply (`call-sink.ts`). Code that may bring the first call waits until that is loaded,
 * or is bundled with it.
 */
import { load } from '../../base/load.js';
import type { ReplyPiece } from './block-reader.js';
import type { Reading } from './reply-reading.js';

/** The state of the calls of one reply. */
export interface SinkState {
  found: boolean;
  foreign: string | undefined;
  /** Number of calls so far, including broken ones. The first one past the limit is kept; those after it are read and dropped. */
  calls: number;
  incomplete: boolean;
  closed: boolean;
  secrets: boolean;
  /** The sources of calls that were found in the text, by their ids. */
  readonly sources: Map<string, string>;
  /** True if the model is known to write its reasoning as an answer, and this reply does not show yet where that ends. */
  mayBeDraft: boolean;
}

export interface CallSink {
  take(segment: Exclude<ReplyPiece, { type: 'text' | 'reasoning' | 'was-reasoning' | 'hidden' }>): void;
  noteSecrets(name: string | undefined): void;
}

/** @param hold under `on-block`, what comes after this call waits for it */
export type CreateCallSink = (reading: Reading, state: SinkState, hold: (requestId: string) => void) => CallSink;

let make: CreateCallSink | undefined;

export function setCallSink(given: CreateCallSink): void {
  make = given;
}

/** Loads the code that takes calls, if it is not there yet. */
export async function loadCallSink(): Promise<void> {
  if (!make) await load(() => import('./call-sink.js'));
}

export const callSinkOf: CreateCallSink = (...given) => {
  if (!make) throw new Error('What takes calls is not loaded.');
  return make(...given);
};
