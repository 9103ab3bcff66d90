/** The types of a session other than its messages. */

/** One finished call, whatever its outcome. */
export interface ToolCallLog {
  /** Id of the session. */
  chatId: string;
  toolName: string;
  status: string;
  errorType?: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** The summary of a part of the conversation. */
export interface ChatSummary {
  chatId: string;
  summary: string;
  createdAt: number;
}

/** One decision in the trace: what was done, and one sentence for the user that says why. */
export interface TraceEntry {
  /** Milliseconds since the epoch. */
  at: number;
  /** Empty outside a turn. */
  turnId: string;
  /** A short, stable name, e.g. `ask`, `run`, `stop`. */
  what: string;
  requestId?: string;
  reason: string;
}

/** A part of the conversation whose state survives a reload. */
export interface KeptPart {
  /** Returns JSON data, at most some hundred kilobytes, or undefined for nothing. Called at most a few times a second. */
  save(): unknown;
  /** Restores what was stored. The data is unchecked: any script of the origin can have written it. Undefined resets the part. */
  load(kept: unknown): void;
}

/** A saved conversation, as a list shows it. */
export interface KeptConversation {
  id: string;
  /** The title that the user gave, or else the beginning of the first message. '' if there is neither. */
  title: string;
  /** Milliseconds since the epoch. */
  updatedAt: number;
  /** True if it is the conversation on screen. */
  isOpen: boolean;
}

/** The list of conversations that `storage` saves. */
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
