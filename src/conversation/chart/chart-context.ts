/**
 * The data of the conversation's statechart: plain data and actor references. The view is derived from it and shows nothing of it directly.
 */
import type { Call, CardEdit, CardStatus, PublishedResult } from '../../model/calls.js';
import type { ChatMessage, Feedback, MessagePart, TurnLimit, TurnReason, TurnResult } from '../../model/messages.js';
import type { BlockProblem, TaskPlan } from '../../model/plan.js';

import type { CallErrorCode } from '../../protocols/protocol.js';
import type { CallQuestion } from '../../storage/recover.js';
import type { RequestedCall, StoredCall } from '../../storage/stored-call.js';
import type { StoredBranch, StoredReply } from '../../storage/stored-conversation.js';
import type { Failure as ReplyFailure } from '../../transports/failure.js';
import type { ServiceTool } from '../../transports/wire.js';
import type { Settings } from '../options/settings.js';

/**
 * The reason why a turn failed, as a code without text (see `failure-text.ts`): one of the transport's, or one that only a conversation can
 * run into.
 */
export interface TurnFailure extends Omit<ReplyFailure, 'kind'> {
  kind: ReplyFailure['kind'] | TurnLimit['kind'] | 'locked' | 'load' | 'code' | 'hidden' | 'framed' | 'reload' | 'budget';
  /** Name of the tool that should have been called. */
  tool?: string;
  /** The delay that the server asked for, in milliseconds, if it is too long to wait automatically. */
  retryAfterMs?: number;
  /** The token budget of the session, if it is used up. */
  budget?: number;
  /** A simpler mode that the user can switch to. */
  offer?: 'whole' | 'plain';
  /** Number of tool rounds that the turn had, if a limit ended it. */
  rounds?: number;
  /** The call that could not be read was cut off by the answer's length limit. */
  isCutOff?: true;
}

/** The approval request of a provider for a call that the provider runs. `keep` is opaque data that is sent back with the answer. */
export type ServiceApproval = NonNullable<ServiceTool['approval']>;

/** A complete call as the parser returned it. */
export interface ParsedCall extends RequestedCall {
  arguments: Readonly<Record<string, unknown>>;
}

/** A call of a tool's `fallback`. It passes the same checks as every call. */
export interface FallbackCall {
  request: ParsedCall;
  proof: Proof;
}

/** A call that could not be read. */
export interface BrokenCall {
  requestId: string;
  toolName: string;
  raw: string;
  problem: CallErrorCode;
  protocol: string;
}

/** A call from start to end: the saved fields (`storage/stored-call.ts`), and those that only this page knows. */
export interface CallRecord extends StoredCall {
  /** True if the call's turn has come and the last checks and the journal entry are still running. */
  starting: boolean;
  /** The broader permissions that the user can give with this call, as sentences. */
  offers?: readonly string[];
  /** The resources that its tool locks; empty until the call is checked. */
  resources: readonly string[];
  /** True if the user allowed the call: it does not wait for earlier calls. */
  byPerson: boolean;
  /** The state of the user's edit of the arguments; see `CardEdit`. */
  edit?: EditState;
  /** True if the call may be checked: the untrusted content that it follows is fixed. */
  released?: true;
}

/**
 * The reason for repeating the dry run of a step. `drift`: it would do something else now. `behind`: an earlier step would. `changed`: an
 * earlier step was replaced or removed.
 */
export type RecallReason = 'drift' | 'behind' | 'changed';

/** The progress of the user's edit of a call. */
export type EditState = Pick<CardEdit, 'answered' | 'checking' | 'problem'>;

/** The fields that the chart of a call reports with a change of its status. */
export type CallChange = Partial<Omit<CallRecord, 'requestId'>>;

/** A detail of the outcome of a call, in addition to its result. */
export type Fate = NonNullable<StoredCall['fate']>;

/** `proved` if the provider confirmed that the reply is complete. */
export type Proof = 'proved' | 'unproved';

/** A reply that has ended, as a whole. */
export interface FinishedReply {
  messageId: string;
  text: string;
  /** Absent if the rest was cut off. */
  raw?: string;
  reasoning: string;
  parts: readonly MessagePart[];
  finish: string;
  proof: Proof;
  usage?: { input: number; output: number };
  model?: string;
  /** True if the reply comes from the host's answer cache: no request was sent. */
  cached?: true;
  /** True if a part of the reply could not be read. */
  incomplete?: true;
  /** Set if a call was intended but is missing: `announced` by the provider, or `thought`, found only in the reasoning. */
  missing?: 'announced' | 'thought';
}

/** The tool that the user has chosen for the message: it must be called once, before any other. */
export interface PendingToolChoice {
  tool: string;
  /** The display name, if it is not the name of the tool. */
  label?: string;
  /** True if the model was asked for the call after a reply without it. That is done only once. */
  asked: boolean;
}

export interface ResumableReply extends StoredReply {
  place: NonNullable<StoredReply['place']>;
}

