/** What needs no server: options of the request, clocks, stopping. The clock is a fake one; `fetch` is the test's own. */
import { expect } from 'chai';
import { readReply } from '../../src/transports/read-reply.js';
import type { ReplyOutcome, ReplyRequest } from '../../src/transports/reply-request.js';
import type { WireEvent } from '../../src/transports/wire.js';
import { createClock, settled } from './clock.js';
import { bytes } from './reading.js';
import { requestFor } from './reply.js';

/** A response whose body the test writes. */
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

function start(overrides: Partial<ReplyRequest> = {}, onEvent: (event: WireEvent) => void = () => undefined) {
  const clock = createClock();
  const body = createBody();
  const stop = new AbortController();
  const requests: { url: string; init: RequestInit }[] = [];
  const heard = { text: '', events: [] as WireEvent[], opened: 0, warnings: [] as string[] };
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
    warn: (message) => void heard.warnings.push(message),
  }).then((result) => (outcome = result));
  return { clock, ...body, stop, requests, heard, reply, outcome: () => outcome };
}

describe('a request', () => {
  it('posts, follows nothing, and tells nobody where it comes from', async () => {
    const { requests, send, reply } = start({ headers: { Authorization: 'Bearer t', 'Content-Type': 'application/vnd.x+json' } });
    await send(DONE);
    await reply;
    const { url, init } = requests[0]!;
    expect(url).to.equal('https://api.example/chat/stream');
    expect(init).to.include({
      method: 'POST',
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
      credentials: 'same-origin',
      cache: 'no-store',
    });
    expect(init.headers).to.deep.equal({
      accept: 'text/event-stream',
      authorization: 'Bearer t',
      'content-type': 'application/vnd.x+json',
    });
    expect(JSON.parse(init.body as string)).to.have.property('max_tokens', 2000);
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
      const { requests, reply, clock } = start(overrides);
      const outcome = await reply;
      expect(outcome).to.deep.include({ type: 'failed', retry: 'none' });
      expect(outcome.type === 'failed' && outcome.error.kind).to.equal(kind);
      expect(requests).to.have.length(0);
      expect(clock.timers.size).to.equal(0);
    }
  });

  it('calls fetch without a `this`, as browsers demand', async () => {
    let receiver: unknown = 'not called';
    const { reply } = start({
      fetch: function (this: unknown) {
        receiver = this;
        return Promise.resolve(new Response('{"reply":"hi"}', { headers: { 'content-type': 'application/json' } }));
      } as typeof fetch,
    });
    expect((await reply).type).to.equal('ended');
    expect(receiver).to.equal(undefined);
  });
});

