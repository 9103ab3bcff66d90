/** What the chart keeps about a conversation. Plain data and actor references; nothing here is shown as it is. */
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

/** Why a turn failed: what the transport names, and what only a conversation can run into. Without words; see `failure-text.ts`. */
export interface TurnFailure extends Omit<ReplyFailure, 'kind'> {
  kind: ReplyFailure['kind'] | TurnLimit['kind'] | 'locked' | 'load' | 'code' | 'hidden' | 'framed' | 'reload' | 'budget';
  /** The tool that was to be called. */
  tool?: string;
  /** What the server asked to wait, when that is too long to wait by itself. */
  retryAfterMs?: number;
  /** Tokens a session may use, where it has used them. */
  budget?: number;
  /** A simpler mode that a person can have instead. */
  offer?: 'whole' | 'plain';
  /** Rounds of tools that the turn had, where a limit ended it. */
  rounds?: number;
  /** The call that could not be read was cut off by the answer's length limit. */
  isCutOff?: true;
}

/** What a service asks a person about a call of its own; `keep` goes back unread. */
export type ServiceApproval = NonNullable<ServiceTool['approval']>;

/** A complete call as the parser gave it. */
export interface ParsedCall extends RequestedCall {
  arguments: Readonly<Record<string, unknown>>;
}

/** Another tool is to do what the first one could not: a call of its own, through the same checks. */
export interface StandIn {
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

/** One call through its whole life: what is kept of it (`storage/stored-call.ts`), and what only this page knows. */
export interface CallRecord extends StoredCall {
  /** Its turn has come; the journal is being asked. */
  starting: boolean;
  /** What a person can allow beyond it, in words. */
  offers?: readonly string[];
  /** Of its tool; known once it was checked. */
  resources: readonly string[];
  /** A person allowed it: it need not wait for earlier calls. */
  byPerson: boolean;
  /** A person's change of its arguments; see `CardEdit`. */
  edit?: EditState;
  /** It may be looked at: what its reply follows is settled. */
  released?: true;
}

/** Why a step of a rehearsal is looked at again: it would do something else now, one before it would, or one before it is another or gone. */
export type RecallReason = 'drift' | 'behind' | 'changed';

/** How far the editing of a call has come. */
export type EditState = Pick<CardEdit, 'answered' | 'checking' | 'problem'>;

/** What the chart of a call tells of it, field by field, besides its state. */
export type CallChange = Partial<Omit<CallRecord, 'requestId'>>;

/** A call that has ended is marked with this, in addition to its result. */
export type Fate = NonNullable<StoredCall['fate']>;

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
  /** Out of the host's answer cache: nothing was sent. */
  cached?: true;
  /** A piece of it could not be read. */
  incomplete?: true;
  /** A call that was meant and is not there: the service announced it, or it is only in the reasoning. */
  missing?: 'announced' | 'thought';
}

/** A tool that the person has chosen: it has to be called, once, before any other. */
export interface Lock {
  tool: string;
  /** What people call it, where that is not its name. */
  label?: string;
  /** A reply without a call was answered by asking for it; that is done once. */
  asked: boolean;
}

export interface RestOfReply extends StoredReply {
  place: NonNullable<StoredReply['place']>;
}

