/** Two relays and a real Redis: readers change from one to the other, one is killed, Redis itself goes away. */
import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from 'redis';
import { createRelay, type Relay, type RelayOptions } from '../../src/relay/index.js';
import { createRedisStore } from '../../src/relay/redis-store.js';
import { defaultReplayLimits } from '../../src/relay/store.js';
import { cutie } from '../../src/transports/cutie.js';
import { readReply } from '../../src/transports/read-reply.js';
import { assistant, call, page, told, uniqueSession, user } from './gate/client.js';
import { ask, follow, hello, memoryLogger, ORIGIN, readEvents } from './ask.js';
import { startUpstream, type Answer } from './fake-upstream.js';
import { listen, until } from './listen.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { spawnRelay, type SpawnedRelay } from './spawn-relay.js';

const STREAM = '/api/ai/chat/stream';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const textOf = (body: string) =>
  readEvents(body)
    .map(({ data }) => data['content'] ?? '')
    .join('');
const numbers = (body: string) => readEvents(body).map(({ id }) => Number(id.split('.')[1]));
const streamOf = (body: string) => /^id: (\w+)\./.exec(body)![1]!;
const get = (id: string, lastEventId: string) => new Request(`${ORIGIN}${STREAM}/${id}`, { headers: { 'last-event-id': lastEventId } });

