/** What needs no server: options of the request, clocks, stopping. The clock is a fake one; `fetch` is the test's own. */
import { expect } from 'chai';
import { readReply } from '../../src/transports/read-reply.js';
import type { ReplyOutcome, ReplyRequest } from '../../src/transports/reply-request.js';
import type { WireEvent } from '../../src/transports/wire.js';
import { createClock, settled } from './clock.js';
import { bytes } from './reading.js';
import { requestFor } from './reply.js';

function createBody() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = { cancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      body.cancelled = true;
    },
  });
  return {
    response: new Response(stream, { headers: { 'content-type': 'text/event-stream' } }),
    body,
    async send(text: string) {
      controller.enqueue(bytes(text));
      await settled();
    },
    close: () => controller.close(),
    break: () => controller.error(new TypeError('network error')),
  };
}

const text = (content: string) => `data: ${JSON.stringify({ type: 'text', content })}\n\n`;
const DONE = 'data: {"type":"done"}\n\n';

const runs: { clock: ReturnType<typeof createClock> }[] = [];
afterEach(async () => {
  for (const { clock } of runs.splice(0)) {
    await clock.pass(1000);
    expect(clock.timers.size, 'timers that are left').to.equal(0);
  }
});

function start(overrides: Partial<ReplyRequest> = {}, onEvent: (event: WireEvent) => void = () => undefined) {
  const clock = createClock();
  const body = createBody();
  const stop = new AbortController();
  const requests: { url: string; init: RequestInit }[] = [];
  const heard = { text: '', events: [] as WireEvent[], opened: 0 };
  const request = requestFor({
    fetch: (url, init) => {
      requests.push({ url: String(url), init: init ?? {} });
      return Promise.resolve(body.response);
    },
    signal: stop.signal,
    setTimer: clock.setTimer,
    ...overrides,
  });
  let outcome: ReplyOutcome | undefined;
  const reply = readReply(request, {
    opened: () => (heard.opened += 1),
    event(event) {
      heard.events.push(event);
      onEvent(event);
      if (event.type === 'text') heard.text += event.text;
    },
  }).then((result) => (outcome = result));
  const run = { clock, ...body, stop, requests, heard, reply, outcome: () => outcome };
  runs.push(run);
  return run;
}

const never = () => new Promise<never>(() => {});
const aborted = { type: 'aborted' };

describe('a request', () => {
  it('posts, follows nothing, and tells nobody where it comes from', async () => {
    const { requests, send, reply } = start({
      headers: { Authorization: 'Bearer t', 'Content-Type': 'application/vnd.x+json', 'X-None': undefined },
    });
    await send(DONE);
    await reply;
    const { url, init } = requests[0]!;
    expect(url).to.equal('https://api.example/chat/stream');
    const { method, redirect, referrerPolicy, credentials, cache } = init;
    const sent = [method, redirect, referrerPolicy, credentials, cache];
    expect(sent).to.deep.equal(['POST', 'manual', 'no-referrer', 'same-origin', 'no-store']);
    const own = { authorization: 'Bearer t', 'content-type': 'application/vnd.x+json' };
    expect(init.headers).to.deep.equal({ accept: 'text/event-stream', ...own });
    expect(JSON.parse(init.body as string)).to.have.property('max_tokens', 2000);
  });

  it('is answered by what stands in for a response and knows only its whole text', async () => {
    const { response } = createBody();
    const standIn = Object.defineProperties(response, {
      body: { value: null },
      text: { value: () => Promise.resolve(text('whole') + DONE) },
    });
    const { reply, heard } = start({ fetch: () => Promise.resolve(standIn) });
    await reply;
    expect(heard.text).to.equal('whole');
  });

  it('is not sent when the host refuses, or gives what cannot be used', async () => {
    const cases: [Partial<ReplyRequest>, string][] = [
      [{ beforeSend: () => null }, 'refused'],
      [{ beforeSend: () => Promise.reject(new Error('no')) }, 'refused'],
      [{ headers: () => Promise.reject(new Error('no token')) }, 'config'],
      [{ headers: { 'bad name': 'x' } }, 'config'],
      [{ endpoint: 'http://[' }, 'config'],
    ];
    for (const [overrides, kind] of cases) {
      const { requests, reply } = start(overrides);
      expect(await reply).to.nested.include({ type: 'failed', retry: 'none', 'error.kind': kind });
      expect(requests).to.have.length(0);
    }
  });
});

