import { expect } from 'chai';
import { createEventStream, type EventSource } from '../../src/relay/event-stream.js';
import { createRunning } from '../../src/relay/running.js';
import type { StreamEvent } from '../../src/relay/store.js';
import { createTicks, type Ticks } from '../../src/relay/write-ticks.js';
import { until } from './listen.js';

const ID = 'a'.repeat(32);

function scripted() {
  const given: { events: StreamEvent[]; ended: boolean }[] = [];
  let waiting: (() => void) | undefined;
  let seq = 0;
  const source = {
    id: ID,
    asked: 0,
    left: 0,
    async next() {
      source.asked += 1;
      if (given.length === 0) await new Promise<void>((resolve) => (waiting = resolve));
      return given.shift()!;
    },
    leave: () => void (source.left += 1),
    give(text: string, ended = false) {
      given.push({ events: [{ seq: ++seq, event: ended ? 'done' : 'message', data: text }], ended });
      waiting?.();
      waiting = undefined;
    },
  } satisfies EventSource & Record<string, unknown>;
  return source;
}

function byHand() {
  let writes: (() => void)[] = [];
  return {
    busy: true,
    waiting: () => writes.length,
    next: (write: () => void) => void writes.push(write),
    tick() {
      const now = writes;
      writes = [];
      for (const write of now) write();
    },
  };
}

function streamOf(source: EventSource, ticks: Ticks) {
  const closed = { times: 0 };
  const stream = createEventStream(source, {
    ...{ client: new AbortController().signal, pingInterval: 60_000, timeout: 60_000, ticks },
    onClose: () => (closed.times += 1),
  });
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const read = async () => {
    const { value } = await reader.read();
    return value && [...decoder.decode(value).matchAll(/^id: a+\.(\d+)\nevent: \w+\ndata: (.*)$/gm)].map(([, id, data]) => `${id} ${data}`);
  };
  return { read, reader, closed };
}

/** An answer whose first event was read: from then on what comes waits for ticks, where there are many. */
async function begun() {
  const [source, ticks] = [scripted(), byHand()];
  const stream = streamOf(source, ticks);
  source.give('one');
  expect(await stream.read()).to.deep.equal(['1 one']);
  return { source, ticks, ...stream };
}

describe('the events of an answer, where many are sent at once', () => {
  it('begin at once, and go on by the tick, each with an id of its own and in order', async () => {
    const { source, ticks, read } = await begun();
    const next = read();
    for (const [at, word] of ['two', 'three', 'four'].entries()) {
      source.give(word);
      await until(() => source.asked > at + 2);
    }
    expect(ticks.waiting(), 'once for all of them').to.equal(1);
    ticks.tick();
    expect(await next).to.deep.equal(['2 two', '3 three', '4 four']);
  });

  it('end without waiting for a tick, with all that came before', async () => {
    const { source, ticks, read, closed } = await begun();
    source.give('two');
    source.give('end', true);
    expect(await read()).to.deep.equal(['2 two', '3 end']);
    expect(await read()).to.equal(undefined);
    expect(closed.times).to.equal(1);
    ticks.tick(); // late, and says nothing more
  });

  it('leave their source once when the client goes between two ticks, and write nothing more', async () => {
    const { source, ticks, read, reader, closed } = await begun();
    const second = read();
    source.give('two');
    await until(() => source.asked === 3);
    await reader.cancel();
    ticks.tick();
    expect(await second).to.equal(undefined);
    expect([source.left, closed.times]).to.deep.equal([1, 1]);
  });
});

describe('the ticks of a relay', () => {
  it('are for 32 answers and more, and one for all of them', async () => {
    const running = createRunning();
    const ticks = createTicks(running);
    const ends = Array.from({ length: 31 }, () => running.open());
    expect(ticks.busy).to.equal(false);
    ends.push(running.open());
    expect(ticks.busy).to.equal(true);
    const wrote: string[] = [];
    ticks.next(() => wrote.push('a'));
    ticks.next(() => wrote.push('b'));
    expect(wrote).to.deep.equal([]);
    await until(() => wrote.length > 0);
    expect(wrote).to.deep.equal(['a', 'b']);
    ends[0]!();
    expect(ticks.busy).to.equal(false);
  });
});
