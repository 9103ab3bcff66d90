import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { createMemoryStore, type Relay } from '../../src/relay/index.js';
import { ask, follow, hello, memoryLogger, ORIGIN, readEvents } from './ask.js';
import { useFakeTimers } from './timers.js';
import { get, numbers, remove, STREAM, streamOf, textOf, useRelays } from './use-relays.js';

describe('a lost answer of the relay', () => {
  // Long enough for nothing to end by itself.
  const relays = useRelays({ timeout: 600_000, resumeWindow: 600_000 });
  const { relayTo, begun } = relays;

  it('goes on after the last event that was seen, each exactly once, while it is still being written', async () => {
    const { relay, stream, chunk, end } = await begun();
    for (let n = 1; n <= 5; n++) chunk(`${n},`);
    const id = streamOf(await stream.until('5,'));
    await stream.cancel();
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
    expect(relays.upstream.requests).to.have.lengthOf(1);
    // It is there as a whole, too, for who has seen nothing, and after its end.
    const whole = readEvents(await (await relay(get(id))).text());
    expect(textOf(whole)).to.equal('1,2,3,4,5,6,7,8,9,10,');
    expect(readEvents(await (await relay(get(id, `${id}.1`))).text())).to.deep.equal(whole.slice(1));
    expect((await relay(get(id, `${id}.11`))).status).to.equal(204);
  });

  it('leaves the old connection when the client comes back on another while it looks alive', async () => {
    const { relay, stream, chunk, end, say } = await begun();
    const id = await say(stream, 'a');
    // Nobody reads the first response any more, and nobody has closed it.
    const rest = await relay(get(id, `${id}.1`));
    chunk('b');
    end();
    expect(textOf(readEvents(await rest.text()))).to.equal('b');
    await stream.until('event: done');
  });

  it('stops at once when the client says so, for whoever still reads', async () => {
    const logger = memoryLogger();
    const { relay, stream, say, closed } = await begun({ logger });
    const id = await say(stream, 'a');
    const rest = follow(await relay(get(id, `${id}.1`)));
    expect((await relay(remove(id))).status).to.equal(204);
    await closed;
    expect(await rest.until('error')).to.include('"code":"stopped","retryable":false');
    expect(logger.lines.at(-1)).to.include('stopped').and.to.not.include(id);
    expect((await relay(remove(id))).status).to.equal(204);
  });

  it('tells a failure of the model that happened meanwhile', async () => {
    const { relay, stream, say, chunk, response } = await begun();
    const id = await say(stream, 'a');
    await stream.cancel();
    chunk('b');
    response.end(); // without its end mark
    const events = readEvents(await (await relay(get(id, `${id}.1`))).text());
    expect(events.map(({ event }) => event)).to.deep.equal(['message', 'error']);
  });

  describe('is nobody else’s', () => {
    let id: string;
    let finish: () => void;
    let relay: Relay;

    beforeEach(async () => {
      const options = { publicOrigin: ORIGIN, allowedOrigins: ['https://shop.example', 'https://other.example'] };
      const answer = await begun(options, ask(hello(), { headers: { origin: 'https://shop.example' } }));
      id = await answer.say(answer.stream, 'secret');
      await answer.stream.cancel();
      ({ relay, end: finish } = answer);
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

    it('for who guesses its id, or an event that is not its own', async () => {
      for (const guess of ['0'.repeat(32), 'f'.repeat(32), id.slice(1), `${id}0`, id.toUpperCase(), '..', '%00', '*'])
        expect((await relay(get(guess))).status, guess).to.equal(404);
      for (const lastEventId of ['1', 'x', `${'0'.repeat(32)}.1`, `${id}.-1`, `${id}.1e3`, `${id}.`, id])
        expect((await relay(get(id, lastEventId))).status, lastEventId).to.equal(400);
    });
  });

  it('has ids of 128 bits, of which none is always the same', async () => {
    const relay = relayTo();
    const ids: string[] = [];
    while (ids.length < 64) ids.push(streamOf(await (await relay(ask())).text()));
    for (const id of ids) expect(id).to.match(/^[0-9a-f]{32}$/);
    expect(new Set(ids).size).to.equal(64);
    for (let at = 0; at < 32; at += 1) expect(new Set(ids.map((id) => Number.parseInt(id[at]!, 16) & 8)).size, String(at)).to.equal(2);
  });

  it('may be taken back by a page of another site: the preflight allows it', async () => {
    const relay = relayTo(undefined, { allowedOrigins: ['https://shop.example'] });
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'DELETE' };
    const preflight = await relay(new Request(`${ORIGIN}${STREAM}/abc`, { method: 'OPTIONS', headers }));
    expect(preflight.headers.get('access-control-allow-methods')).to.include('DELETE');
    expect(preflight.headers.get('access-control-allow-headers')).to.include('last-event-id');
    const wrong = await relay(new Request(`${ORIGIN}${STREAM}/abc`, { method: 'PUT' }));
    expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'GET, DELETE, OPTIONS']);
  });

  it('is not kept where that is turned off', async () => {
    const relay = relayTo(undefined, { resumeWindow: 0 });
    expect((await relay(get(streamOf(await (await relay(ask())).text())))).status).to.equal(404);
  });

  it('holds the model back when the client that is away would miss more than is kept', async () => {
    const piece = 'x'.repeat(10_000);
    let written = 0;
    const relay = relayTo(
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
    const rest = readEvents(await (await relay(get(id, `${id}.1`))).text());
    expect(rest.at(-1)!.event).to.equal('done');
    expect(textOf(rest)).to.have.lengthOf(1_499 * 10_000);
  });

  it('is gone, and said to be gone, where more was read than is kept', async () => {
    const relay = relayTo(
      ({ open, chunk, end }) => {
        open();
        for (let n = 0; n < 100; n++) chunk('x'.repeat(100));
        end();
      },
      { replay: { streamBytes: 2_000 } },
    );
    const id = streamOf(await (await relay(ask())).text());
    const forgotten = await relay(get(id, `${id}.5`));
    expect(forgotten.status).to.equal(410);
    expect(await forgotten.json()).to.deep.include({ type: 'error', code: 'not_found', retryable: false });
    expect(numbers(readEvents(await (await relay(get(id, `${id}.97`))).text()))).to.deep.equal([98, 99, 100, 101]);
  });
});

