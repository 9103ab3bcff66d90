import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { createRelay } from '../../src/relay/index.js';
import { ask, follow, hello, memoryLogger, readEvents } from './ask.js';
import { answered, chunkFrame, type Answer } from './fake-upstream.js';
import { listen } from './listen.js';
import { useFakeTimers } from './timers.js';
import { numbers, post, textOf, twoWords, useRelays } from './use-relays.js';
import requests from '../fixtures/relay/requests.json' with { type: 'json' };

describe('relay', () => {
  const relays = useRelays({ model: 'fake-1' });
  const { relayTo } = relays;

  it('passes every delta on, in order, and ends with done', async () => {
    const relay = relayTo((answer) => {
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
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
    expect(events[201]!.event).to.equal('done');
    expect(events[201]!.data).to.deep.equal({ type: 'done', finish_reason: 'length', model: 'fake-1', usage });
    expect(events).to.have.lengthOf(202);
    const [stream] = events[0]!.id.split('.');
    expect(stream).to.match(/^[0-9a-f]{32}$/);
    expect(events.map(({ id }) => id)).to.deep.equal(events.map((_, n) => `${stream}.${n + 1}`));
  });

  it('sends history and system prompt upstream, and nothing the page made up', async () => {
    const relay = relayTo(twoWords, { systemPrefix: 'House rules.', maxTokens: 500, models: ['fake-2'] });
    await (await relay(ask(requests.asked))).text();
    const [request] = relays.upstream.requests;
    expect(request!.url).to.equal('/v1/chat/completions');
    expect(request!.body).to.deep.equal(requests.sent);
    expect(request!.headers['accept-encoding']).to.equal('identity');
  });

  it('answers at once as JSON on the other route', async () => {
    const relay = relayTo();
    const response = await relay(ask(hello(), { path: '/api/ai/chat' }));
    expect(response.status).to.equal(200);
    const answer = (await response.json()) as Record<string, unknown>;
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
    expect(answer).to.deep.include({ reply: 'Hello', model: 'fake-1', finish_reason: 'stop', usage });
    expect(answer['response_time_ms']).to.be.a('number');
  });

  it('says when nothing proves the end', async () => {
    const relay = relayTo(({ open, chunk, response }) => {
      open();
      chunk('Hi');
      response.end('data: [DONE]\n\n');
    });
    const { data } = readEvents(await (await relay(ask())).text()).at(-1)!;
    expect(data).to.deep.include({ type: 'done', finish_reason: 'unknown', proved: false });
  });

  for (const headersFirst of [true, false]) {
    const when = headersFirst ? 'in mid-answer, where nobody may come back for the rest' : 'before the first byte';
    it(`closes the upstream when the client leaves ${when}, and logs it`, async () => {
      let reached!: (answer: Answer) => void;
      const atUpstream = new Promise<Answer>((resolve) => (reached = resolve));
      const logger = memoryLogger();
      const relay = relayTo(
        (answer) => {
          if (headersFirst) {
            answer.open();
            answer.chunk('first');
          }
          reached(answer);
        },
        { logger, timeout: 600_000, resumeWindow: headersFirst ? 0 : 600_000 },
      );
      const server = await listen(relay);
      relays.later(() => server.close());
      const leave = new AbortController();
      const asked = post(server.url, 'Hi', leave.signal);
      asked.catch(() => {});
      const { closed } = await atUpstream;
      if (headersFirst) await follow(await asked).until('first');
      leave.abort();
      await closed;
      if (headersFirst) expect(logger.lines.join()).to.include('client left');
    });
  }

  for (const path of ['/api/ai/chat', '/api/ai/chat/stream'])
    it(`says of itself whether the model was well the last time, on ${path}`, async () => {
      const relay = relayTo(({ response }) => void response.writeHead(500).end());
      const health = async () => (await relay(new Request('http://relay.test/healthz'))).json();
      await (await relay(ask(hello(), { path }))).text();
      expect(await health()).to.deep.equal({ status: 'degraded', degraded: ['model'] });
      relays.upstream.play(twoWords);
      await (await relay(ask(hello(), { path }))).text();
      expect(await health()).to.deep.equal({ status: 'ok' });
    });

  it('keeps 50 streams apart, each in order, one of which breaks', async () => {
    const relay = relayTo(async ({ open, chunk, end, response }, { body }) => {
      const [, { content }] = body['messages'] as [unknown, { content: string }];
      open();
      for (let piece = 0; piece < 8; piece++) {
        chunk(`${content}.${piece} `);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (content === '7') response.end();
      else end();
    });
    const bodies = await Promise.all(Array.from({ length: 50 }, async (_, n) => (await relay(ask(hello(String(n))))).text()));
    for (const [n, body] of bodies.entries()) {
      const events = readEvents(body);
      expect(textOf(events)).to.equal(Array.from({ length: 8 }, (_, piece) => `${n}.${piece} `).join(''));
      expect(numbers(events)).to.deep.equal(events.map((_, at) => at + 1));
      expect(events.at(-1)!.event).to.equal(n === 7 ? 'error' : 'done');
    }
  });

  it('takes a function for its upstream, which is asked for no key and no model', async () => {
    let seen: Request | undefined;
    const relay = createRelay({
      logger: false,
      upstream: async (request) => {
        seen = request;
        return answered('own');
      },
    });
    expect(readEvents(await (await relay(ask())).text()).map(({ event }) => event)).to.deep.equal(['message', 'done']);
    expect(seen!.headers.get('authorization')).to.equal(null);
    expect(await seen!.json()).to.not.have.property('model');
  });
});

describe('relay, while the model thinks', () => {
  const clock = useFakeTimers();
  const { relayTo } = useRelays();

  it('pings, before its headers too', async () => {
    let reached!: (answer: Answer) => void;
    const atUpstream = new Promise<Answer>((resolve) => (reached = resolve));
    const asked = relayTo(reached, { pingInterval: 10_000 })(ask());
    const { open, end } = await atUpstream;
    const stream = follow(await clock.until(asked));
    await clock.until(stream.until(': ping\n\n'));
    open();
    await clock.until(stream.until(': ping\n\n: ping\n\n'));
    end();
    await stream.until('event: done');
  });
});

it('asks a bundler for no optional package, even where comments are lost and its output is bundled again, as by Nitro', async () => {
  const asked: string[] = [];
  const resolveId = (id: string) => (['pino', 'redis'].includes(id) && asked.push(id), null);
  const transform = (code: string) => code.replace(/\/\* (?:@vite-ignore|webpackIgnore: true) \*\//g, '');
  const into = await mkdtemp(path.join(tmpdir(), 'tool-chat-bundle-'));
  let input = fileURLToPath(new URL('../../src/relay/index.ts', import.meta.url));
  for (const pass of ['first', 'second']) {
    const bundle = await rolldown({ input, platform: 'node', plugins: [{ name: 'asked', resolveId, transform }] });
    const { output } = await bundle.write({ dir: path.join(into, pass), minify: true });
    input = path.join(into, pass, output[0].fileName);
  }
  await rm(into, { recursive: true });
  expect(asked).to.deep.equal([]);
});