export interface Turn {
  id: string;
  settings: Settings;
  /** Calls of the reply that is being read or worked on, in text order. */
  round: readonly string[];
  proof: Proof;
  /** The chosen tool; null once the tool was executed or the user declined its call. */
  lock: PendingToolChoice | null;
  /** Number of rounds with at least one executed call; see `max-iterations`. */
  iterations: number;
  /** Number of consecutive rounds in which no call could be executed. */
  emptyRounds: number;
  /** Numbers of denied and executed calls, by digest. */
  denied: Readonly<Record<string, number>>;
  executed: Readonly<Record<string, number>>;
  /** Tools that failed permanently: they are not offered for the rest of the turn. */
  disabled?: readonly string[];
  attempts: { network: number; server: number };
  /** The `missing` of the last reply. */
  missing?: FinishedReply['missing'];
  /** True if the model was told that its call is missing. That is done once per turn. */
  reminded?: true;
  /** The protocol whose calls could not be read repeatedly: the next requests use another one. */
  abandonedProtocol?: string;
  results: readonly PublishedResult[];
  /** Absent if nothing is planned. */
  planning?: TurnPlanning;
  manual: boolean;
  /** True for a retried turn: a cached answer does not count. */
  isRetry?: true;
  /** True if the turn replaces a complete reply. */
  regenerates?: true;
  /** True if the turn comes from a file: it continues only if the user was asked. */
  imported?: true;
  /** True if the rounds are used up: the model is asked to answer with the results so far. */
  closing?: true;
  /** True if the user continued after a limit had ended the previous turn. */
  isContinuation?: true;
  /** A reply that another page began to read and this page resumes. */
  resumableReply?: ResumableReply;
  /** True if a reload cut the reply: once its calls are settled, the turn ends without another request. */
  cut?: true;
  outcome: { reason: TurnReason; failure?: TurnFailure } | null;
}

/** A hidden version; see `branches.ts`. */
export interface Branch extends StoredBranch {
  calls: readonly CallRecord[];
}

export interface ConversationContext {
  messages: readonly ChatMessage[];
  /** The parts of each assistant message, by message id. */
  parts: Readonly<Record<string, readonly MessagePart[]>>;
  calls: readonly CallRecord[];
  /** The hidden versions. */
  branches?: readonly Branch[];
  turn: Turn | null;
  toolHistory: readonly PublishedResult[];
  failure: TurnFailure | null;
  retry: { attempt: number; of: number; at: number; delayMs: number } | null;
}

/** The data that a stored conversation restores. If it has a turn, the turn continues. */
export type Restored = Pick<ConversationContext, 'messages' | 'parts' | 'calls' | 'branches' | 'toolHistory' | 'turn' | 'failure'>;

/** A call that another page began, and the question to settle about it; see `storage/recover.ts`. */
export interface Recovered {
  question: CallQuestion;
  /** True if the call may have taken effect. */
  started: boolean;
  /** The fingerprint of the tool when the call was made. */
  fingerprint?: string;
  /** The user's edit of the arguments, if it was not finished. */
  edited?: Edited;
}

/** The user's arguments instead of those of the model. */
export interface Edited {
  args: Readonly<Record<string, unknown>>;
  /** The arguments before the first edit. */
  original: Readonly<Record<string, unknown>>;
}

export interface Reopened {
  request: ParsedCall;
  manual: boolean;
  recovered: Recovered;
}

