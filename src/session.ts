/** What is known of a session besides its messages. Floor 0. */

/** One call that has ended, however it ended (S4-55). */
export interface ToolCallLog {
  /** The session. */
  chatId: string;
  toolName: string;
  status: string;
  errorType?: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** What a stretch of the conversation came to (S4-31). */
export interface ChatSummary {
  chatId: string;
  summary: string;
  createdAt: number;
}

/** One decision: what was done, and why, in one sentence for people (S4-13). */
export interface TraceEntry {
  /** Milliseconds since the epoch. */
  at: number;
  /** Empty outside of a turn. */
  turnId: string;
  /** A short, stable name, e.g. `ask`, `run`, `stop`; see `conversation/trace.ts`. */
  what: string;
  requestId?: string;
  reason: string;
}
