/** The door to what takes the calls of a reply: whoever can bring a first one waits until it is open, or comes in a file with it. */
import { load } from '../../base/load.js';
import type { ReplyPiece } from './block-reader.js';
import type { Reading } from './reply-reading.js';

/** What is known of the calls of one reply. */
export interface SinkState {
  found: boolean;
  foreign: string | undefined;
  /** So far, broken ones too. The one past the limit stands for all behind it: these are read, and leave nothing. */
  calls: number;
  incomplete: boolean;
  closed: boolean;
  secrets: boolean;
  /** The sources of calls that the text made, by their ids. */
  readonly sources: Map<string, string>;
  /** The model was seen to write its thoughts as an answer, and this reply does not show yet where they end. */
  mayBeDraft: boolean;
}

export interface CallTaker {
  take(segment: Exclude<ReplyPiece, { type: 'text' | 'reasoning' | 'was-reasoning' | 'hidden' }>): void;
  noteSecrets(name: string | undefined): void;
}

/** @param hold under `on-block`, what comes after this call waits for it */
export type MakeCallTaker = (reading: Reading, state: SinkState, hold: (requestId: string) => void) => CallTaker;

let make: MakeCallTaker | undefined;

export function setCallTaker(given: MakeCallTaker): void {
  make = given;
}

/** At once where it is there. */
export async function loadCallTaker(): Promise<void> {
  if (!make) await load(() => import('./call-sink.js'));
}

export const takerOf: MakeCallTaker = (...given) => {
  if (!make) throw new Error('What takes calls is not loaded.');
  return make(...given);
};