export type ConversationEvent =
  | { type: 'user.send'; turnId: string; message: ChatMessage; settings: Settings; tool?: Omit<PendingToolChoice, 'asked'> }
  /** `isContinuation`: nothing failed; the user continues after a limit. */
  | { type: 'user.retry'; turnId: string; settings: Settings; isContinuation?: true }
  | { type: 'user.runTool'; turnId: string; request: ParsedCall; settings: Settings }
  /** `remember`: index of the offer to allow beyond this call. */
  | { type: 'user.allow'; requestId: string; digest: string; remember?: number; word?: string }
  | { type: 'user.deny'; requestId: string; digest: string; result: PublishedResult }
  | { type: 'call.granted'; call: Call }
  /** Replaces the arguments of a waiting call. */
  | { type: 'user.edit'; requestId: string; digest: string; args: Readonly<Record<string, unknown>> }
  /** `reply` is the received part of a reply that is being read. */
  | { type: 'user.stop'; reason: TurnReason; reply?: FinishedReply }
  | { type: 'user.dismiss' }
  /** An approval cannot be shown to the user, or can again (`null`). */
  | { type: 'ask.blocked'; failure: TurnFailure | null }
  | { type: 'user.clear' }
  /** A conversation from the storage. `open` are the calls that continue; they are the last of `context.calls`. Sent only while idle. */
  | { type: 'restore'; context: Restored; open: readonly Reopened[] }
  | { type: 'user.truncate'; messageId: string }
  /** Shows another version of the messages after the message `from`. */
  | { type: 'user.switch'; from: string; place: number }
  | { type: 'user.rate'; messageId: string; feedback: Feedback | null }
  | { type: 'call.opened' | 'call.closed' }
  /** The model's calls in this protocol cannot be read: the next request uses another one. */
  | { type: 'protocol.left'; protocol: string }
  /** The request waits for the network, or no longer does. */
  | { type: 'network.gone' | 'network.back' }
  /** Other turns wait for this one, or none waits any more. */
  | { type: 'queue.filled' | 'queue.emptied' }
  /** Memory has begun to summarize the conversation, or the summary has ended, failed or was stopped. */
  | { type: 'summary.begun' | 'summary.over' }
  | { type: 'call.found'; request: ParsedCall; messageId: string }
  | { type: 'call.broken'; broken: BrokenCall; messageId: string; result: PublishedResult }
  /** The calls in the reply's text so far are only drafts, except those that have begun. */
  | { type: 'calls.withdrawn' }
  /** A call that the provider makes and runs; sent again when its result arrives. */
  | { type: 'call.served'; request: ParsedCall; messageId: string; result?: PublishedResult }
  | ({ type: 'call.changed'; requestId: string; status: CardStatus } & CallChange)
  | { type: 'call.undoing' | 'call.undone' | 'call.not-undone'; requestId: string }
  | {
      type: 'call.settled';
      requestId: string;
      result: PublishedResult;
      call?: Call;
      advice?: string;
      fate?: Fate;
      /** True if the tool is not offered for the rest of the turn. */
      disable?: true;
      fallbackCall?: FallbackCall;
    }
  /** The request contains tool descriptions from these hosts, which the page does not vouch for. */
  | { type: 'prompt.told'; strangers: readonly string[] }
  /** `over`: the message is worth a plan. `steps`: length of the unfinished plan. */
  | { type: 'plan.due'; over: boolean; steps: number }
  | {
      type: 'plan.found';
      messageId: string;
      id: string;
      plan: TaskPlan;
      /** Unknown tools that the plan names. */ unknown?: readonly string[];
    }
  | { type: 'plan.broken'; problem: BlockProblem }
  | { type: 'reply.ended'; reply: FinishedReply }
  | { type: 'reply.cut'; reply: FinishedReply; failure: TurnFailure }
  | {
      type: 'reply.failed';
      failure: TurnFailure;
      reply: FinishedReply;
      retry: { delayMs: number; attempt: number; of: number; class: 'network' | 'server' } | null;
    }
  /** Events that the chart sends to itself: calls wait for the end of the reply or continue; the next reply is due; a phase has ended. */
  | { type: 'calls.due'; proof: Proof }
  | { type: 'calls.held' | 'reply.again' | 'results.told' | 'turn.decided' | 'turn.answered' };

/** Events for listeners of the chart; the host's events derive from them. */
export type ConversationEmitted =
  | { type: 'call.waiting'; requestId: string }
  | { type: 'call.settled'; requestId: string; result: PublishedResult }
  | { type: 'round.settled'; requestIds: readonly string[] }
  /** Another conversation has replaced this one. */
  | { type: 'restored' }
  | { type: 'turn.ended'; turnId: string; outcome: Omit<TurnResult, 'error'> & { failure?: TurnFailure } };

/** Text about planning that is added to one request. */
export interface PlanningWords {
  /** True if the section that asks for a plan is added. */
  planFirst: boolean;
  /** More sections, on the progress of the plan. */
  also: readonly string[];
  /** Instructions at the end of the request, sent as user messages that are not part of the conversation. */
  asks: readonly string[];
}

/** The input of the reply reader: the turn, and the message that the reply will become. */
export interface ReplyInput {
  turn: Turn;
  messageId: string;
  messages: ConversationContext['messages'];
  parts: ConversationContext['parts'];
  calls: readonly CallRecord[];
  /** The text about plans in this request; the reader adds it. */
  planning?: PlanningWords;
}

/** The planning state of a turn. */
export interface TurnPlanning {
  /** True if the message is worth a plan: the model is asked for one first. */
  over: boolean;
  /**
   * Number of steps of the plan that this turn works on; 0 without a plan. A turn may have twice as many rounds, because a step takes a
   * call and its answer.
   */
  steps: number;
  /** The reason why the last plan could not be used. The next request tells the model, once per turn. */
  problem?: BlockProblem;
  told?: true;
  /** Unknown tools that the plan names. The model is told about them until the turn ends. */
  unknown?: readonly string[];
  /** True if the model was asked to carry out a plan after a reply with nothing else. */
  pushed?: true;
}

/** The outcome of a call and its consequences. */
export interface Conclusion {
  type: 'concluded';
  result: PublishedResult;
  /** A hint for the user, shown below the result. */
  advice?: string;
  /** True if the tool is not offered to the model for the rest of the turn. */
  disable?: true;
  /** Name of the fallback tool, which runs as a separate call. */
  instead?: string;
  /** True if the call failed and the user decides whether it runs once more. */
  ask?: true;
  fate?: Fate;
}
