/** What needs no server: options of the request, clocks, stopping. The clock is a fake one; `fetch` is the test's own. */
import { expect } from 'chai';
import { cutie } from '../../src/transports/cutie.js';
import { readReply, type SetTimer } from '../../src/transports/read-reply.js';
import type { ReplyRequest } from '../../src/transports/reply-request.js';
import type { ReplyOutcome } from '../../src/transports/reply-request.js';
import type { WireEvent } from '../../src/transports/wire.js';
import { bytes } from './reading.js';

/** A clock that moves only when told to. */
function createClock() {
  let now = 0;
  let set = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  /** Of a host's own clock: it does not say what time it is. */
  const plainTimer: SetTimer = (callback, ms) => {
    set += 1;
    const timer = { at: now + ms, callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  return {
    timers,
    /** How many were ever set. */
    set: () => set,
    plainTimer,
    setTimer: Object.assign((...wait: Parameters<SetTimer>) => plainTimer(...wait), { now: () => now }) as SetTimer,
    async pass(ms: number) {
      now += ms;
      for (const timer of [...timers]) {
        if (timer.at > now || !timers.delete(timer)) continue;
        timer.callback();
      }
      await settled();
    },
  };
}

/** Waits until every promise that could go on by itself has done so. */
async function settled() {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

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
  const request: ReplyRequest = {
    wire: cutie,
    endpoint: 'https://api.example/chat/stream',
    turn: { messages: [{ role: 'user', text: 'hi' }], system: '', maxTokens: 2000, stream: true },
    fetch: (url, init) => {
      requests.push({ url: String(url), init: init ?? {} });
      return Promise.resolve(body.response);
    },
    signal: stop.signal,
    requestTimeout: 60_000,
    heartbeat: 30_000,
    setTimer: clock.setTimer,
    ...overrides,
  };
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

  it('asks the host for headers each time, and lets it look last', async () => {
    const { requests, send, reply } = start({
      headers: async () => ({ authorization: 'fresh', 'x-none': undefined }),
      beforeSend: (request) => ({ ...request, body: { ...(request.body as object), user: 'u1' } }),
    });
    await send(DONE);
    await reply;
    expect(requests[0]!.init.headers).to.have.property('authorization', 'fresh');
    expect(requests[0]!.init.headers).not.to.have.property('x-none');
    expect(JSON.parse(requests[0]!.init.body as string)).to.have.property('user', 'u1');
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

  it('is no reply when it is a web page', async () => {
    const { reply, heard } = start({
      fetch: () => Promise.resolve(new Response('<p>Log in', { headers: { 'content-type': 'text/html' } })),
    });
    expect(await reply).to.deep.include({ type: 'failed', retry: 'none' });
    expect(heard.opened).to.equal(0);
  });

  it('is no reply when it has no body', async () => {
    const { reply } = start({ fetch: () => Promise.resolve(new Response(null, { status: 204 })) });
    const outcome = await reply;
    expect(outcome.type === 'failed' && outcome.error.code).to.equal('BAD_RESPONSE');
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

  it('gives way to other tasks while a burst is read', async () => {
    const { send, reply } = start();
    let ticks = 0;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      ticks += 1;
      port2.postMessage(null);
    };
    port2.postMessage(null);
    await send(text('').repeat(400_000) + DONE);
    await reply;
    port1.close();
    expect(ticks).to.be.above(2);
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

  it('warns of frames that make no sense', async () => {
    const { send, reply, heard } = start();
    await send(`data: {oops\n\n${DONE}`);
    await reply;
    expect(heard.warnings).to.have.length(1);
  });
});

describe('a connection that fails', () => {
  it('says whether the endpoint is on another site: then it may be that site that refuses', async () => {
    const fail = async (endpoint: string) => {
      const { reply } = start({ endpoint, fetch: () => Promise.reject(new TypeError('Failed to fetch')) });
      const outcome = await reply;
      if (outcome.type !== 'failed') throw new Error(outcome.type);
      expect([outcome.error.code, outcome.retry]).to.deep.equal(['CONNECT_FAILED', 'network']);
      return outcome.error.crossOrigin;
    };
    const page = globalThis.location as Location | undefined; // there is none outside browsers
    expect(await fail('https://other.example/')).to.equal(page && true);
    if (page) expect(await fail('/api/ai/chat/stream')).to.equal(undefined);
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

  it('take headers and then silence for a server at work: it has the message, and is not sent it again', async () => {
    const run = start();
    await settled();
    await run.clock.pass(59_999);
    expect(run.outcome()).to.equal(undefined);
    await run.clock.pass(1);
    expect(await run.reply).to.deep.include({ type: 'failed', retry: 'none', afterFirstEvent: false });
    expect(await run.reply).to.have.nested.property('error.afterHeaders', true);
    expect(run.body.cancelled).to.equal(true);
  });

  it('take a connection without a byte for twice the heartbeat for a dropped one: nothing was shown, so a retry is safe', async () => {
    const run = start({ requestTimeout: 0 });
    await settled();
    await run.clock.pass(59_999);
    expect(run.outcome()).to.equal(undefined);
    await run.clock.pass(1);
    expect(await run.reply).to.deep.include({ type: 'failed', retry: 'network', afterFirstEvent: false });
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

  it('start again with every event that carries something', async () => {
    const run = start();
    for (let round = 0; round < 10; round++) {
      await run.send(text('x'));
      await run.clock.pass(29_000);
    }
    await run.send(DONE);
    expect((await run.reply).type).to.equal('ended');
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

  it('works at once while headers are awaited, even if fetch does not listen', async () => {
    const run = start({ fetch: () => new Promise(() => {}) });
    await settled();
    run.stop.abort();
    expect(await run.reply).to.deep.equal({ type: 'aborted' });
    expect(run.clock.timers.size).to.equal(0);
  });

  it('works at once while a host function is awaited', async () => {
    const run = start({ headers: () => new Promise(() => {}) });
    await settled();
    run.stop.abort();
    expect(await run.reply).to.deep.equal({ type: 'aborted' });
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
    const stop = new AbortController();
    const body = createBody();
    let heard = 0;
    const reply = readReply(
      {
        wire: cutie,
        endpoint: 'https://api.example/',
        turn: { messages: [], system: '', maxTokens: 1, stream: true },
        fetch: () => Promise.resolve(body.response),
        signal: stop.signal,
        requestTimeout: 0,
        heartbeat: 0,
      },
      {
        event() {
          heard += 1;
          stop.abort();
        },
      },
    );
    await body.send(text('a') + text('b') + DONE);
    expect(await reply).to.deep.equal({ type: 'aborted' });
    expect(heard).to.equal(1);
  });

  it('leaves the connection closed when the sink itself throws', async () => {
    const { response, send, body } = createBody();
    const clock = createClock();
    const reply = readReply(
      {
        wire: cutie,
        endpoint: 'https://api.example/',
        turn: { messages: [], system: '', maxTokens: 1, stream: true },
        fetch: () => Promise.resolve(response),
        signal: new AbortController().signal,
        requestTimeout: 1000,
        heartbeat: 1000,
        setTimer: clock.setTimer,
      },
      {
        event() {
          throw new Error('mistake in the sink');
        },
      },
    );
    await send(text('a'));
    expect(await reply.catch((error: Error) => error.message)).to.equal('mistake in the sink');
    expect(body.cancelled).to.equal(true);
    expect(clock.timers.size).to.equal(0);
  });
});
