/** What the chart keeps about a conversation. Plain data and actor references; nothing here is shown as it is. */
import type { Call, CardStatus, PublishedResult } from '../calls.js';
import type { ChatMessage, MessagePart, TurnReason, TurnResult } from '../messages.js';
import type { CallErrorCode } from '../protocols/protocol.js';
import type { Failure as ReplyFailure } from '../transports/failure.js';
import type { ServiceTool } from '../transports/wire.js';
import type { Phase } from './snapshot.js';
import type { Settings } from './settings.js';

/** Why a turn failed: what the transport names, and what only a conversation can run into. Without words; see `failure-text.ts`. */
export interface Failure extends Omit<ReplyFailure, 'kind'> {
  kind: ReplyFailure['kind'] | 'limit' | 'repeat' | 'locked' | 'load' | 'hidden' | 'framed';
  /** The tool that was to be called. */
  tool?: string;
  /** What the server asked to wait, when that is too long to wait by itself. */
  retryAfterMs?: number;
  /** Rounds of tools that the turn had, where a limit ended it. */
  rounds?: number;
}

/** What a service asks a person about a call of its own; `keep` goes back unread. */
export type Approval = NonNullable<ServiceTool['approval']>;

/** A complete call as the parser gave it. */
export interface CallRequest {
  requestId: string;
  toolName: string;
  arguments: Readonly<Record<string, unknown>>;
  raw: string;
  flags: readonly string[];
  /** The notation it was written in. */
  protocol: string;
  /** What the service calls it, under `native`. */
  providerId?: string;
  /** What some services want back with the call, unread. */
  signature?: string;
  /** Not a tool of the page: the service itself waits for a person's word, and is told under this id. */
  approval?: Approval;
}

/** A call that could not be read. */
export interface BrokenCall {
  requestId: string;
  toolName: string;
  raw: string;
  problem: CallErrorCode;
  protocol: string;
}

/** One call through its whole life. */
export interface CallRecord {
  requestId: string;
  toolName: string;
  messageId: string;
  params: Readonly<Record<string, unknown>>;
  raw: string;
  flags: readonly string[];
  status: CardStatus;
  /** Its turn has come; the journal is being asked. */
  starting: boolean;
  /** The tool was started: its effect may have happened. */
  started: boolean;
  /** What a person can allow beyond it, in words. */
  offers?: readonly string[];
  /** Of its tool; known once it was checked. */
  resources: readonly string[];
  /** A person allowed it: it need not wait for earlier calls. */
  byPerson: boolean;
  /** Made by the host's `executeToolManually`: not part of what the model said. */
  manual: boolean;
  /** The notation it was written in. */
  protocol: string;
  providerId?: string;
  signature?: string;
  approval?: Approval;
  /** Made and run by the service: shown, never executed or told here. */
  served?: true;
  /** The model is shown how to write it (`on-broken-call`: `repair`). */
  repair?: true;
  /** Its result brought outside content. */
  tainted?: boolean;
  call?: Call;
  result?: PublishedResult;
}

/** What the wire proved about the end of a reply. */
export type Proof = 'proved' | 'unproved';

/** A reply that is over, as one piece. */
export interface FinishedReply {
  messageId: string;
  text: string;
  /** Absent where the rest was cut off. */
  raw?: string;
  reasoning: string;
  parts: readonly MessagePart[];
  finish: string;
  proof: Proof;
  usage?: { input: number; output: number };
  model?: string;
}

/** A tool that the person has chosen: it has to be called, once, before any other (S4-47, S4-48). */
export interface Lock {
  tool: string;
  /** A reply without a call was answered by asking for it; that is done once. */
  asked: boolean;
}

export interface Turn {
  id: string;
  settings: Settings;
  /** Calls of the reply that is being read or worked on, in text order. */
  round: readonly string[];
  proof: Proof;
  /** Gone with the first execution of its tool. */
  lock: Lock | null;
  /** Rounds with at least one executed call; see `max-iterations`. */
  iterations: number;
  /** Rounds in a row in which nothing could be executed. */
  fruitless: number;
  /** By digest. */
  denied: Readonly<Record<string, number>>;
  executed: Readonly<Record<string, number>>;
  taintedBy?: { requestId: string; toolName: string };
  attempts: { network: number; server: number };
  results: readonly PublishedResult[];
  manual: boolean;
  outcome: { reason: TurnReason; failure?: Failure } | null;
}

export interface ConversationContext {
  messages: readonly ChatMessage[];
  /** What an assistant message is made of, by message id. */
  parts: Readonly<Record<string, readonly MessagePart[]>>;
  calls: readonly CallRecord[];
  turn: Turn | null;
  toolHistory: readonly PublishedResult[];
  failure: Failure | null;
  retry: { attempt: number; of: number; at: number; delayMs: number } | null;
  phase: Phase;
}

export type ConversationEvent =
  | { type: 'user.send'; turnId: string; message: ChatMessage; settings: Settings; tool?: string }
  | { type: 'user.retry'; turnId: string; settings: Settings }
  | { type: 'user.runTool'; turnId: string; request: CallRequest; settings: Settings }
  /** `remember`: which of the offers to allow beyond this call. */
  | { type: 'user.allow'; requestId: string; digest: string; remember?: number }
  | { type: 'user.deny'; requestId: string; digest: string; result: PublishedResult }
  | { type: 'call.granted'; call: Call }
  /** `reply` is what had arrived of a reply that is being read. */
  | { type: 'user.stop'; reason: TurnReason; reply?: FinishedReply }
  | { type: 'user.dismiss' }
  /** A question cannot be put, or can again. */
  | { type: 'ask.blocked'; failure: Failure | null }
  | { type: 'user.clear' }
  | { type: 'user.truncate'; messageId: string }
  | { type: 'call.opened' | 'call.closed' }
  | { type: 'call.found'; request: CallRequest; messageId: string }
  | { type: 'call.broken'; broken: BrokenCall; messageId: string; result: PublishedResult }
  /** A call of the service's own doing; again when its result is there. */
  | { type: 'call.served'; request: CallRequest; messageId: string; result?: PublishedResult }
  | {
      type: 'call.changed';
      requestId: string;
      status: CardStatus;
      call?: Call;
      byPerson?: boolean;
      resources?: readonly string[];
      offers?: readonly string[];
      started?: boolean;
    }
  | { type: 'call.undone'; requestId: string }
  | { type: 'call.settled'; requestId: string; result: PublishedResult; call?: Call; tainted?: boolean }
  | { type: 'reply.ended'; reply: FinishedReply }
  | { type: 'reply.cut'; reply: FinishedReply; failure: Failure }
  | {
      type: 'reply.failed';
      failure: Failure;
      reply: FinishedReply;
      retry: { delayMs: number; attempt: number; of: number; class: 'network' | 'server' } | null;
    };

/** What the chart tells those who listen; the host's events are made of these. */
export type ConversationEmitted =
  | { type: 'phase'; state: Phase; previous: Phase; reason: string }
  | { type: 'call.waiting'; requestId: string }
  | { type: 'call.settled'; requestId: string; result: PublishedResult }
  | { type: 'round.settled'; requestIds: readonly string[] }
  | { type: 'turn.ended'; turnId: string; outcome: Omit<TurnResult, 'error'> & { failure?: Failure } };
