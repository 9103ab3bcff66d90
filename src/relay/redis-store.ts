/**
 * A store that several relays share: Redis 6.2 or newer, through the package `redis`, which is loaded on demand.
 *
 * `tool-chat:stream:{id}` is a Redis stream whose entry ids are the numbers of the events, so no event can be added twice or out of order.
 * `tool-chat:about:{id}` holds the owner, the origin and the end. Messages only wake readers; the data comes from the stream alone. A relay
 * renews `tool-chat:relay:{owner}` while it writes: if that key expires before the end, readers get an error.
 */
import type { createClient } from 'redis';
import type { RelayLogger } from './relay-log.js';
import { importOptional } from './import-optional.js';
import { createMemoryStore } from './memory-store.js';
import {
  createRateLimiter,
  isLast,
  sizeOf,
  type FoundStream,
  type RelayStore,
  type ReplayLimits,
  type StreamEvent,
  type StreamOrders,
} from './store.js';
import { throttleLog } from './usage-report.js';
import { unref, withTimeout } from './timeouts.js';

export interface RedisStoreOptions extends ReplayLimits {
  logger: RelayLogger;
  /** Milliseconds after which a silent relay counts as dead. Default 5,000. */
  leaseMs?: number;
}

/** Maximum milliseconds to wait for the first connection, and for a command. */
const CONNECT_MS = 5_000;
const REPLY_TIMEOUT_MS = 2_000;

/** Maximum milliseconds to wait for a rate-limit token: every request waits for one. */
const TOKEN_MS = 100;
const SAY_AGAIN_MS = 60_000;

/** Interval in milliseconds at which the events of all streams are written in one batch. */
const BATCH_MS = 10;

/** Interval in milliseconds at which a reader polls, in case a message was lost. */
const LOOK_MS = 1_000;
const PAGE = 100;

/** A stream that this relay writes. */
interface StreamWriter {
  orders: StreamOrders;
  waiting: StreamEvent[];
  waitingBytes: number;
  /** True while a batch is being written. */
  busy: boolean;
  /** The events in Redis, oldest first. */
  kept: { seq: number; size: number }[];
  keptBytes: number;
}

/**
 * Connects to Redis. Rejects if the package `redis` is not installed. While Redis is unreachable, answers continue but cannot be resumed,
 * and each relay counts requests by itself.
 *
 * @param url `redis://…` or `rediss://…`
 */
