/** What the parts that read one reply share. */
import type { SetTimer } from '../../transports/watch.js';
import type { Wire, WireEvent } from '../../transports/wire.js';
import type { ConversationEvent, ReplyInput } from '../chart/chart-context.js';
import type { Speaker } from '../request/prompt-input.js';
import type { Budget } from '../request/token-budget.js';
import type { CallIds } from './call-ids.js';
import type { Connection } from './connection.js';
import type { Degrading } from './degrade.js';
import type { LiveReply } from './live-reply.js';
import type { UnseenDependencies } from './unseen.js';

export interface ReplyDependencies extends Speaker, Pick<UnseenDependencies, 'notices'> {
  wires: readonly Wire[];
  /** Opens the live reply of this message; called once for each attempt. */
  openLive(messageId: string): LiveReply;
  createId(): string;
  /** Something visible was added. */
  onText(text: string): void;
  budget: Budget;
  degrading: Degrading;
  connection: Connection;
  /** Another page reads on what ends here. */
  handedOn(): boolean;
  /** Of the answers that may be looked up. */
  edition(): number;
  /** Waits of this reader; `setTimeout`, or a test's clock. */
  setTimer: SetTimer;
  /** Resolves when the call has its terminal status. */
  whenSettled(requestId: string): Promise<void>;
  /** A model that has to be fetched first has come this far, 0 to 1. */
  onLoad(fraction: number): void;
  /** A call began or grew (told a few times a second, for each time costs as much as what has arrived); `partial` until it is complete. */
  onCall(call: { requestId: string; name: string; params: Record<string, unknown>; partial: boolean }): void;
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
