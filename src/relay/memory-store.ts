/** The store of a relay that stands alone. Bounded by count, bytes and age; what is over is forgotten oldest first. */
import { createMemoryStates } from './memory-states.js';
import { createRateLimiter } from './rate-limit.js';
import { defaultReplayLimits, isLast, sizeOf } from './store.js';
import type { RelayStore, ReplayLimits, StreamEvent, StreamOrders } from './store.js';
import { letGo } from './within.js';

interface KeptStream {
  origin: string;
  events: StreamEvent[];
  bytes: number;
  end?: number;
  /** When it ended, by the store's clock. */
  endedAt?: number;
  orders: StreamOrders;
  /** Wakes those who wait for more. */
  waiting: Set<() => void>;
  followers: number;
  position: number;
}

/** @param now milliseconds; a test's own clock */
export function createMemoryStore(options: Partial<ReplayLimits> = {}, now: () => number = Date.now): RelayStore {
  const limits = { ...defaultReplayLimits, ...options };
  const kept = new Map<string, KeptStream>(); // in order of beginning
  let bytes = 0;
  let sweeping: ReturnType<typeof setTimeout> | undefined;
  const limiter = createRateLimiter(now);

  function forget(id: string, stream: KeptStream) {
    kept.delete(id);
    bytes -= stream.bytes;
    wake(stream); // they find it gone
  }

  function isOld({ endedAt }: KeptStream): boolean {
    return endedAt !== undefined && now() - endedAt >= limits.ageMs;
  }

  function sweep() {
    for (const [id, stream] of kept) if (isOld(stream)) forget(id, stream);
  }

  /** What nobody asks for again has to go by itself: it is somebody's conversation. */
  function sweepLater() {
    sweeping ??= setTimeout(() => {
      sweeping = undefined;
      sweep();
      if ([...kept.values()].some(({ endedAt }) => endedAt !== undefined)) sweepLater();
    }, limits.ageMs);
    letGo(sweeping);
  }

  /** Finished ones first: one that is running may still be needed. */
  function makeRoom() {
    const tooMuch = () => kept.size > limits.streams || bytes > limits.bytes;
    if (!tooMuch()) return;
    sweep();
    for (const running of [false, true])
      for (const [id, stream] of kept) {
        if (!tooMuch()) return;
        if (running === (stream.end === undefined)) forget(id, stream);
      }
  }

  return {
    streams: {
      begin(id, origin, orders) {
        kept.set(id, { origin, events: [], bytes: 0, orders, waiting: new Set(), followers: 0, position: 0 });
        makeRoom();
      },

      append(id, events) {
        const stream = kept.get(id);
        if (!stream || stream.end !== undefined) return;
        for (const event of events) {
          stream.events.push(event);
          stream.bytes += sizeOf(event);
          bytes += sizeOf(event);
          while (stream.bytes > limits.streamBytes && stream.events.length > 1) {
            const size = sizeOf(stream.events.shift()!);
            stream.bytes -= size;
            bytes -= size;
          }
          if (isLast(event)) {
            stream.end = event.seq;
            stream.endedAt = now();
            sweepLater();
          }
        }
        makeRoom();
        wake(stream);
      },

      find(id) {
        const stream = kept.get(id);
        if (!stream || isOld(stream)) return Promise.resolve(undefined);
        const { origin, events, end } = stream;
        return Promise.resolve({ origin, first: events[0]?.seq ?? 1, ...(end !== undefined && { end }) });
      },

      async *follow(id, after, signal) {
        const stream = kept.get(id);
        if (!stream || isOld(stream)) throw new Error('There is no such stream.');
        stream.followers += 1;
        try {
          for (let at = after; !signal.aborted;) {
            stream.position = Math.max(stream.position, at);
            const { events, end } = stream;
            const first = events[0]?.seq ?? at + 1;
            // A running stream that was forgotten gets no more events.
            if (first > at + 1 || (kept.get(id) !== stream && end === undefined)) throw new Error('The stream was forgotten.');
            const next = events.slice(at + 1 - first);
            if (next.length > 0) {
              yield next;
              at = next.at(-1)!.seq;
            }
            if (end !== undefined && at >= end) return;
            if (next.length === 0) await woken(stream, signal);
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

function wake(stream: KeptStream) {
  for (const go of [...stream.waiting]) go();
}

function woken(stream: KeptStream, signal: AbortSignal): Promise<void> {
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
