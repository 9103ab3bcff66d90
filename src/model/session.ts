/** What is known of a session besides its messages. */

/** One call that has ended, however it ended. */
export interface ToolCallLog {
  /** The session. */
  chatId: string;
  toolName: string;
  status: string;
  errorType?: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** What a stretch of the conversation came to. */
export interface ChatSummary {
  chatId: string;
  summary: string;
  createdAt: number;
}

/** One decision: what was done, and why, in one sentence for people. */
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
  /** Resolves with the saved conversations that have messages, the newest first. Without `storage` the list is empty. */
  listConversations(): Promise<KeptConversation[]>;
  /**
   * Begins a new conversation and resolves with its id; the one before stays saved. If the open one is empty, it is used. Without `storage` this is
   * `clear()`.
   */
  newConversation(): Promise<string>;
  /** Opens a saved conversation. Rejects with a `TypeError` for an id that is not listed. A reply that is arriving is left, as if the page were. */
  openConversation(id: string): Promise<void>;
  /** Gives a saved conversation a title of at most 120 characters. '' names it by its first words again. */
  renameConversation(id: string, title: string): Promise<void>;
  /** Deletes a saved conversation with its calls, its permissions and its summaries. If it is the open one, an empty one takes its place. */
  deleteConversation(id: string): Promise<void>;
}
