/**
 * What a relay remembers: the answers that are being written, for readers who lost their connection, and who has asked how often. In
 * memory (`memory-store.ts`) or shared by several relays (`redis-store.ts`).
 */

/** One server-sent event of an answer. `seq` counts from 1 without gaps; its id is `<stream>.<seq>`. */
export interface StreamEvent {
  readonly seq: number;
  /** `done` and `error` are the last of their stream. */
  readonly event: 'message' | 'done' | 'error';
  /** JSON. */
  readonly data: string;
}

/** What the relay that writes a stream is told by readers, at whichever relay they are. */
export interface StreamOrders {
  /** Somebody wants no more of it. */
  stop(): void;
  /** A reader has come back on another connection: the one that the relay still knows leads nowhere. */
  resume(): void;
}

export interface FoundStream {
  /** The page's origin that asked; '' when it was no page. */
  origin: string;
  /** The oldest event that is still there. */
  first: number;
  /** The last event, once it is over. */
  end?: number;
}

export interface StreamStore {
  /** Begins a stream. What is written to it afterwards is kept within the limits, the oldest events are forgotten first. */
  begin(id: string, origin: string, orders: StreamOrders): void;
  /**
   * Adds events, in order. Returns at once and never throws: an answer goes on where it cannot be kept. A stream that was forgotten stays
   * forgotten.
   */
  append(id: string, events: readonly StreamEvent[]): void;
  /** `undefined`: there is no such stream, or no longer. */
  find(id: string): Promise<FoundStream | undefined>;
  /**
   * What comes after `after`, and then what is added, until the last event or until `signal`. Taking the next piece says that the one
   * before has been read.
   *
   * Throws when events are missing between, or when the relay that wrote the stream is gone: it never just ends.
   */
  follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<readonly StreamEvent[], void>;
  /** How far whoever follows it has read; `undefined` while nobody does. */
  position(id: string): Promise<number | undefined>;
  /** Passes an order on to the relay that writes the stream. */
  order(id: string, order: keyof StreamOrders): Promise<void>;
}

export interface StateAbout {
  /** The client that wrote the state, as `rateLimit` counts clients. Where several hold states, one alone cannot push out those of the others. */
  holder: string;
  /** A call is open or a reply is being written: a client that loses this state cannot go on. */
  isOpen: boolean;
}

/** Small texts under keys, each changed by one writer at a time. */
export interface StateStore {
  /** `undefined`: there is none, or no longer. */
  read(key: string): Promise<{ value: string; version: number } | undefined>;
  /**
   * Writes where nobody has written since `version` was read (0 = there was none), and keeps it for so many milliseconds; for 0 it is
   * forgotten. `about` helps a store with little room to choose what it forgets.
   */
  swap(key: string, version: number, value: string, ageMs: number, about?: StateAbout): Promise<boolean>;
}

export interface RelayStore {
  readonly streams: StreamStore;
  /** Needed for `orchestration: 'relay-gated'` alone. */
  readonly states?: StateStore;
  /** Takes one token of the client's bucket: 0 when there was one, else the whole seconds until the next. */
  takeToken(client: string, limit: RateLimit): Promise<number>;
  /** Whether it does without something right now, such as its server; for `/healthz`. */
  troubled?(): boolean;
  /** Lets go of connections and timers. */
  close(): Promise<void>;
}

/** How much of past answers is kept. */
export interface ReplayLimits {
  /** Bytes of all of them, in memory. Default 64,000,000; of those that still run the oldest events go last, and the stream is still found. */
  bytes: number;
  /** Bytes of one; also how far a relay reads ahead of a client that is away, in halves. Default 1,000,000. */
  streamBytes: number;
  /** Milliseconds that a stream can be asked for after its end. Default 60,000. */
  ageMs: number;
}

export const defaultReplayLimits: ReplayLimits = { bytes: 64_000_000, streamBytes: 1_000_000, ageMs: 60_000 };

/** What a stream costs beside its events. */
export const STREAM_BYTES = 1_000;

/** What an event costs: its text in UTF-8 at worst thrice its length, taken for twice, and the objects around it. */
export const sizeOf = ({ data }: StreamEvent): number => 2 * data.length + 96;

export const isLast = ({ event }: StreamEvent): boolean => event !== 'message';

export interface RateLimit {
  requests: number;
  perMs: number;
}
