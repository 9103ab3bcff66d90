/** What one client, or all of them together, may cost. */
import { expect } from 'chai';
import { request as httpRequest } from 'node:http';
import { createRelay, relayOptionsFromEnv, type RelayOptions } from '../../src/relay/index.js';
import { addressOf, clientOf } from '../../src/relay/client.js';
import { isInPieces } from '../helpers/cost.js';
import { createRateLimiter } from '../../src/relay/store.js';
import { createTimeSlices } from '../../src/relay/time-slices.js';
import { ask, follow, hello, memoryLogger, ORIGIN, readEvents } from './ask.js';
import { answered, chunkFrame, type Answer } from './fake-upstream.js';
import { listen, until } from './listen.js';
import { openSocket, rawPost } from './raw-http.js';
import { useFakeTimers } from './timers.js';
import { byHand, eventsSoFar, get, remove, STREAM, streamOf, textOf, useRelays } from './use-relays.js';
import networks from '../fixtures/relay/networks.json' with { type: 'json' };

const upstream = () => Promise.resolve(answered('ok'));

describe('relay, limits', function () {
  this.timeout(30_000);
  const relays = useRelays();
  let answers: Answer[];

  const relay = (options: RelayOptions = {}) => {
    answers = [];
    return relays.relayTo(async (answer) => {
      answer.open();
      answer.chunk('Hi');
      answers.push(answer);
      await answer.closed;
    }, options);
  };

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
    expect(relays.upstream.requests).to.have.lengthOf(2);
    expect(logger.lines.filter((line) => line.includes('MAX_STREAMS'))).to.have.lengthOf(1);
    expect(await (await one(new Request(`${ORIGIN}/healthz`))).json()).to.deep.equal({ status: 'degraded', degraded: ['streams'] });
    for (const answer of answers) answer.end();
    for (const stream of streams) await stream.until('event: done');
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await one(ask())).status));
    expect(statuses.toSorted()).to.deep.equal([200, 200, ...Array<number>(18).fill(503)]);
  });

  it('opens nothing for HEAD, which nobody would read', async () => {
    const one = relay({ resumeWindow: 60_000 });
    const stream = follow(await one(ask()));
    const id = streamOf(await stream.until('Hi'));
    for (let n = 0; n < 3; n++) expect((await one(new Request(`${ORIGIN}${STREAM}/${id}`, { method: 'HEAD' }))).status).to.equal(405);
    expect((await one(get(id, `${id}.0`))).status).to.equal(200);
  });

  it('gives up a client that does not read, says so in the log, and prints nothing', async () => {
    const logger = memoryLogger();
    const printed: unknown[] = [];
    const { error, info } = console;
    console.error = console.info = (...said: unknown[]) => void printed.push(said);
    relays.later(() => Object.assign(console, { error, info }));
    const server = await listen(relay({ timeout: 500, resumeWindow: 0, logger }));
    relays.later(() => server.close());
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
      const server = await listen(relay(relayOptionsFromEnv({ RATE_LIMIT: '3/600000' })));
      relays.later(() => server.close());
      const from = (localAddress: string, forwarded: string) =>
        new Promise<number>((resolve, reject) => {
          const headers = { 'content-type': 'application/json', 'x-forwarded-for': forwarded };
          const sent = httpRequest(server.url + STREAM, { method: 'POST', localAddress, headers, agent: false }, (response) => {
            resolve(response.statusCode!);
            response.destroy();
          });
          sent.on('error', reject);
          sent.end(JSON.stringify(hello()));
        });
      const statuses: number[] = [];
      for (let n = 0; n < 5; n++) statuses.push(await from('127.0.0.1', `10.0.0.${n}`));
      expect(statuses).to.deep.equal([200, 200, 200, 429, 429]);
      expect(await from('127.0.0.2', '10.0.0.1')).to.equal(200);
    });

    it('believe as many proxies as they are told, from the near end', () => {
      const platform = { incoming: { socket: { remoteAddress: '10.9.9.9' } } };
      const asked = (forwarded?: string | null) => new Request(ORIGIN, { headers: forwarded ? { 'x-forwarded-for': forwarded } : {} });
      for (const [forwarded, hops, address] of networks.proxies as [string | null, number, string][])
        expect(addressOf(asked(forwarded), platform, hops), `${forwarded} ${hops}`).to.equal(address);
      expect(addressOf(asked(), { requestIP: () => ({ address: '3.3.3.3' }) }, 0)).to.equal('3.3.3.3'); // Bun
      expect(addressOf(asked(), { remoteAddr: { hostname: '4.4.4.4' } }, 0)).to.equal('4.4.4.4'); // Deno
      expect(addressOf(asked(), { KV: {} }, 0)).to.equal(undefined); // a worker's bindings
    });

    it('count a network of IPv6 as one', () => {
      for (const [address, client] of networks.clients as [string, string][]) expect(clientOf(address), address).to.equal(client);
    });

    it('fill a bucket again with time, never beyond its size, and forget a used-up one last', () => {
      let now = 0;
      const bucket = createRateLimiter(() => now);
      const take = (client: string) => bucket(client, { requests: 2, perMs: 10_000 });
      expect([take('a'), take('a'), take('a')]).to.deep.equal([0, 0, 5]);
      now = 4_000;
      expect(take('a')).to.equal(1);
      now = 5_000;
      expect([take('a'), take('a')]).to.deep.equal([0, 5]);
      now = 1_000_000;
      expect([take('a'), take('a'), take('a')]).to.deep.equal([0, 0, 5]);
      for (let n = 0; n < 60_000; n++) take(`other ${n}`);
      expect(take('a')).to.be.above(0);
      expect(take('other 0')).to.equal(0); // while others make room
      // The clock is set back: what was left is still there, and it fills from now on.
      expect([take('b'), take('b')]).to.deep.equal([0, 0]);
      now = 500_000;
      expect(take('b')).to.equal(5);
      now = 505_000;
      expect(take('b')).to.equal(0);
    });

    it('hold for coming back and for stopping, each by itself', async () => {
      const one = relay({ rateLimit: limit });
      const stream = follow(await one(ask()));
      const id = /^id: (\w+)\./m.exec(await stream.until('Hi'))![1]!;
      const statuses: number[] = [];
      for (let n = 0; n < 5; n++) {
        const response = await one(new Request(`${ORIGIN}${STREAM}/${'0'.repeat(32)}`));
        statuses.push(response.status);
        if (response.status === 429) expect(Number(response.headers.get('retry-after'))).to.be.at.least(1);
      }
      expect(statuses).to.deep.equal([404, 404, 404, 429, 429]);
      // Who has asked too much can still stop what runs.
      expect((await one(remove(id))).status).to.equal(204);
      await answers[0]!.closed;
      const more: number[] = [];
      for (let n = 0; n < 3; n++) more.push((await one(remove(id))).status);
      expect(more.at(-1)).to.equal(429);
    });

    it('let through what is allowed of many at once, by the address they are told', async () => {
      const clientAddress: RelayOptions['clientAddress'] = (request) => request.headers.get('x-test') ?? undefined;
      const one = relay({ rateLimit: { requests: 5, perMs: 60_000 }, clientAddress });
      const from = (address: string, n: number) => one(ask(hello(), { headers: { 'x-test': address, 'x-forwarded-for': `10.0.0.${n}` } }));
      const responses = await Promise.all(Array.from({ length: 40 }, (_, n) => from('a', n)));
      const refusals = responses.filter(({ status }) => status === 429);
      expect([refusals.length, relays.upstream.requests.length]).to.deep.equal([35, 5]);
      for (const refusal of refusals) expect(Number(refusal.headers.get('retry-after'))).to.be.within(1, 60);
      expect(await refusals[0]!.json()).to.deep.include({ type: 'error', code: 'rate_limit', retryable: true });
      expect((await from('b', 1)).status).to.equal(200);
    });
  });

  describe('shared among clients', () => {
    const clientAddress: RelayOptions['clientAddress'] = (request) => request.headers.get('x-test') ?? undefined;
    const from = (client: string) => ({ headers: { 'x-test': client } });
    const seen = async (response: Response) => {
      const { code } = (await response.json()) as { code: string };
      return `${response.status} ${code} ${response.headers.has('retry-after')}`;
    };

    it('leave room at the model for others while one asks for all of it', async () => {
      const one = relay({ maxStreams: 8, clientAddress });
      const greedy: Response[] = [];
      for (let n = 0; n < 8; n++) greedy.push(await one(ask(hello(), from('a'))));
      expect(greedy.map(({ status }) => status)).to.deep.equal([...Array<number>(4).fill(200), ...Array<number>(4).fill(429)]);
      expect(await seen(greedy[7]!)).to.equal('429 rate_limit true');
      expect([(await one(ask(hello(), from('b')))).status, (await one(ask(hello(), from('c')))).status]).to.deep.equal([200, 200]);
      answers[0]!.end();
      await follow(greedy[0]!).until('event: done');
      expect((await one(ask(hello(), from('a')))).status, 'has as many as are free').to.equal(429);
      expect((await one(ask())).status, 'nobody in particular').to.equal(200);
    });

    /** Bodies of which the last byte is missing until `end`. */
    function slowBodies(one: ReturnType<typeof relay>) {
      const controllers: ReadableStreamDefaultController<Uint8Array>[] = [];
      const statuses: string[] = [];
      const text = JSON.stringify({ ...hello(), model: 'x'.repeat(90_000) });
      const bytes = new TextEncoder().encode(text.padEnd(90_100));
      const send = async (client: string, size: number) => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(bytes.subarray(0, size));
            controllers.push(controller);
          },
        });
        const headers = { 'content-type': 'application/json', 'x-test': client };
        const request = new Request(ORIGIN + STREAM, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
        statuses.push(await seen(await one(request)));
      };
      const end = () => {
        for (const controller of controllers.splice(0)) controller.error(new Error('gone'));
      };
      return { send, end, statuses };
    }

    it('leave memory for the bodies of others while one sends many slowly, and have it back when they end', async () => {
      const one = relay({ maxBodyBytes: 100_000, clientAddress });
      const { send, end, statuses } = slowBodies(one);
      const sending = Array.from({ length: 100 }, () => send('a', 90_000));
      await until(() => statuses.length > 0);
      await new Promise((resolve) => setImmediate(resolve));
      const refused = statuses.length;
      expect(refused, 'at most 35 bodies are half of 6.4 MB').to.be.within(60, 90);
      expect(new Set(statuses)).to.deep.equal(new Set(['429 rate_limit true']));
      expect((await one(ask(hello(), from('b')))).status).to.equal(200);
      for (let n = 0; n < 100; n++) sending.push(send(`other ${n}`, 90_000));
      await until(() => statuses.some((status) => status.startsWith('503')));
      expect(new Set(statuses)).to.deep.equal(new Set(['429 rate_limit true', '503 busy true']));
      end();
      await Promise.all(sending);
      expect(statuses.filter((status) => status === '400 bad_request false')).to.have.length.within(30, 71);
      expect((await one(ask(hello(), from('a')))).status).to.equal(200);
    });

    it('count a body at least for what its beginning costs, and its pieces', async () => {
      const one = relay({ maxBodyBytes: 20_000, clientAddress });
      const { send, end, statuses } = slowBodies(one);
      const sending = Array.from({ length: 100 }, () => send('a', 1));
      await until(() => statuses.length > 0);
      await new Promise((resolve) => setImmediate(resolve));
      expect(statuses).to.have.lengthOf(100 - 39); // of 16 KB each in half of 64 × 20,000 bytes
      end();
      await Promise.all(sending);
    });

    it('refuse a body in thousands of tiny pieces, and no other', async () => {
      const text = JSON.stringify(hello('x'.repeat(90_000)));
      const inPieces = async (length: number) => {
        let read = 0;
        const pull = (stream: ReadableStreamDefaultController) => {
          if (read >= text.length) return stream.close();
          stream.enqueue(new TextEncoder().encode(text.slice(read, (read += length))));
        };
        const headers = { 'content-type': 'application/json' };
        const body = new ReadableStream({ pull });
        const response = await relay()(new Request(ORIGIN + STREAM, { method: 'POST', headers, body, duplex: 'half' } as RequestInit));
        const heard = response.ok ? '' : await response.text();
        await (response.ok && response.body?.cancel());
        return [response.status, heard.includes('too many small pieces'), read];
      };
      expect(await inPieces(1)).to.satisfy(([status, isNamed, read]: unknown[]) => status === 400 && isNamed && (read as number) < 1_010);
      expect(await inPieces(16)).to.deep.equal([200, false, Math.ceil(text.length / 16) * 16]);
    });

    it('give who comes back and does not read a small piece at a time, and count it until it goes', async () => {
      const one = relay({ maxBodyBytes: 16_384, clientAddress });
      const stream = follow(await one(ask(hello(), from('a'))));
      const id = streamOf(await stream.until('Hi'));
      for (let n = 0; n < 200; n++) answers[0]!.chunk('x'.repeat(1_000));
      answers[0]!.end();
      await stream.until('event: done');
      const back = async (client: string) => one(get(id, undefined, { 'x-test': client }));
      const all: Response[] = [];
      for (let n = 0; n < 10; n++) all.push(await back('a'));
      expect(all.map(({ status }) => status)).to.deep.equal([...Array<number>(8).fill(200), 429, 429]);
      expect((await back('b')).status).to.equal(200);
      const reader = all[0]!.body!.getReader();
      expect((await reader.read()).value).to.have.length.within(1_000, 20_000);
      await reader.cancel();
      expect(textOf(readEvents(await all[1]!.text()))).to.have.lengthOf(200_002);
      expect([(await back('a')).status, (await back('a')).status, (await back('a')).status]).to.deep.equal([200, 200, 429]);
    });
  });

  it('throws where it is used as a listener of `node:http`, instead of never answering', async () => {
    const failure: unknown = await relay()({ headers: {}, url: '/' } as unknown as Request).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(TypeError).with.property('message').that.includes('@hono/node-server');
  });
});

