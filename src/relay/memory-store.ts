/** The store of a single relay, in memory. Limited by bytes and age; the oldest data of the client with the most is dropped first. */
import {
  createRateLimiter,
  defaultReplayLimits,
  isLast,
  sizeOf,
  STREAM_BYTES,
  type RelayStore,
  type ReplayLimits,
  type StreamEvent,
  type StreamOrders,
  type StateAbout,
  type StateStore,
} from './store.js';
import { unref } from './timeouts.js';

interface StoredStream {
  origin: string;
  holder: Holder;
  events: StreamEvent[];
  /** Number of events at the start of the list that count as dropped. */
  gone: number;
  bytes: number;
  end?: number;
  /** The time of its end, by the store's clock. */
  endedAt?: number;
  orders: StreamOrders;
  /** Callbacks that wake the readers that wait for more. */
  waiting: Set<() => void>;
  followers: number;
  position: number;
}

/** The streams of one client: those that run in the order of their start, the others in the order of their end. */
interface Holder {
  name: string;
  bytes: number;
  running: Map<string, StoredStream>;
  ended: Map<string, StoredStream>;
}

const PIECE_BYTES = 16_384;

const NONE: StreamOrders = { stop() {}, resume() {} };

/** @param now returns the time in milliseconds; tests pass their own clock */
export function createMemoryStore(options: Partial<ReplayLimits> = {}, now: () => number = Date.now): RelayStore {
  const limits = { ...defaultReplayLimits, ...options };
  const kept = new Map<string, StoredStream>();
  const holders = new Map<string, Holder>();
  const over = new Map<string, StoredStream>(); // the ended streams, in the order of their end
  let bytes = 0;
  let sweeping: ReturnType<typeof setTimeout> | undefined;
  const limiter = createRateLimiter(now);

  function holderOf(name: string): Holder {
    const holder = holders.get(name) ?? { name, bytes: 0, running: new Map(), ended: new Map() };
    holders.set(name, holder);
    return holder;
  }

  function count(holder: Holder, change: number) {
    holder.bytes += change;
    bytes += change;
  }

  function forget(id: string, stream: StoredStream) {
    const { holder } = stream;
    kept.delete(id);
    over.delete(id);
    holder.running.delete(id);
    holder.ended.delete(id);
    count(holder, -stream.bytes - STREAM_BYTES);
    if (holder.bytes === 0) holders.delete(holder.name);
    wakeFollowers(stream); // readers then see that it is gone
  }

  function isOld({ endedAt }: StoredStream): boolean {
    return endedAt !== undefined && now() - endedAt >= limits.ageMs;
  }

  function sweep() {
    for (const [id, stream] of over) {
      if (!isOld(stream)) return;
      forget(id, stream);
    }
  }

  /** Deletes each ended stream as soon as it expires, even if the store is not used: it contains a private conversation. */
  function sweepLater() {
    if (sweeping !== undefined || over.size === 0) return;
    const [oldest] = over.values();
    sweeping = setTimeout(
      () => {
        sweeping = undefined;
        sweep();
        sweepLater();
      },
      Math.max(1, limits.ageMs - (now() - oldest!.endedAt!)),
    );
    unref(sweeping);
  }

  /**
   * Frees bytes of the client that has the most, so that no client can drop the answers of those with fewer: its ended streams first, then
   * the oldest events of its running ones. A running stream itself stays, so that it can still be stopped or resumed.
   */
  function makeRoom() {
    const trimmed = new Set<Holder>();
    while (bytes > limits.bytes) {
      let largest: Holder | undefined;
      for (const one of holders.values()) if (one.bytes > (largest?.bytes ?? 0) && !trimmed.has(one)) largest = one;
      if (!largest) return;
      const [first] = largest.ended;
      if (first) {
        forget(...first);
        continue;
      }
      trimmed.add(largest);
      for (const stream of largest.running.values()) {
        if (bytes <= limits.bytes) return;
        trim(stream, () => bytes > limits.bytes);
        wakeFollowers(stream); // readers may wait for events that are gone
      }
    }
  }

  function trim(stream: StoredStream, isTooMuch: () => boolean) {
    const { events } = stream;
    while (stream.gone < events.length - 1 && isTooMuch()) {
      const size = sizeOf(events[stream.gone]!);
      stream.bytes -= size;
      count(stream.holder, -size);
      stream.gone += 1;
    }
    // Remove events in bulk: each `splice` has to move all that remain.
    if (stream.gone < events.length / 2) return;
    events.splice(0, stream.gone);
    stream.gone = 0;
  }

  return {
    streams: {
      begin(id, origin, orders, name = '') {
        const holder = holderOf(name);
        const stream = { origin, holder, events: [], gone: 0, bytes: 0, orders, waiting: new Set<() => void>(), followers: 0, position: 0 };
        kept.set(id, stream);
        holder.running.set(id, stream);
        count(holder, STREAM_BYTES);
        makeRoom();
      },

      append(id, events) {
        const stream = kept.get(id);
        if (!stream || stream.end !== undefined) return;
        for (const event of events) {
          const size = sizeOf(event);
          stream.events.push(event);
          stream.bytes += size;
          count(stream.holder, size);
          if (isLast(event)) {
            stream.end = event.seq;
            stream.endedAt = now();
            stream.orders = NONE; // the callbacks would keep the answer and its data in memory
            over.set(id, stream);
            stream.holder.running.delete(id);
            stream.holder.ended.set(id, stream);
            sweepLater();
          }
        }
        if (stream.bytes > limits.streamBytes) trim(stream, () => stream.bytes > limits.streamBytes);
        makeRoom();
        wakeFollowers(stream);
      },

      find(id) {
        const stream = kept.get(id);
        if (!stream || isOld(stream)) return Promise.resolve(undefined);
        const { origin, events, gone, end } = stream;
        return Promise.resolve({ origin, first: events[gone]?.seq ?? 1, ...(end !== undefined && { end }) });
      },

      async *follow(id, after, signal) {
        const stream = kept.get(id);
        if (!stream || isOld(stream)) throw new Error('There is no such stream.');
        stream.followers += 1;
        try {
          for (let at = after; !signal.aborted;) {
            stream.position = Math.max(stream.position, at);
            const { events, gone, end } = stream;
            const first = events[gone]?.seq ?? at + 1;
            // A running stream that was dropped gets no more events.
            if (first > at + 1 || (kept.get(id) !== stream && end === undefined)) throw new Error('The stream was forgotten.');
            const next = pieceOf(events, gone + at + 1 - first);
            if (next.length > 0) {
              yield next;
              at = next.at(-1)!.seq;
            }
            if (end !== undefined && at >= end) return;
            if (next.length === 0) await waitForEvents(stream, signal);
          }
        } finally {
          stream.followers -= 1;
        }
      },

      position(id) {
        const stream = kept.get(id);
        return Promise.resolve(stream && stream.followers > 0 ? stream.position : undefined);
      },

      order(id, order) {
        const stream = kept.get(id);
        if (stream?.end === undefined) stream?.orders[order]();
        return Promise.resolve();
      },
    },

    states: createMemoryStates(now),
    takeToken: (client, limit) => Promise.resolve(limiter(client, limit)),

    close() {
      clearTimeout(sweeping);
      for (const [id, stream] of kept) forget(id, stream);
      return Promise.resolve();
    },
  };
}