export interface Turn {
  id: string;
  settings: Settings;
  /** Calls of the reply that is being read or worked on, in text order. */
  round: readonly string[];
  proof: Proof;
  /** Gone with the first execution of its tool, and where the person declines that. */
  lock: Lock | null;
  /** Rounds with at least one executed call; see `max-iterations`. */
  iterations: number;
  /** Rounds in a row in which nothing could be executed. */
  fruitless: number;
  /** By digest. */
  denied: Readonly<Record<string, number>>;
  executed: Readonly<Record<string, number>>;
  /** Tools that failed for good: not offered for the rest of the turn. */
  disabled?: readonly string[];
  attempts: { network: number; server: number };
  /** Of the last reply. */
  missing?: FinishedReply['missing'];
  /** The model was told that no call has come. Once a turn. */
  reminded?: true;
  /** The protocol whose calls could not be read again and again: the next requests are in another. */
  left?: string;
  results: readonly PublishedResult[];
  /** Absent where nothing is planned. */
  planning?: TurnPlanning;
  manual: boolean;
  /** Asked for once more: what is kept of it does not count. */
  anew?: true;
  /** A whole reply is to be replaced. */
  regenerates?: true;
  /** Out of a file: it goes on only where a person was asked. */
  imported?: true;
  /** Its rounds are used up: the model is asked to answer with what there is. */
  closing?: true;
  /** A person let it go on where a limit had ended the one before. */
  goOn?: true;
  /** A reply that another page began to read, and this one reads on. */
  rest?: RestOfReply;
  /** Its reply was cut by a reload: once its calls are settled it ends, and nothing more is asked for. */
  cut?: true;
  outcome: { reason: TurnReason; failure?: TurnFailure } | null;
}

/** A version that is not shown; see `branches.ts`. */
export interface Branch extends StoredBranch {
  calls: readonly CallRecord[];
}

export interface ConversationContext {
  messages: readonly ChatMessage[];
  /** What an assistant message is made of, by message id. */
  parts: Readonly<Record<string, readonly MessagePart[]>>;
  calls: readonly CallRecord[];
  /** Versions that are not shown. */
  branches?: readonly Branch[];
  turn: Turn | null;
  toolHistory: readonly PublishedResult[];
  failure: TurnFailure | null;
  retry: { attempt: number; of: number; at: number; delayMs: number } | null;
}

/** What a stored conversation gives back. Its turn, if it has one, goes on. */
export type Restored = Pick<ConversationContext, 'messages' | 'parts' | 'calls' | 'branches' | 'toolHistory' | 'turn' | 'failure'>;

/** A call that another page began, and what has to be found out about it; see `storage/recover.ts`. */
export interface Recovered {
  question: CallQuestion;
  /** It may have happened. */
  started: boolean;
  /** Of its tool, when it was called. */
  fingerprint?: string;
  /** A person had changed its arguments, and was not done with it. */
  edited?: Edited;
}

/** Arguments that a person wants instead of those of the model. */
export interface Edited {
  args: Readonly<Record<string, unknown>>;
  /** Those before the first edit. */
  original: Readonly<Record<string, unknown>>;
}

export interface Reopened {
  request: ParsedCall;
  manual: boolean;
  recovered: Recovered;
}

