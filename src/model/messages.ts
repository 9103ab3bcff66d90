/** The types of a chat message. */
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
  /** Number of tool rounds in the turn. */
  rounds: number;
}

/** The user's rating of a reply. */
export interface Feedback {
  value: 'up' | 'down';
  /** The reason in the user's words. */
  reason?: string;
}

export interface ChatMessage {
  id: string;
  role: 'user' | 'assistant' | 'tool' | 'system';
  /** The text that the user reads, without the markup of calls. */
  text: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  status: { type: 'running' | 'complete' | 'cut' | 'cancelled' | 'error' };
  reasoning?: string;
  /** The text with the markup of its calls, as it goes back to the model. */
  raw?: string;
  attachments?: Attachment[];
  metadata: {
    toolCallsRequested?: { requestId: string; toolName: string; args: object; status: RequestStatus; error?: string }[];
    toolCall?: { requestId: string; toolName: string; status: CallStatus; durationMs: number; rawArgs?: object };
    finishReason?: string;
    usage?: { input: number; output: number };
    model?: string;
    /** True if the reply came from the page's answer cache and nothing was sent. */
    cached?: true;
    /** True if a piece of the reply could not be read. The text continues after the gap. */
    incomplete?: true;
    /** True if the message comes from an imported file, whatever role it claims. */
    imported?: true;
    /** The limit that ended the turn with this reply. A note below the reply says so and offers to continue. */
    limit?: TurnLimit;
    /** On a message of the user: it was sent with `tools: false`. So are its retries and edits. */
    withoutTools?: true;
    /** On a reply: the untrusted content in the request that it answers. */
    taintedBy?: TaintSource;
    /** On a reply: the user's rating. Never sent. */
    feedback?: Feedback;
  };
}

/** One piece of an assistant message, in the order it was written. */
export type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'call'; requestId: string }
  /** `id` is the id of this position in the conversation. The plan changes until it is finished or another one replaces it. */
  | { type: 'plan'; id: string; plan: TaskPlan }
  | { type: 'clarify'; clarify: Clarify };

export type TurnReason = 'stop' | 'length' | 'cut' | 'cancelled' | 'error' | 'limit' | 'budget' | 'denied';

/** The result that `sendMessage` resolves with. It never rejects because of the network, the model or a tool. */
export interface TurnResult {
  success: boolean;
  reason: TurnReason;
  /** The visible text of the last reply. */
  text: string;
  results: PublishedResult[];
  error?: ChatError;
}