describe('relays that share a Redis', function () {
  this.timeout(20_000);
  let redis: RedisServer;
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let answer: Promise<Answer>;
  const relays: Relay[] = [];
  const processes: ChildProcess[] = [];
  const closing: (() => unknown)[] = [];

  before(async function () {
    const started = await startRedis();
    if (!started) {
      console.log('      (skipped: there is no redis-server on this machine, and this is not CI)');
      return this.skip();
    }
    redis = started;
  });
  after(() => redis?.close());

  beforeEach(async () => {
    await (await connect()).flushAll();
    let reached!: (answer: Answer) => void;
    answer = new Promise((resolve) => (reached = resolve));
    upstream = await startUpstream(async (given) => {
      given.open();
      reached(given);
      await given.closed;
    });
  });

  afterEach(async () => {
    for (const child of processes.splice(0)) child.kill('SIGKILL');
    await Promise.all(relays.splice(0).map((relay) => relay.close({ graceMs: 0 })));
    for (const close of closing.splice(0)) await close();
    await upstream.close();
  });

  function relay(options: RelayOptions = {}): Relay {
    const made = createRelay({ baseUrl: upstream.baseUrl, model: 'm', logger: false, store: redis.url, ...options });
    relays.push(made);
    return made;
  }

  /** A relay that can be killed. */
  async function relayProcess(env: Record<string, string> = {}): Promise<SpawnedRelay> {
    const spawned = await spawnRelay({ MODEL_BASE_URL: upstream.baseUrl, MODEL_NAME: 'm', REDIS_URL: redis.url, ...env });
    processes.push(spawned.child);
    return spawned;
  }

  async function connect() {
    const client = createClient({ url: redis.url });
    await client.connect();
    closing.push(() => client.close());
    return client;
  }

  const post = (url: string) =>
    fetch(url + STREAM, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(hello()) });

  it('give the rest of each other’s answers, live, each event exactly once', async () => {
    const [one, two] = [relay(), relay()];
    const stream = follow(await one(ask()));
    const { chunk, end } = await answer;
    for (let n = 1; n <= 5; n++) chunk(`${n},`);
    const body = await stream.until('5,');
    const id = streamOf(body);
    await stream.cancel();
    chunk('6,');
    const rest = follow(await two(get(id, `${id}.3`)));
    await rest.until('6,');
    chunk('7,');
    await rest.until('7,');
    end();
    const whole = await rest.until('event: done');
    expect(textOf(whole)).to.equal('4,5,6,7,');
    expect(numbers(whole)).to.deep.equal([4, 5, 6, 7, 8]);
    expect(upstream.requests).to.have.lengthOf(1);
    // And once more as a whole, when it is over, from both.
    for (const each of [one, two]) expect(textOf(await (await each(get(id, `${id}.0`))).text())).to.equal('1,2,3,4,5,6,7,');
    expect((await two(get(id, `${id}.8`))).status).to.equal(204);
  });

  it('pass on that nobody wants the rest', async () => {
    const [one, two] = [relay(), relay()];
    const stream = follow(await one(ask()));
    const { chunk, closed } = await answer;
    chunk('a');
    const id = streamOf(await stream.until('"a"'));
    await until(async () => (await two(new Request(`${ORIGIN}${STREAM}/${id}`, { method: 'DELETE' }))).status === 204);
    await closed;
    expect(await stream.until('event: error')).to.include('stopped');
  });

  it('read on for as long as somebody follows elsewhere, and no longer', async () => {
    const [one, two] = [relay({ resumeWindow: 300 }), relay()];
    const stream = follow(await one(ask()));
    const { chunk, closed } = await answer;
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    chunk('a');
    const id = streamOf(await stream.until('"a"'));
    await stream.cancel();
    const rest = follow(await two(get(id, `${id}.1`)));
    const reading = rest.until('"b"');
    // Nothing happens when the window of 300 ms is over, so nothing can be waited for but the time itself.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(isClosed).to.equal(false);
    chunk('b');
    await reading;
    await rest.cancel();
    await closed;
  });

  it('say honestly that the rest is lost when one is killed in mid-answer', async () => {
    const { url, child } = await relayProcess();
    const two = relay();
    const stream = follow(await post(url));
    const { chunk } = await answer;
    for (let n = 1; n <= 5; n++) chunk(`${n},`);
    const id = streamOf(await stream.until('5,'));
    const client = await connect();
    await until(async () => (await client.xLen(`tool-chat:stream:${id}`)) === 5);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const asked = performance.now();
    const body = await (await two(get(id, `${id}.2`))).text();
    expect(performance.now() - asked).to.be.below(12_000);
    expect(textOf(body)).to.equal('3,4,5,');
    const events = readEvents(body);
    expect(events.map(({ event }) => event)).to.deep.equal(['message', 'message', 'message', 'error']);
    expect(events.at(-1)!.data).to.include({ code: 'connection_lost', retryable: true });
  });

  it('save the answer of one that is killed between the model’s last word and the client', async () => {
    const { url, child } = await relayProcess();
    const two = relay();
    const stream = follow(await post(url));
    const { chunk, end } = await answer;
    chunk('a');
    const id = streamOf(await stream.until('"a"'));
    await stream.cancel();
    chunk('b');
    end();
    const client = await connect();
    await until(async () => (await client.hGet(`tool-chat:about:${id}`, 'end')) !== null);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const body = await (await two(get(id, `${id}.1`))).text();
    expect(textOf(body)).to.equal('b');
    expect(readEvents(body).at(-1)!.event).to.equal('done');
  });

  describe('behind a load balancer', () => {
    let address: string;
    let text: string;

    /** Our own client; its waits are short. */
    function read(signal = new AbortController().signal) {
      text = '';
      return readReply(
        {
          wire: cutie,
          endpoint: `http://balanced.test${STREAM}`,
          turn: { messages: [{ role: 'user', text: 'hi' }], system: '', maxTokens: 100, stream: true },
          fetch: (to, init) => fetch(String(to).replace('http://balanced.test', address), init),
          signal,
          requestTimeout: 15_000,
          heartbeat: 15_000,
          setTimer: (callback, ms) => {
            const timer = setTimeout(callback, ms >= 15_000 ? ms : 10);
            return () => clearTimeout(timer);
          },
        },
        { event: (event) => (text += event.type === 'text' ? event.text : '') },
      );
    }

    it('carry a client from one to the other, and back', async () => {
      const [one, other] = [await listen(relay()), await listen(relay())];
      closing.push(
        () => one.close(),
        () => other.close(),
      );
      address = one.url;
      const reading = read();
      const { chunk, end } = await answer;
      chunk('1,');
      await until(() => text === '1,');
      address = other.url;
      one.cut();
      chunk('2,');
      await until(() => text === '1,2,');
      address = one.url;
      other.cut();
      chunk('3,');
      await until(() => text === '1,2,3,');
      end();
      expect(await reading).to.deep.equal({ type: 'ended', finish: 'stop', proof: 'proved' });
      expect(text).to.equal('1,2,3,');
      expect(upstream.requests).to.have.lengthOf(1);
    });

    it('tell a client of the one that was killed, which keeps what it has', async () => {
      const { url, child } = await relayProcess();
      const other = await listen(relay());
      closing.push(() => other.close());
      address = url;
      const reading = read();
      const { chunk } = await answer;
      for (let n = 1; n <= 5; n++) chunk(`${n},`);
      const client = await connect();
      await until(async () => {
        const [key] = await client.keys('tool-chat:stream:*');
        return text.includes('5,') && key !== undefined && (await client.xLen(key)) === 5;
      });
      address = other.url;
      child.kill('SIGKILL');
      const outcome = await reading;
      expect(text).to.equal('1,2,3,4,5,');
      expect(outcome.type === 'cut' && outcome.error).to.include({ code: 'STREAM_CUT', said: 'connection_lost', retryable: true });
    });

    it('stop the model at one when the person stops at the other', async () => {
      const [one, other] = [await listen(relay()), await listen(relay())];
      closing.push(
        () => one.close(),
        () => other.close(),
      );
      address = one.url;
      const stop = new AbortController();
      const reading = read(stop.signal);
      const { chunk, closed } = await answer;
      chunk('1,');
      await until(() => text === '1,');
      address = other.url;
      one.cut();
      chunk('2,');
      await until(() => text === '1,2,');
      const before = performance.now();
      stop.abort();
      expect(await reading).to.deep.equal({ type: 'aborted' });
      await closed;
      // The token is waited for, and nothing else.
      expect(performance.now() - before).to.be.below(1_000);
    });
  });

  it('count a client’s requests together', async () => {
    const options: RelayOptions = {
      rateLimit: { requests: 3, perMs: 60_000 },
      clientAddress: (request) => request.headers.get('x-test') ?? '',
    };
    const [one, two] = [relay(options), relay(options)];
    const bad = (address: string) => ask('{', { headers: { 'x-test': address } });
    const statuses: number[] = [];
    for (const each of [one, two, one, two, one]) statuses.push((await each(bad('a'))).status);
    expect(statuses).to.deep.equal([400, 400, 400, 429, 429]);
    const refused = await two(bad('a'));
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 20);
    expect((await two(bad('b'))).status).to.equal(400);
  });

  it('hold a conversation to one order, across processes and through the death of one', async () => {
    const env = { ORCHESTRATION: 'relay-gated' };
    const [one, two] = [await relayProcess(env), await relayProcess(env)];
    const session = uniqueSession();
    const at = ({ url }: SpawnedRelay) => page((request) => fetch(new Request(url + new URL(request.url).pathname, request)), session);
    const look = call('look', { at: 'sky' });
    upstream.play((given, { body }) => {
      given.open();
      given.chunk((body['messages'] as object[]).length === 1 ? look : 'Seen.');
      given.end();
    });
    expect(await at(one).say([user('Look')])).to.deep.include({ status: 200, text: look });
    // Whoever is asked knows what the other has seen.
    expect(await at(two).say([user('Look'), assistant(look)], { kind: 'on' })).to.deep.include({ status: 409, reason: 'unanswered' });
    one.child.kill('SIGKILL');
    await once(one.child, 'exit');
    const three = await relayProcess(env);
    const answer = (id: string) => [{ id, name: 'look', status: 'success' as const }];
    const say = (relay: SpawnedRelay, id: string) =>
      at(relay).say([user('Look'), assistant(look), told(...answer(id))], { kind: 'on', answers: answer(id) });
    const asked = upstream.requests.length;
    const results = await Promise.all([say(two, 'a1'), say(three, 'b1'), say(two, 'c1'), say(three, 'd1')]);
    expect(results.map(({ status }) => status).toSorted()).to.deep.equal([200, 409, 409, 409]);
    expect(upstream.requests.length).to.equal(asked + 1);
    const client = await connect();
    const [key] = await client.keys('tool-chat:state:*');
    expect(await client.pTTL(key!)).to.be.within(1, 3_600_000);
  });

  it('let nothing pass unchecked while Redis is away', async () => {
    const own = (await startRedis())!;
    closing.push(() => own.close());
    const one = relay({ store: own.url, orchestration: 'relay-gated' });
    await own.stop();
    const said = await page(one).say([user('Hi')]);
    expect(said.status).to.equal(503);
    expect(upstream.requests).to.have.lengthOf(0);
  });

  it('keep no more of an answer than they are told, and not for longer', async () => {
    const one = relay({ replay: { streamBytes: 2_000, ageMs: 300 } });
    const stream = follow(await one(ask()));
    const { chunk, end } = await answer;
    for (let n = 0; n < 100; n++) chunk('x'.repeat(100));
    end();
    const body = await stream.until('event: done');
    const id = streamOf(body);
    const client = await connect();
    await until(async () => (await client.xLen(`tool-chat:stream:${id}`)) < 10);
    expect((await one(get(id, `${id}.5`))).status).to.equal(410);
    // Twice the time after which a relay counts as dead: nothing may be forgotten that is still being written.
    expect(await client.pTTL(`tool-chat:stream:${id}`)).to.be.within(1, 10_000);
    expect(await client.pTTL(`tool-chat:about:${id}`)).to.be.within(1, 10_000);
  });

  it('answer as if nothing had happened when Redis is not there, or hangs', async () => {
    const own = (await startRedis())!;
    closing.push(() => own.close());
    const logger = memoryLogger();
    const one = relay({ store: own.url, logger, rateLimit: { requests: 100, perMs: 1_000 } });
    const other = relay({ store: own.url });
    const whole = async () => {
      const stream = follow(await one(ask()));
      return stream.until('event: done');
    };
    upstream.play((given) => {
      given.open();
      given.chunk('Hello');
      given.end();
    });
    expect(textOf(await whole())).to.equal('Hello');
    own.freeze();
    const before = performance.now();
    expect(textOf(await whole())).to.equal('Hello');
    // The token is waited for, and nothing else.
    expect(performance.now() - before).to.be.below(1_000);
    own.thaw();
    await own.stop();
    const body = await whole();
    expect(textOf(body)).to.equal('Hello');
    // What it has written itself it finds; what others have, it cannot know.
    expect(textOf(await (await one(get(streamOf(body), `${streamOf(body)}.0`))).text())).to.equal('Hello');
    const unknown = await one(get('0'.repeat(32), `${'0'.repeat(32)}.0`));
    expect(unknown.status).to.equal(503);
    expect(await unknown.json()).to.include({ code: 'store_unavailable', retryable: true });
    const health = await one(new Request(`${ORIGIN}/healthz`));
    expect(health.status).to.equal(200);
    expect(await health.json()).to.deep.equal({ status: 'degraded', degraded: ['store'] });
    expect(logger.lines.filter((line) => line.startsWith('Redis cannot be used'))).to.have.length.within(1, 3);

    await own.start();
    await until(async () => {
      const id = streamOf(await whole());
      return (await other(get(id, `${id}.0`))).status === 200;
    });
    expect(logger.lines.join('\n')).to.include('Redis is back');
  });

  it('begin before Redis does', async () => {
    const own = (await startRedis())!;
    closing.push(() => own.close());
    await own.stop();
    upstream.play((given) => {
      given.open();
      given.end();
    });
    const [one, other] = [relay({ store: own.url }), relay({ store: own.url })];
    expect(await (await one(ask())).text()).to.include('done');
    await own.start();
    await until(async () => {
      const id = streamOf(await (await one(ask())).text());
      return (await other(get(id, `${id}.0`))).status === 200;
    });
  });

  describe('through a store that loses events', () => {
    async function open() {
      const store = await createRedisStore(redis.url, { ...defaultReplayLimits, logger: silent });
      closing.push(() => store.close());
      return store;
    }

    it('tell the reader that there is a gap, instead of joining what does not belong together', async () => {
      const [store, other] = [await open(), await open()];
      const id = 'a'.repeat(32);
      const event = (seq: number) => ({ seq, event: 'message' as const, data: `{"n":${seq}}` });
      store.streams.begin(id, '', { stop() {}, resume() {} });
      store.streams.append(id, [event(1), event(2)]);
      await until(async () => (await other.streams.find(id)) !== undefined);
      const reading = other.streams.follow(id, 0, new AbortController().signal);
      expect((await reading.next()).value).to.deep.equal([event(1), event(2)]);
      store.streams.append(id, [event(4)]);
      expect(await reading.next().catch((error: unknown) => error)).to.have.property('message', 'Events are missing.');
    });

    it('let a reader go at once', async () => {
      const [store, other] = [await open(), await open()];
      const id = 'b'.repeat(32);
      store.streams.begin(id, '', { stop() {}, resume() {} });
      await until(async () => (await other.streams.find(id)) !== undefined);
      const leave = new AbortController();
      const waiting = other.streams.follow(id, 0, leave.signal).next();
      await until(async () => (await store.streams.position(id)) === 0);
      const before = performance.now();
      leave.abort();
      expect((await waiting).done).to.equal(true);
      expect(performance.now() - before).to.be.below(500);
    });
  });

  it('name the remedy where the package `redis` is not installed, and answer nothing', async () => {
    const hooks = `export function resolve(name, context, next) {
      if (name === 'redis') throw Object.assign(new Error("Cannot find package 'redis'"), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    }`;
    const withoutRedis = `
      import { register } from 'node:module';
      register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});
      const { createRelay } = await import(${JSON.stringify(new URL('../../src/relay/index.ts', import.meta.url).href)});
      const write = (data, message) => console.log(message, JSON.stringify(data));
      const logger = { debug: write, info: write, warn: write, error: write };
      const relay = createRelay({ baseUrl: 'http://127.0.0.1:9/v1', store: 'redis://user:my-password@127.0.0.1:9', logger });
      const health = await relay(new Request('http://relay.test/healthz'));
      const refused = await relay(new Request('http://relay.test${STREAM}', { method: 'POST', body: '{}' }));
      console.log(health.status, refused.status, await refused.text());
      process.exit(0);`;
    const child = spawn(process.execPath, ['--import=tsx', '--input-type=module', '-e', withoutRedis], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    processes.push(child);
    let output = '';
    for (const pipe of [child.stdout, child.stderr]) pipe.setEncoding('utf8').on('data', (piece: string) => (output += piece));
    await once(child, 'close');
    expect(output)
      .to.include('npm install redis')
      .and.to.match(/^503 500 /m);
    expect(output).to.not.include('my-password');
    expect(/^503 500 (.*)/m.exec(output)![1]).to.not.include('redis');
  });

  it('refuse an address that is none, without quoting what it holds', () => {
    for (const store of ['localhost:6379', 'http://x', 'redis//secret', ''])
      expect(() => createRelay({ baseUrl: 'http://h/v1', store, logger: false }))
        .to.throw(TypeError, 'REDIS_URL')
        .with.property('message')
        .that.does.not.include('secret');
  });
});
