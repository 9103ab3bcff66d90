/** Back brings a page out of the back/forward cache as it was left; another page of its tab has gone on with the conversation meanwhile. */
import { expect } from 'chai';
import { fresh, until } from '../storage/helpers.js';
import { call, closeAll, frame, page, stored, withoutLocks, type Page, type PageOptions, type Reply } from './kept.js';

const pay = call('pay', { amount: 5 });

describe('a page that Back brings back', () => {
  afterEach(closeAll);

  function paying(id: string, replies: Reply[], options: PageOptions = {}): Page {
    const one = page(id, replies, { storage: 'session', ...options });
    one.tool('pay');
    return one;
  }

  /** A page with a card that waits, and what leaves and shows it again. */
  async function left(replies: Reply[], hasLocks = true, storage: 'session' | 'indexeddb' = 'session') {
    const id = fresh('back');
    if (!hasLocks) withoutLocks();
    const inside = await frame();
    const one = paying(id, [pay, ...replies], { frame: inside, storage });
    void one.chat.sendMessage('Pay');
    await one.card();
    if (storage === 'indexeddb') await stored(id, (found) => found?.calls[0]?.status === 'awaiting_approval');
    else await until(() => sessionStorage.getItem(`tool-chat:conversation:${id}`)?.includes('awaiting_approval'));
    const tell = (type: 'pagehide' | 'pageshow') =>
      inside.window.dispatchEvent(new inside.window.PageTransitionEvent(type, { persisted: true }));
    tell('pagehide');
    return { id, one, back: () => tell('pageshow') };
  }

  for (const [storage, hasLocks] of [['session', true] as const, ['session', false] as const, ['indexeddb', false] as const])
    it(`shows what came after it was left, and writes nothing over it, in ${storage} ${hasLocks ? 'with' : 'without'} locks`, async () => {
      const { id, one, back } = await left(['Anything else?'], hasLocks, storage);
      const next = paying(id, ['Paid.'], { storage });
      next.decide('allow', await next.card());
      await until(() => next.texts().includes('Paid.'));
      next.leave();
      back();
      await until(() => one.texts().includes('Paid.'));
      expect(one.cards().map(({ status }) => status)).to.deep.equal(['success']);
      await one.chat.sendMessage('Thanks');
      one.leave();
      const last = paying(id, [], { storage });
      await until(() => last.texts().length > 0);
      expect(last.texts()).to.deep.equal(['Pay', 'Paid.', 'Thanks', 'Anything else?']);
      expect([one.runs.length, next.runs.length, last.runs.length]).to.deep.equal([0, 1, 0]);
    });

  it('goes on where it was when nothing came after: its card waits, and runs once', async () => {
    const { one, back } = await left(['Paid.']);
    back();
    await until(() => {
      for (const card of one.cards()) if (card.status === 'awaiting_approval') one.decide('allow', card);
      return one.texts().includes('Paid.');
    });
    expect(one.runs).to.have.length(1);
    expect(one.texts()).to.deep.equal(['Pay', 'Paid.']);
  });
});
