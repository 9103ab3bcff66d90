/** What a conversation remembers beyond its messages. */

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

/** Where long-term memory is kept. Default: IndexedDB with full text search. */
export interface MemoryStore {
  put(item: MemoryItem): Promise<void>;
  /** The most fitting first. */
  search(query: { text?: string; vector?: number[]; limit: number }): Promise<MemoryItem[]>;
  list(): Promise<MemoryItem[]>;
  delete(id: string): Promise<void>;
  clear(): Promise<void>;
}

/** What a summary holds. */
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
  /** Of long-term memory. Default: 500 items, 1,000 tokens in a request, one year. */
  limits?: { items?: number; tokens?: number; ageMs?: number };
  /**
   * `true`: where the person agrees, preferences are learnt from what the person writes, and told in later conversations. Needs
   * `memory="layered"`. Default: off, and nobody is asked.
   */
  profile?: boolean;
  /** Instead of asking the endpoint. */
  summarise?: (messages: readonly { role: string; text: string }[]) => Promise<Summary>;
}
