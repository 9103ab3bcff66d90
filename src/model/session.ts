/** What is known of a session besides its messages. */

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

/** Something that a part of the conversation wants to have back after a reload. */
export interface KeptPart {
  /** JSON data, at most some hundred kilobytes; undefined = nothing. Asked at most a few times a second. */
  save(): unknown;
  /** What was stored, unchecked: any script of the origin can have written it. Undefined: forget. */
  load(kept: unknown): void;
}
