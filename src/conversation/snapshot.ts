/** What the conversation shows to the outside: plain data, never an xstate snapshot. Contract §2 State, §7 B. */
import type { CardView, PublishedResult, ToolUse } from '../calls.js';
import type { ChatError } from '../errors.js';
import type { Grant } from '../grants.js';
import type { ChatMessage, MessagePart } from '../messages.js';

/** Seed 004's six phases. */
export type Phase = 'idle' | 'plan' | 'tool_call' | 'tool_result' | 'decide' | 'respond';

/** What is going on inside a phase. */
export type Activity = 'streaming' | 'parsing' | 'awaitingApproval' | 'executing' | 'retrying' | 'summarising';

export type { Grant } from '../grants.js';

export interface SessionState {
  state: Phase;
  /** True only while a call waits for a person. */
  requiresConfirm: boolean;
  lastTool: string | null;
  /** One sentence; the full result stays in memory. */
  lastResultSummary: string | null;
  plan: null;
}

/** The state of the contract; what `subscribe` gives. */
export interface ConversationSnapshot {
  state: Phase;
  activities: readonly Activity[];
  messages: readonly ChatMessage[];
  /** From the user's message until idle, also while a card waits. */
  isLoading: boolean;
  error: string | null;
  currentTool: ToolUse | null;
  toolHistory: readonly PublishedResult[];
  /** Visible text of the reply that is arriving; empty otherwise. */
  streamingText: string;
  isToolExecuting: boolean;
  session: SessionState;
  grants: readonly Grant[];
}

/** A message and the order of what is in it. While it runs, `parts` is what has arrived so far. */
export interface MessageView {
  message: ChatMessage;
  parts: readonly MessagePart[];
  /** What to say below it, already in the reader's language: cut, stopped, too long. */
  note?: string;
  /** "Continue" is offered below it. */
  canContinue?: boolean;
}

export interface FailureView {
  error: ChatError;
  /** First sentence, then advice; already in the reader's language. */
  lines: readonly string[];
  canRetry: boolean;
  helpUrl?: string;
}

export interface RetryView {
  attempt: number;
  of: number;
  /** Epoch milliseconds of the next attempt. */
  at: number;
  /** False on the first, silent attempt. */
  visible: boolean;
}

/** What the elements draw: the snapshot, and what only a screen needs. Plain data. */
export interface ViewSnapshot extends ConversationSnapshot {
  /** User and assistant messages in order; `tool` messages appear as cards. */
  views: readonly MessageView[];
  /** By request id. */
  cards: Readonly<Record<string, CardView>>;
  failure: FailureView | null;
  retry: RetryView | null;
  /** Texts that wait to be sent after this turn, in order. */
  queue: readonly string[];
  /** A model is being fetched to this device, 0 to 1; absent otherwise. */
  loaded?: number;
}

/** Receives one running reply as it is read; tokens go here directly, never through the chart. */
export interface ReplyListener {
  text(text: string): void;
  reasoning(text: string): void;
  /** A call begins here: its card stands at this place in the text. */
  call(requestId: string): void;
  /** No more will come. */
  end(): void;
}

/** What the elements are handed: state down, requests up. Nothing on it approves. */
export interface ConversationSurface {
  readonly view: ViewSnapshot;
  /** Called at most once a microtask after something changed. Returns the unsubscriber. */
  subscribe(listener: (view: ViewSnapshot) => void): () => void;
  /** Replays the reply from its start, then follows it. Does nothing for a message that is not running. */
  follow(messageId: string, listener: ReplyListener): () => void;
  send(text: string): void;
  stop(): void;
  retry(): void;
  continue(): void;
  /** Takes back what a call did; with `back` also all that later calls did, the newest first. */
  undo(requestId: string, options?: { back?: boolean }): void;
  revoke(grantId: string): void;
  dismissError(): void;
}
