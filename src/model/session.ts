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

/** A conversation that is kept, as a list shows it. */
export interface KeptConversation {
  id: string;
  /** What a person calls it; else the first words that were said in it. '' where there are none. */
  title: string;
  /** Milliseconds since the epoch. */
  updatedAt: number;
  /** It is the one that is shown. */
  isOpen: boolean;
}

/** The conversations that `storage` keeps beside one another. */
export interface ConversationDesk {
  /** Those in which something was said, the newest first. Without `storage`: none. */
  listConversations(): Promise<KeptConversation[]>;
  /**
   * Begins another one and resolves with its id; the one before stays where it is. An empty one is new enough. Without `storage` nothing can
   * stay: it is `clear()`.
   */
  newConversation(): Promise<string>;
  /** Rejects with a `TypeError` for an id that is not listed. A reply that is arriving is left as if the page were. */
  openConversation(id: string): Promise<void>;
  /** At most 120 characters are kept; '' = by its first words again. */
  renameConversation(id: string, title: string): Promise<void>;
  /** With its calls, its grants and what was summed up of it. In place of the one that is open, an empty one is begun. */
  deleteConversation(id: string): Promise<void>;
}