describe('relay, limits of work', function () {
  this.timeout(180_000);
  const fill = (one: string, length = 900_000) => one.repeat(Math.floor(length / one.length));
  const gated = (text: string) => {
    const orchestration = {
      session: 'a-session',
      request: `request-${crypto.randomUUID()}`,
      protocol: 'xml-invoke',
      accept: 'any',
      kind: 'user',
    };
    return JSON.stringify({ messages: [{ role: 'assistant', text }, ...hello().messages], config: { orchestration } });
  };
  const withTools = (count: number, parameters: object, more: object = {}) => {
    const enabledTools = Array.from({ length: count }, (_, n) => `tool_${n}`);
    const methods = enabledTools.map((name) => ({ name, description: 'd', parameters }));
    return JSON.stringify({
      ...hello(),
      config: { enabledTools: enabledTools.slice(0, 500), tools: [{ toolId: 't', toolName: 't', methods }], ...more },
    });
  };
  const properties = (count: number, schema: object = { type: 'string' }) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, schema])),
  });
  const nested = (levels: number): object => (levels === 0 ? { type: 'string' } : properties(1, nested(levels - 1)));
  const definitions = Array.from({ length: 40 }, (_, n) => [`d${n}`, n < 39 ? properties(8, { $ref: `#/$defs/d${n + 1}` }) : {}]);

  it('lets the event loop turn eight times between two slices, since one connection is accepted in a turn', async () => {
    const pause = createTimeSlices()('client');
    let loops = 0;
    let isOver = false;
    const count = () => void setImmediate(() => ((loops += 1), isOver || count()));
    count();
    await pause();
    const before = loops;
    await pause();
    isOver = true;
    expect(loops - before).to.be.at.least(8);
  });

  async function answer(body: string): Promise<void> {
    const relay = createRelay({
      ...{ upstream, model: 'm', logger: false },
      ...(body.includes('orchestration') && { orchestration: 'relay-gated' }),
    });
    const response = await relay(ask(body));
    await response.text();
    expect(response.status).to.equal(200);
  }

  const works: [title: string, body: string][] = [
    ['a megabyte of braces behind a gate', gated(fill('{'))],
    ['thousands of calls behind a gate', gated(fill('```json\n{"tool_calls":[{"name":"a","arguments":{}}]}\n```\n', 700_000))],
    ['a wide schema', withTools(1, properties(1_600))],
    ['many tools', withTools(400, properties(20))],
    ['deep schemas', withTools(40, nested(90))],
    ['schemas that refer to themselves', withTools(300, properties(15, { $ref: '#' }))],
    ['references that fan out', withTools(25, { $defs: Object.fromEntries(definitions), ...properties(1, { $ref: '#/$defs/d0' }) })],
    ['unions', withTools(3, { anyOf: Array.from({ length: 500 }, () => properties(2)) })],
    ['thousands of marks for its tools', withTools(100, properties(20), { sections: { tools: fill('{{tools}}', 20_000) } })],
    ['patterns', withTools(5, properties(1_200, { type: 'string', pattern: '^(a+)+$' }))],
  ];
  for (const [title, body] of works)
    it(`does ${title} in pieces, between which it answers others`, async () => {
      let time = 0; // nothing of a schema is remembered: each has other words
      expect(await isInPieces(() => answer(body.replaceAll('"d"', `"d${(time += 1)}"`)))).to.equal(true);
    });

  it('reads many answers that arrive at the same time in pieces, between which it answers others', async () => {
    const reply = await answered('word '.repeat(1_000)).text();
    const headers = { 'content-type': 'text/event-stream' };
    const one = createRelay({ upstream: () => Promise.resolve(new Response(reply, { headers })), model: 'm', logger: false });
    const all = async () => void (await Promise.all(Array.from({ length: 60 }, async () => (await one(ask())).text())));
    expect(await isInPieces(all)).to.equal(true);
  });

  const refusals: [words: string, body: string][] = [
    ['holds more than the 20000 values', `{"messages":[${fill('{},')}{}]}`],
    ['is nested deeper than the 200 levels', fill('[')],
    ['has more than 500 methods', withTools(501, {})],
    ['has more than 5000 values', withTools(1, { enum: Array.from({ length: 5_001 }, (_, n) => n) })],
    ['has more than 2000 entries', `{"messages":[${fill('1,', 5_000)}1]}`],
  ];
  for (const [words, body] of refusals)
    it(`refuses in words a body that ${words}`, async () => {
      const response = await createRelay({ upstream, model: 'm', logger: false })(ask(body));
      expect(response.status).to.equal(400);
      expect(await response.json())
        .to.have.property('message')
        .that.includes(words);
    });
});

