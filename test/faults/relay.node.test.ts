/**
 * The relay under attack: area J of the fault list, and the cut stream of area B. Real sockets on both sides. What is drawn at random is
 * drawn three times, from a seed that the title names.
 */
import { expect } from 'chai';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRelay, type Relay, type RelayOptions } from '../../src/relay/index.js';
import { createRandom } from '../../src/testing/chunks.js';
import { cutie } from '../../src/transports/cutie.js';
import { readReply } from '../../src/transports/read-reply.js';
import { type ReplyOutcome } from '../../src/transports/reply-request.js';
import { createFaultServer, type FaultServer } from '../helpers/fault-server/fault-server.mjs';
import { follow, hello, memoryLogger, readEvents } from '../relay/ask.js';
import { chunkFrame, startUpstream, type Play } from '../relay/fake-upstream.js';
import { listen, until, type Listening } from '../relay/listen.js';
import { openSocket, rawPost, sendRaw, statusOf } from '../relay/raw-http.js';
import { startRedis } from '../relay/redis-server.js';
import { spawnRelay, type SpawnedRelay } from '../relay/spawn-relay.js';

const STREAM = '/api/ai/chat/stream';
const KEY = 'sk-SECRET-123'; // the fault server writes it into its error bodies
const RUNS = [1, 2, 3].map(() => Math.floor(Math.random() * 2 ** 31));

const echo: Play = (answer, { body }) => {
  const { content } = (body['messages'] as { content: string }[]).at(-1)!;
  answer.open();
  answer.chunk(content);
  answer.end();
};

