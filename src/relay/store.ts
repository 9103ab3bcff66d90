/**
 * The store of a relay: active answers, for readers that lost their connection, and the request counts. Kept in memory
 * or shared by several relays in Redis. The rate limiter here keeps a token bucket for each client.
 */

/** One server-sent event of an answer. `seq` counts from 1 without gaps; its id is `<stream>.<seq>`. */
export interface StreamEvent {
  readonly seq: number;
  /** `done` and `error` are the last of their stream. */
  readonly event: 'message' | 'done' | 'error';
  /** The event's data as JSON. */
  readonly data: string;
}

/** Commands of readers, on any relay, to the relay that writes a stream. */
export interface StreamOrders {
  /** Stops the answer. */
  stop(): void;
  /** Tells the writer that its reader has reconnected elsewhere, so that the old connection is dead. */
  resume(): void;
}

export interface FoundStream {
  /** The origin of the page that sent the request; '' if it came from no page. */
  origin: string;
  /** The number of the oldest event that is still stored. */
  first: number;
  /** The number of the last event, once the stream has ended. */
  end?: number;
}

export interface StreamStore {
  /**
   * Begins a stream. Its events are kept within the limits; the oldest are dropped first. `holder`: the client, as named for `rateLimit`. A
   * store uses it so that one client cannot evict the answers of others.
   */
  begin(id: string, origin: string, orders: StreamOrders, holder?: string): void;
  /**
   * Adds events, in order. Returns at once and never throws: an answer continues even if it cannot be stored. A dropped stream stays
   * dropped.
   */
  append(id: string, events: readonly StreamEvent[]): void;
  /** Finds a stream. `undefined`: it does not exist, or no longer. */
  find(id: string): Promise<FoundStream | undefined>;
  /**
   * Yields the events after `after`, and then new ones, until the last event or until `signal` aborts. Requesting the next piece means that
   * the previous one has been read.
   *
   * Throws if events in between are missing, or if the relay that wrote the stream is gone. It never ends silently before the last event.
   */
  follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<readonly StreamEvent[], void>;
  /** Returns the last event that a follower has read; `undefined` if there is no follower. */
  position(id: string): Promise<number | undefined>;
  /** Forwards a command to the relay that writes the stream. */
  order(id: string, order: keyof StreamOrders): Promise<void>;
}

export interface StateAbout {
  /** The client that wrote the state, as named for `rateLimit`. A store uses it so that one client cannot evict the states of others. */
  holder: string;
  /** True if a call is open or a reply is being written: a client that loses such a state cannot continue. */
  isOpen: boolean;
}

/** Small texts by key, changed by compare-and-swap. */
export interface StateStore {
  /** Reads a value. `undefined`: it does not exist, or no longer. */
  read(key: string): Promise<{ value: string; version: number } | undefined>;
  /**
   * Writes the value if it has not changed since `version` was read (0: it did not exist), and keeps it for `ageMs` milliseconds; 0 deletes
   * it. `about` helps a store with little room to choose which state to drop.
   *
   * Resolves to whether it was written.
   */
  swap(key: string, version: number, value: string, ageMs: number, about?: StateAbout): Promise<boolean>;
}

export interface RelayStore {
  readonly streams: StreamStore;
  /** Required for `orchestration: 'relay-gated'` only. */
  readonly states?: StateStore;
  /** Takes one token from the client's bucket. Resolves to 0 if there was one, otherwise to the whole seconds until the next. */
  takeToken(client: string, limit: RateLimit): Promise<number>;
  /** True if the store currently fails or is slow, such as without its server; reported at `/healthz`. */
  troubled?(): boolean;
  /** Closes connections and timers. */
  close(): Promise<void>;
}

/** Limits of the stored answers. */
export interface ReplayLimits {
  /**
   * Maximum bytes of all answers, in memory. Default 64,000,000. The client with the most loses its ended answers first, then the oldest
   * events of active ones, whose streams can still be found.
   */
  bytes: number;
  /** Maximum bytes of one answer. A relay reads ahead of an absent client by at most half of it. Default 1,000,000. */
  streamBytes: number;
  /** Milliseconds for which a stream can be requested after its end. Default 60,000. */
  ageMs: number;
}

export const defaultReplayLimits: ReplayLimits = { bytes: 64_000_000, streamBytes: 1_000_000, ageMs: 60_000 };

/** The bytes counted for a stream in addition to its events. */
export const STREAM_BYTES = 1_000;

/** Returns the bytes counted for an event: two per UTF-16 unit (UTF-8 needs three at worst), and the objects around it. */
export const sizeOf = ({ data }: StreamEvent): number => 2 * data.length + 96;

export const isLast = ({ event }: StreamEvent): boolean => event !== 'message';

export interface RateLimit {
  requests: number;
  perMs: number;
}

/** Maximum number of buckets kept at once. */
const MAX_CLIENTS = 50_000;

/** Number of groups of buckets, by the tokens that they have left. */
const SHELVES = 4;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Creates a function that takes one token from a client's bucket. It returns 0 if there was one, otherwise the whole seconds until the
 * next. A bucket holds `requests` tokens and refills at `requests` per `perMs` milliseconds.
 *
 * If there are too many clients, those that have used the least are dropped first, so that a client cannot reset its used-up bucket by
 * sending requests from 50,000 addresses.
 */
export function createRateLimiter(now: () => number = Date.now): (client: string, limit: RateLimit) => number {
  // The first group has the emptiest buckets. A Map keeps the order of insertion, so its first entry has been unused longest.
  const shelves = Array.from({ length: SHELVES }, () => new Map<string, Bucket>());

  function take(client: string): Bucket | undefined {
    const shelf = shelves.find((one) => one.has(client));
    const bucket = shelf?.get(client);
    shelf?.delete(client);
    return bucket;
  }

  function forgetOne(perMs: number, at: number) {
    const [emptiest] = shelves[0]!;
    // It has refilled by now, so dropping it changes nothing.
    if (emptiest && at - emptiest[1].at >= perMs) return shelves[0]!.delete(emptiest[0]);
    const fullest = shelves.findLast((shelf) => shelf.size > 0);
    return fullest?.delete(fullest.keys().next().value!);
  }

  return (client, { requests, perMs }) => {
    const at = now();
    const last = take(client) ?? { tokens: requests, at };
    // A clock that was set back must not remove tokens.
    const tokens = Math.min(requests, last.tokens + (Math.max(0, at - last.at) * requests) / perMs);
    const taken = tokens >= 1;
    const left = taken ? tokens - 1 : tokens;
    // Drop another bucket before this one is added, so that this one stays.
    if (shelves.reduce((sum, { size }) => sum + size, 0) >= MAX_CLIENTS) forgetOne(perMs, at);
    shelves[left < 1 ? 0 : Math.min(SHELVES - 1, 1 + Math.floor((left / requests) * (SHELVES - 1)))]!.set(client, { tokens: left, at });
    return taken ? 0 : Math.max(1, Math.ceil(((1 - tokens) * perMs) / requests / 1000));
  };
}
