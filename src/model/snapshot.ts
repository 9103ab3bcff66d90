/** The state that a conversation publishes: plain data, never an xstate snapshot. */
import type { ConversationDesk } from './session.js';
import type { Call, CardView, PublishedResult, ToolUse } from './calls.js';
import type { ChatError } from '../base/errors.js';
import type { CheckReport } from './config-findings.js';
import type { Grant } from './grants.js';
import type { MemoryKind } from './memory.js';
import type { Attachment, ChatMessage, Feedback, MessagePart } from './messages.js';
import type { TaskPlan } from './plan.js';

/** The six phases of a turn. */
export type Phase = 'idle' | 'plan' | 'tool_call' | 'tool_result' | 'decide' | 'respond';

/** An activity within a phase. */
export type Activity = 'streaming' | 'parsing' | 'awaitingApproval' | 'executing' | 'retrying' | 'summarising';

export type { Grant } from './grants.js';

export interface SessionState {
  state: Phase;
  /** True only while a call waits for the user. */
  requiresConfirm: boolean;
  lastTool: string | null;
  /** One sentence. The full result stays in memory. */
  lastResultSummary: string | null;
  /** The last plan of the conversation, as far as it has arrived. */
  plan: TaskPlan | null;
}

/** The state that `subscribe` gives. */
export interface ConversationSnapshot {
  /** The phase of the turn: `idle`, `plan`, `tool_call`, `tool_result`, `decide` or `respond`. */
  state: Phase;
  /** The activities within the phase, such as `streaming` or `awaitingApproval`. */
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

/** The version of the conversation that is shown from a message on. */
export interface MessageBranch {
  /** Id of the message before it, or '' at the beginning. */
  from: string;
  /** Number of this version, from 1, and how many there are. */
  at: number;
  of: number;
  /** Numbers of the previous and the next version, if any. */
  previous?: number;
  next?: number;
  /** Number of calls in the other versions that have changed something, or may have. */
  stay?: number;
  /** True if the outcome of at least one of these calls is unknown. */
  unsure?: true;
}

/** A message and the order of its parts. While the reply runs, `parts` holds what has arrived so far. */
export interface MessageView {
  message: ChatMessage;
  parts: readonly MessagePart[];
  /** The note below the message in the user's language: cut off, stopped, too long. */
  note?: string;
  /** True if "Continue" is offered below the message. */
  canContinue?: boolean;
  /** True if this is the last reply and can be regenerated. */
  canRegenerate?: true;
  /** True if the user wrote the message and can edit it. */
  canEdit?: true;
  /** Set if the message begins one of several versions of the conversation. */
  branch?: MessageBranch;
  /** The original text, if the page's text rules display it differently. */
  written?: string;
}

export interface FailureView {
  error: ChatError;
  /** One sentence and then advice, in the user's language. */
  lines: readonly string[];
  /** The sanitized message of the server, if the lines do not contain it. */
  details?: string;
  canRetry: boolean;
  helpUrl?: string;
  /** Label of the button that tries a simpler mode, if there is one. */
  offer?: string;
}

/** A low-priority notice that the user can close. */
export interface NoticeView {
  id: string;
  text: string;
  /** Label of its button, if it has one. */
  action?: string;
}

export interface RetryView {
  attempt: number;
  of: number;
  /** Time of the next attempt, in milliseconds since the epoch. */
  at: number;
  /** False for a first attempt within 2 s. */
  visible: boolean;
}

/** The state that the elements render: the snapshot and display-only data. Plain data. */
export interface ViewSnapshot extends ConversationSnapshot {
  /** Set under `memory="layered"`; absent while nothing is remembered. */
  remembered?: readonly RememberedView[];
  /**
   * User and assistant messages in order; `tool` messages appear as cards. In a long conversation, the last views load before `messages`,
   * which is always complete.
   */
  views: readonly MessageView[];
  /** Number of views before those that were shown first. Absent if there are none. */
  prepended?: number;
  /** Cards by request id. */
  cards: Readonly<Record<string, CardView>>;
  failure: FailureView | null;
  retry: RetryView | null;
  /** True while the message waits for the network. */
  offline?: true;
  notices?: readonly NoticeView[];
  /** True if some of the reply's calls that only the user can run have run and others wait: the results so far can be sent. */
  canSendResults?: true;
  /** The confirmation words, while a call of a chain can be confirmed by one. */
  confirmWords?: readonly string[];
  /** True if there is a tool to choose. */
  hasTools?: boolean;
  /** Messages that will be sent after this turn, in order. */
  queue: readonly string[];
  /** The composer's text when the page was left. Only set if the conversation is saved. */
  draft?: string;
  /**
   * Number of conversations that were opened after the first one; absent for none. A change tells the composer that its draft belongs to
   * the previous conversation.
   */
  opened?: number;
  /** True while the task is being decomposed or worked on by a plan; absent otherwise. */
  planning?: true;
  /** Download progress of an on-device model, 0 to 1; absent otherwise. */
  loaded?: number;
}

/** A memory item, as the user sees it. */
export interface RememberedView {
  id: string;
  kind: MemoryKind;
  text: string;
  /** True if the page set the item: only the page can change it. */
  fixed?: true;
  /** True if the user can delete the item, but not edit it. */
  lasting?: true;
}

/** The user's actions on memory items. */
export interface RememberedSurface {
  edit(id: string, text: string): void;
  /** @returns a function that restores the item */
  forget(id: string): () => void;
  /** Rejects if the items could not be deleted. */
  forgetAll(): Promise<void>;
}

/** Receives a running reply as it is parsed. Tokens bypass the chart and come here directly. */
export interface ReplyListener {
  text(text: string): void;
  reasoning(text: string): void;
  /** A call begins at this point of the text: its card goes here. */
  call(requestId: string): void;
  /** A plan or questions belong at this point of the text. */
  block?(part: Extract<MessagePart, { type: 'plan' | 'clarify' }>): void;
  /** The text so far was not part of the reply. The whole message is sent again. */
  restart?(): void;
  /** The reply has ended. */
  end(): void;
}

/** A tool that the user can choose for a message. */
export interface ToolChoice {
  name: string;
  label: string;
  icon?: string;
  risk: Call['risk'];
  /** True if each call needs approval. */
  asks?: boolean;
  /** An example of what the user can say to have the tool called, in its author's words. */
  says?: string;
}

/** Less common actions of the user on a message. */
export interface MessageActions {
  /** Shows another version. `place` is a number of `MessageBranch`. */
  switchTo(from: string, place: number): void;
  /** Rates a reply. `null` removes the rating. */
  rate(id: string, feedback: Feedback | null): void;
}

/** The interface that the elements get: state goes down, requests go up. None of its methods approves a call. */
export interface ConversationSurface {
  readonly view: ViewSnapshot;
  /** Calls the listener at most once per microtask after a change. Returns a function that unsubscribes. */
  subscribe(listener: (view: ViewSnapshot) => void): () => void;
  /** Loads the older messages of a long conversation. Called when the user reaches the first message on screen. */
  readOn?(): void;
  /** Replays the reply from its start, then follows it. Does nothing for a message that is not running. */
  follow(messageId: string, listener: ReplyListener): () => void;
  /** `tool`: the name of the tool that the message is for. */
  send(text: string, options?: { tool?: string; attachments?: readonly Attachment[] }): void;
  /** Removes a queued message: `at` is its index in `queue`. Returns false if it is too late, or if another tab owns the queue. */
  unqueue(at: number, text: string): boolean | void;
  /** Sends the results so far to the model. Calls that still wait for the user are not executed. */
  sendResults(): void;
  /** Resolves with the tools that can be chosen now, in the order of registration. */
  tools(): Promise<readonly ToolChoice[]>;
  /** Returns the output of the tool's own `render` for a finished call; undefined if it has none or if it fails. */
  draw?(requestId: string): unknown;
  stop(): void;
  retry(): void;
  continue(): void;
  /** Replaces a message of the user by another text. The old continuation becomes another version. */
  edit(messageId: string, text: string): void;
  /** Undoes a call. With `back`, also undoes all later calls, the newest first. */
  undo(requestId: string, options?: { back?: boolean }): void;
  revoke(grantId: string): void;
  /** Absent until there is a conversation. */
  readonly messageActions?: MessageActions;
  readonly memory: RememberedSurface;
  /** The list of saved conversations. */
  readonly conversations?: ConversationDesk & { readonly kept: boolean };
  /** Export, import and deletion of the conversation. */
  readonly files?: {
    export(): Promise<object>;
    /** Rejects with a `TypeError` if the text is not a saved conversation, and then changes nothing. */
    import(json: string): Promise<void>;
    clear(): Promise<void>;
  };
  dismissError(): void;
  /** Saves the composer's text. */
  draft?(text: string): void;
  answerNotice(id: string, how: 'close' | 'act'): void;
  /** Retries in the simpler mode that the error bar offers. */
  takeOffer(): void;
  /** Finds out why the endpoint cannot be reached. Does not run the model. */
  checkConfiguration(): Promise<CheckReport>;
  /** Tells the page that the user wants to give feedback about the error that is shown. */
  giveFeedback(): void;
}
