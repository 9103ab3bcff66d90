/** What one client, or all of them together, may cost. */
import { expect } from 'chai';
import { request as httpRequest } from 'node:http';
import { createRelay, type Relay, type RelayOptions } from '../../src/relay/index.js';
import { addressOf, clientOf } from '../../src/relay/client.js';
import { createRateLimiter } from '../../src/relay/rate-limit.js';
import { ask, follow, hello, memoryLogger, ORIGIN, readEvents } from './ask.js';
import { chunkFrame, startUpstream, type Answer } from './fake-upstream.js';
import { listen, until } from './listen.js';
import { openSocket, rawPost } from './raw-http.js';
import { spawnRelay } from './spawn-relay.js';

const STREAM = '/api/ai/chat/stream';
const streamOf = (body: string) => /^id: (\w+)\./m.exec(body)![1]!;

describe('relay, limits', function () {
  this.timeout(30_000);
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let answers: Answer[];
  const closing: (() => unknown)[] = [];

  beforeEach(async () => {
    answers = [];
    upstream = await startUpstream(async (answer) => {
      answer.open();
      answer.chunk('Hi');
      answers.push(answer);
      await answer.closed;
    });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await upstream.close();
  });

  function relay(options: RelayOptions = {}): Relay {
    const made = createRelay({ baseUrl: upstream.baseUrl, model: 'm', logger: false, ...options });
    closing.push(() => made.close({ graceMs: 0 }));
    return made;
  }

  it('takes no more answers than `maxStreams`, says when to come again, and logs it', async () => {
    const logger = memoryLogger();
    const one = relay({ maxStreams: 2, logger });
    const streams = [follow(await one(ask())), follow(await one(ask()))];
    for (const stream of streams) await stream.until('Hi');
    for (const path of [STREAM, '/api/ai/chat']) {
      const refused = await one(ask(hello(), { path }));
      expect(refused.status).to.equal(503);
      expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
      expect(await refused.json()).to.include({ code: 'busy', retryable: true });
    }
    expect(upstream.requests).to.have.lengthOf(2);
    expect(logger.lines.filter((line) => line.includes('MAX_STREAMS'))).to.have.lengthOf(1);
    expect(await (await one(new Request(`${ORIGIN}/healthz`))).json()).to.deep.equal({ status: 'degraded', degraded: ['streams'] });
    answers[0]!.end();
    answers[1]!.end();
    for (const stream of streams) await stream.until('event: done');
    expect((await one(ask())).status).to.equal(200);
  });

  it('takes no more than that of many that come at once', async () => {
    const one = relay({ maxStreams: 5 });
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await one(ask())).status));
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(5);
    expect(statuses.filter((status) => status === 503)).to.have.lengthOf(35);
  });

  it('ends an answer that takes too long in all, however steadily it drips', async () => {
    const one = relay({ maxDuration: 300, timeout: 10_000 });
    const stream = follow(await one(ask()));
    await stream.until('Hi');
    const drip = setInterval(() => answers[0]!.chunk('.'), 20);
    const events = readEvents(await stream.until('event: error').then((body) => body.slice(0, body.lastIndexOf('\n\n') + 2)));
    clearInterval(drip);
    expect(events.at(-1)!.data).to.include({ code: 'time_limit', retryable: false });
    await answers[0]!.closed;
  });

  it('waits for a body so long and no longer', async () => {
    const one = relay({ bodyTimeout: 100 });
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"mess')) });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' } as RequestInit;
    const refused = await one(new Request(ORIGIN + STREAM, init));
    expect(refused.status).to.equal(408);
    expect(await refused.json()).to.include({ code: 'body_timeout' });
    expect(upstream.requests).to.have.lengthOf(0);
  });

  it('gives up a client that does not read, says so in the log, and prints nothing', async () => {
    const logger = memoryLogger();
    const printed: unknown[] = [];
    const { error, info } = console;
    console.error = console.info = (...said: unknown[]) => void printed.push(said);
    closing.push(() => Object.assign(console, { error, info }));
    const server = await listen(relay({ timeout: 500, resumeWindow: 0, logger }));
    closing.push(() => server.close());
    const socket = openSocket(server.url);
    socket.pause();
    socket.write(rawPost(STREAM, JSON.stringify(hello())));
    await until(() => answers.length === 1);
    const { response, closed } = answers[0]!;
    let gone = false;
    void closed.then(() => (gone = true));
    while (!gone)
      if (!response.write(chunkFrame({ content: 'x'.repeat(50_000) })))
        await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed]);
    await until(() => logger.lines.some((line) => line.includes('stopped reading')));
    socket.destroy();
    expect(printed).to.deep.equal([]);
  });

  describe('by client', () => {
    const limit = { requests: 3, perMs: 600_000 };

    it('count the address of the socket, from the environment alone', async () => {
      const spawned = await spawnRelay({ MODEL_BASE_URL: upstream.baseUrl, MODEL_NAME: 'm', RATE_LIMIT: '3/600000' });
      closing.push(() => spawned.child.kill('SIGKILL'));
      const from = (localAddress: string, forwarded = '') =>
        new Promise<number>((resolve, reject) => {
          const headers = { 'content-type': 'application/json', ...(forwarded && { 'x-forwarded-for': forwarded }) };
          const sent = httpRequest(spawned.url + STREAM, { method: 'POST', localAddress, headers, agent: false }, (response) => {
            resolve(response.statusCode!);
            response.destroy();
          });
          sent.on('error', reject);
          sent.end(JSON.stringify(hello()));
        });
      const statuses: number[] = [];
      for (let n = 0; n < 5; n++) statuses.push(await from('127.0.0.1', `10.0.0.${n}`));
      expect(statuses).to.deep.equal([200, 200, 200, 429, 429]);
      expect(await from('127.0.0.2')).to.equal(200);
    });

    it('believe as many proxies as they are told, from the near end', () => {
      const platform = { incoming: { socket: { remoteAddress: '10.9.9.9' } } };
      const asked = (forwarded?: string) =>
        new Request(ORIGIN, { headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } });
      const table: [forwarded: string | undefined, hops: number, address: string][] = [
        ['1.1.1.1', 0, '10.9.9.9'],
        ['1.1.1.1', 1, '1.1.1.1'],
        ['6.6.6.6, 1.1.1.1', 1, '1.1.1.1'],
        ['6.6.6.6, 1.1.1.1, 2.2.2.2', 2, '1.1.1.1'],
        [undefined, 1, '10.9.9.9'],
        ['1.1.1.1', 2, '10.9.9.9'],
      ];
      for (const [forwarded, hops, address] of table)
        expect(addressOf(asked(forwarded), platform, hops), `${forwarded} ${hops}`).to.equal(address);
      expect(addressOf(asked(), { requestIP: () => ({ address: '3.3.3.3' }) }, 0)).to.equal('3.3.3.3'); // Bun
      expect(addressOf(asked(), { remoteAddr: { hostname: '4.4.4.4' } }, 0)).to.equal('4.4.4.4'); // Deno
      expect(addressOf(asked(), { KV: {} }, 0)).to.equal(undefined); // a worker's bindings
    });

    it('count a network of IPv6 as one', () => {
      expect(clientOf('2001:db8:1:2:aaaa::1')).to.equal(clientOf('2001:0DB8:1:2::2'));
      expect(clientOf('[2001:db8:1:2::3]:443')).to.equal(clientOf('2001:db8:1:2:ffff:ffff:ffff:ffff'));
      expect(clientOf('2001:db8:1:3::1')).to.not.equal(clientOf('2001:db8:1:2::1'));
      expect(clientOf('::1')).to.equal('0:0:0:0::/64');
      expect(clientOf('::ffff:10.0.0.1')).to.equal('10.0.0.1');
      expect(clientOf('10.0.0.1:5555')).to.equal('10.0.0.1');
      expect(clientOf('user-17')).to.equal('user-17');
    });

    it('forget a used-up bucket last', () => {
      const bucket = createRateLimiter(() => 0);
      const take = (client: string) => bucket(client, limit);
      expect([take('a'), take('a'), take('a')]).to.deep.equal([0, 0, 0]);
      for (let n = 0; n < 60_000; n++) take(`other ${n}`);
      expect(take('a')).to.be.above(0);
      expect(take('other 0')).to.equal(0); // while others make room
    });

    it('hold for coming back and for stopping, each by itself', async () => {
      const one = relay({ rateLimit: limit });
      const stream = follow(await one(ask()));
      const id = streamOf(await stream.until('Hi'));
      const statuses: number[] = [];
      for (let n = 0; n < 5; n++) {
        const response = await one(new Request(`${ORIGIN}${STREAM}/${'0'.repeat(32)}`));
        statuses.push(response.status);
        if (response.status === 429) expect(Number(response.headers.get('retry-after'))).to.be.at.least(1);
      }
      expect(statuses).to.deep.equal([404, 404, 404, 429, 429]);
      // Who has asked too much can still stop what runs.
      const stop = () => one(new Request(`${ORIGIN}${STREAM}/${id}`, { method: 'DELETE' }));
      expect((await stop()).status).to.equal(204);
      await answers[0]!.closed;
      expect([(await stop()).status, (await stop()).status, (await stop()).status].at(-1)).to.equal(429);
    });
  });

  it('stops an answer that is kept nowhere', async () => {
    const one = relay({ resumeWindow: 0 });
    const stream = follow(await one(ask()));
    const id = streamOf(await stream.until('Hi'));
    expect((await one(new Request(`${ORIGIN}${STREAM}/${id}`, { method: 'DELETE' }))).status).to.equal(204);
    expect(await stream.until('event: error')).to.include('"stopped"');
    await answers[0]!.closed;
  });

  it('says who it is for: one line an answer, with model, tokens, times and origin, and nothing of what was said', async () => {
    const logger = memoryLogger();
    const one = relay({ logger, allowedOrigins: ['https://shop.example'] });
    const stream = follow(await one(ask(hello('my secret'), { headers: { origin: 'https://shop.example' } })));
    await stream.until('Hi');
    answers[0]!.end();
    await stream.until('event: done');
    const line = JSON.parse(logger.lines[0]!.replace('answered ', '')) as Record<string, unknown>;
    expect(line).to.deep.include({
      origin: 'https://shop.example',
      model: 'fake-1',
      tokens: { input: 9, output: 2 },
      outcome: 'done',
      pieces: 1,
    });
    expect(line['firstMs'])
      .to.be.a('number')
      .and.to.be.at.most(line['ms'] as number);
    expect(logger.lines.join('')).to.not.include('secret');
  });

  it('throws where it is used as a listener of `node:http`, instead of never answering', async () => {
    const failure: unknown = await relay()({ headers: {}, url: '/' } as unknown as Request).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(TypeError).with.property('message').that.includes('@hono/node-server');
  });
});