describe('faults of the relay', function () {
  this.timeout(60_000);
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let faulty: FaultServer;
  let port: number;
  const closing: (() => unknown)[] = [];

  before(async () => {
    faulty = createFaultServer();
    ({ port } = await faulty.listen());
  });
  after(() => faulty.close());
  beforeEach(async () => {
    upstream = await startUpstream(echo);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await upstream.close();
  });

  async function start(options: RelayOptions = {}): Promise<Listening & { relay: Relay }> {
    const relay = createRelay({ baseUrl: upstream.baseUrl, apiKey: KEY, model: 'm', logger: false, ...options });
    const listening = await listen(relay);
    closing.push(
      () => relay.close({ graceMs: 0 }),
      () => listening.close(),
    );
    return { ...listening, relay };
  }

  async function spawned(env: Record<string, string> = {}): Promise<SpawnedRelay> {
    const relay = await spawnRelay({ MODEL_BASE_URL: upstream.baseUrl, MODEL_NAME: 'm', MODEL_API_KEY: KEY, ...env });
    closing.push(() => stop(relay.child));
    return relay;
  }

  async function stop(child: ChildProcess) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  const post = (url: string, body: unknown = hello(), init: RequestInit = {}) =>
    fetch(url + STREAM, {
      ...init,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
      body: JSON.stringify(body),
    });

  const through = (query: string) =>
    `http://127.0.0.1:${port}/v1?text=${encodeURIComponent('Some words to say, '.repeat(30))}&gap=0&${query}`;

  const secretsIn = (heard: string) =>
    [KEY, 'SECRET', 'uthorization', `127.0.0.1:${port}`, '/v1', 'chat/completions', '<script', '.ts:', '.js:'].filter((secret) =>
      heard.includes(secret),
    );

  it('are found in a relay that only passes on what it gets', async () => {
    const naive = (query: string) =>
      listen(async (request) => {
        const { pathname, searchParams } = new URL(through(query));
        const address = `http://127.0.0.1:${port}${pathname}/chat/completions?${searchParams}`;
        const { body, status } = await fetch(address, { method: 'POST', headers: request.headers, body: await request.text() });
        return new Response(body, { status, headers: { 'content-type': 'text/event-stream' } });
      });
    const [leaking, cutting] = [await naive('status=401'), await naive('close=700&chunk=64')];
    closing.push(leaking.close, cutting.close);
    expect(secretsIn(await sendRaw(leaking.url, rawPost(STREAM, JSON.stringify(hello()))))).to.include(KEY);
    expect(await (await post(cutting.url)).text()).to.not.include('event: error');
  });

  for (const [run, seed] of RUNS.entries()) {
    const again = `(run ${run + 1}, seed ${seed})`;
    const drawn = () => {
      const random = createRandom(seed);
      const upTo = (n: number) => Math.floor(random() * n);
      return { random, upTo, one: <T>(of: readonly T[]): T => of[upTo(of.length)]! };
    };

    it(`J133 lets the key out on no way that an answer can fail ${again}`, async () => {
      const { upTo } = drawn();
      const queries = [
        ...[400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529].map((status) => `status=${status}`),
        ...['html', 'huge', 'hang', 'sse', 'empty'].map((body) => `status=500&body=${body}`),
        ...['redirect=cross', 'redirect=loop', 'ctype=text/html&noise=html', 'hang=connect', 'hang=first', 'noise=errorevent'],
        ...[`abort=${upTo(3000)}`, `abort=${upTo(3000)}&rst=1`, `close=${upTo(3000)}`, 'gzip=trunc', 'gzip=lie', 'tail=nodone&finish=none'],
      ];
      for (const query of queries) {
        const logger = memoryLogger();
        const { url } = await start({ baseUrl: through(query), timeout: 250, logger });
        for (const path of [STREAM, '/api/ai/chat']) {
          const heard = await sendRaw(url, rawPost(path, JSON.stringify(hello())), 5_000);
          expect(secretsIn(heard), `${query} ${path}`).to.deep.equal([]);
          expect(statusOf(heard), `${query} ${path}`).to.be.at.least(200);
        }
        expect(logger.lines.join('\n'), query).to.not.include(KEY);
      }
      // A crash inside, whose message holds the key.
      const logger = memoryLogger();
      const crash = () => {
        throw new Error(`Bearer ${KEY} at ${upstream.baseUrl}`);
      };
      const { url } = await start({ upstream: crash, logger });
      const heard = await sendRaw(url, rawPost(STREAM, JSON.stringify(hello())));
      expect(heard).to.include('internal').and.to.not.include('SECRET').and.to.not.include('127.0.0.1');
      expect(logger.lines.join('\n')).to.not.include(KEY);
    });

    it(`J135 is no open proxy: one address, one shape, whatever is asked ${again}`, async () => {
      const { upTo, one, random } = drawn();
      const { url } = await start({ models: ['m2'], maxTokens: 500 });
      const elsewhere = [
        'GET http://evil.test/ HTTP/1.1',
        'POST http://evil.test/v1/chat/completions HTTP/1.1',
        'CONNECT evil.test:443 HTTP/1.1',
        'GET /v1/models HTTP/1.1',
        'POST /v1/chat/completions HTTP/1.1',
        'POST //evil.test/api/ai/chat/stream HTTP/1.1',
        'POST /api/ai/chat/stream/../../../v1/models HTTP/1.1',
        'POST /api/ai/chat/stream%2f..%2f..%2fv1 HTTP/1.1',
        'PUT /api/ai/chat/stream HTTP/1.1',
        'PATCH /api/ai/chat HTTP/1.1',
        'TRACE /api/ai/chat/stream HTTP/1.1',
        'POST /api/ai/embeddings HTTP/1.1',
      ];
      for (const line of elsewhere) {
        const heard = await sendRaw(
          url,
          `${line}\r\nHost: evil.test\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
          400,
        );
        // Refused, or hung up on.
        expect(statusOf(heard) === 0 || statusOf(heard) >= 400, `${line}: ${heard.slice(0, 80)}`).to.equal(true);
      }
      expect(upstream.requests).to.have.lengthOf(0);

      const extras: Record<string, () => unknown> = {
        tools: () => [{ type: 'function', function: { name: 'x' } }],
        n: () => upTo(1000),
        best_of: () => 100,
        functions: () => [{}],
        baseUrl: () => 'http://evil.test',
        endpoint: () => 'http://evil.test',
        apiKey: () => 'other',
        logit_bias: () => ({ 1: 100 }),
        stop: () => 'x',
        response_format: () => ({ type: 'json_object' }),
        user: () => 'x',
        ['__proto__x']: () => ({ polluted: true }),
        ['x'.repeat(upTo(50) + 1)]: () => random(),
        stream: () => false,
        stream_options: () => ({}),
      };
      for (let turn = 0; turn < 40; turn++) {
        const chosen = Object.entries(extras).filter(() => random() < 0.5);
        const max_tokens = one([1e9, Number.MAX_SAFE_INTEGER, -1, 0, 3.7, 100, undefined]);
        const body = { ...hello(), ...Object.fromEntries(chosen.map(([name, value]) => [name, value()])), max_tokens };
        const since = upstream.requests.length;
        expect((await post(url, body)).status).to.equal(200);
        const sent = upstream.requests[since]!;
        expect(sent.url).to.equal('/v1/chat/completions');
        expect(sent.body).to.have.all.keys('model', 'messages', 'max_tokens', 'stream', 'stream_options');
        expect(sent.body['max_tokens']).to.be.within(1, 500);
        expect(sent.body).to.include({ model: 'm', stream: true });
      }
      const before = upstream.requests.length;
      for (const model of ['gpt-dear', 'M', 'm ', '', '../m', 'm\u0000', 'x'.repeat(201)])
        expect((await post(url, { ...hello(), model })).status, model).to.equal(400);
      for (const role of ['system', 'developer', 'function', '', '__proto__'])
        expect((await post(url, { messages: [{ role, text: 'x' }] })).status, role).to.equal(400);
      expect(upstream.requests).to.have.lengthOf(before);
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    });

    it(`J137 answers the origins on its list and no others ${again}`, async () => {
      const { upTo, one } = drawn();
      const allowed = ['https://shop.example', 'http://localhost:8080'];
      const { url } = await start({ allowedOrigins: allowed, requireOrigin: true });
      const letter = () => String.fromCharCode(97 + upTo(26));
      const alike = (origin: string): string => {
        const [scheme, host] = origin.split('//') as [string, string];
        return one([
          () => `${origin}.${letter()}${letter()}.test`,
          () => `${scheme}//${letter()}${host}`,
          () => `${scheme}//${letter()}.${host}`,
          () => origin.slice(0, -1),
          () => `${origin}${upTo(10)}`,
          () => `${origin}/`,
          () => origin.replace(/^https?/, (name) => (name === 'https' ? 'http' : 'https')),
          () => origin.toUpperCase(),
          () => `${origin}@evil.test`,
          () => `https://evil.test#${origin}`,
          () => `${origin}, https://evil.test`,
          () => ` ${origin}\t.`,
          () => 'null',
          () => '*',
          () => 'file://',
        ])();
      };
      const acao = (answer: string) => /^access-control-allow-origin: (.*)\r$/im.exec(answer)?.[1];
      const body = JSON.stringify(hello());
      for (let n = 0; n < 40; n++) {
        const origin = alike(one(allowed));
        const answer = await sendRaw(url, rawPost(STREAM, body, [`Origin: ${origin}`]));
        expect(statusOf(answer), origin).to.equal(403);
        expect(acao(answer), origin).to.equal(undefined);
      }
      const nobody = await sendRaw(url, rawPost(STREAM, body));
      expect([statusOf(nobody), acao(nobody)]).to.deep.equal([403, undefined]);
      expect(upstream.requests).to.have.lengthOf(0);
      for (const origin of allowed) {
        const answer = await sendRaw(url, rawPost(STREAM, body, [`Origin: ${origin}`]));
        expect([statusOf(answer), acao(answer)]).to.deep.equal([200, origin]);
        expect(answer).to.not.match(/access-control-allow-credentials/i);
        expect(answer).to.match(/^vary: .*origin/im);
      }
      // Where programs may ask, what names no origin is allowed nothing beyond that.
      const open = await start({ allowedOrigins: allowed });
      expect(acao(await sendRaw(open.url, rawPost(STREAM, body)))).to.equal(undefined);
    });

    it(`J138 lets through what the limit allows, over many sockets and forged addresses ${again}`, async () => {
      const { upTo } = drawn();
      const limit = 3 + upTo(10);
      const { url } = await start({ rateLimit: { requests: limit, perMs: 600_000 }, allowedOrigins: ['https://shop.example'] });
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => {
          const forged = `${upTo(256)}.${upTo(256)}.${upTo(256)}.${upTo(256)}`;
          const headers = ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'CF-Connecting-IP', 'True-Client-IP'].map(
            (name) => `${name}: ${forged}`,
          );
          return sendRaw(url, rawPost(STREAM, JSON.stringify(hello()), ['Origin: https://shop.example', ...headers]), 5_000);
        }),
      );
      expect(answers.filter((answer) => statusOf(answer) === 200)).to.have.lengthOf(limit);
      const refused = answers.filter((answer) => statusOf(answer) === 429);
      expect(refused).to.have.lengthOf(100 - limit);
      for (const answer of refused) {
        expect(Number(/^retry-after: (\d+)\r$/im.exec(answer)?.[1])).to.be.at.least(1);
        expect(answer).to.match(/^access-control-expose-headers: .*retry-after/im);
      }
      expect(upstream.requests).to.have.lengthOf(limit);
    });

    it(`J142 ends every broken answer with an error, and none of them cleanly ${again}`, async () => {
      const { upTo, one } = drawn();
      const size = 30 * 20;
      const cases = [
        ...Array.from({ length: 6 }, () => `abort=${upTo(size * 4)}&chunk=${1 + upTo(200)}`),
        ...Array.from({ length: 6 }, () => `abort=${upTo(size * 4)}&rst=1&chunk=${1 + upTo(200)}`),
        ...Array.from({ length: 6 }, () => `close=${upTo(size * 4)}&chunk=${1 + upTo(200)}`),
        ...['gzip=trunc', 'tail=nodone&finish=none', 'hang=connect', 'hang=first', `hang=${1 + upTo(4)}`, 'noise=errorevent'],
        `hang=${1 + upTo(4)}&chunk=${one(['byte', 'event'])}`,
      ];
      for (const query of cases) {
        const { url } = await start({ baseUrl: through(query), timeout: 300 });
        const events = readEvents(await (await post(url)).text());
        expect(events.at(-1)!.event, query).to.equal('error');
        expect(
          events.filter(({ event }) => event !== 'message'),
          query,
        ).to.have.lengthOf(1);
      }
      // Slow is not broken: each piece comes within the limit.
      const { url } = await start({ timeout: 2_000 });
      upstream.play(async ({ open, chunk, end }) => {
        open();
        for (let n = 0; n < 10; n++) {
          chunk('drip ');
          await new Promise((resolve) => setTimeout(resolve, 20)); // a server that drips
        }
        end();
      });
      expect(readEvents(await (await post(url)).text()).at(-1)!.event).to.equal('done');
    });

    it(`J143 forwards nothing of a request but what it names ${again}`, async () => {
      const { upTo, one } = drawn();
      const { url } = await start();
      const body = JSON.stringify(hello());
      const head = (...lines: string[]) => [
        `POST ${STREAM} HTTP/1.1`,
        'Host: relay.test',
        'Content-Type: application/json',
        'Connection: close',
        ...lines,
      ];
      const length = `Content-Length: ${body.length}`;
      const smuggled = 'POST /v1/chat/completions HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 0\r\n\r\n';
      const bad: [title: string, bytes: string][] = [
        ['NUL', [...head(length, `X-A: a\0b${upTo(9)}`), '', body].join('\r\n')],
        ['a lone CR', [...head(length, 'X-A: a\rX-B: b'), '', body].join('\r\n')],
        ['a name with a blank', [...head(length, 'X A: a'), '', body].join('\r\n')],
        ['a name with a line break', [...head(length, 'X-\nA: a'), '', body].join('\r\n')],
        ['64 KB in one header', [...head(length, `X-A: ${one(['a', 'b', 'c']).repeat(65_536)}`), '', body].join('\r\n')],
        [
          'a thousand long headers',
          [...head(length, ...Array.from({ length: 1000 }, (_, n) => `X-${n}: ${'a'.repeat(100)}`)), '', body].join('\r\n'),
        ],
        ['two ways to say how long', [...head(length, 'Transfer-Encoding: chunked'), '', `0\r\n\r\n${smuggled}`].join('\r\n')],
        ['two lengths', [...head(length, `Content-Length: ${upTo(body.length)}`), '', body].join('\r\n')],
        ['a length that is none', [...head('Content-Length: +1e1'), '', body].join('\r\n')],
        ['a chunk size that is none', [...head('Transfer-Encoding: chunked'), '', `zz\r\n${body}\r\n0\r\n\r\n`].join('\r\n')],
        ['an encoding that is none', [...head('Transfer-Encoding: xchunked'), '', body].join('\r\n')],
      ];
      for (const [what, bytes] of bad) {
        const heard = await sendRaw(url, bytes, 600);
        expect(statusOf(heard), what).to.be.oneOf([400, 413, 431]);
        expect(heard.match(/^HTTP\/1\.1 /gm), what).to.have.lengthOf(1);
      }
      expect(upstream.requests).to.have.lengthOf(0);

      const own = [
        'Authorization',
        'Cookie',
        'X-Api-Key',
        'Proxy-Authorization',
        'X-Forwarded-For',
        'TE',
        'Upgrade',
        'Origin-Trial',
        'Referer',
      ];
      const fine = rawPost(
        STREAM,
        body,
        own.map((name) => `${name}: of-the-client`),
      );
      const answer = await sendRaw(url, fine);
      expect(statusOf(answer)).to.equal(200);
      const { headers } = upstream.requests[0]!;
      expect(JSON.stringify(headers)).to.not.include('of-the-client');
      expect(headers.authorization).to.equal(`Bearer ${KEY}`);
      // A text with line breaks stays a text.
      const text = `a\r\nX-Evil: 1\r\n\r\n${'\0'}${smuggled}`;
      expect(statusOf(await sendRaw(url, rawPost(STREAM, JSON.stringify(hello(text)))))).to.equal(200);
      expect((upstream.requests[1]!.body['messages'] as { content: string }[])[1]!.content).to.equal(text);
      expect(upstream.requests[1]!.headers).to.not.have.property('x-evil');
    });
  }

  it('J138 counts a client once over two relays that share a Redis, also when one of them dies', async function () {
    const redis = await startRedis();
    if (!redis) return this.skip(); // no redis-server on this machine; CI has to have one, see redis-server.ts
    closing.push(() => redis.close());
    const env = { REDIS_URL: redis.url, RATE_LIMIT: '10/600000' };
    const [one, two] = [await spawned(env), await spawned(env)];
    const statuses = await Promise.all(Array.from({ length: 40 }, async (_, n) => (await post((n % 2 ? one : two).url)).status));
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(10);
    expect(statuses.filter((status) => status === 429)).to.have.lengthOf(30);
    expect(upstream.requests).to.have.lengthOf(10);
    await stop(one.child);
    expect((await post(two.url)).status).to.equal(429);
    expect((await post((await spawned(env)).url)).status).to.equal(429);
    expect(upstream.requests).to.have.lengthOf(10);
  });

  it('J140 holds the model back for a client that does not read, and lets go of both in the end', async () => {
    const piece = 'x'.repeat(10_000);
    let written = 0;
    let closed = false;
    upstream.play(async (answer) => {
      answer.open();
      void answer.closed.then(() => (closed = true));
      for (; written < 6_000 && !closed; written++)
        if (!answer.response.write(chunkFrame({ content: piece })))
          await Promise.race([new Promise((resolve) => answer.response.once('drain', resolve)), answer.closed]);
      if (!closed) answer.end();
    });
    const relay = await spawned({ MODEL_TIMEOUT_MS: '3000', RESUME_WINDOW_MS: '500' });
    const before = await relay.memory();
    const socket = openSocket(relay.url);
    socket.pause();
    socket.write(rawPost(STREAM, JSON.stringify(hello())));
    let most = 0;
    while (!closed) {
      most = Math.max(most, await relay.memory());
      await new Promise((resolve) => setTimeout(resolve, 50)); // looked at, at a pace, until it is closed
    }
    socket.destroy();
    // 60 MB were to be sent; what the sockets hold is a few.
    expect(written * piece.length).to.be.below(30_000_000);
    expect(most - before).to.be.below(60_000_000);
    // The same relay, a client that reads.
    upstream.play(echo);
    expect(readEvents(await (await post(relay.url)).text()).at(-1)!.event).to.equal('done');
  });

  it('J144 hands each piece on as it comes, compressed for nobody', async () => {
    const { url } = await start();
    let next = () => {};
    upstream.play(async ({ open, chunk, end }) => {
      open();
      for (const text of ['one', 'two', 'three']) {
        chunk(text);
        await new Promise<void>((resolve) => (next = resolve));
      }
      end();
    });
    // No piece is sent before the one before it has arrived here: what collects them would wait for ever.
    const response = await post(url, hello(), { headers: { 'accept-encoding': 'gzip, br, zstd' } });
    expect(response.headers.get('content-encoding')).to.equal(null);
    expect(response.headers.get('cache-control')).to.include('no-transform');
    const stream = follow(response);
    for (const text of ['one', 'two', 'three']) {
      await stream.until(`"${text}"`);
      next();
    }
    await stream.until('event: done');
    expect(upstream.requests[0]!.headers['accept-encoding']).to.equal('identity');

    // What it takes: the least of ten, so that it is the relay that is measured.
    let sent = 0;
    upstream.play(({ open, chunk, end }) => {
      open();
      sent = performance.now();
      chunk('first');
      end();
    });
    const times: number[] = [];
    for (let turn = 0; turn < 10; turn++) {
      const one = follow(await post(url));
      await one.until('first');
      times.push(performance.now() - sent);
      await one.until('event: done');
    }
    expect(Math.min(...times)).to.be.below(50);
  });

  it('S0-149 shows the first event of a turn within 100 ms of asking, and compresses what is no stream', async () => {
    upstream.play(({ open, chunk, end }) => {
      open();
      chunk('word '.repeat(2_000));
      end();
    });
    const { url } = await start();
    const times: number[] = [];
    for (let turn = 0; turn < 10; turn++) {
      const asked = performance.now();
      const stream = follow(await post(url, hello(), { headers: { 'accept-encoding': 'gzip' } }));
      await stream.until('event: message');
      times.push(performance.now() - asked);
      await stream.until('event: done');
    }
    expect(Math.min(...times)).to.be.below(100);
    const whole = await sendRaw(url, rawPost('/api/ai/chat', JSON.stringify(hello()), ['Accept-Encoding: gzip']));
    expect(whole).to.match(/^content-encoding: gzip\r$/im);
  });

  it('S0-148 asks the model over the same two sockets at most, turn after turn', async () => {
    const { url } = await start();
    for (let turn = 0; turn < 5; turn++) expect((await post(url)).status).to.equal(200);
    for (let turn = 0; turn < 5; turn++) await (await post(url)).text();
    await until(() => upstream.requests.length === 10);
    expect(upstream.sockets()).to.be.at.most(2);
  });

  it('J145 keeps 200 streams apart, one of which crashes, in flat memory, and ends them all when it is told to go', async function () {
    const seconds = Number(process.env['SOAK_SECONDS'] ?? 8); // the fault list says 60
    this.timeout(60_000 + seconds * 1_000);
    let running = true;
    upstream.play(async (answer, { body }) => {
      const { content } = (body['messages'] as { content: string }[]).at(-1)!;
      answer.open();
      for (let n = 0; running && !answer.response.destroyed; n++) {
        if (content === '7' && n === 3) return void answer.response.destroy();
        answer.chunk(`<${content}>`);
        await new Promise((resolve) => setTimeout(resolve, 200)); // a server that drips
      }
      if (Number(content) % 2) answer.end();
      else await answer.closed; // and these are never over
    });
    const relay = await spawned();
    const bodies = Array.from({ length: 200 }, async (_, n) => (await post(relay.url, hello(String(n)))).text());
    const memory: number[] = [];
    for (let second = 0; second < seconds; second++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      memory.push(await relay.memory());
    }
    running = false;
    await Promise.all(bodies.filter((_, n) => n % 2 && n !== 7));
    const gone = once(relay.child, 'exit');
    relay.child.kill('SIGTERM');
    const ends = (await Promise.all(bodies)).map((body, n) => {
      const events = readEvents(body);
      const texts = new Set(events.flatMap(({ event, data }) => (event === 'message' ? [data['content']] : [])));
      expect(
        [...texts].every((text) => String(text).replaceAll(`<${n}>`, '') === ''),
        `stream ${n}`,
      ).to.equal(true);
      return events.at(-1)!.event;
    });
    expect((await gone)[0]).to.equal(0);
    ends.forEach((event, n) => expect(event, `stream ${n}`).to.equal(n % 2 && n !== 7 ? 'done' : 'error'));
    const half = memory.length / 2;
    expect(Math.min(...memory.slice(half))).to.be.below(1.3 * Math.max(...memory.slice(0, half)));
  });

  describe('a cut stream', () => {
    const text = 'Some words that take a while to say, '.repeat(20);

    /** Our client at the fault server, whose numbers are made the ids of our relay; the rest is asked for where our relay has it. */
    async function read(resume: string, abort: number): Promise<{ outcome: ReplyOutcome; text: string; methods: string[] }> {
      const methods: string[] = [];
      let heard = '';
      const query = `?wire=cutie&text=${encodeURIComponent(text)}&gap=0&resume=${resume}&abort=${abort}&sid=s${Math.random()}`;
      const outcome = await readReply(
        {
          wire: cutie,
          endpoint: `http://127.0.0.1:${port}/chat${query}`,
          turn: { messages: [{ role: 'user', text: 'hi' }], system: '', maxTokens: 10, stream: true },
          fetch: async (url, init = {}) => {
            const { method = 'GET' } = init;
            methods.push(method);
            if (method === 'DELETE') return new Response(null, { status: 204 });
            const headers = new Headers(init.headers);
            const last = headers.get('last-event-id');
            if (last) headers.set('last-event-id', last.slice(last.lastIndexOf('.') + 1));
            const response = await fetch(String(url).replace('/chat/stream-1', '/chat'), {
              ...init,
              headers,
              method: 'POST',
              ...(method === 'GET' && { body: '{}' }),
            });
            if (!response.body || !response.ok) return response;
            const named = response.body
              .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
              .pipeThrough(new TransformStream<string, string>({ transform: nameFrames() }))
              .pipeThrough(new TextEncoderStream() as unknown as TransformStream<string, Uint8Array>);
            return new Response(named, response);
          },
          signal: new AbortController().signal,
          requestTimeout: 5_000,
          heartbeat: 5_000,
          setTimer(callback, ms) {
            const timer = setTimeout(callback, ms === 5_000 ? ms : 5);
            return () => clearTimeout(timer);
          },
        },
        { event: (event) => (heard += event.type === 'text' ? event.text : '') },
      );
      return { outcome, text: heard, methods };
    }

    /** `id: 3` becomes `id: stream-1.3`, wherever the network cuts. */
    function nameFrames() {
      let held = '';
      return (piece: string, controller: TransformStreamDefaultController<string>) => {
        const lines = (held + piece).split('\n');
        held = lines.pop()!;
        for (const line of lines) controller.enqueue(`${line.replace(/^id: (?=\d)/, 'id: stream-1.')}\n`);
      };
    }

    for (const [run, seed] of RUNS.entries()) {
      it(`B47 goes on without gap or repeat, and adds nothing where the server tells all again (run ${run + 1}, seed ${seed})`, async () => {
        const random = createRandom(seed);
        for (const mode of ['1', 'lie']) {
          for (let n = 0; n < 5; n++) {
            const abort = 300 + Math.floor(random() * 2_500);
            const { outcome, text: heard, methods } = await read(mode, abort);
            expect(outcome.type, `${mode} ${abort} ${methods.join()}`).to.equal('ended');
            expect(heard).to.equal(text);
          }
        }
      });
    }

    for (const mode of ['gone', 'notfound']) {
      it(`B47 whose rest is ${mode} stays cut: what came is kept, and nobody asks for the reply anew`, async () => {
        const { outcome, text: heard, methods } = await read(mode, 1_500);
        expect(outcome.type).to.equal('cut');
        expect(text.startsWith(heard)).to.equal(true);
        expect(heard).to.have.length.above(0);
        expect(methods.filter((method) => method === 'POST')).to.have.lengthOf(1);
      });
    }
  });
});