describe('a lost answer of the relay, as time passes', () => {
  const clock = useFakeTimers();
  const { begun } = useRelays({ resumeWindow: 60_000 });

  it('is read on for as long as somebody follows it, and a window longer, and then ends as a broken one', async () => {
    const { relay, stream, say, chunk, closed } = await begun({ timeout: 1_000_000, replay: { ageMs: 1_000_000 } });
    const id = await say(stream, 'a');
    await stream.cancel();
    await clock.pass(50_000);
    const rest = follow(await relay(get(id, `${id}.1`)));
    const reading = rest.until('"b"');
    await clock.pass(5_000); // the reader is there
    await clock.pass(150_000);
    chunk('b');
    await reading;
    await rest.cancel();
    await clock.pass(130_000, 26);
    await closed;
    const events = readEvents(await (await relay(get(id, `${id}.1`))).text());
    expect(events.map(({ event, id: seen }) => [event, seen])).to.deep.equal([
      ['message', `${id}.2`],
      ['error', `${id}.3`],
    ]);
    expect(events[1]!.data).to.include({ code: 'connection_lost', retryable: true });
  });

  it('is forgotten by the store, by itself', async () => {
    const { streams } = createMemoryStore({ ageMs: 10_000 });
    streams.begin('a', '', { stop() {}, resume() {} });
    streams.append('a', [{ seq: 1, event: 'done', data: '{}' }]);
    await clock.pass(20_000);
    const failure: unknown = await streams
      .follow('a', 0, new AbortController().signal)
      .next()
      .catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'There is no such stream.');
  });
});

describe('the store in memory', () => {
  const orders = { stop() {}, resume() {} };
  const message = (seq: number, data = '{}') => ({ seq, event: 'message' as const, data });
  const done = (seq: number) => ({ seq, event: 'done' as const, data: '{}' });

  it('keeps 2,000 finished answers within its bytes, and nothing that they held on to', async () => {
    const { streams } = createMemoryStore({ bytes: 200_000 });
    const many = Array.from({ length: 2_000 }, (_, n) => `s${n}`);
    let asked = 0;
    const held: WeakRef<object>[] = [];
    for (const id of many) {
      const own = { stop: () => void (asked += 1), resume: () => void (asked += 1) };
      held.push(new WeakRef(own));
      streams.begin(id, '', own);
      streams.append(id, [...Array.from({ length: 20 }, (_, at) => message(at + 1, id[1]!.repeat(500))), done(21)]);
      await streams.order(id, 'stop');
    }
    let kept = 0;
    for (const id of many) {
      if (!(await streams.find(id))) continue;
      for await (const events of streams.follow(id, 0, new AbortController().signal)) for (const { data } of events) kept += data.length;
    }
    // Two bytes a character, so half of the limit at most; and the store is not simply empty.
    expect(kept).to.be.within(25_000, 100_000);
    expect(asked, 'orders to answers that were over').to.equal(0);
    // References count as held until the task is over.
    await new Promise(setImmediate);
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(held.filter((one) => one.deref()).length, 'answers that are held on to').to.be.below(3);
    // One answer over the limit takes the place of all, and those beside it.
    streams.begin('long', '', orders);
    streams.append('long', [...Array.from({ length: 2_000 }, (_, at) => message(at + 1, 'x'.repeat(500))), done(2_001)]);
    expect((await Promise.all(many.map((id) => streams.find(id)))).some(Boolean)).to.equal(false);
  });

  it('makes room at the cost of the client that has the most', async () => {
    const { streams } = createMemoryStore({ bytes: 200_000 });
    const begin = (id: string, client: string, end = true) => {
      streams.begin(id, '', orders, client);
      streams.append(id, [...Array.from({ length: 20 }, (_, at) => message(at + 1, 'x'.repeat(500))), ...(end ? [done(21)] : [])]);
    };
    begin('theirs', 'other');
    for (let at = 0; at < 50; at += 1) begin(`own${at}`, 'greedy', at < 10);
    begin('new', 'third');
    const kept = async (id: string) => (await streams.find(id))?.first;
    expect(await Promise.all(['theirs', 'new', 'own9', 'own10', 'own49'].map(kept))).to.deep.equal([1, 1, undefined, 20, 1]);
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