describe('relay, its own origin', () => {
  const upstream = () =>
    Promise.resolve(
      new Response(`${chunkFrame({ content: 'ok' }, 'stop')}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } }),
    );
  const status = async (options: RelayOptions, at: string, origin: string) => {
    const request = new Request(at + STREAM, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify(hello()),
    });
    return (await createRelay({ upstream, model: 'm', logger: false, ...options })(request)).status;
  };

  it('is what it is told, never what a request is addressed to', async () => {
    // A name of the attacker's that now leads to the relay: page and request agree, and neither is believed.
    expect(await status({}, 'http://evil.test', 'http://evil.test')).to.equal(403);
    expect(await status({ publicOrigin: 'https://chat.example' }, 'http://evil.test', 'http://evil.test')).to.equal(403);
    expect(await status({ publicOrigin: 'https://chat.example' }, 'http://10.0.0.7:8080', 'https://chat.example')).to.equal(200);
    expect(await status({ publicOrigin: 'https://chat.example' }, 'http://localhost:8080', 'http://localhost:8080')).to.equal(403);
  });

  it('is, where it is told nothing, the address on this computer that was asked', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(await status({}, `http://${host}:8080`, `http://${host}:8080`)).to.equal(200);
    expect(await status({}, 'http://localhost:8080', 'http://localhost:3000')).to.equal(403);
    expect(await status({}, 'http://localhost.evil.test', 'http://localhost.evil.test')).to.equal(403);
  });

  it('is named in the log when it is missing, once', async () => {
    const logger = memoryLogger();
    const relay = createRelay({ upstream, model: 'm', logger });
    for (let n = 0; n < 3; n++) await relay(ask(hello(), { headers: { origin: ORIGIN } }));
    expect(logger.lines.filter((line) => line.includes('publicOrigin') && line.includes(ORIGIN))).to.have.lengthOf(1);
  });
});

