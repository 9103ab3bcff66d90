/** A thread that stood still while bytes arrived, and a clock that jumps. */
import { expect } from 'chai';
import { call, talk, until, useFaultServer } from '../conversation/talk.js';
import { CLEAN, isWell } from './probe.js';

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
});
