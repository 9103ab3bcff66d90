import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { createMemoryStore, createRelay, type Relay, type RelayOptions } from '../../src/relay/index.js';
import { ask, follow, hello, memoryLogger, ORIGIN, readEvents, type RelayEvent } from './ask.js';
import { startUpstream, type Answer, type Play } from './fake-upstream.js';
import { listen, until } from './listen.js';

const STREAM = '/api/ai/chat/stream';

/** An upstream that says what the test says, when the test says it. */
function byHand() {
  let reached!: (answer: Answer) => void;
  const answer = new Promise<Answer>((resolve) => (reached = resolve));
  const play: Play = async (given) => {
    given.open();
    reached(given);
    await given.closed;
  };
  return { play, answer };
}

const get = (id: string, lastEventId?: string, headers: Record<string, string> = {}) =>
  new Request(`${ORIGIN}${STREAM}/${id}`, { headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) } });
const remove = (id: string, headers: Record<string, string> = {}) => new Request(`${ORIGIN}${STREAM}/${id}`, { method: 'DELETE', headers });

const textOf = (events: readonly RelayEvent[]) => events.map(({ data }) => data['content'] ?? '').join('');
const numbers = (events: readonly RelayEvent[]) => events.map(({ id }) => Number(id.split('.')[1]));
const streamOf = (body: string) => /^id: (\w+)\./.exec(body)![1]!;