/** Returns a limited number of events: a reader that does not read would hold a copy of all of them. */
function pieceOf(events: readonly StreamEvent[], from: number): StreamEvent[] {
  let to = from;
  for (let size = 0; to < events.length && size < PIECE_BYTES; to++) size += sizeOf(events[to]!);
  return events.slice(from, to);
}

function wakeFollowers(stream: StoredStream) {
  if (stream.waiting.size === 0) return;
  for (const go of [...stream.waiting]) go();
}

function waitForEvents(stream: StoredStream, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      stream.waiting.delete(go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    stream.waiting.add(go);
    signal.addEventListener('abort', go);
    if (signal.aborted) go();
  });
}

/** Maximum number of states. A state has at most about 30 KB. */
const MOST = 2_000;

interface StoredState extends StateAbout {
  value: string;
  version: number;
  until: number;
}

/**
 * Keeps the states of conversations, bounded by number and age.
 *
 *   @param now returns the time in milliseconds; tests pass their own clock
 */
export function createMemoryStates(now: () => number = Date.now, most = MOST): StateStore {
  const kept = new Map<string, StoredState>();
  /** The keys of each client, open ones apart from closed ones. The client and the key that have been unused longest come first. */
  const held = new Map<string, Record<'open' | 'closed', Set<string>>>();

  function remove(key: string) {
    const state = kept.get(key);
    if (!state) return;
    kept.delete(key);
    const { open, closed } = held.get(state.holder)!;
    open.delete(key);
    closed.delete(key);
    if (open.size + closed.size === 0) held.delete(state.holder);
  }

  function add(key: string, state: StoredState) {
    kept.set(key, state);
    const keys = held.get(state.holder) ?? { open: new Set(), closed: new Set() };
    keys[state.isOpen ? 'open' : 'closed'].add(key);
    held.delete(state.holder);
    held.set(state.holder, keys);
  }

  /** Removes expired states. One relay keeps all states equally long, so the expired ones come first. */
  function removeOld() {
    for (const [key, { until }] of kept) {
      if (until > now()) return;
      remove(key);
    }
  }

  /**
   * Removes one state of the client that has the most, so that no client can evict those of a client with fewer. The newest state stays.
   */
  function makeRoom(newest: string) {
    let largest = { open: new Set<string>(), closed: new Set<string>() };
    for (const keys of held.values()) if (countOf(keys) > countOf(largest)) largest = keys;
    for (const keys of [largest.closed, largest.open])
      for (const key of keys)
        if (key !== newest) {
          remove(key);
          return;
        }
  }

  return {
    read(key) {
      const found = kept.get(key);
      return Promise.resolve(found && found.until > now() ? { value: found.value, version: found.version } : undefined);
    },
    swap(key, version, value, ageMs, { holder, isOpen } = { holder: '', isOpen: true }) {
      const found = kept.get(key);
      const current = found && found.until > now() ? found.version : 0;
      if (current !== version) return Promise.resolve(false);
      remove(key); // added again below: a Map keeps the order of insertion
      removeOld();
      if (ageMs > 0) add(key, { value, version: version + 1, until: now() + ageMs, holder, isOpen });
      if (kept.size > most) makeRoom(key);
      return Promise.resolve(true);
    },
  };
}

const countOf = ({ open, closed }: Record<'open' | 'closed', Set<string>>): number => open.size + closed.size;