describe('a reply', () => {
  it('is closed by us at its end mark', async () => {
    const { heard, send, reply, body, clock, requests } = start();
    await send(text('你') + text('好'));
    expect(heard.text).to.equal('你好');
    await send(DONE);
    expect(await reply).to.deep.equal({ type: 'ended', finish: 'stop', proof: 'proved' });
    expect(body.cancelled).to.equal(true);
    expect(requests[0]!.init.signal?.aborted).to.equal(true);
    expect(clock.timers.size).to.equal(0);
    expect(heard.opened).to.equal(1);
  });

  it('is cut by a clean close and by a broken socket alike, once an event has come', async () => {
    for (const how of ['close', 'break'] as const) {
      const run = start();
      await run.send(text('half'));
      run[how]();
      const outcome = await run.reply;
      expect(outcome.type === 'cut' && outcome.error.code).to.equal('STREAM_CUT');
      expect(run.heard.text).to.equal('half');
      expect(run.clock.timers.size).to.equal(0);
    }
  });

  it('may be asked for again when only comments and empty deltas came', async () => {
    const run = start();
    await run.send(`: hello\n\n${text('')}`);
    run.close();
    const outcome = await run.reply;
    expect(outcome).to.deep.include({ type: 'failed', retry: 'network', afterFirstEvent: false });
  });

  it('is none when it is a web page, or has no body', async () => {
    for (const response of [new Response('<p>Log in', { headers: { 'content-type': 'text/html' } }), new Response(null, { status: 204 })]) {
      const { reply, heard } = start({ fetch: () => Promise.resolve(response) });
      const outcome = await reply;
      expect(outcome).to.deep.include({ type: 'failed', retry: 'none' });
      expect(outcome.type === 'failed' && outcome.error.code).to.equal('BAD_RESPONSE');
      expect(heard.opened).to.equal(0);
    }
  });

  it('that says it failed is asked for again by itself only if it says so, before anything came', async () => {
    const run = async (before: string, data: object) => {
      const { send, reply } = start();
      await send(`${before}data: ${JSON.stringify({ type: 'error', message: 'busy <b>sk-SECRET-123</b>', ...data })}\n\n`);
      const outcome = await reply;
      if (outcome.type !== 'failed') throw new Error(outcome.type);
      expect(outcome.error).to.deep.include({ kind: 'endpoint', code: 'ENDPOINT_ERROR', detail: 'busy [hidden]' });
      return outcome.retry;
    };
    expect(await run('', { retryable: true })).to.equal('server');
    expect(await run('', {})).to.equal('none');
    expect(await run(text('a'), { retryable: true })).to.equal('none');
  });

  it('hands a long text on in pieces, in its order and with what came behind it, and lets others in between them', async () => {
    const words = `${'word '.repeat(60_000)}😀`;
    const events: WireEvent[] = [];
    const gaps: number[] = [];
    let ticks = 0;
    const { send, reply } = start({}, (event) => {
      events.push(event);
      if (event.type !== 'text') return;
      // As long as reading takes.
      for (const until = performance.now() + 25; performance.now() < until;) Math.sqrt(2);
      gaps.push(ticks);
    });
    const timer = setInterval(() => (ticks += 1), 0);
    await send(text(words) + text('behind') + DONE);
    expect(await reply).to.include({ type: 'ended' });
    clearInterval(timer);
    const pieces = events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
    expect(pieces.join('')).to.equal(`${words}behind`);
    expect(Math.max(...pieces.map(({ length }) => length))).to.be.at.most(65_536);
    expect(new Set(gaps).size).to.be.above(2);
  });
});

