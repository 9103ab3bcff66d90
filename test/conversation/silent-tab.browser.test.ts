/** The tab that leads hears nothing for a while: it is frozen, suspended, or shows an `alert`. What a user sends from another tab stays in sight. */
import { expect } from 'chai';
import { fresh, rejection, replace, until } from '../storage/helpers.js';
import { call, closeAll, frame, page, type Page, type Reply } from './kept.js';

describe('a tab whose leader does not answer', () => {
  const undo: (() => void)[] = [];
  beforeEach(() => {
    // The waits for another tab are ten times shorter here.
    const waits: readonly unknown[] = [1500, 5000];
    const shorter = (original: typeof setTimeout) =>
      ((work: () => void, ms = 0, ...rest: []) => original(work, waits.includes(ms) ? ms / 10 : ms, ...rest)) as typeof setTimeout;
    undo.push(replace(window, 'setTimeout', shorter as never));
  });
  afterEach(() => {
    closeAll();
    for (const one of undo.splice(0)) one();
  });

  /** A tab that leads, and hears what others say only when it goes on; and one that follows it. */
  async function two(theirs: Reply[] = []) {
    const id = fresh('silent');
    const inside = await frame();
    const heard: (() => void)[] = [];
    let isStill = false;
    let answers = 0;
    class Held extends inside.window.BroadcastChannel {
      override postMessage(message: { type: string }) {
        if (message.type === 'answer') answers += 1;
        super.postMessage(message);
      }
      override addEventListener(type: string, listener: never) {
        const hear = listener as (event: Event) => void;
        super.addEventListener(type, (event: Event) => {
          if (isStill) heard.push(() => hear(event));
          else hear(event);
        });
      }
    }
    Object.assign(inside.window, { BroadcastChannel: Held });
    inside.window.document.title = 'Orders';
    const leader = page(id, ['Hello.', ...theirs], { frame: inside });
    leader.tool('pay');
    await leader.chat.sendMessage('Hi');
    const follower = page(id, []);
    follower.tool('pay');
    await until(() => follower.texts().length === 2 && answers > 0);
    return {
      ...{ id, leader, follower },
      still: () => (isStill = true),
      goOn() {
        isStill = false;
        for (const hear of heard.splice(0)) hear();
      },
    };
  }
  const asked = ({ asked }: Page) => asked.map(({ messages }) => messages.at(-1)?.text);
  const said = (one: Page, part: string) => until(() => one.notices().some((text) => text.includes(part)));

  it('shows a message at once as waiting, says which tab is at work, and gives the message back, which is never sent later', async () => {
    const { leader, follower, still, goOn } = await two(['Ordered.']);
    still();
    follower.internals.surface.send('Order it');
    expect(follower.view().queue).to.deep.equal(['Order it']);
    await said(follower, '(“Orders”), which is not responding');
    await until(() => follower.view().draft === 'Order it');
    expect(follower.notices().join()).to.include('Not sent');
    expect(follower.view().queue).to.deep.equal([]);
    goOn();
    follower.internals.surface.send('Order it');
    await until(() => follower.texts().includes('Ordered.'));
    expect(asked(leader)).to.deep.equal(['Hi', 'Order it']);
    expect([follower.view().draft, follower.view().queue]).to.deep.equal([undefined, []]);
  });

  it('does not send what the user withdraws, or stops', async () => {
    const { leader, follower, still, goOn } = await two(['Ordered.']);
    still();
    const { surface } = follower.internals;
    surface.send('Order it');
    expect(surface.unqueue(0, 'Order it')).to.not.equal(false);
    expect(follower.view().queue).to.deep.equal([]);
    surface.send('Order more');
    surface.stop();
    expect([follower.view().queue, follower.view().draft]).to.deep.equal([[], 'Order more']);
    goOn();
    expect((await follower.chat.sendMessage('Order less')).text).to.equal('Ordered.');
    expect(asked(leader)).to.deep.equal(['Hi', 'Order less']);
  });

  it('rejects what the page sends, and says who can decide a question', async () => {
    const { leader, follower, still, goOn } = await two([call('pay', { amount: 5 }), 'Paid.']);
    const turn = leader.chat.sendMessage('Pay');
    const card = await follower.card();
    still();
    expect(await rejection(follower.chat.sendMessage('More'))).to.include({ code: 'STORAGE', reason: 'slow' });
    follower.decide('allow', card);
    await said(follower, 'not responding');
    goOn();
    leader.decide('allow', await leader.card());
    expect((await turn).text).to.equal('Paid.');
    expect([leader.runs.length, follower.runs.length, asked(leader).includes('More')]).to.deep.equal([1, 0, false]);
  });
});
