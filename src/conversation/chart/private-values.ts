/** Values that leave the page as tokens only: what parts of a conversation may ask about them. */
import type { KeptPart } from '../../model/session.js';
import type { OutgoingRequest } from '../../transports/prepare-request.js';
import type { Settings } from '../options/settings.js';
import type { ConversationEvent } from './chart-context.js';

/** On a call whose arguments hold a value that was put back. */
export const PRIVATE_FLAG = 'private';

/** What hides and shows; loaded with the first value that is to be hidden. */
export interface Guard {
  /** As it is to leave the page. @throws when the setting cannot be read: nothing may leave then */
  outward<Value>(value: Value): Value;
  /** The same for many texts, as things are now. @throws like `outward` */
  hider(): (text: string) => string;
  /** As a person reads it. */
  inward<Value>(value: Value): Value;
  /** A request on its way: before and behind the host's own last look at it. */
  send(request: OutgoingRequest, look: Settings['beforeSend']): Promise<OutgoingRequest | null>;
  /** What reads a reply, so that it shows the values and calls with them. */
  reading<Reading extends Reader>(
    reading: Reading,
    sendBack: (event: ConversationEvent) => void,
  ): [reading: Reading, sendBack: (event: ConversationEvent) => void];
  readonly kept: KeptPart;
}

/** What a reply is read with, as far as values are put back there. */
export interface Reader {
  arriving: { open(messageId: string): WrittenReply };
  onText(text: string): void;
  onCall(call: { requestId: string; name: string; params: Record<string, unknown>; partial: boolean }): void;
}

/** Of a reply that is read, what is written of it and asked about it. */
export interface WrittenReply {
  readonly text: string;
  heldText: string;
  addText(text: string): void;
  addReasoning(text: string): void;
  takeBack(length: number): void;
  takeAsReasoning(sourceOf: (requestId: string) => string | undefined): void;
  openCallAt(requestId: string, name: string): void;
  placeCall(requestId: string): void;
  addBlock(part: object): void;
  finish(how: object): object;
  end(): void;
}

export interface Privacy {
  /** Undefined as long as nothing is to be hidden. Rejects where it cannot be loaded: then nothing may leave. */
  ready(now?: Pick<Settings, 'privateValues'>): Promise<Guard> | undefined;
  /** As it is to leave the page. Rejects when that cannot be said. */
  outward<Value>(value: Value): Promise<Value>;
  /** As a person reads it. */
  inward<Value>(value: Value): Value;
  /** The same settings, which let nothing out past it. */
  over(now: Settings): Settings;
  /** The body of the last request, as it left. */
  readonly sent: unknown;
  /** For `keeping.keep`. */
  readonly kept: KeptPart;
}