export type ConversationEvent =
  | { type: 'user.send'; turnId: string; message: ChatMessage; settings: Settings; tool?: Omit<Lock, 'asked'> }
  /** `goOn`: nothing failed, a limit was reached, and a person wants more of the same. */
  | { type: 'user.retry'; turnId: string; settings: Settings; goOn?: true }
  | { type: 'user.runTool'; turnId: string; request: ParsedCall; settings: Settings }
  /** `remember`: which of the offers to allow beyond this call. */
  | { type: 'user.allow'; requestId: string; digest: string; remember?: number; word?: string }
  | { type: 'user.deny'; requestId: string; digest: string; result: PublishedResult }
  | { type: 'call.granted'; call: Call }
  /** Other arguments for a call that waits. */
  | { type: 'user.edit'; requestId: string; digest: string; args: Readonly<Record<string, unknown>> }
  /** `reply` is what had arrived of a reply that is being read. */
  | { type: 'user.stop'; reason: TurnReason; reply?: FinishedReply }
  | { type: 'user.dismiss' }
  /** A question cannot be put, or can again. */
  | { type: 'ask.blocked'; failure: TurnFailure | null }
  | { type: 'user.clear' }
  /** A conversation from storage; `open` are the calls that go on, the last of `context.calls`. Only while idle. */
  | { type: 'restore'; context: Restored; open: readonly Reopened[] }
  | { type: 'user.truncate'; messageId: string }
  /** Another version of what follows the message `from`. */
  | { type: 'user.switch'; from: string; place: number }
  | { type: 'user.rate'; messageId: string; feedback: Feedback | null }
  | { type: 'call.opened' | 'call.closed' }
  /** The model's calls in this protocol cannot be read: the next request is in another. */
  | { type: 'protocol.left'; protocol: string }
  /** What is to be sent waits for the network, or no longer does. */
  | { type: 'network.gone' | 'network.back' }
  /** Other turns wait for this one, or none does. */
  | { type: 'queue.filled' | 'queue.emptied' }
  /** Memory sums up what was said; it has ended, failed or was stopped. */
  | { type: 'summary.begun' | 'summary.over' }
  | { type: 'call.found'; request: ParsedCall; messageId: string }
  | { type: 'call.broken'; broken: BrokenCall; messageId: string; result: PublishedResult }
  /** The calls that the reply's text made so far are only drafts, unless they have begun. */
  | { type: 'calls.withdrawn' }
  /** A call of the service's own doing; again when its result is there. */
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
      /** Its tool is not offered for the rest of the turn. */
      disable?: true;
      standIn?: StandIn;
    }
  /** The request tells of tools in the words of these hosts, which the page does not vouch for. */
  | { type: 'prompt.told'; strangers: readonly string[] }
  /** Whether the message is worth a plan, and how long the one is that is not finished yet. */
  | { type: 'plan.due'; over: boolean; steps: number }
  | {
      type: 'plan.found';
      messageId: string;
      id: string;
      plan: TaskPlan;
      /** Tools it names that there are not. */ unknown?: readonly string[];
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
  /** What the chart tells itself: calls wait for the end of the reply, or go on; the next reply is due; a phase is over. */
  | { type: 'calls.due'; proof: Proof }
  | { type: 'calls.held' | 'reply.again' | 'results.told' | 'turn.decided' | 'turn.answered' };

/** What the chart tells those who listen; the host's events are made of these. */
export type ConversationEmitted =
  | { type: 'call.waiting'; requestId: string }
  | { type: 'call.settled'; requestId: string; result: PublishedResult }
  | { type: 'round.settled'; requestIds: readonly string[] }
  /** Another conversation has taken this one's place. */
  | { type: 'restored' }
  | { type: 'turn.ended'; turnId: string; outcome: Omit<TurnResult, 'error'> & { failure?: TurnFailure } };

/** What is added to one request. */
export interface PlanningWords {
  /** The section that asks for a plan. */
  planFirst: boolean;
  /** Further sections: how far the plan is. */
  also: readonly string[];
  /** Said at the end, by nobody. */
  asks: readonly string[];
}

/** What the reader of a reply gets: the turn, and the message that the reply will become. */
export interface ReplyInput {
  turn: Turn;
  messageId: string;
  messages: ConversationContext['messages'];
  parts: ConversationContext['parts'];
  calls: readonly CallRecord[];
  /** What the model is told about plans in this request; the reader adds it. */
  planning?: PlanningWords;
}

/** What a turn knows about planning. */
export interface TurnPlanning {
  /** The message is worth a plan: the model is asked for one first. */
  over: boolean;
  /** Of the plan that this turn works on; 0 without one. Twice as many rounds are allowed, for a step takes a call and its answer. */
  steps: number;
  /** Why the last plan could not be used. The model is told so with the next request, once a turn. */
  problem?: BlockProblem;
  told?: true;
  /** Tools the plan names that there are not: the model is told so as long as the turn goes on. */
  unknown?: readonly string[];
  /** A reply that was nothing but a plan was answered by asking to carry it out. */
  pushed?: true;
}

/** How a call came out, and what is to be done about it. */
export interface Conclusion {
  type: 'concluded';
  result: PublishedResult;
  /** For people, below the result. */
  advice?: string;
  /** Not offered to the model for the rest of the turn. */
  disable?: true;
  /** Another tool is to do it, as a call of its own. */
  instead?: string;
  /** It failed, and a person decides whether it runs once more. */
  ask?: true;
  fate?: Fate;
}