describe('a lost answer of the relay', () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let relay: Relay;
  const closing: (() => unknown)[] = [];

  async function relayTo(play: Play, options: RelayOptions = {}) {
    upstream = await startUpstream(play);
    relay = createRelay({ baseUrl: upstream.baseUrl, model: 'm', logger: false, ...options });
    return relay;
  }

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await relay.close({ graceMs: 0 });
    await upstream.close();
  });

  /** Asks, reads until `text` has come, and leaves. */
  async function lose(text: string): Promise<{ id: string; events: RelayEvent[] }> {
    const stream = follow(await relay(ask()));
    const body = await stream.until(text);
    await stream.cancel();
    return { id: streamOf(body), events: readEvents(body.slice(0, body.lastIndexOf('\n\n') + 2)) };
  }

  it('goes on after the last event that was seen, each exactly once, while it is still being written', async () => {
    const { play, answer } = byHand();
    await relayTo(play);
    const stream = follow(await relay(ask()));
    const { chunk, end } = await answer;
    for (let n = 1; n <= 5; n++) chunk(`${n},`);
    const body = await stream.until('5,');
    await stream.cancel();
    const id = streamOf(body);
    chunk('6,');

    const rest = await relay(get(id, `${id}.5`));
    expect(rest.status).to.equal(200);
    expect(rest.headers.get('content-type')).to.match(/^text\/event-stream/);
    for (let n = 7; n <= 10; n++) chunk(`${n},`);
    end();
    const events = readEvents(await rest.text());
    expect(numbers(events)).to.deep.equal([6, 7, 8, 9, 10, 11]);
    expect(textOf(events)).to.equal('6,7,8,9,10,');
    expect(events.at(-1)!.event).to.equal('done');
    expect(upstream.requests).to.have.lengthOf(1);
  });

  it('is there as a whole for who has seen nothing, and after its end', async () => {
    const { play, answer } = byHand();
    await relayTo(play);
    const stream = follow(await relay(ask()));
    const { chunk, end } = await answer;
    chunk('a');
    const id = streamOf(await stream.until('"a"'));
    await stream.cancel();
    chunk('b');
    end();
    const whole = readEvents(await (await relay(get(id))).text());
    expect(whole.map(({ event, data }) => [event, data['content']])).to.deep.equal([
      ['message', 'a'],
      ['message', 'b'],
      ['done', undefined],
    ]);
    expect(readEvents(await (await relay(get(id, `${id}.1`))).text())).to.deep.equal(whole.slice(1));
    expect((await relay(get(id, `${id}.3`))).status).to.equal(204);
  });

  it('survives sockets that break, time and again', async () => {
    const { play, answer } = byHand();
    await relayTo(play);
    const server = await listen(relay);
    closing.push(() => server.close());
    let response = await fetch(server.url + STREAM, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(hello()),
    });
    const { chunk, end } = await answer;
    const seen: RelayEvent[] = [];
    for (let n = 1; n <= 6; n++) {
      const stream = follow(response);
      chunk(`<${n}>`);
      const body = await stream.until(`<${n}>`);
      server.cut();
      seen.push(...readEvents(body.slice(0, body.lastIndexOf('\n\n') + 2)));
      const { id } = seen.at(-1)!;
      response = await fetch(`${server.url}${STREAM}/${id.split('.')[0]}`, { headers: { 'last-event-id': id } });
    }
    end();
    seen.push(...readEvents(await response.text()));
    expect(textOf(seen)).to.equal('<1><2><3><4><5><6>');
    expect(numbers(seen)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
  });

  it('leaves the old connection when the client comes back on another while it looks alive', async () => {
    const { play, answer } = byHand();
    await relayTo(play);
    const stale = await relay(ask());
    const reader = stale.body!.getReader();
    const { chunk, end } = await answer;
    chunk('a');
    const id = streamOf(new TextDecoder().decode((await reader.read()).value));
    // Nobody reads the first response any more, and nobody has closed it.
    const rest = await relay(get(id, `${id}.1`));
    chunk('b');
    end();
    expect(textOf(readEvents(await rest.text()))).to.equal('b');
    let { done } = await reader.read();
    while (!done) ({ done } = await reader.read());
  });

  it('stops at once when the client says so, for whoever still reads', async () => {
    const { play, answer } = byHand();
    const logger = memoryLogger();
    await relayTo(play, { logger });
    const response = await relay(ask());
    const { chunk, closed } = await answer;
    chunk('a');
    const stream = follow(response);
    const id = streamOf(await stream.until('"a"'));
    const rest = follow(await relay(get(id, `${id}.1`)));
    const before = performance.now();
    expect((await relay(remove(id))).status).to.equal(204);
    await closed;
    expect(performance.now() - before).to.be.below(500);
    expect(await rest.until('error')).to.include('"code":"stopped","retryable":false');
    expect(logger.lines.at(-1)).to.include('stopped').and.to.not.include(id);
    expect((await relay(remove(id))).status).to.equal(204);
  });

  it('is read on for no longer than the window, and then ends as a broken one', async () => {
    const { play, answer } = byHand();
    await relayTo(play, { resumeWindow: 60 });
    const lost = lose('"a"');
    const { chunk, closed } = await answer;
    chunk('a');
    const { id } = await lost;
    await closed;
    const events = readEvents(await (await relay(get(id, `${id}.1`))).text());
    expect(events).to.have.lengthOf(1);
    expect(events[0]).to.deep.include({ event: 'error', id: `${id}.2` });
    expect(events[0]!.data).to.include({ code: 'connection_lost', retryable: true });
  });

  it('is read on for as long as somebody follows it', async () => {
    const { play, answer } = byHand();
    await relayTo(play, { resumeWindow: 60 });
    const lost = lose('"a"');
    const { chunk, end } = await answer;
    chunk('a');
    const { id } = await lost;
    const rest = follow(await relay(get(id, `${id}.1`)));
    const reading = rest.until('done');
    // Nothing happens when the window of 60 ms is over, so nothing can be waited for but the time itself.
    await new Promise((resolve) => setTimeout(resolve, 200));
    chunk('b');
    end();
    expect(textOf(readEvents(await reading))).to.equal('b');
  });

  it('does not keep the model busy for a client that has seen nothing', async () => {
    const { play, answer } = byHand();
    await relayTo(play);
    const leave = new AbortController();
    const response = await relay(ask(hello(), { signal: leave.signal }));
    const { closed } = await answer;
    leave.abort();
    await closed;
    await response.body?.cancel();
  });

  it('tells a failure of the model that happened meanwhile', async () => {
    const { play, answer } = byHand();
    await relayTo(play);
    const lost = lose('"a"');
    const { chunk, response } = await answer;
    chunk('a');
    const { id } = await lost;
    chunk('b');
    response.end(); // without its end mark
    const events = readEvents(await (await relay(get(id, `${id}.1`))).text());
    expect(events.map(({ event }) => event)).to.deep.equal(['message', 'error']);
  });

  it('pings while nothing comes', async () => {
    const { play, answer } = byHand();
    await relayTo(play, { pingInterval: 20 });
    const lost = lose('"a"');
    const { chunk } = await answer;
    chunk('a');
    const { id } = await lost;
    const rest = follow(await relay(get(id, `${id}.1`)));
    await rest.until(': ping\n\n: ping');
    await rest.cancel();
  });

  describe('is nobody else’s', () => {
    let id: string;
    let finish: () => void;

    beforeEach(async () => {
      const { play, answer } = byHand();
      await relayTo(play, { publicOrigin: ORIGIN, allowedOrigins: ['https://shop.example', 'https://other.example'] });
      const stream = follow(await relay(ask(hello(), { headers: { origin: 'https://shop.example' } })));
      const { chunk, end } = await answer;
      finish = end;
      chunk('secret');
      id = streamOf(await stream.until('secret'));
      await stream.cancel();
    });

    it('for a page of another origin, though that may use the relay too', async () => {
      for (const request of [
        get(id, `${id}.0`, { origin: 'https://other.example' }),
        get(id, `${id}.0`, { origin: ORIGIN }),
        get(id, undefined, { 'sec-fetch-site': 'cross-site' }),
        remove(id, { origin: 'https://other.example' }),
      ]) {
        const response = await relay(request);
        expect(response.status).to.equal(404);
        expect(await response.text()).to.not.include('secret');
      }
      expect((await relay(get(id, undefined, { origin: 'https://evil.example' }))).status).to.equal(403);
      finish();
      const own = await relay(get(id, `${id}.0`, { origin: 'https://shop.example' }));
      expect(await own.text()).to.include('secret');
      expect(own.headers.get('access-control-allow-origin')).to.equal('https://shop.example');
    });

    it('for who guesses, and an id that was never given is as unknown as one that is malformed', async () => {
      for (const guess of ['0'.repeat(32), 'f'.repeat(32), id.slice(1), `${id}0`, id.toUpperCase(), '..', '%00', '*'])
        expect((await relay(get(guess))).status, guess).to.equal(404);
    });

    it('for an event id that is not its own', async () => {
      for (const lastEventId of ['1', 'x', `${'0'.repeat(32)}.1`, `${id}.-1`, `${id}.1e3`, `${id}.`, id])
        expect((await relay(get(id, lastEventId))).status, lastEventId).to.equal(400);
    });
  });

  it('has ids of 128 bits', async () => {
    await relayTo((answer) => {
      answer.open();
      answer.chunk('x');
      answer.end();
    });
    const ids = new Set<string>();
    const bits = new Set<string>();
    for (let n = 0; n < 64; n++) {
      const id = streamOf(await (await relay(ask())).text());
      expect(id).to.match(/^[0-9a-f]{32}$/);
      ids.add(id);
      [...id].forEach((digit, at) => bits.add(`${at}${(Number.parseInt(digit, 16) & 8) === 0}`));
    }
    expect(ids.size).to.equal(64);
    expect(bits.size).to.equal(64); // no place is always the same
  });

  it('may be taken back by a page of another site: the preflight allows it', async () => {
    await relayTo(() => {}, { allowedOrigins: ['https://shop.example'] });
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'DELETE' };
    const preflight = await relay(new Request(`${ORIGIN}${STREAM}/abc`, { method: 'OPTIONS', headers }));
    expect(preflight.headers.get('access-control-allow-methods')).to.include('DELETE');
    expect(preflight.headers.get('access-control-allow-headers')).to.include('last-event-id');
    const wrong = await relay(new Request(`${ORIGIN}${STREAM}/abc`, { method: 'PUT' }));
    expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'GET, DELETE, OPTIONS']);
  });

  it('is not kept where that is turned off', async () => {
    await relayTo(
      (answer) => {
        answer.open();
        answer.chunk('x');
        answer.end();
      },
      { resumeWindow: 0 },
    );
    expect((await relay(get(streamOf(await (await relay(ask())).text())))).status).to.equal(404);
  });

  it('holds the model back when the client that is away would miss more than is kept', async () => {
    const piece = 'x'.repeat(10_000);
    let written = 0;
    await relayTo(
      async ({ open, chunk, response, end }) => {
        open();
        for (; written < 1_500; written++) {
          chunk(piece);
          if (response.writableNeedDrain) await new Promise((resolve) => response.once('drain', resolve));
        }
        end();
      },
      { replay: { streamBytes: 2_000_000 } },
    );
    const stream = follow(await relay(ask()));
    const id = streamOf(await stream.until('x'));
    await stream.cancel();
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 50)); // that no more is written has no event
    }
    expect(written).to.be.below(1_500);
    // It goes on as it is read, and nothing is missing.
    const rest = readEvents(await (await relay(get(id, `${id}.1`))).text());
    expect(rest.at(-1)!.event).to.equal('done');
    expect(textOf(rest)).to.have.lengthOf(1_499 * 10_000);
  });

  it('is gone, and said to be gone, where more was read than is kept', async () => {
    await relayTo(
      (answer) => {
        answer.open();
        for (let n = 0; n < 100; n++) answer.chunk('x'.repeat(100));
        answer.end();
      },
      { replay: { streamBytes: 2_000 } },
    );
    const body = await (await relay(ask())).text();
    const id = streamOf(body);
    const forgotten = await relay(get(id, `${id}.5`));
    expect(forgotten.status).to.equal(410);
    expect(await forgotten.json()).to.deep.include({ type: 'error', code: 'not_found', retryable: false });
    expect(numbers(readEvents(await (await relay(get(id, `${id}.97`))).text()))).to.deep.equal([98, 99, 100, 101]);
  });

  it('ends for its readers when the relay closes', async () => {
    const { play, answer } = byHand();
    await relayTo(play);
    const stream = follow(await relay(ask()));
    const { chunk, closed } = await answer;
    chunk('a');
    await stream.until('"a"');
    const reading = stream.until('error');
    await relay.close({ graceMs: 0 });
    await closed;
    expect(readEvents(await reading).at(-1)!.data).to.include({ code: 'closing', retryable: true });
  });
});

