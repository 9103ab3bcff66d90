/** Interfaces for private values, which leave the page only as tokens. */
import type { KeptPart } from '../../model/session.js';
import type { OutgoingRequest } from '../../transports/prepare-request.js';
import type { Settings } from '../options/settings.js';
import type { ConversationEvent } from './chart-context.js';

/** The flag of a call whose arguments contain a restored private value. */
export const PRIVATE_FLAG = 'private';

/** Replaces private values by tokens and back. It is loaded with the first value to hide. */
export interface Guard {
  /**
   * Returns the value as it may leave the page.
   * @throws if the setting cannot be read; then nothing may leave
   */
  tokenize<Value>(value: Value): Value;
  /** Returns the same function for many texts, with the current rules. @throws like `tokenize` */
  hider(): (text: string) => string;
  /** Returns the value as the user reads it. */
  detokenize<Value>(value: Value): Value;
  /** Hides values in a request before and after the host's `beforeSend`. */
  send(request: OutgoingRequest, look: Settings['beforeSend']): Promise<OutgoingRequest | null>;
  /** Wraps a reply reader, so that the reply and its calls have the original values. */
  reading<Reading extends Reader>(
    reading: Reading,
    sendBack: (event: ConversationEvent) => void,
  ): [reading: Reading, sendBack: (event: ConversationEvent) => void];
  readonly kept: KeptPart;
}

/** The parts of a reply reader in which values are restored. */
export interface Reader {
  arriving: { open(messageId: string): WrittenReply };
  onText(text: string): void;
  onCall(call: { requestId: string; name: string; params: Record<string, unknown>; partial: boolean }): void;
}

/** The methods of a streaming reply in which values are restored. */
export interface WrittenReply {
  readonly text: string;
  heldText: string;
  addText(text: string): void;
  addReasoning(text: string): void;
  removeTail(length: number): void;
  takeAsReasoning(sourceOf: (requestId: string) => string | undefined): void;
  openCallAt(requestId: string, name: string): void;
  placeCall(requestId: string): void;
  addBlock(part: object): void;
  finish(how: object): object;
  end(): void;
}

export interface Privacy {
  /** Returns undefined while there is nothing to hide. Rejects if the guard cannot be loaded; then nothing may leave. */
  ready(now?: Pick<Settings, 'privateValues'>): Promise<Guard> | undefined;
  /** Resolves with the value as it may leave the page. Rejects if that cannot be determined. */
  tokenize<Value>(value: Value): Promise<Value>;
  /** Returns the value as the user reads it. */
  detokenize<Value>(value: Value): Value;
  /** Returns the settings with `beforeSend`, `embed` and `summarise` wrapped, so that no value leaves unhidden. */
  over(now: Settings): Settings;
  /** The body of the last request, as it was sent. */
  readonly sent: unknown;
  /** For `keeping.keep`. */
  readonly kept: KeptPart;
}