describe('the clocks of a request', () => {
  it('give up when no headers come', async () => {
    const run = start({ fetch: () => new Promise(() => {}) });
    await run.clock.pass(59_999);
    expect(run.outcome()).to.equal(undefined);
    await run.clock.pass(1);
    const outcome = await run.reply;
    expect(outcome.type === 'failed' && [outcome.error.kind, outcome.retry]).to.deep.equal(['timeout', 'network']);
    expect(run.clock.timers.size).to.equal(0);
  });

  it('close a response that comes too late', async () => {
    let answer!: (response: Response) => void;
    const run = start({ fetch: () => new Promise((resolve) => (answer = resolve)) });
    await run.clock.pass(60_000);
    await run.reply;
    answer(run.response);
    await settled();
    expect(run.body.cancelled).to.equal(true);
  });

  for (const [title, requestTimeout, retry] of [
    ['headers and then silence for a server at work: it has the message, and is not sent it again', 60_000, 'none'],
    ['a connection without a byte for twice the heartbeat for a dropped one: nothing was shown, so a retry is safe', 0, 'network'],
  ] as const)
    it(`take ${title}`, async () => {
      const run = start({ requestTimeout });
      await settled();
      await run.clock.pass(59_999);
      expect(run.outcome()).to.equal(undefined);
      await run.clock.pass(1);
      expect(await run.reply).to.deep.include({ type: 'failed', retry, afterFirstEvent: false });
      if (retry === 'none') expect(await run.reply).to.have.nested.property('error.afterHeaders', true);
      expect(run.body.cancelled).to.equal(true);
    });

  it('wait longer for the first event as long as the server gives signs of life, up to ten times', async () => {
    const run = start();
    await settled();
    let waited = 0;
    // As llama.cpp does it: a comment every 31 s while it reads the prompt.
    for (; !run.outcome() && waited < 3_600_000; waited += 31_000) {
      await run.clock.pass(31_000);
      await run.send(': \n\n').catch(() => {});
    }
    expect(waited).to.be.within(570_000, 640_000);
    expect(run.outcome()).to.deep.include({ type: 'failed', retry: 'none' });
  });

  it('read what comes after a long wait like any other reply', async () => {
    const run = start();
    await settled();
    for (let at = 0; at < 10; at++) {
      await run.clock.pass(31_000);
      await run.send(': \n\n');
    }
    await run.send(text('At last.') + DONE);
    expect((await run.reply).type).to.equal('ended');
    expect([run.heard.text, run.clock.timers.size]).to.deep.equal(['At last.', 0]);
  });

  it('take silence after the first event for a cut', async () => {
    const run = start();
    await run.send(text('half'));
    await run.clock.pass(30_000);
    const outcome = await run.reply;
    expect(outcome.type === 'cut' && [outcome.error.kind, outcome.error.code]).to.deep.equal(['stall', 'STREAM_CUT']);
  });

  it('are kept alive by comments, but not for ever', async () => {
    const run = start();
    await run.send(text('half'));
    for (let seconds = 20; seconds < 60; seconds += 20) {
      await run.clock.pass(20_000);
      await run.send(': ping\n\n');
      expect(run.outcome()).to.equal(undefined);
    }
    await run.clock.pass(20_000);
    expect((await run.reply).type).to.equal('cut');
  });

  it('set no timer for each piece, and ring as late after the last one as without the rest', async () => {
    const run = start();
    for (let piece = 0; piece < 100; piece++) {
      await run.send(text('x'));
      await run.clock.pass(10);
    }
    expect(run.clock.set()).to.be.below(6);
    await run.clock.pass(29_989);
    expect(run.outcome()).to.equal(undefined);
    await run.clock.pass(1);
    expect((await run.reply).type).to.equal('cut');
    expect(run.clock.timers.size).to.equal(0);
  });

  it('go by a clock that does not say its time, too', async () => {
    const clock = createClock();
    const run = start({ setTimer: clock.plainTimer });
    for (let piece = 0; piece < 3; piece++) {
      await run.send(text('x'));
      await clock.pass(29_000);
    }
    await clock.pass(999);
    expect(run.outcome()).to.equal(undefined);
    await clock.pass(1);
    expect((await run.reply).type).to.equal('cut');
  });

  it('are off at 0', async () => {
    const run = start({ requestTimeout: 0, heartbeat: 0 });
    await settled();
    expect(run.clock.timers.size).to.equal(0);
    await run.send(DONE);
    await run.reply;
  });
});

describe('stopping', () => {
  it('before the request sends nothing', async () => {
    const stop = new AbortController();
    stop.abort();
    const { reply, requests } = start({ signal: stop.signal });
    expect(await reply).to.deep.equal({ type: 'aborted' });
    expect(requests).to.have.length(0);
  });

  for (const [title, waiting] of [
    ['headers are awaited, even if fetch does not listen', { fetch: () => new Promise<Response>(() => {}) }],
    ['a host function is awaited', { headers: () => new Promise<Record<string, string>>(() => {}) }],
  ] as [string, Partial<ReplyRequest>][])
    it(`works at once while ${title}`, async () => {
      const run = start(waiting);
      await settled();
      run.stop.abort();
      expect(await run.reply).to.deep.equal({ type: 'aborted' });
      expect(run.clock.timers.size).to.equal(0);
    });

  it('closes the stream, and nothing is heard after it', async () => {
    const run = start();
    await run.send(text('a'));
    run.stop.abort();
    expect(await run.reply).to.deep.equal({ type: 'aborted' });
    expect(run.body.cancelled).to.equal(true);
    expect(run.heard.text).to.equal('a');
    expect(run.clock.timers.size).to.equal(0);
  });

  it('from inside the sink lets no further event through', async () => {
    const run = start({}, () => run.stop.abort());
    await run.send(text('a') + text('b') + DONE);
    expect(await run.reply).to.deep.equal({ type: 'aborted' });
    expect(run.heard.events).to.have.length(1);
  });

  it('leaves the connection closed when the sink itself throws', async () => {
    const run = start({}, () => {
      throw new Error('mistake in the sink');
    });
    const failure = run.reply.catch((error: Error) => error.message);
    await run.send(text('a'));
    expect(await failure).to.equal('mistake in the sink');
    expect([run.body.cancelled, run.clock.timers.size]).to.deep.equal([true, 0]);
  });
});
