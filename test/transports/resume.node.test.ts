/** A reply whose connection breaks, against servers that replay well, badly, and not at all. No clock runs by itself; `fetch` is the test's own. */
import { expect } from 'chai';
import { openai } from '../../src/transports/openai.js';
import { readReply } from '../../src/transports/read-reply.js';
import { LAST_MS } from '../../src/transports/request-deadline.js';
import type { ReplyRequest, ReplySink } from '../../src/transports/reply-request.js';
import { resumeFrom } from '../../src/transports/resume-from.js';
import { createClock, until } from './clock.js';
import { bytes } from './reading.js';
import { requestFor } from './reply.js';

const ID = '0123456789abcdef0123456789abcdef';
const ENDPOINT = 'https://api.example/api/ai/chat/stream';

const frame = (n: number, data: object, id = `${ID}.${n}`) => `id: ${id}\nevent: message\ndata: ${JSON.stringify(data)}\n\n`;
const said = (n: number, content = `${n},`, id?: string) => frame(n, { type: 'text', content }, id);
const done = (n: number, id?: string) =>
  frame(n, { type: 'done', finish_reason: 'stop', usage: { prompt_tokens: 1, completion_tokens: 2 } }, id);

type Reply = string | Response | Error | ((init: RequestInit) => Promise<Response>);

const stream = (body: BodyInit | null, init: ResponseInit = {}) =>
  new Response(body, { headers: { 'content-type': 'text/event-stream' }, ...init });

/** A body that breaks after its text. `open` = it goes on saying nothing instead. */
function broken(text: string | Uint8Array, { open = false } = {}): Response {
  return stream(
    new ReadableStream({
      start(controller) {
        controller.enqueue(typeof text === 'string' ? bytes(text) : text);
      },
      pull(controller) {
        if (!open) controller.error(new TypeError('network error'));
      },
    }),
  );
}

