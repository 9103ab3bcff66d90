/** Relays and a real Redis: readers change from one to the other, one is killed, Redis itself goes away. */
import { expect } from 'chai';
import { once } from 'node:events';
import { createClient } from 'redis';
import { createRelay, type RelayOptions } from '../../src/relay/index.js';
import { assistant, call, page, told, uniqueSession, user } from './gate/client.js';
import { ask, follow, memoryLogger, ORIGIN, readEvents } from './ask.js';
import { until } from './listen.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { spawnRelay } from './spawn-relay.js';
import { byHand, get, numbers, post, remove, streamOf, textOf, twoWords, useRelays } from './use-relays.js';

const said = (body: string) => textOf(readEvents(body));

describe('relays that share a Redis', () => {
  let redis: RedisServer;
  let fragile: RedisServer;

  before(async function () {
    const started = [await startRedis(), await startRedis()] as const;
    if (!started[0] || !started[1]) {
      console.log('      (skipped: there is no redis-server on this machine, and this is not CI)');
      return this.skip();
    }
    [redis, fragile] = started;
  });
  after(() => Promise.all([redis?.close(), fragile?.close()]));
  const relays = useRelays();
  beforeEach(async () => void (await (await connect()).flushAll()));

  const relay = (options: RelayOptions = {}) => relays.relayTo(undefined, { store: redis.url, ...options });
  const begun = (options: RelayOptions = {}) => relays.begun({ store: redis.url, ...options });

  async function connect() {
    const client = createClient({ url: redis.url });
    await client.connect();
    relays.later(() => client.close());
    return client;
  }

  it('give the rest of each other’s answers, live, each event exactly once', async () => {
    const { relay: one, stream, chunk, end } = await begun();
    const two = relay();
    for (let n = 1; n <= 5; n++) chunk(`${n},`);
    const id = streamOf(await stream.until('5,'));
    await stream.cancel();
    chunk('6,');
    const rest = follow(await two(get(id, `${id}.3`)));
    await rest.until('6,');
    chunk('7,');
    await rest.until('7,');
    end();
    const whole = await rest.until('event: done');
    expect(said(whole)).to.equal('4,5,6,7,');
    expect(numbers(readEvents(whole))).to.deep.equal([4, 5, 6, 7, 8]);
    expect(relays.upstream.requests).to.have.lengthOf(1);
    for (const each of [one, two]) expect(said(await (await each(get(id, `${id}.0`))).text())).to.equal('1,2,3,4,5,6,7,');
    expect((await two(get(id, `${id}.8`))).status).to.equal(204);
  });

  it('stop the model of the one from the other', async () => {
    const { stream, say, closed } = await begun({ resumeWindow: 600_000, timeout: 600_000 });
    const id = await say(stream, 'a');
    expect((await relay()(remove(id))).status).to.equal(204);
    await closed;
    expect(await stream.until('error')).to.include('"code":"stopped"');
  });

  it('read on for as long as somebody follows elsewhere, and no longer', async () => {
    const { stream, say, chunk, closed } = await begun({ resumeWindow: 5_000 });
    const two = relay();
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    const id = await say(stream, 'a');
    await stream.cancel();
    const rest = follow(await two(get(id, `${id}.1`)));
    const reading = rest.until('"b"');
    // Nothing happens when the window is over, so nothing can be waited for but the time itself.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(isClosed).to.equal(false);
    chunk('b');
    await reading;
    await rest.cancel();
    await closed;
  });

  it('say honestly that the rest is lost when one is killed in mid-answer', async () => {
    const { play, answer } = byHand();
    const two = relays.relayTo(play, { store: redis.url });
    const { child, listening } = spawnRelay(['--base-url', relays.upstream.baseUrl, '--model', 'm', '--port', '0'], {
      REDIS_URL: redis.url,
    });
    relays.later(() => child.kill('SIGKILL'));
    const url = await listening();
    const stream = follow(await post(url));
    const { chunk } = await answer;
    for (let n = 1; n <= 5; n++) chunk(`${n},`);
    const id = streamOf(await stream.until('5,'));
    const client = await connect();
    await until(async () => (await client.xLen(`tool-chat:stream:${id}`)) === 5);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const events = readEvents(await (await two(get(id, `${id}.2`))).text());
    expect(textOf(events)).to.equal('3,4,5,');
    expect(events.map(({ event }) => event)).to.deep.equal(['message', 'message', 'message', 'error']);
    expect(events.at(-1)!.data).to.include({ code: 'connection_lost', retryable: true });
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
    // The clock of Redis was an hour ahead.
    const client = await connect();
    for (const key of await client.keys('tool-chat:rate:*')) await client.hSet(key, 'at', Date.now() + 3_600_000);
    const later = await two(bad('a'));
    expect(Number(later.headers.get('retry-after'))).to.be.within(1, 20);
    expect((await two(bad('b'))).status).to.equal(400);
  });

  it('hold a conversation to one order, whichever is asked', async () => {
    const session = uniqueSession();
    const pages = [1, 2, 3].map(() => page(relay({ orchestration: 'relay-gated' }), session));
    const look = call('look', { at: 'sky' });
    relays.upstream.play((given, { body }) => {
      given.open();
      given.chunk((body['messages'] as object[]).length === 1 ? look : 'Seen.');
      given.end();
    });
    const asked = [user('Look'), assistant(look)];
    expect(await pages[0]!.say([user('Look')])).to.deep.include({ status: 200, text: look });
    // Whoever is asked knows what the other has seen.
    expect(await pages[1]!.say(asked, { kind: 'on' })).to.deep.include({ status: 409, reason: 'unanswered' });
    const results = await Promise.all(
      ['a1', 'b1', 'c1', 'd1'].map((id, at) => {
        const answers = [{ id, name: 'look', status: 'success' as const }];
        return pages[1 + (at % 2)]!.say([...asked, told(...answers)], { kind: 'on', answers });
      }),
    );
    expect(results.map(({ status }) => status).toSorted()).to.deep.equal([200, 409, 409, 409]);
    expect(relays.upstream.requests).to.have.lengthOf(2);
    const client = await connect();
    const [key] = await client.keys('tool-chat:state:*');
    expect(await client.pTTL(key!)).to.be.within(1, 3_600_000);
  });

  it('keep no more of an answer than they are told, and not for longer', async () => {
    const { relay: one, stream, chunk, end } = await begun({ replay: { streamBytes: 2_000, ageMs: 300 } });
    for (let n = 0; n < 100; n++) chunk('x'.repeat(100));
    end();
    const id = streamOf(await stream.until('event: done'));
    const client = await connect();
    await until(async () => (await client.xLen(`tool-chat:stream:${id}`)) < 10);
    expect((await one(get(id, `${id}.5`))).status).to.equal(410);
    // Twice the time after which a relay counts as dead: nothing may be forgotten that is still being written.
    expect(await client.pTTL(`tool-chat:stream:${id}`)).to.be.within(1, 10_000);
    expect(await client.pTTL(`tool-chat:about:${id}`)).to.be.within(1, 10_000);
  });

  describe('while Redis is away', () => {
    afterEach(() => fragile?.stop());
    const alone = (options: RelayOptions = {}) => relays.relayTo(twoWords, { store: fragile.url, ...options });
    const whole = async (one: ReturnType<typeof alone>) => follow(await one(ask())).until('event: done');
    /** One finds what the other wrote: Redis is used. */
    const share = (one: ReturnType<typeof alone>, other: ReturnType<typeof alone>) =>
      until(async () => {
        const id = streamOf(await whole(one));
        return (await other(get(id, `${id}.0`))).status === 200;
      });

    it('answer as if nothing had happened, whether it is gone or hangs, and use it when it is back', async () => {
      const logger = memoryLogger();
      const one = alone({ logger, rateLimit: { requests: 100, perMs: 1_000 } });
      const other = alone();
      expect(said(await whole(one))).to.equal('Hello');
      fragile.freeze();
      expect(said(await whole(one))).to.equal('Hello');
      fragile.thaw();
      await fragile.stop();
      const body = await whole(one);
      expect(said(body)).to.equal('Hello');
      // What it has written itself it finds; what others have, it cannot know.
      expect(said(await (await one(get(streamOf(body), `${streamOf(body)}.0`))).text())).to.equal('Hello');
      const unknown = await one(get('0'.repeat(32), `${'0'.repeat(32)}.0`));
      expect(unknown.status).to.equal(503);
      expect(await unknown.json()).to.include({ code: 'store_unavailable', retryable: true });
      const health = await one(new Request(`${ORIGIN}/healthz`));
      expect(health.status).to.equal(200);
      expect(await health.json()).to.deep.equal({ status: 'degraded', degraded: ['store'] });
      expect(logger.lines.filter((line) => line.startsWith('Redis cannot be used'))).to.have.length.within(1, 3);
      await fragile.start();
      await share(one, other);
      expect(logger.lines.join('\n')).to.include('Redis is back');
    });

    it('begin before Redis does, but let nothing pass unchecked', async () => {
      const [one, other, gated] = [alone(), alone(), alone({ orchestration: 'relay-gated' })];
      expect((await page(gated).say([user('Hi')])).status).to.equal(503);
      expect(relays.upstream.requests).to.have.lengthOf(0);
      expect(await whole(one)).to.include('done');
      await fragile.start();
      await share(one, other);
    });
  });

  it('sign in with a password that has a bare percent sign', async () => {
    const client = await connect();
    await client.aclSetUser('anna', ['on', '>50%off', '~*', '&*', '+@all']);
    // Else what the client sends right behind a refused password counts as the default user's.
    await client.aclSetUser('default', ['resetpass', '>other']);
    relays.later(() => client.aclSetUser('default', 'nopass'));
    await client.flushAll();
    let isIn = false;
    // A relay answers also while its store cannot be reached in time.
    for (let tries = 10; tries > 0 && !isIn; tries -= 1) {
      const { stream, chunk, end } = await begun({ store: redis.url.replace('redis://', 'redis://anna:50%off@') });
      chunk('1,');
      await stream.until('1,');
      end();
      await stream.until('event: done');
      isIn = (await client.keys('tool-chat:*')).length > 0;
    }
    expect(isIn).to.equal(true);
  });

  it('refuse an address that is none, without quoting what it holds', () => {
    for (const store of ['localhost:6379', 'http://x', 'redis//secret', ''])
      expect(() => createRelay({ baseUrl: 'http://h/v1', store, logger: false }))
        .to.throw(TypeError, 'REDIS_URL')
        .with.property('message')
        .that.does.not.include('secret');
  });
});
