/** A thread that stood still while bytes arrived, stops in any moment, tools that block, and wrong calls without end. */
import { expect } from 'chai';
import { call, talk, tick, until, useFaultServer } from '../conversation/talk.js';
import { CLEAN, isWell, drawnTimes } from './probe.js';

/** As a frozen tab: no timer and no byte is looked at meanwhile; afterwards timers come first. A timer that is more than a second late is known for that. */
function standStill(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe('faults of the lifecycle, without a page', () => {
  useFaultServer();

  it('nothing was looked at for longer than the limit on silence, and bytes wait: no stall', async () => {
    const text = `Some words that keep coming. ${call('change')}`;
    const one = talk([{ text, q: 'gap=20&tok=2' }, 'Done.', CLEAN], { heartbeat: 300, blockTimeout: 300 });
    one.tool('change');
    const done = one.send();
    await until(() => one.chat.streamingText.length > 8, 'text');
    standStill(1600);
    expect(await done).to.include({ success: true, text: 'Done.' });
    expect(one.requests()).to.have.length(2);
    expect(one.runs).to.have.length(1);
    await isWell(one);
  });

  it('nothing was looked at, and nothing waits: still a stall', async () => {
    const one = talk([{ text: 'Some words, and then silence.', q: 'hang=3&gap=1', times: 1 }, CLEAN], { heartbeat: 300 });
    const done = one.send();
    await until(() => one.chat.streamingText.length > 8, 'text');
    standStill(1600);
    expect(await done).to.include({ reason: 'cut' });
    expect(one.chat.error).to.equal('Connection lost');
    await until(() => one.requests()[0]?.clientClosed, 'the close');
  });

  for (const hours of [1, -1])
    it(`the clock jumps by ${String(hours)} h in the middle of a call: no stall, no negative times, and it runs once`, async () => {
      const { now } = Date;
      let jumps = 0;
      Date.now = () => now() + jumps * hours * 3_600_000;
      try {
        const one = talk([{ text: `Some words first. ${call('slow')}`, q: 'gap=5&tok=4' }, 'Done.', CLEAN], {
          heartbeat: 1000,
          onEach: ({ type }) => void (type === 'stream-chunk' && (jumps ||= 1)),
        });
        // A tool that takes time.
        one.tool('slow', { execute: () => ((jumps = 2), new Promise((resolve) => setTimeout(resolve, 60))) });
        expect(await one.send()).to.include({ text: 'Done.' });
        expect(one.chat.toolHistory).to.have.length(1);
        expect(one.chat.toolHistory[0]?.durationMs).to.be.within(30, 60_000);
        expect([one.runs.length, one.requests().length]).to.deep.equal([1, 2]);
        await isWell(one);
      } finally {
        Date.now = now;
      }
    });

  drawnTimes('a stop at any moment: idle at once, and nothing starts afterwards', async ({ below, one: pick }) => {
    const turns = [{ text: `Now. ${call('change', { title: 'a' })}${call('erase', { title: 'b' })}`, q: 'gap=1&tok=6' }, 'Done.', CLEAN];
    const one = talk(turns, { person: true, dispatch: pick(['on-block', 'on-turn-end'] as const) });
    one.tool('change', { execute: () => new Promise((resolve) => setTimeout(resolve, 5)) });
    one.tool('erase', { risk: 'danger' });
    const done = one.send();
    await new Promise((resolve) => setTimeout(resolve, below(60)));
    one.chat.cancelStream();
    expect(one.chat.state).to.equal('idle');
    const { results } = await done;
    const runs = one.runs.length;
    await tick();
    await tick();
    expect(one.runs.length).to.equal(runs);
    expect(one.runs.map(({ name }) => name)).to.not.include('erase');
    const ends = one.events.flatMap((event) => (event.type === 'tool-complete' ? [event.requestId] : []));
    expect(new Set(ends).size, 'one end each').to.equal(ends.length);
    expect(results.length).to.equal(ends.length);
    // What the fault server has not sent to the end it says once more: it is stopped, too.
    await until(() => one.requests().every(({ finished, clientClosed }) => finished || clientClosed), 'the close');
    expect(one.chat.isLoading).to.equal(false);
  });
});
