/** What the conversation shows to the outside: plain data, never an xstate snapshot. */
import type { ConversationDesk } from './session.js';
import type { Call, CardView, PublishedResult, ToolUse } from './calls.js';
import type { ChatError } from '../base/errors.js';
import type { CheckReport } from './config-findings.js';
import type { Grant } from './grants.js';
import type { MemoryKind } from './memory.js';
import type { Attachment, ChatMessage, Feedback, MessagePart } from './messages.js';
import type { TaskPlan } from './plan.js';

/** Seed 004's six phases. */
export type Phase = 'idle' | 'plan' | 'tool_call' | 'tool_result' | 'decide' | 'respond';

/** What is going on inside a phase. */
export type Activity = 'streaming' | 'parsing' | 'awaitingApproval' | 'executing' | 'retrying' | 'summarising';

export type { Grant } from './grants.js';

export interface SessionState {
  state: Phase;
  /** True only while a call waits for a person. */
  requiresConfirm: boolean;
  lastTool: string | null;
  /** One sentence; the full result stays in memory. */
  lastResultSummary: string | null;
  /** The last plan of the conversation, as far as it is. */
  plan: TaskPlan | null;
}

/** The state that `subscribe` gives. */
export interface ConversationSnapshot {
  /** The phase of the turn: `idle`, `plan`, `tool_call`, `tool_result`, `decide` or `respond`. */
  state: Phase;
  /** What happens within the phase, such as `streaming` or `awaitingApproval`. */
  activities: readonly Activity[];
  /** The messages of the shown version of the conversation, oldest first: frozen copies. */
  messages: readonly ChatMessage[];
  /** True from the user's message until the turn has ended, also while a call waits for approval. */
  isLoading: boolean;
  /** The last error as a sentence in the user's language; `null` when the next turn begins. */
  error: string | null;
  /** The call that is arriving or running; `partial` while its arguments arrive. `null` if there is none. */
  currentTool: ToolUse | null;
  /** The results of all calls that have ended, oldest first, with `status`, `message`, `data` and `durationMs`. */
  toolHistory: readonly PublishedResult[];
  /** The visible text of the reply that is arriving; '' otherwise. */
  streamingText: string;
  /** True while a tool runs. */
  isToolExecuting: boolean;
  /** A summary for code of your own: phase, last tool, last result, plan, and whether a call waits for approval. */
  session: SessionState;
  /** The permissions that the user gave beyond single calls: frozen. See `revoke`. */
  grants: readonly Grant[];
}

/** Which version is shown from a message on. */
export interface MessageBranch {
  /** Id of the message before it; '' at the beginning. */
  from: string;
  /** From 1. */
  at: number;
  of: number;
  /** Places of the versions beside it. */
  previous?: number;
  next?: number;
  /** So many calls of the other versions have changed something, or may have. */
  stay?: number;
  /** The outcome of at least one of them is unknown. */
  unsure?: true;
}

/** A message and the order of what is in it. While it runs, `parts` is what has arrived so far. */
export interface MessageView {
  message: ChatMessage;
  parts: readonly MessagePart[];
  /** What to say below it, already in the reader's language: cut, stopped, too long. */
  note?: string;
  /** "Continue" is offered below it. */
  canContinue?: boolean;
  /** It is the last answer, and can be asked for anew. */
  canRegenerate?: true;
  /** The person said it, and can say it otherwise. */
  canEdit?: true;
  /** It begins one of several versions of the conversation. */
  branch?: MessageBranch;
  /** What the message says where rules of the page let it be shown otherwise. */
  written?: string;
}

export interface FailureView {
  error: ChatError;
  /** First sentence, then advice; already in the reader's language. */
  lines: readonly string[];
  /** What the server said, cleaned, where the lines do not say it. */
  details?: string;
  canRetry: boolean;
  helpUrl?: string;
  /** A simpler mode can be tried: what its button says. */
  offer?: string;
}

/** A quiet line that can be closed. */
export interface NoticeView {
  id: string;
  text: string;
  /** What its button says, where it has one. */
  action?: string;
}

export interface RetryView {
  attempt: number;
  of: number;
  /** Epoch milliseconds of the next attempt. */
  at: number;
  /** False on a first attempt that comes within 2 s. */
  visible: boolean;
}

