/** The types of a conversation's memory beyond its messages. */

export type MemoryKind = 'fact' | 'preference' | 'entity' | 'slot' | 'summary';

export interface MemoryItem {
  id: string;
  kind: MemoryKind;
  text: string;
  vector?: number[];
  /** Milliseconds since the epoch. */
  createdAt: number;
  usedAt: number;
}

/** The storage of long-term memory. Default: IndexedDB with full text search. */
export interface MemoryStore {
  put(item: MemoryItem): Promise<void>;
  /** Resolves with the best matches first. */
  search(query: { text?: string; vector?: number[]; limit: number }): Promise<MemoryItem[]>;
  list(): Promise<MemoryItem[]>;
  delete(id: string): Promise<void>;
  clear(): Promise<void>;
}

/** The fields of a summary. */
export interface Summary {
  goal: string;
  done: string;
  open: string;
}

export interface MemoryOptions {
  /** Messages that are sent word for word. Default 20. */
  window?: number;
  /** Messages from one summary to the next. Default 10. */
  summaryEvery?: number;
  /** Kept in every request, never evicted. */
  slots?: Readonly<Record<string, string>>;
  /** Limits of long-term memory. Default: 500 items, 1,000 tokens in a request, one year. */
  limits?: { items?: number; tokens?: number; ageMs?: number };
  /**
   * `true`: if the user agrees, preferences are learned from the user's messages and added to later conversations. Needs
   * `memory="layered"`. Default: off, and the user is not asked.
   */
  profile?: boolean;
  /** Summarizes messages instead of the endpoint. */
  summarise?: (messages: readonly { role: string; text: string }[]) => Promise<Summary>;
}
