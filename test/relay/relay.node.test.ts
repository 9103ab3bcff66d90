import { expect } from 'chai';
import { serve } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import { createRelay, type RelayOptions } from '../../src/relay/index.js';
import { ask, follow, hello, memoryLogger, readEvents } from './ask.js';
import { chunkFrame, startUpstream, type Answer, type Play } from './fake-upstream.js';

const KEY = 'sk-relay-test-0123456789';

describe('relay', () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  const servers: { close(): unknown; closeAllConnections?(): void }[] = [];

  async function relayTo(play: Play, options: RelayOptions = {}) {
    upstream = await startUpstream(play);
    return createRelay({ baseUrl: upstream.baseUrl, apiKey: KEY, model: 'fake-1', logger: false, ...options });
  }

  /** The relay behind a real socket, as it runs in the demo. */
  async function listen(relay: ReturnType<typeof createRelay>): Promise<string> {
    const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
      const started = serve({ fetch: relay, port: 0, hostname: '127.0.0.1' }, () => resolve(started));
    });
    servers.push(server as { close(): unknown });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections?.();
      server.close();
    }
    await upstream.close();
  });

  const twoWords: Play = (answer) => {
    answer.open();
    answer.chunk('Hel');
    answer.chunk('lo');
    answer.end();
  };

  it('passes every delta on, in order, and ends with done', async () => {
    const relay = await relayTo((answer) => {
      answer.open();
      for (let n = 0; n < 200; n++) answer.chunk(`${n},`);
      answer.response.write(chunkFrame({ reasoning_content: 'hm' }));
      answer.end('length');
    });
    const response = await relay(ask());
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.match(/^text\/event-stream/);
    expect(response.headers.get('cache-control')).to.equal('no-cache, no-transform');
    expect(response.headers.get('x-accel-buffering')).to.equal('no');

    const events = readEvents(await response.text());
    expect(events.slice(0, 200).map(({ event, data }) => [event, data])).to.deep.equal(
      Array.from({ length: 200 }, (_, n) => ['message', { type: 'text', content: `${n},` }]),
    );
    expect(events[200]!.data).to.deep.equal({ type: 'reasoning', content: 'hm' });
    expect(events[201]).to.deep.include({
      event: 'done',
      data: {
        type: 'done',
        finish_reason: 'length',
        model: 'fake-1',
        usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
      },
    });
    expect(events).to.have.lengthOf(202);
    const [stream] = events[0]!.id.split('.');
    expect(stream).to.match(/^[0-9a-f]{32}$/);
    expect(events.map(({ id }) => id)).to.deep.equal(events.map((_, n) => `${stream}.${n + 1}`));
  });

  it('keeps characters whole that the network cut in two', async () => {
    const relay = await relayTo(async ({ open, response, end }) => {
      open();
      const bytes = Buffer.from(chunkFrame({ content: '任务🗑️' }));
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      end();
    });
    const events = readEvents(await (await relay(ask())).text());
    expect(events[0]!.data['content']).to.equal('任务🗑️');
  });

  it('sends history and system prompt upstream, and nothing the page made up', async () => {
    const relay = await relayTo(twoWords, { systemPrefix: 'House rules.', maxTokens: 500, models: ['fake-2'] });
    const body = {
      messages: [
        { role: 'user', text: 'A', name: 'x', content: 'other' },
        { role: 'assistant', text: 'B' },
        { role: 'user', text: 'C' },
      ],
      system: 'Be kind.',
      max_tokens: 1e9,
      model: 'fake-2',
      stream: false,
      n: 100,
      tools: [{ type: 'function' }],
      logit_bias: {},
      baseUrl: 'http://evil.test',
    };
    await (
      await relay(ask(body, { headers: { cookie: 'a=b', authorization: 'Bearer of-the-client', 'x-forwarded-for': '1.1.1.1' } }))
    ).text();
    const [request] = upstream.requests;
    expect(request!.url).to.equal('/v1/chat/completions');
    expect(request!.body).to.deep.equal({
      model: 'fake-2',
      messages: [
        { role: 'system', content: 'House rules.\n\nBe kind.' },
        { role: 'user', content: 'A' },
        { role: 'assistant', content: 'B' },
        { role: 'user', content: 'C' },
      ],
      max_tokens: 500,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(request!.headers.authorization).to.equal(`Bearer ${KEY}`);
    expect(request!.headers).to.not.have.any.keys('cookie', 'x-forwarded-for', 'origin', 'referer');
    expect(request!.headers['accept-encoding']).to.equal('identity');
  });

  it('answers at once as JSON on the other route', async () => {
    const relay = await relayTo(twoWords);
    const response = await relay(ask(hello(), { path: '/api/ai/chat' }));
    expect(response.status).to.equal(200);
    const answer = (await response.json()) as Record<string, unknown>;
    expect(answer).to.deep.include({
      reply: 'Hello',
      model: 'fake-1',
      finish_reason: 'stop',
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    });
    expect(answer['response_time_ms']).to.be.a('number').within(0, 5000);
  });

  it('compresses the whole answer for those who can read it, and never the stream', async () => {
    const relay = await relayTo((answer) => {
      answer.open();
      answer.chunk('long '.repeat(1000));
      answer.end();
    });
    const headers = { 'accept-encoding': 'gzip' };
    expect((await relay(ask(hello(), { path: '/api/ai/chat', headers }))).headers.get('content-encoding')).to.equal('gzip');
    const stream = await relay(ask(hello(), { headers }));
    expect(stream.headers.get('content-encoding')).to.equal(null);
    await stream.text();
  });

  it('reads an upstream that answers with one JSON body', async () => {
    const relay = await relayTo(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ message: { content: 'Whole' }, finish_reason: 'stop' }] }));
    });
    const events = readEvents(await (await relay(ask())).text());
    expect(events.map(({ event, data }) => [event, data['content']])).to.deep.equal([
      ['message', 'Whole'],
      ['done', undefined],
    ]);
  });

  it('says when nothing proves the end', async () => {
    const relay = await relayTo(({ open, chunk, response }) => {
      open();
      chunk('Hi');
      response.end('data: [DONE]\n\n');
    });
    expect(readEvents(await (await relay(ask())).text()).at(-1)!.data).to.deep.include({
      type: 'done',
      finish_reason: 'unknown',
      proved: false,
    });
  });

  it('hands the first token on within 50 ms', async () => {
    let sent = 0;
    const relay = await relayTo(async (answer, { body }) => {
      answer.open();
      const [, { content }] = body['messages'] as [unknown, { content: string }];
      if (content === 'warm up') return answer.end();
      await new Promise((resolve) => setTimeout(resolve, 30)); // a model that thinks first
      sent = performance.now();
      answer.chunk('first');
      await answer.closed;
    });
    const url = await listen(relay);
    const post = (text: string) =>
      fetch(`${url}/api/ai/chat/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(hello(text)),
      });
    await (await post('warm up')).text();
    // The least of five: what is measured is the relay, not what else the machine does.
    const times: number[] = [];
    for (let run = 0; run < 5; run++) {
      const stream = follow(await post('go'));
      await stream.until('first');
      times.push(performance.now() - sent);
      await stream.cancel();
    }
    expect(Math.min(...times)).to.be.below(50);
  });

  for (const headersFirst of [true, false]) {
    const when = headersFirst ? 'in mid-answer, where nobody may come back for the rest' : 'before the first byte';
    it(`closes the upstream within a second of the client ${when}`, async () => {
      let reached: (answer: Answer) => void;
      const atUpstream = new Promise<Answer>((resolve) => (reached = resolve));
      const play: Play = (answer) => {
        if (headersFirst) {
          answer.open();
          answer.chunk('first');
        }
        reached(answer);
      };
      const relay = await relayTo(play, headersFirst ? { resumeWindow: 0 } : {});
      const url = await listen(relay);
      const leave = new AbortController();
      const { signal } = leave;
      const asked = fetch(`${url}/api/ai/chat/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(hello()),
        signal,
      });
      asked.catch(() => {});
      const { closed } = await atUpstream;
      if (headersFirst) await follow(await asked).until('first');
      const left = performance.now();
      leave.abort();
      await closed;
      expect(performance.now() - left).to.be.below(1000);
    });
  }

  it('closes the upstream when the answer is cancelled, and logs that the client left', async () => {
    let closed: Promise<void> | undefined;
    const logger = memoryLogger();
    const relay = await relayTo(
      (answer) => {
        closed = answer.closed;
        answer.open();
        answer.chunk('first');
      },
      { logger, resumeWindow: 0 },
    );
    const stream = follow(await relay(ask()));
    await stream.until('first');
    await stream.cancel();
    await closed;
    expect(logger.lines).to.have.lengthOf(1);
    expect(logger.lines[0]).to.include('client left');
  });

  it('pings while the model thinks, before its headers too', async () => {
    const relay = await relayTo(
      async (answer) => {
        await new Promise((resolve) => setTimeout(resolve, 70)); // longer than the pings are apart
        answer.open();
        await new Promise((resolve) => setTimeout(resolve, 70)); // longer than the pings are apart
        answer.end();
      },
      { pingInterval: 20 },
    );
    const body = await (await relay(ask())).text();
    expect(body.split(': ping\n\n')).to.have.length.above(3);
    expect(readEvents(body).at(-1)!.event).to.equal('done');
  });

  it('reads the upstream only as fast as the client reads', async () => {
    const piece = 'x'.repeat(10_000);
    let written = 0;
    const relay = await relayTo(
      async ({ open, response, end }) => {
        open();
        for (; written < 6_000; written++) {
          if (!response.write(chunkFrame({ content: piece }))) await new Promise((resolve) => response.once('drain', resolve));
        }
        end();
      },
      { timeout: 5_000 },
    );
    const response = await relay(ask());
    const reader = response.body!.getReader();
    await reader.read();
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100)); // that no more is written has no event
    }
    // 60 MB were to be sent; what the sockets hold is a few.
    expect(written * piece.length).to.be.below(20_000_000);
    await reader.cancel();
  });

  it('gives a client up that stops reading', async () => {
    let closed: Promise<void> | undefined;
    const relay = await relayTo(
      (answer) => {
        closed = answer.closed;
        answer.open();
        answer.chunk('first');
      },
      { timeout: 500 },
    );
    const reader = (await relay(ask())).body!.getReader();
    await reader.read();
    await closed;
    const error = await reader.read().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error);
  });

  it('uses its connections again', async () => {
    const relay = await relayTo(twoWords);
    for (let turn = 0; turn < 5; turn++) await (await relay(ask())).text();
    expect(upstream.requests).to.have.lengthOf(5);
    expect(upstream.sockets()).to.be.at.most(2);
  });

  it('keeps 50 streams apart, one of which breaks', async () => {
    const relay = await relayTo(async (answer, { body }) => {
      const [, { content }] = body['messages'] as [unknown, { content: string }];
      answer.open();
      answer.chunk(content);
      await new Promise((resolve) => setTimeout(resolve, 20)); // the piece before arrives first
      if (content === '7') answer.response.destroy();
      else answer.end();
    });
    const bodies = await Promise.all(Array.from({ length: 50 }, async (_, n) => (await relay(ask(hello(String(n))))).text()));
    bodies.forEach((body, n) => {
      const [first, last] = readEvents(body);
      expect(first!.data['content']).to.equal(String(n));
      expect(last!.event).to.equal(n === 7 ? 'error' : 'done');
    });
  });

  it('takes a function for its upstream', async () => {
    upstream = await startUpstream(twoWords);
    let seen: Request | undefined;
    const relay = createRelay({
      logger: false,
      upstream: async (request) => {
        seen = request;
        return new Response(`${chunkFrame({ content: 'own' }, 'stop')}data: [DONE]\n\n`, {
          headers: { 'content-type': 'text/event-stream' },
        });
      },
    });
    expect(readEvents(await (await relay(ask())).text()).map(({ event }) => event)).to.deep.equal(['message', 'done']);
    expect(seen!.headers.get('authorization')).to.equal(null);
    expect(await seen!.json()).to.not.have.property('model');
    expect(upstream.requests).to.have.lengthOf(0);
  });

  it('says that it is well', async () => {
    const relay = await relayTo(twoWords);
    const response = await relay(new Request('http://relay.test/healthz'));
    expect(response.status).to.equal(200);
    expect(await response.json()).to.deep.equal({ status: 'ok' });
  });
});
