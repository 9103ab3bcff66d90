/** What a chat message is. */
import type { CallStatus, PublishedResult, TaintSource } from './calls.js';
import type { ChatError } from '../base/errors.js';
import type { Clarify, TaskPlan } from './plan.js';

export type RequestStatus =
  'pending' | 'queued' | 'awaiting_approval' | 'executing' | 'completed' | 'denied' | 'cancelled' | 'error' | 'interrupted';

export interface Attachment {
  type: string;
  name: string;
  url: string;
}

/** The limit that ended a turn. */
export interface TurnLimit {
  kind: 'limit' | 'repeat' | 'fruitless' | 'unreadable';
  /** Rounds of tools that the turn had. */
  rounds: number;
}

/** What a person thinks of an answer. */
export interface Feedback {
  value: 'up' | 'down';
  /** In the person's words. */
  reason?: string;
}

export interface ChatMessage {
  id: string;
  role: 'user' | 'assistant' | 'tool' | 'system';
  /** What people read: no markup of any call. */
  text: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  status: { type: 'running' | 'complete' | 'cut' | 'cancelled' | 'error' };
  reasoning?: string;
  /** With the markup of its calls, as it goes back to the model. */
  raw?: string;
  attachments?: Attachment[];
  metadata: {
    toolCallsRequested?: { requestId: string; toolName: string; args: object; status: RequestStatus; error?: string }[];
    toolCall?: { requestId: string; toolName: string; status: CallStatus; durationMs: number; rawArgs?: object };
    finishReason?: string;
    usage?: { input: number; output: number };
    model?: string;
    /** Out of the host's answer cache: nothing was sent. */
    cached?: true;
    /** A piece of the reply could not be read; the text goes on behind it. */
    incomplete?: true;
    /** It came out of a file, whoever it says has written it. */
    imported?: true;
    /** Of a reply: the turn ended with it, for it had reached this limit. Said below it, with the offer to go on. */
    limit?: TurnLimit;
    /** Of a reply: the request that it answers carried outside content, of this. */
    taintedBy?: TaintSource;
    /** Of a reply: what the person thinks of it. Never sent. */
    feedback?: Feedback;
  };
}

/** One piece of an assistant message, in the order it was written. */
export type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'call'; requestId: string }
  /** `id` is of the place in the conversation; the plan goes on changing until it is finished or another takes its place. */
  | { type: 'plan'; id: string; plan: TaskPlan }
  | { type: 'clarify'; clarify: Clarify };

export type TurnReason = 'stop' | 'length' | 'cut' | 'cancelled' | 'error' | 'limit' | 'budget' | 'denied';

/** What `sendMessage` resolves with. It never rejects for network, model or tool. */
export interface TurnResult {
  success: boolean;
  reason: TurnReason;
  /** The visible text of the last reply. */
  text: string;
  results: PublishedResult[];
  error?: ChatError;
}