/** What the elements draw: the snapshot, and what only a screen needs. Plain data. */
export interface ViewSnapshot extends ConversationSnapshot {
  /** Under `memory="layered"`; absent while nothing is remembered. */
  remembered?: readonly RememberedView[];
  /** User and assistant messages in order; `tool` messages appear as cards. Of a long conversation the end comes before `messages`, which are always all. */
  views: readonly MessageView[];
  /** So many of `views` came before those that were shown first; absent for none. */
  prepended?: number;
  /** By request id. */
  cards: Readonly<Record<string, CardView>>;
  failure: FailureView | null;
  retry: RetryView | null;
  /** Nothing can be sent: the message waits for the network. */
  offline?: true;
  notices?: readonly NoticeView[];
  /** Some calls of a reply that only a person runs have run, others wait: what there is can be sent. */
  canSendResults?: true;
  /** While a link of a chain can be confirmed by a word: the words. */
  confirmWords?: readonly string[];
  /** There is a tool to choose. */
  hasTools?: boolean;
  /** Texts that wait to be sent after this turn, in order. */
  queue: readonly string[];
  /** What stood in the composer when the page was left; only where the conversation is kept. */
  draft?: string;
  /** Counts the conversations that were opened in place of the first one; absent for none. What is written belongs to the one before. */
  opened?: number;
  /** The task is being decomposed, or worked on by a plan; absent otherwise. */
  planning?: true;
  /** A model is being fetched to this device, 0 to 1; absent otherwise. */
  loaded?: number;
}

/** Something that is remembered, as a person sees it. */
export interface RememberedView {
  id: string;
  kind: MemoryKind;
  text: string;
  /** Set by the page: only the page can change it. */
  fixed?: true;
  /** Can be forgotten, but not changed. */
  lasting?: true;
}

/** What a person can do with what is remembered. */
export interface RememberedSurface {
  edit(id: string, text: string): void;
  /** @returns what puts it back */
  forget(id: string): () => void;
  /** Rejects when it could not be done. */
  forgetAll(): Promise<void>;
}

/** Receives one running reply as it is read; tokens go here directly, never through the chart. */
export interface ReplyListener {
  text(text: string): void;
  reasoning(text: string): void;
  /** A call begins here: its card stands at this place in the text. */
  call(requestId: string): void;
  /** A plan or questions stand here. */
  block?(part: Extract<MessagePart, { type: 'plan' | 'clarify' }>): void;
  /** The text so far was no answer. The whole message is told again. */
  restart?(): void;
  /** No more will come. */
  end(): void;
}

/** A tool that a person can choose for a message. */
export interface ToolChoice {
  name: string;
  label: string;
  icon?: string;
  risk: Call['risk'];
  /** A person is asked before each call. */
  asks?: boolean;
  /** What a person can say to have it called, in the words of its author. */
  says?: string;
}

/** What a person can do with a message, rarely. */
export interface MessageActions {
  /** `place`: of `MessageBranch`. */
  switchTo(from: string, place: number): void;
  /** `null` takes it back. */
  rate(id: string, feedback: Feedback | null): void;
}

/** What the elements are handed: state down, requests up. Nothing on it approves. */
export interface ConversationSurface {
  readonly view: ViewSnapshot;
  /** Called at most once a microtask after something changed. Returns the unsubscriber. */
  subscribe(listener: (view: ViewSnapshot) => void): () => void;
  /** Whoever looks at the first message wants what may stand before it, which is read then. */
  readOn?(): void;
  /** Replays the reply from its start, then follows it. Does nothing for a message that is not running. */
  follow(messageId: string, listener: ReplyListener): () => void;
  /** `tool`: the name of the tool that the message is for. */
  send(text: string, options?: { tool?: string; attachments?: readonly Attachment[] }): void;
  /** A message that waits to be sent is not: the one at this place of `queue`. False where it was too late, or another tab has to say so. */
  unqueue(at: number, text: string): boolean | void;
  /** What still waits for a person is not executed; the results there are go to the model. */
  sendResults(): void;
  /** What can be chosen now: usable tools in the order of registration. */
  tools(): Promise<readonly ToolChoice[]>;
  /** What the tool's own `render` draws of a call that has ended; undefined where it has none, or where that fails. */
  draw?(requestId: string): unknown;
  stop(): void;
  retry(): void;
  continue(): void;
  /** Another text instead of a message of the person; what followed it becomes another version. */
  edit(messageId: string, text: string): void;
  /** Takes back what a call did; with `back` also all that later calls did, the newest first. */
  undo(requestId: string, options?: { back?: boolean }): void;
  revoke(grantId: string): void;
  /** Absent until there is a conversation. */
  readonly messageActions?: MessageActions;
  readonly memory: RememberedSurface;
  /** The conversations beside this one. */
  readonly conversations?: ConversationDesk & { readonly kept: boolean };
  /** The conversation as a file, and its end. */
  readonly files?: {
    export(): Promise<object>;
    /** Rejects with a `TypeError` for what is no such file, and changes nothing then. */
    import(json: string): Promise<void>;
    clear(): Promise<void>;
  };
  dismissError(): void;
  /** What stands in the composer, to be kept. */
  draft?(text: string): void;
  answerNotice(id: string, how: 'close' | 'act'): void;
  /** Asks again in the simpler mode that the error bar offers. */
  takeOffer(): void;
  /** Finds out what is wrong with the way to the endpoint. Does not run the model. */
  checkConfiguration(): Promise<CheckReport>;
  /** The person has something to say about the error that is shown. */
  giveFeedback(): void;
}