describe('relay, a conversation that the model’s context does not hold', () => {
  const cases: [service: string, status: number, body: object, size: number | undefined][] = [
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'request (9000 tokens) exceeds the available context size (4096 tokens)',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9000,
          n_ctx: 4096,
        },
      },
      4096,
    ],
    [
      'an older llama.cpp',
      500,
      { error: { message: 'the request exceeds the available context size. try increasing it', type: 'server_error' } },
      undefined,
    ],
    [
      'OpenAI',
      400,
      { error: { code: 'context_length_exceeded', message: "This model's maximum context length is 8192 tokens. However, …" } },
      8192,
    ],
    ['vLLM', 400, { error: { message: "This model's maximum context length is 2048 tokens.", type: 'BadRequestError', code: 400 } }, 2048],
    [
      'Anthropic’s',
      400,
      { error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' } },
      200000,
    ],
  ];
  for (const [service, status, body, size] of cases)
    it(`is told as that, not as an error to try again: ${service}`, async () => {
      const upstream = () => Promise.resolve(Response.json(body, { status }));
      const response = await createRelay({ upstream, model: 'm', logger: false })(ask());
      expect(response.status).to.equal(413);
      const { data } = readEvents(await response.text()).at(-1)!;
      expect(data).to.include({ code: 'context_too_long', retryable: false });
      expect(data['n_ctx']).to.equal(size);
    });

  it('also inside a stream; another refusal is none', async () => {
    const stream = `${chunkFrame({ content: 'a' })}data: ${JSON.stringify(cases[0]![2])}\n\n`;
    const streaming = () => Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
    const events = readEvents(await (await createRelay({ upstream: streaming, model: 'm', logger: false })(ask())).text());
    expect(events.at(-1)!.data).to.include({ code: 'context_too_long', n_ctx: 4096 });
    const refusing = () =>
      Promise.resolve(Response.json({ error: { message: 'temperature is too long a word', n_ctx: 5 } }, { status: 400 }));
    const refused = await createRelay({ upstream: refusing, model: 'm', logger: false })(ask());
    expect(readEvents(await refused.text())[0]!.data)
      .to.include({ code: 'upstream_rejected' })
      .and.to.not.have.property('n_ctx');
  });
});