describe('the store in memory', () => {
  const orders = { stop() {}, resume() {} };
  const message = (seq: number, data = '{}') => ({ seq, event: 'message' as const, data });
  const done = (seq: number) => ({ seq, event: 'done' as const, data: '{}' });

  it('finds every stream that runs, however many there are', async () => {
    const { streams } = createMemoryStore({ bytes: 100_000 });
    for (let n = 0; n < 2_000; n++) {
      streams.begin(`s${n}`, '', orders);
      streams.append(`s${n}`, [message(1, 'x'.repeat(50)), message(2, 'y'.repeat(50))]);
    }
    const found = await Promise.all(Array.from({ length: 2_000 }, (_, n) => streams.find(`s${n}`)));
    expect(found.every(Boolean)).to.equal(true);
    // What there was no room for is known to be missing.
    expect(found[0]).to.deep.equal({ origin: '', first: 2 });
  });

  it('forgets by bytes, over all streams', async () => {
    const { streams } = createMemoryStore({ bytes: 10_000 });
    for (let n = 0; n < 20; n++) {
      streams.begin(`s${n}`, '', orders);
      streams.append(`s${n}`, [message(1, 'x'.repeat(1_000)), done(2)]);
    }
    const found = await Promise.all(Array.from({ length: 20 }, (_, n) => streams.find(`s${n}`)));
    expect(found.filter(Boolean)).to.have.lengthOf(3);
    expect(found.at(-1)).to.deep.equal({ origin: '', first: 1, end: 2 });
  });

  it('keeps 2,000 finished answers within its bytes, and nothing that they held on to', async () => {
    const bytes = 200_000;
    const { streams } = createMemoryStore({ bytes });
    const kept = async () => {
      let sum = 0;
      for (let n = 0; n < 2_000; n++) {
        if (!(await streams.find(`s${n}`))) continue;
        for await (const events of streams.follow(`s${n}`, 0, new AbortController().signal))
          for (const { data } of events) sum += data.length;
      }
      return sum;
    };
    let asked = 0;
    const held: WeakRef<object>[] = [];
    for (let n = 0; n < 2_000; n++) {
      const own = { stop: () => void (asked += 1), resume: () => void (asked += 1) };
      held.push(new WeakRef(own));
      streams.begin(`s${n}`, '', own);
      streams.append(`s${n}`, [...Array.from({ length: 20 }, (_, at) => message(at + 1, String(n % 10).repeat(500))), done(21)]);
      await streams.order(`s${n}`, 'stop');
    }
    // Two bytes a character, so half of the limit at most; and the store is not simply empty.
    expect(await kept()).to.be.within(bytes / 8, bytes / 2);
    expect(asked, 'orders to answers that were over').to.equal(0);
    // References count as held until the task is over.
    await new Promise(setImmediate);
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(held.filter((one) => one.deref()).length, 'answers that are held on to').to.be.below(3);

    // One answer over the limit takes the place of all, and those beside it.
    streams.begin('long', '', orders);
    streams.append('long', [...Array.from({ length: 2_000 }, (_, at) => message(at + 1, 'x'.repeat(500))), done(2_001)]);
    expect(await kept()).to.equal(0);
  });

  it('forgets by age, by itself', async () => {
    let now = 0;
    const byClock = createMemoryStore({ ageMs: 1_000 }, () => now).streams;
    byClock.begin('a', '', orders);
    byClock.append('a', [message(1), done(2)]);
    now = 999;
    expect(await byClock.find('a')).to.not.equal(undefined);
    now = 1_000;
    expect(await byClock.find('a')).to.equal(undefined);

    const store = createMemoryStore({ ageMs: 20 });
    store.streams.begin('b', '', orders);
    store.streams.append('b', [message(1), done(2)]);
    await until(async () => (await store.streams.find('b')) === undefined);
    const failure: unknown = await store.streams
      .follow('b', 0, new AbortController().signal)
      .next()
      .catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'There is no such stream.');
  });

  it('tells a reader that waits when what it waits for is forgotten', async () => {
    const store = createMemoryStore();
    store.streams.begin('a', '', orders);
    store.streams.append('a', [message(1)]);
    const waiting = store.streams.follow('a', 1, new AbortController().signal).next();
    await store.close();
    expect(await waiting.catch((error: unknown) => error)).to.have.property('message', 'The stream was forgotten.');
  });

  it('lets a reader go at once', async () => {
    const { streams } = createMemoryStore();
    streams.begin('a', '', orders);
    const leave = new AbortController();
    const waiting = streams.follow('a', 0, leave.signal).next();
    expect(await streams.position('a')).to.equal(0);
    leave.abort();
    expect(await waiting).to.deep.equal({ value: undefined, done: true });
    expect(await streams.position('a')).to.equal(undefined);
  });
});
