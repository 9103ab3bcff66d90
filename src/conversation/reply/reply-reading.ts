/** What the parts that read one reply share. */
import type { WireEvent } from '../../transports/wire.js';
import type { ConversationEvent, ReplyInput } from '../chart/chart-context.js';
import type { Services } from '../chart/services.js';
import type { Speaker } from '../request/prompt-input.js';
import type { Budget } from '../request/token-budget.js';
import type { ArrivingReply } from './arriving-reply.js';
import type { CallIds } from './call-ids.js';
import type { Connection } from './connection.js';
import type { Degrading } from './degrade.js';
import type { LiveReply } from './live-reply.js';
import type { SharedState } from './shared-state.js';

/** What replies are read with, one after the other. */
export interface ReplyParts {
  arriving: ArrivingReply;
  budget: Budget;
  degrading: Degrading;
  connection: Connection;
  shared: SharedState;
  /** Of the answers that may be looked up. */
  edition(): number;
  /** Another page reads on what ends here. */
  handedOn(): boolean;
}

export interface ReplyDependencies extends Services, Speaker, ReplyParts {
  createId(): string;
  /** Something visible was added. */
  onText(text: string): void;
  /** The reply is over, and this is all of its visible text. */
  onTextEnd(text: string): void;
  /** A call began or grew (told a few times a second, for each time costs as much as what has arrived); `partial` until it is complete. */
  onCall(call: { requestId: string; name: string; params: Record<string, unknown>; partial: boolean }): void;
  /** True if the call runs or has run. */
  hasBegun(requestId: string): boolean;
  /** Resolves when the call has its terminal status. */
  whenSettled(requestId: string): Promise<void>;
}

/** What reading one reply works with. */
export interface Reading {
  input: ReplyInput;
  /** The protocol this reply is read by. */
  protocolId: string;
  dependencies: ReplyDependencies;
  live: LiveReply;
  ids: CallIds;
  sendBack(event: ConversationEvent): void;
  isStopped(): boolean;
  /** Closes the connection: what follows is not wanted (`after-call`). */
  close(): void;
}

export type ToolPiece = WireEvent & { type: 'tool' };