export async function createRedisStore(url: string, options: RedisStoreOptions): Promise<RelayStore> {
  const { logger, streamBytes, ageMs, leaseMs = 5_000 } = options;
  const connect = await importRedis();
  const owner = crypto.randomUUID();
  const ttl = Math.ceil(Math.max(ageMs, 2 * leaseMs));
  const writings = new Map<string, StreamWriter>();
  const alone = createRateLimiter();
  const due = new Set<string>();
  let batch: ReturnType<typeof setTimeout> | undefined;
  /** True if the last token did not arrive in time. */
  let late = false;
  const sayLate = throttleLog(SAY_AGAIN_MS, () =>
    logger.warn({ ms: TOKEN_MS }, 'Redis is slow: this relay counts requests by itself where it does not answer in time'),
  );
  // A copy of this relay's own streams: readable here even if Redis fails.
  const own = createMemoryStore(options).streams;
  let beat: ReturnType<typeof setInterval> | undefined;
  let troubled = false;

  const client = open('commands');
  const subscriber = open('messages');
  await withTimeout<unknown>(Promise.allSettled([client.connect(), listen()]), CONNECT_MS, () => {});

  function open(name: string) {
    const made = connect({
      url,
      disableOfflineQueue: name === 'commands',
      commandsQueueMaxLength: 50_000,
      pingInterval: 10_000,
      socket: { connectTimeout: 2_000, reconnectStrategy: (tries) => Math.min(2_000, 50 * 2 ** Math.min(tries, 6)) },
    });
    made.on('error', (error: unknown) => trouble(error));
    made.on('ready', back);
    return made;
  }

  function back() {
    if (troubled) logger.info({}, 'Redis is back');
    troubled = false;
  }

  async function listen() {
    await subscriber.connect();
    await subscriber.subscribe(channels.orders(owner), (message) => {
      const [order, id] = message.split(' ') as [keyof StreamOrders, string];
      if (order === 'stop' || order === 'resume') writings.get(id)?.orders[order]();
    });
  }

  /** Logs once for each outage: a broken connection reports errors many times a second. */
  function trouble(error: unknown) {
    if (!troubled) logger.warn({ detail: error }, 'Redis cannot be used: answers are not kept, and each relay counts requests by itself');
    troubled = true;
  }

  /** Rejects if Redis does not answer in time. An answer in time marks it as healthy. */
  async function withReplyTimeout<T>(work: Promise<T>, ms = REPLY_TIMEOUT_MS): Promise<T> {
    const answer = await withTimeout(work, ms, () => {
      throw new Error('Redis takes too long to answer.');
    });
    back();
    return answer;
  }

  function keepAlive() {
    const renew = () => {
      const work = client.multi().set(keys.relay(owner), '1', { expiration: { type: 'PX', value: leaseMs } });
      for (const id of writings.keys()) work.pExpire(keys.stream(id), ttl).pExpire(keys.about(id), ttl);
      work.execAsPipeline().catch(trouble);
    };
    if (beat) return;
    renew();
    beat = setInterval(renew, leaseMs / 4);
    unref(beat);
  }

  function forget(id: string) {
    writings.delete(id);
    if (writings.size > 0) return;
    clearInterval(beat);
    beat = undefined;
  }

  function flushSoon(id: string) {
    due.add(id);
    batch ??= setTimeout(flushAll, BATCH_MS);
  }

  function flushAll() {
    clearTimeout(batch);
    batch = undefined;
    for (const id of due) {
      const writing = writings.get(id);
      if (writing && !writing.busy) void flush(id, writing);
    }
    due.clear();
  }

  /** Writes the batches of one stream one after another. Events that arrive meanwhile form the next batch. */
  async function flush(id: string, writing: StreamWriter) {
    writing.busy = true;
    while (writing.waiting.length > 0) {
      const events = writing.waiting.splice(0);
      writing.waitingBytes = 0;
      const last = events.at(-1)!;
      const work = client.multi();
      for (const { seq, event, data } of events) work.xAdd(keys.stream(id), `${seq}-0`, { event, data });
      const oldest = makeRoom(writing, events);
      if (oldest !== undefined) work.xTrim(keys.stream(id), 'MINID', `${oldest}-0`);
      if (isLast(last)) work.hSet(keys.about(id), 'end', last.seq).pExpire(keys.about(id), ttl);
      // In between, `keepAlive` renews the expiry.
      if (isLast(last) || events[0]!.seq === 1) work.pExpire(keys.stream(id), ttl);
      work.publish(channels.added(id), '');
      try {
        await withReplyTimeout(work.execAsPipeline());
      } catch (error) {
        // These events are not written again: a reader detects the gap and gets an error.
        trouble(error);
      }
      if (isLast(last)) forget(id);
    }
    writing.busy = false;
  }

  /**
   * Records the written events and drops the oldest ones above the limit.
   *
   *   @returns the number of the first event that stays, if older ones have to go
   */
  function makeRoom(writing: StreamWriter, events: readonly StreamEvent[]): number | undefined {
    for (const event of events) {
      writing.kept.push({ seq: event.seq, size: sizeOf(event) });
      writing.keptBytes += sizeOf(event);
    }
    if (writing.keptBytes <= streamBytes) return undefined;
    while (writing.keptBytes > streamBytes && writing.kept.length > 1) writing.keptBytes -= writing.kept.shift()!.size;
    return writing.kept[0]!.seq;
  }

  async function readAfter(id: string, after: number): Promise<StreamEvent[]> {
    const entries = await withReplyTimeout(client.xRange(keys.stream(id), `(${after}-0`, '+', { COUNT: PAGE }));
    return (entries ?? []).map(({ id: entry, message }) => ({
      seq: Number(entry.slice(0, entry.indexOf('-'))),
      event: message['event'] as StreamEvent['event'],
      data: message['data']!,
    }));
  }

  const about = (id: string) => withReplyTimeout(client.hmGet(keys.about(id), ['owner', 'origin', 'end']));
  const isAlive = async (relay: string) => relay === owner || (await withReplyTimeout(client.exists(keys.relay(relay)))) > 0;

  /**
   * Checks whether a stream can still get events.
   *
   *   @throws if a stream that has not ended cannot get any more
   */
  async function checkWriter(id: string, after: number): Promise<'running' | 'ended' | 'more'> {
    const [writer, , end] = await about(id);
    if (end != null) return after >= Number(end) ? 'ended' : 'more';
    if (writer != null && (await isAlive(writer)) && (writer !== owner || writings.has(id))) return 'running';
    // It may have ended between the two requests.
    if ((await about(id))[2] != null || (await readAfter(id, after)).length > 0) return 'more';
    throw new Error(writer == null ? 'The stream was forgotten.' : 'The relay that wrote the stream is gone.');
  }

  async function findThere(id: string): Promise<FoundStream | undefined> {
    const [writer, origin, end] = await about(id);
    if (writer == null) return undefined;
    const oldest = (await withReplyTimeout(client.xRange(keys.stream(id), '-', '+', { COUNT: 1 })))?.[0];
    return { origin: origin ?? '', first: oldest ? Number.parseInt(oldest.id, 10) : 1, ...(end != null && { end: Number(end) }) };
  }

  async function* followThere(id: string, after: number, signal: AbortSignal): AsyncGenerator<readonly StreamEvent[], void> {
    let news = () => {};
    let isNew = false;
    const onMessage = () => {
      isNew = true;
      news();
    };
    signal.addEventListener('abort', onMessage);
    // If subscribing fails, the loop polls once a second.
    const listening = subscriber.subscribe(channels.added(id), onMessage).catch(trouble);
    await withTimeout(listening, REPLY_TIMEOUT_MS, () => {});
    try {
      for (let at = after; !signal.aborted;) {
        isNew = false;
        client.set(keys.position(id), String(at), { expiration: { type: 'PX', value: 5 * LOOK_MS } }).catch(trouble);
        const events = await readAfter(id, at);
        if (events.length > 0) {
          if (events.some(({ seq }, n) => seq !== at + 1 + n)) throw new Error('Events are missing.');
          yield events;
          at = events.at(-1)!.seq;
          if (isLast(events.at(-1)!)) return;
          continue;
        }
        const state = await checkWriter(id, at);
        if (state === 'ended') return;
        if (state === 'more' || isNew) continue;
        let timer: ReturnType<typeof setTimeout> | undefined;
        await new Promise<void>((resolve) => {
          news = resolve;
          timer = setTimeout(resolve, LOOK_MS);
        });
        clearTimeout(timer);
      }
    } finally {
      signal.removeEventListener('abort', onMessage);
      if (subscriber.isReady) subscriber.unsubscribe(channels.added(id), onMessage).catch(trouble);
      client.del(keys.position(id)).catch(trouble);
    }
  }

  return {
    streams: {
      begin(id, origin, orders, holder) {
        own.begin(id, origin, orders, holder);
        writings.set(id, { orders, waiting: [], waitingBytes: 0, busy: false, kept: [], keptBytes: 0 });
        keepAlive();
        client.multi().hSet(keys.about(id), { owner, origin }).pExpire(keys.about(id), ttl).execAsPipeline().catch(trouble);
      },

      append(id, events) {
        own.append(id, events);
        const writing = writings.get(id);
        if (!writing) return;
        for (const event of events) {
          writing.waiting.push(event);
          writing.waitingBytes += sizeOf(event);
        }
        // Redis is much slower than the model here: drop the oldest waiting events. A reader detects the gap.
        while (writing.waitingBytes > streamBytes && writing.waiting.length > 1) writing.waitingBytes -= sizeOf(writing.waiting.shift()!);
        flushSoon(id);
      },

      async find(id) {
        const here = await own.find(id);
        if (here?.first === 1) return here;
        try {
          return (await findThere(id)) ?? here;
        } catch (error) {
          trouble(error);
          if (here) return here;
          throw error;
        }
      },

      async *follow(id, after, signal) {
        const here = await own.find(id);
        yield* here && here.first <= after + 1 ? own.follow(id, after, signal) : followThere(id, after, signal);
      },

      async position(id) {
        const here = await own.position(id);
        if (here !== undefined) return here;
        const position = await withReplyTimeout(client.get(keys.position(id)));
        return position === null ? undefined : Number(position);
      },

      async order(id, order) {
        const writing = writings.get(id);
        if (writing) return writing.orders[order]();
        const [writer, , end] = await about(id);
        if (writer != null && end == null) await withReplyTimeout(client.publish(channels.orders(writer), `${order} ${id}`));
      },
    },

    // There is no fallback here: if the state cannot be checked, the request must fail.
    states: {
      async read(key) {
        const [version, value] = await withReplyTimeout(client.hmGet(keys.state(key), ['version', 'value']));
        return version == null || value == null ? undefined : { version: Number(version), value };
      },
      async swap(key, version, value, ageMs) {
        const [state, known, age] = [keys.state(key), String(version), String(Math.ceil(ageMs))];
        return Number(await withReplyTimeout(client.eval(SWAP, { keys: [state], arguments: [known, value, age] }))) === 1;
      },
    },

    async takeToken(address, { requests, perMs }) {
      const key = keys.rate(address);
      const work = client.eval(TAKE_TOKEN, { keys: [key], arguments: [String(requests), String(perMs)] }).then(Number);
      try {
        const wait = await withTimeout<number | undefined>(work, TOKEN_MS, () => undefined);
        late = wait === undefined;
        if (wait !== undefined) return wait;
        work.catch(trouble);
        sayLate();
      } catch (error) {
        trouble(error);
      }
      return alone(address, { requests, perMs });
    },

    troubled: () => troubled || late,

    async close() {
      flushAll();
      clearInterval(beat);
      const writing = [...writings].filter(([, { busy }]) => busy);
      await withTimeout<unknown>(Promise.all(writing.map(([id]) => untilForgotten(id))), REPLY_TIMEOUT_MS, () => {});
      for (const one of [subscriber, client]) {
        if (one.isReady) await withTimeout(one.close(), REPLY_TIMEOUT_MS, () => one.destroy()).catch(() => {});
        else if (one.isOpen) one.destroy();
      }
    },
  };

  async function untilForgotten(id: string) {
    while (writings.has(id)) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function importRedis(): Promise<typeof createClient> {
  try {
    return (await importOptional<{ createClient: typeof createClient }>('redis')).createClient;
  } catch (cause) {
    throw new Error('A store in Redis (`store`, REDIS_URL) needs the package `redis`: npm install redis', { cause });
  }
}

/** The keys, channels and scripts that the relay uses in Redis. */
export const keys = {
  stream: (id: string) => `tool-chat:stream:${id}`,
  about: (id: string) => `tool-chat:about:${id}`,
  position: (id: string) => `tool-chat:position:${id}`,
  relay: (owner: string) => `tool-chat:relay:${owner}`,
  rate: (client: string) => `tool-chat:rate:${client}`,
  state: (key: string) => `tool-chat:state:${key}`,
};
export const channels = {
  added: (id: string) => `tool-chat:added:${id}`,
  orders: (owner: string) => `tool-chat:orders:${owner}`,
};

/** The bucket of `createRateLimiter` as a script. It uses the clock of Redis, so that relays need not agree on the time. */
export const TAKE_TOKEN = `
local size, per = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = math.min(size, (tonumber(last[1]) or size) + math.max(0, now - (tonumber(last[2]) or now)) * size / per)
local taken = tokens >= 1
redis.call('HSET', KEYS[1], 'tokens', tostring(taken and tokens - 1 or tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(per) + 1000)
if taken then return 0 end
return math.max(1, math.ceil((1 - tokens) * per / size / 1000))`;

/** Sets a value if its version is the expected one, in one step. */
export const SWAP = `
local version = tonumber(redis.call('HGET', KEYS[1], 'version')) or 0
if version ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', version + 1, 'value', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;