describe('a reply', () => {
  it('ends at its end mark, has a moment to close by itself, and is closed by us then', async () => {
    const run = start();
    const { heard, send, reply, body, requests } = run;
    await send(text('你') + text('好'));
    expect(heard.text).to.equal('你好');
    await send(DONE);
    expect(await reply).to.deep.equal({ type: 'ended', finish: 'stop', proof: 'proved' });
    // An answer that is closed by the page shows as a failed request in the browser.
    expect([body.cancelled, requests[0]!.init.signal?.aborted, heard.opened]).to.deep.equal([false, false, 1]);
    await run.clock.pass(1000);
    expect([body.cancelled, requests[0]!.init.signal?.aborted]).to.deep.equal([true, true]);
    const closes = start();
    await closes.send(DONE);
    closes.close();
    expect(await closes.reply).to.include({ type: 'ended' });
    await settled();
    expect([closes.body.cancelled, closes.clock.timers.size]).to.deep.equal([false, 0]);
  });

  it('that the page’s own code has read is named, and one of which it read a copy is read', async () => {
    for (const [status, take, outcome] of [
      [200, (response: Response) => response.text(), { 'error.kind': 'body-taken', 'error.code': 'BAD_RESPONSE' }],
      [200, ({ body }: Response) => body!.getReader(), { 'error.kind': 'body-taken' }],
      [429, (response: Response) => response.text(), { 'error.kind': 'rate-limit' }],
      [200, (response: Response) => response.clone().text(), { type: 'ended' }],
    ] as const) {
      const response = new Response(text('a') + DONE, { status });
      const { reply } = start({
        async fetch() {
          await take(response);
          return response;
        },
      });
      expect(await reply).to.nested.include(outcome);
    }
  });

  it('that says it failed is asked for again by itself only if it says so, before anything came', async () => {
    for (const [before, more, retry] of [
      ['', { retryable: true }, 'server'],
      ['', {}, 'none'],
      [text('a'), { retryable: true }, 'none'],
    ] as const) {
      const { send, reply } = start();
      await send(`${before}data: ${JSON.stringify({ type: 'error', message: 'busy <b>sk-SECRET-123</b>', ...more })}\n\n`);
      const error = { 'error.kind': 'endpoint', 'error.code': 'ENDPOINT_ERROR', 'error.detail': 'busy [hidden]' };
      expect(await reply).to.nested.include({ type: 'failed', retry, ...error });
    }
  });

  it('hands a long text on in pieces, in its order and with what came behind it, and lets others in between them', async () => {
    const words = `${'word '.repeat(60_000)}😀`;
    const gaps: number[] = [];
    let ticks = 0;
    const { send, reply, heard } = start({}, ({ type }) => {
      if (type !== 'text') return;
      // As long as reading takes.
      for (const until = performance.now() + 25; performance.now() < until;) Math.sqrt(2);
      gaps.push(ticks);
    });
    const timer = setInterval(() => (ticks += 1), 0);
    await send(text(words) + text('behind') + DONE);
    expect(await reply).to.include({ type: 'ended' });
    clearInterval(timer);
    expect(heard.text).to.equal(`${words}behind`);
    expect(Math.max(...heard.events.map((event) => (event.type === 'text' ? event.text.length : 0)))).to.be.at.most(65_536);
    expect(new Set(gaps).size).to.be.above(2);
  });
});

describe('the clocks of a request', () => {
  const hostClock = createClock();
  for (const [title, overrides, pieces, ms, expected, clock] of [
    [
      'take headers and then silence for a server at work: it has the message, and is not sent it again',
      {},
      0,
      60_000,
      { type: 'failed', retry: 'none', afterFirstEvent: false, 'error.afterHeaders': true },
    ],
    [
      'take a connection without a byte for twice the heartbeat for a dropped one: nothing was shown, so a retry is safe',
      { requestTimeout: 0 },
      0,
      60_000,
      { type: 'failed', retry: 'network', afterFirstEvent: false },
    ],
    ['ring as late after the last of many pieces, and set no timer for each', {}, 100, 30_000, { type: 'cut', 'error.kind': 'stall' }],
    ['go by a clock that does not say its time, too', { setTimer: hostClock.plainTimer }, 3, 30_000, { type: 'cut' }, hostClock],
  ] as [string, Partial<ReplyRequest>, number, number, object, ReturnType<typeof createClock>?][])
    it(title, async () => {
      const run = start(overrides);
      const { pass, set } = clock ?? run.clock;
      await settled();
      for (let piece = 0; piece < pieces; piece++) {
        await pass(clock ? 29_000 : 10);
        await run.send(text('x'));
      }
      if (!clock) expect(set()).to.be.below(6);
      await pass(ms - 1);
      expect(run.outcome()).to.equal(undefined);
      await pass(1);
      expect(await run.reply).to.nested.include(expected);
      expect(run.body.cancelled).to.equal(overrides.fetch === undefined);
    });

  it('wait longer for the first event as long as the server gives signs of life, up to ten times', async () => {
    // As llama.cpp does it: a comment every 31 s while it reads the prompt.
    const waitFor = async (run: ReturnType<typeof start>, signs: number) => {
      await settled();
      for (let at = 0; at < signs && !run.outcome(); at++) {
        await run.clock.pass(31_000);
        await run.send(': \n\n').catch(() => {});
      }
    };
    const given = start();
    await waitFor(given, 20);
    expect(await given.reply).to.include({ type: 'failed', retry: 'none' });
    const late = start();
    await waitFor(late, 18);
    await late.send(text('At last.') + DONE);
    expect((await late.reply).type).to.equal('ended');
    expect(late.heard.text).to.equal('At last.');
  });
});

describe('stopping', () => {
  for (const [title, waiting] of [
    ['headers are awaited, even if fetch does not listen', { fetch: never }],
    ['a host function is awaited', { headers: never }],
  ] as [string, Partial<ReplyRequest>][])
    it(`works at once while ${title}`, async () => {
      const run = start(waiting);
      await settled();
      run.stop.abort();
      expect(await run.reply).to.deep.equal(aborted);
    });

  it('closes the stream, and nothing is heard after it, also from inside the sink', async () => {
    const run = start();
    await run.send(text('a'));
    run.stop.abort();
    expect(await run.reply).to.deep.equal(aborted);
    expect([run.body.cancelled, run.heard.text]).to.deep.equal([true, 'a']);
    const inside = start({}, () => inside.stop.abort());
    await inside.send(text('a') + text('b') + DONE);
    expect(await inside.reply).to.deep.equal(aborted);
    expect(inside.heard.events).to.have.length(1);
  });

  it('is left to whoever called when the sink itself throws, and the connection is closed', async () => {
    const run = start({}, () => {
      throw new Error('mistake in the sink');
    });
    const failure = run.reply.catch((error: Error) => error.message);
    await run.send(text('a'));
    expect(await failure).to.equal('mistake in the sink');
    expect(run.body.cancelled).to.equal(true);
  });
});