describe('relay, limits of time', () => {
  const clock = useFakeTimers();
  const relays = useRelays();

  it('end an answer that takes too long in all, however steadily it drips', async () => {
    const { play, answer } = byHand();
    const relay = relays.relayTo(play, { maxDuration: 30_000, timeout: 10_000 });
    const stream = follow(await relay(ask()));
    const { chunk, closed } = await answer;
    for (let second = 0; second < 28; second += 2) {
      chunk(`<${second}>`);
      await stream.until(`<${second}>`);
      await clock.pass(2_000, 2);
    }
    expect(eventsSoFar(await clock.until(stream.until('event: error'))).at(-1)!.data).to.include({ code: 'time_limit', retryable: false });
    await closed;
  });
});

describe('relay, its own origin', () => {
  for (const [options, at, origin, status] of networks.origins as [RelayOptions, at: string, origin: string, status: number][])
    it(`answers ${origin} at ${at} with ${status}, ${JSON.stringify(options)}`, async () => {
      const headers = { 'content-type': 'application/json', origin };
      const request = new Request(at + STREAM, { method: 'POST', headers, body: JSON.stringify(hello()) });
      expect((await createRelay({ upstream, model: 'm', logger: false, ...options })(request)).status).to.equal(status);
    });

  it('is named in the log when it is missing, once', async () => {
    const logger = memoryLogger();
    const relay = createRelay({ upstream, model: 'm', logger });
    for (let n = 0; n < 3; n++) await relay(ask(hello(), { headers: { origin: ORIGIN } }));
    expect(logger.lines.filter((line) => line.includes('publicOrigin') && line.includes(ORIGIN))).to.have.lengthOf(1);
  });
});