interface Asked {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

/** @param from reads what another page began, after this event */
function start(replies: Reply[], overrides: Partial<ReplyRequest> = {}, from?: string) {
  const asked: Asked[] = [];
  const waits: number[] = [];
  const warnings: string[] = [];
  const timers = new Set<object>();
  const stop = new AbortController();
  const heard = { text: '', usages: 0 };
  const places: { id: string; text: string }[] = [];
  let open = 0;
  const read = { most: 0 };
  const request = requestFor({
    endpoint: ENDPOINT,
    fetch: async (url, init = {}) => {
      const { method = 'GET', headers, body } = init;
      asked.push({ method, url: String(url), headers: headers as Record<string, string>, body });
      if (method === 'DELETE') return new Response(null, { status: 204 });
      open += 1;
      read.most = Math.max(read.most, open);
      init.signal?.addEventListener('abort', () => (open -= 1), { once: true });
      const reply = replies.shift() ?? new Error('nothing left to say');
      if (reply instanceof Error) throw reply;
      if (typeof reply === 'function') return reply(init);
      return typeof reply === 'string' ? broken(reply) : reply;
    },
    signal: stop.signal,
    // Waits are over at once, but for the two clocks of a request.
    setTimer(callback, ms) {
      const timer = {};
      timers.add(timer);
      if (ms < 10_000) {
        if (ms !== LAST_MS) waits.push(ms);
        queueMicrotask(() => timers.delete(timer) && callback());
      }
      return () => void timers.delete(timer);
    },
    ...overrides,
  });
  const sink: ReplySink = {
    event(event) {
      if (event.type === 'text') heard.text += event.text;
      if (event.type === 'usage') heard.usages += 1;
    },
    warn: (message) => void warnings.push(message),
    place: (id) => void places.push({ id, text: heard.text }),
  };
  const reply = from === undefined ? readReply(request, sink) : resumeFrom(request, from, sink);
  const run = { reply, asked, waits, warnings, timers, stop, heard, places, read };
  runs.push(run);
  return run;
}

const runs: { timers: Set<object>; read: { most: number } }[] = [];
afterEach(() => {
  for (const { timers, read } of runs.splice(0))
    expect([timers.size, read.most > 1], 'timers and connections that are left').to.deep.equal([0, false]);
});

const ended = { type: 'ended', finish: 'stop', proof: 'proved' };
const aborted = { type: 'aborted' };
const offline = new TypeError('Failed to fetch');
const methods = ({ asked }: ReturnType<typeof start>) => asked.map(({ method }) => method).join(' ');
const lastEvents = ({ asked }: ReturnType<typeof start>) => asked.map(({ headers }) => headers['last-event-id']);
const moment = () => new Promise((resolve) => setTimeout(resolve, 5));

async function goesOn(run: ReturnType<typeof start>, text: string) {
  expect(await run.reply).to.deep.equal(ended);
  expect(run.heard).to.deep.equal({ text, usages: 1 });
}

async function staysCut(run: ReturnType<typeof start>, text: string) {
  expect(await run.reply).to.nested.include({ type: 'cut', 'error.code': 'STREAM_CUT' });
  expect(run.heard.text).to.equal(text);
  await until(() => methods(run).endsWith('DELETE'));
}

describe('a reply that is cut', () => {
  it('goes on where it broke off, each chunk exactly once', async () => {
    const run = start([said(1) + said(2) + said(3), said(4) + said(5) + done(6)]);
    await goesOn(run, '1,2,3,4,5,');
    expect(methods(run)).to.equal('POST GET');
    expect(run.asked[1]).to.deep.include({ url: `${ENDPOINT}/${ID}`, body: undefined });
    expect(run.asked[1]!.headers).to.deep.equal({ accept: 'text/event-stream', 'last-event-id': `${ID}.3` });
    expect(run.waits).to.have.lengthOf(1);
    expect(run.waits[0]).to.be.within(800, 1_200);
    expect(run.warnings).to.have.lengthOf(1);
  });

  it('goes on after a clean close, under `auto`, and keeps the query of its address', async () => {
    const run = start([stream(said(1)), said(2) + done(3)], { auto: true, endpoint: `${ENDPOINT}/?key=a` });
    await goesOn(run, '1,2,');
    expect(run.asked[1]!.url).to.equal(`${ENDPOINT}/${ID}?key=a`);
  });

  it('goes on after silence', async () => {
    const clock = createClock();
    const run = start([broken(said(1), { open: true }), said(2) + done(3)], { setTimer: clock.setTimer });
    await until(() => run.heard.text === '1,');
    await clock.pass(30_000);
    await until(() => methods(run) === 'POST GET' || (void clock.pass(1_000), false));
    await goesOn(run, '1,2,');
  });

  it('goes on at any byte it may break at: what the break cut in two comes again', async () => {
    const pieces = [said(1, '你好 '), said(2, '🌍🌍'), said(3, 'end'), done(4)];
    const all = bytes(pieces.join(''));
    for (let at = bytes(pieces[0]!).length; at < all.length; at += 7) {
      const rest = (init: RequestInit) => {
        const [, last] = (init.headers as Record<string, string>)['last-event-id']!.split('.');
        return Promise.resolve(stream(pieces.slice(Number(last)).join('')));
      };
      await goesOn(start([broken(all.slice(0, at)), rest]), '你好 🌍🌍end');
    }
  });

  it('goes on more than once, and the table begins anew with each piece', async () => {
    const run = start([said(1), offline, offline, said(2), offline, offline, said(3), done(4)]);
    await goesOn(run, '1,2,3,');
    expect(run.waits.map((ms) => 2 ** Math.round(Math.log2(ms / 1000)))).to.deep.equal([1, 2, 4, 1, 2, 4, 1]);
  });

  it('sends what every request sends, and shows the host each of them', async () => {
    const seen: string[] = [];
    let token = 0;
    const run = start([said(1), done(2)], {
      headers: () => ({ authorization: `Bearer ${++token}` }),
      beforeSend(outgoing) {
        seen.push(outgoing.url);
        return { ...outgoing, headers: { ...outgoing.headers, 'x-host': 'yes' } };
      },
    });
    await goesOn(run, '1,');
    expect(run.asked[1]!.headers).to.include({ authorization: 'Bearer 2', 'x-host': 'yes' });
    expect(seen).to.deep.equal([ENDPOINT, `${ENDPOINT}/${ID}`]);
  });
});

describe('a wrong replay', () => {
  it('that says everything twice, or goes back and forth, adds nothing twice', () =>
    goesOn(start([said(1), said(1) + said(2) + said(2) + said(1) + said(2) + said(3) + said(2) + done(4) + done(4)]), '1,2,3,'));

  it('that breaks off inside what is known already is tried again from where we are', async () => {
    const run = start([said(1) + said(2), said(1), said(1) + said(2) + said(3) + done(4)]);
    await goesOn(run, '1,2,3,');
    expect(lastEvents(run)).to.deep.equal([undefined, `${ID}.2`, `${ID}.2`]);
  });

  it('is a second telling of the end, where that is known: no end is taken from it', () =>
    staysCut(start([said(1) + said(2), done(2)]), '1,2,'));

  const other = 'f'.repeat(32);
  const html = { headers: { 'content-type': 'text/html' } };
  for (const [title, reply, text = '1,2,'] of [
    ['with a gap after a good beginning', said(3) + said(5) + done(6), '1,2,3,'],
    ['of another reply', said(3, 'x', `${other}.3`) + done(4, `${other}.4`)],
    ['that changes to another reply', said(3) + said(4, 'x', `${other}.4`), '1,2,3,'],
    ['without ids', 'data: {"type":"text","content":"x"}\n\ndata: {"type":"done"}\n\n'],
    ['whose numbers are no numbers', said(3, 'x', `${ID}.3e0`) + said(3, 'x', `${ID}.0x3`) + said(3, 'x', `${ID}.-3`)],
    ['that is none, but 410,', new Response('{}', { status: 410 })],
    ['that is none, but a web page,', new Response('<p>Log in', html)],
  ] as [string, string | Response, string?][])
    it(`${title} is not joined to the reply`, async () => {
      const run = start([said(1) + said(2), reply, said(3) + done(4)]);
      await staysCut(run, text);
      expect(methods(run)).to.equal('POST GET DELETE');
    });

  it('is given up after the last try of the table', async () => {
    const run = start([said(1), ...Array<Error>(9).fill(offline)]);
    await staysCut(run, '1,');
    expect(methods(run)).to.equal('POST GET GET GET DELETE');
  });

  it('that gives one piece at a time has an end', async () => {
    const run = start(Array.from({ length: 100 }, (_, n) => said(n + 1)));
    expect((await run.reply).type).to.equal('cut');
    expect(run.heard.text).to.match(/^1,2,3,.*1[0-9],$/);
    expect(methods(run).match(/GET/g)).to.have.lengthOf(12);
  });

  it('that is an error of the service says so', async () => {
    const run = start([said(1), frame(2, { type: 'error', message: 'It broke off.', code: 'network', retryable: true })]);
    const error = { 'error.kind': 'endpoint', 'error.detail': 'It broke off.', 'error.retryable': true };
    expect(await run.reply).to.nested.include({ type: 'failed', afterFirstEvent: true, retry: 'none', ...error });
    expect(methods(run)).to.equal('POST GET');
  });
});

describe('a reply that leads nowhere', () => {
  const strange = `id: ${ID}.1\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\n`;
  for (const [title, body, overrides] of [
    ['without ids', 'data: {"type":"text","content":"a"}\n\n', {}],
    ['whose ids would lead elsewhere', 'id: ../../x.1\ndata: {"type":"text","content":"a"}\n\n', {}],
    ['of another wire', strange, { wire: openai }],
    ['that turned out to be of another wire', strange, { auto: true }],
  ] as [string, string, Partial<ReplyRequest>][])
    it(`${title} stays cut, and nobody is asked`, async () => {
      const run = start([body], overrides);
      expect((await run.reply).type).to.equal('cut');
      expect(run.heard.text).to.equal('a');
      await moment();
      expect(methods(run)).to.equal('POST');
    });
});

describe('stopping', () => {
  const stop = async (run: ReturnType<typeof start>, when: () => boolean) => {
    await until(when);
    run.stop.abort();
    expect(await run.reply).to.deep.equal(aborted);
  };

  it('tells the service, since a connection that closes says nothing', async () => {
    const run = start([broken(said(1), { open: true })], { headers: { authorization: 'Bearer t' } });
    await stop(run, () => run.heard.text === '1,');
    await until(() => run.asked.length === 2);
    expect(run.asked[1]).to.deep.include({ method: 'DELETE', url: `${ENDPOINT}/${ID}`, body: undefined });
    expect(run.asked[1]!.headers).to.include({ authorization: 'Bearer t' });
  });

  it('is not told to a service whose reply has ended, nor where the host forbids it', async () => {
    const over = start([said(1) + done(2)]);
    await over.reply;
    let sent = 0;
    const forbidden = start([broken(said(1), { open: true })], { beforeSend: (request) => (sent++ === 0 ? request : null) });
    await stop(forbidden, () => forbidden.heard.text === '1,');
    await until(() => sent === 2);
    await moment();
    for (const run of [over, forbidden]) expect(methods(run)).to.equal('POST');
  });
});

describe('a reply that another page began (S0-177, fault 47)', () => {
  it('goes on after the last event that was stored, each exactly once', async () => {
    const run = start([said(3) + said(4) + said(5) + done(6)], {}, `${ID}.3`);
    await goesOn(run, '4,5,');
    expect(run.asked).to.have.lengthOf(1);
    expect(run.asked[0]).to.deep.include({ method: 'GET', url: `${ENDPOINT}/${ID}` });
    expect(lastEvents(run)).to.deep.equal([`${ID}.3`]);
  });

  it('has places that are told only when all before them was told, so that both can be stored together', async () => {
    const pieces = [said(1), said(2).slice(0, 20), said(2).slice(20) + said(3), done(4)].map(bytes);
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
    const { reply, places } = start([stream(body)]);
    await reply;
    expect(places).to.deep.equal([
      { id: `${ID}.1`, text: '1,' },
      { id: `${ID}.3`, text: '1,2,3,' },
    ]);
  });

  for (const [title, reply] of [
    ['has a gap', said(7)],
    ['was all there is', new Response(null, { status: 204 })],
  ] as const)
    it(`stays cut where the rest ${title}, asks for nothing else, and lets go of it`, async () => {
      const run = start([reply], {}, `${ID}.3`);
      await staysCut(run, '');
      expect(methods(run)).to.equal('GET DELETE');
    });

  it('asks nothing for an id that is none, or when it was stopped before', async () => {
    const none = start([], {}, 'nonsense');
    const stopped = start([], { signal: AbortSignal.abort() }, `${ID}.3`);
    expect([(await none.reply).type, (await stopped.reply).type]).to.deep.equal(['cut', 'aborted']);
    expect([none.asked, stopped.asked]).to.deep.equal([[], []]);
  });
});
