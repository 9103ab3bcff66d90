// engines: storage, locks
/** One conversation in several tabs: one leads, the others follow; it moves, it is forgotten everywhere, and nothing happens twice. */
import { expect } from 'chai';
import type { CardView } from '../../src/model/calls.js';
import { breaking, fresh, rejection, until } from '../storage/helpers.js';
import {
  call,
  closeAll,
  everything,
  frame,
  page,
  slowly,
  stored,
  withoutLocks,
  type Frame,
  type Page,
  type PageOptions,
  type Reply,
} from './kept.js';

const pay = call('pay', { amount: 5 });
const paying = (id: string, replies?: Reply[], options?: PageOptions): Page => page(id, replies, { register: { pay: {} }, ...options });
const runs = (...pages: Page[]) => pages.map((one) => one.runs.length);

/** A tab that leads, and one that follows it. */
async function two(theirs: Reply[] = [], mine: Reply[] = [], inside?: Frame) {
  const id = fresh('tabs');
  const leader = paying(id, ['Hello.', ...theirs], inside && { frame: inside });
  await leader.chat.sendMessage('Hi');
  const follower = paying(id, mine);
  await until(() => follower.texts().length === 2);
  return { id, leader, follower };
}

/** A click here moves the conversation here; resolves with the card that asks again. */
async function moveTo(one: Page) {
  one.decide('allow', await one.card());
  await until(() => one.notices().some((text) => text.includes('decide again')));
  return one.card();
}

const inTwoTabs = (hasLocks: boolean) => {
  afterEach(closeAll);

  it('shows the same, live, and acts in one of them', async () => {
    const id = fresh('tabs');
    const reply = slowly();
    const one = paying(id, [reply.response]);
    const sent = one.chat.sendMessage('Tell me');
    await until(() => one.asked.length === 1);
    const other = paying(id);
    await until(() => other.texts().includes('Tell me'));
    reply.say('Once upon');
    await until(() => other.view().streamingText === 'Once upon');
    expect(other.chat.isLoading).to.equal(true);
    let followed = '';
    other.internals.surface.follow(other.view().views.at(-1)?.message.id ?? '', {
      text: (text) => (followed += text),
      reasoning() {},
      call() {},
      end: () => (followed += '|'),
    });
    reply.say(' a time');
    await until(() => followed === 'Once upon a time');
    reply.say(pay);
    reply.end();
    const card = await one.card();
    expect((await other.card()).call).to.deep.include({ args: { amount: 5 } });
    expect(followed).to.equal('Once upon a time|');
    one.decide('deny', card);
    await until(() => other.cards()[0]?.status === 'denied');
    expect(other.view().views.map(({ note }) => note)).to.include('Handled in another tab');
    await sent;
    await until(() => !other.chat.isLoading);
    expect([...runs(one, other), other.asked.length]).to.deep.equal([0, 0, 0]);
  });

  it('E86 loses no message when both send at once, and shows both in the same order', async () => {
    const replies = Array.from({ length: 6 }, (_, at) => `Answer ${String(at)}`);
    const { leader, follower } = await two(replies, ['never']);
    const results = await Promise.all(
      [1, 2, 3].flatMap((at) => [leader.chat.sendMessage(`one ${at}`), follower.chat.sendMessage(`two ${at}`)]),
    );
    expect([results.every(({ success }) => success), results.map(({ text }) => text).sort()]).to.deep.equal([true, replies]);
    await until(() => follower.texts().length === 14);
    expect(follower.texts()).to.deep.equal(leader.texts());
    for (const who of ['one', 'two'])
      expect(leader.texts().filter((text) => text.startsWith(who))).to.deep.equal([1, 2, 3].map((at) => `${who} ${String(at)}`));
    expect(follower.asked).to.have.length(0);
  });

  for (const first of [0, 1])
    it(`E84 runs a call once when both allow it at the same moment, tab ${String(first + 1)} first`, async () => {
      const id = fresh('tabs');
      const one = paying(id, [pay, 'Paid.']);
      await one.ask();
      const other = paying(id, ['Paid.']);
      const both = [one, other];
      const cards = [await one.card(), await other.card()];
      for (const at of [first, 1 - first]) both[at]!.decide('allow', cards[at]!);
      // Whoever holds the card at the end may have to be asked once more.
      await until(() => {
        if (runs(...both).join() === '0,0' && other.chat.state === 'tool_call')
          for (const card of other.cards()) if (card.status === 'awaiting_approval') other.decide('allow', card);
        return both.some((each) => each.texts().includes('Paid.'));
      });
      expect(one.runs.length + other.runs.length).to.equal(1);
    });

  const acts = {
    allow: (one: Page, card: CardView) => one.decide('allow', card),
    deny: (one: Page, card: CardView) => one.decide('deny', card),
    stop: (one: Page) => one.chat.cancelStream(),
  };
  for (const [mine, theirs, ...ends] of [
    ['deny', 'allow', 'denied, 0 runs'],
    ['allow', 'deny', 'success, 1 runs'],
    ['stop', 'allow', 'cancelled, 0 runs'],
    // A stop may come before the tool has started, while it runs, or after it.
    ['allow', 'stop', 'cancelled, 0 runs', 'cancelled, 1 runs', 'success, 1 runs'],
    ['stop', 'deny', 'cancelled, 0 runs'],
    ['deny', 'stop', 'denied, 0 runs'],
  ] as const)
    for (const first of [0, 1])
      it(`ends as ${mine} in the leading tab says, in both, when another says ${theirs}, tab ${String(first + 1)} first`, async () => {
        const id = fresh('tabs');
        const one = paying(id, [pay, 'Here.', 'Here.']);
        await one.ask();
        const both = [one, paying(id, ['Here.'])];
        const cards = await Promise.all(both.map((each) => each.card()));
        for (const at of [first, 1 - first]) acts[[mine, theirs][at]!](both[at]!, cards[at]!);
        await until(() => both.every(({ chat, statuses }) => !chat.isLoading && !/executing|await/.test(statuses().join())));
        const [shown, other] = both.map(({ statuses }) => statuses().join());
        expect([`${shown!}, ${String(one.runs.length + both[1]!.runs.length)} runs`]).to.include.oneOf(ends);
        expect(other).to.equal(shown);
        expect((await both[1]!.chat.sendMessage('Are you there?')).text).to.equal('Here.');
      });

  it('is stopped in another tab than the one that leads, and goes on there', async () => {
    const reply = slowly();
    const { leader, follower } = await two([reply.response, 'Next.']);
    const sent = leader.chat.sendMessage('Tell me');
    reply.say('Once upon');
    await until(() => follower.view().streamingText === 'Once upon');
    follower.chat.cancelStream();
    expect((await sent).reason).to.equal('cancelled');
    await until(() => !follower.chat.isLoading);
    expect([follower.texts().at(-1), follower.texts()]).to.deep.equal(['Once upon', leader.texts()]);
    expect((await follower.chat.sendMessage('And?')).text).to.equal('Next.');
  });

  it('is edited in another tab, which leads from then on, but not while an answer arrives', async () => {
    const reply = slowly();
    const { leader, follower } = await two([reply.response], ['Good day.']);
    const edit = () => follower.chat.editMessage(follower.chat.messages[0]!.id, 'Ho');
    const sent = leader.chat.sendMessage('Tell me');
    await until(() => follower.chat.isLoading);
    expect([(await edit()).reason, follower.view().draft]).to.deep.equal(['cancelled', 'Ho']);
    reply.say('Once');
    reply.end();
    expect((await sent).text).to.equal('Once');
    expect((await edit()).text).to.equal('Good day.');
    await until(() => leader.texts().join() === 'Ho,Good day.');
    expect([leader.asked.length, follower.asked.length]).to.deep.equal([2, 1]);
  });

  it('offers in every tab to undo a call, and undoes it once when two ask for it', async () => {
    const id = fresh('tabs');
    let undone = 0;
    const register = { pay: { risk: 'write', undo: () => Promise.resolve(void (undone += 1)) } } as const;
    const leader = page(id, [pay, 'Paid.'], { register, approval: 'auto' });
    const { results } = await leader.chat.sendMessage('Pay');
    const follower = page(id, [], { register });
    for (const one of [leader, follower]) await until(() => one.cards()[0]?.undo === 'offered');
    for (const one of [follower, leader]) one.internals.surface.undo(results[0]!.requestId);
    await until(() => follower.statuses().join() + leader.statuses().join() === 'undoneundone');
    expect([undone, follower.cards()[0]?.undo]).to.deep.equal([1, undefined]);
  });

  it('is not taken from a tab whose tool is at work', async () => {
    const id = fresh('tabs');
    let finish = (_: unknown) => {};
    const register = { pay: { execute: () => new Promise((resolve) => (finish = resolve)) }, mail: {} };
    const one = page(id, [call('pay') + call('mail'), 'Done.'], { register });
    void one.chat.sendMessage('Both');
    await until(() => one.statuses().join() === 'awaiting_approval,awaiting_approval');
    const [first, mail] = one.cards();
    one.decide('allow', first!);
    await one.card('executing');
    const other = page(id);
    other.decide('allow', await other.card());
    await until(() => other.notices().some((text) => text.includes('another tab')));
    expect(one.statuses()).to.deep.equal(['executing', 'awaiting_approval']);
    finish({ success: true, message: 'paid' });
    one.decide('deny', mail!);
    await other.said('Done.');
  });

  it('believes nothing that is said on the channel', async () => {
    const id = fresh('tabs');
    const one = paying(id, [pay, 'x']);
    const card = await one.ask();
    const other = paying(id);
    await other.card();
    const channel = new BroadcastChannel(`tool-chat:${id}`);
    const decision = { requestId: card.requestId, digest: card.call?.digest, verdict: 'allow' };
    for (const name of ['turn', 'decide', 'allow', 'user.allow', 'undo', 'state', 'ended']) {
      channel.postMessage({ type: 'ask', from: 'me', id: name, name, body: { ...decision, type: 'allow' } });
      channel.postMessage({ type: 'note', from: 'me', id: '', name, body: { ...decision, head: {}, messages: [{}], calls: 3 } });
    }
    const heard = new Promise((resolve) => (channel.onmessage = ({ data }) => (data as { id?: string }).id === 'end' && resolve(data)));
    channel.postMessage({ type: 'ask', from: 'me', id: 'end', name: 'nothing' });
    await heard;
    channel.close();
    expect(runs(one, other)).to.deep.equal([0, 0]);
    expect([one, other].flatMap((each) => each.statuses())).to.deep.equal(['awaiting_approval', 'awaiting_approval']);
  });

  // Nothing tells two tabs with a session storage of their own about each other.
  if (hasLocks)
    it('is left to the first of two tabs when one was duplicated with its session storage', async () => {
      const id = fresh('tabs');
      const first = paying(id, [pay, 'Paid.'], { storage: 'session' });
      await first.ask();
      await until(() => sessionStorage.getItem(`tool-chat:conversation:${id}`)?.includes('awaiting_approval'));
      const copy = paying(id, ['And?'], { storage: 'session' });
      await until(() => copy.cards().length === 1);
      expect(copy.cards()[0]?.result).to.include({ status: 'cancelled', message: 'Handled in another tab' });
      await copy.chat.sendMessage('So?');
      expect(JSON.stringify(copy.asked[0])).to.include('Handled in another tab');
      await first.allow();
      await first.said('Paid.');
      expect(runs(first, copy)).to.deep.equal([1, 0]);
    });
};

const endsElsewhere = () => {
  afterEach(closeAll);

  it('takes a No wherever it is said: nothing moves, and nothing is asked again', async () => {
    const { leader, follower } = await two([pay, 'As you wish.']);
    const sent = leader.chat.sendMessage('Pay');
    await leader.card();
    follower.decide('deny', await follower.card());
    expect((await sent).text).to.equal('As you wish.');
    await until(() => follower.texts().includes('As you wish.'));
    expect([leader.statuses(), follower.statuses(), runs(leader, follower)]).to.deep.equal([['denied'], ['denied'], [0, 0]]);
    expect([...leader.notices(), ...follower.notices()]).to.deep.equal([]);
  });

  it('ends with what came of it where the person allows in the tab that sent it; the first click there allows nothing', async () => {
    const { leader, follower } = await two([pay], ['Paid.']);
    let ended = 0;
    const sent = follower.chat.sendMessage('Pay').finally(() => (ended += 1));
    const card = await moveTo(follower);
    expect(card.call?.reason).to.include('Needs approval again');
    expect([...runs(leader, follower), ended]).to.deep.equal([0, 0, 0]);
    follower.decide('allow', card);
    const { success, reason, text, results } = await sent;
    expect({ success, reason, text }).to.deep.equal({ success: true, reason: 'stop', text: 'Paid.' });
    expect([results.map(({ status }) => status), runs(leader, follower)]).to.deep.equal([['success'], [0, 1]]);
    expect(follower.texts()).to.deep.equal(['Hi', 'Hello.', 'Pay', 'Paid.']);
    await until(() => leader.cards()[0]?.status === 'success');
  });

  it('keeps what had arrived when the tab that led is killed in the middle of an answer, asks nothing by itself, and goes on', async () => {
    const inside = await frame();
    const reply = slowly();
    const { id, follower } = await two([reply.response], ['Next.'], inside);
    const sent = follower.chat.sendMessage('Tell me');
    reply.say('Once upon');
    await stored(id, (found) => found?.reply?.text === 'Once upon');
    inside.kill();
    expect(await sent).to.include({ success: false, text: 'Once upon' });
    expect([follower.texts(), follower.asked.length]).to.deep.equal([['Hi', 'Hello.', 'Tell me', 'Once upon'], 0]);
    expect((await follower.chat.sendMessage('And?')).text).to.equal('Next.');
  });

  it('is begun once, by the tab that takes over, when the one that led is killed', async () => {
    const inside = await frame();
    const { id, follower } = await two([pay], ['Paid.'], inside);
    const sent = follower.chat.sendMessage('Pay');
    await follower.card();
    await stored(id, (found) => found?.calls[0]?.status === 'awaiting_approval');
    inside.kill();
    await until(() => follower.cards()[0]?.call?.reason.includes('Needs approval again'));
    follower.decide('allow', await follower.card());
    expect([(await sent).text, follower.runs.length]).to.deep.equal(['Paid.', 1]);
    expect(follower.texts()).to.deep.equal(['Hi', 'Hello.', 'Pay', 'Paid.']);
  });
};

const forgets = () => {
  afterEach(closeAll);

  /** A page that holds the lock and hears nothing: as one in a tab that the browser has frozen. */
  async function frozen(): Promise<Frame> {
    const inside = await frame();
    class Deaf extends EventTarget {
      postMessage() {}
      close() {}
    }
    Object.assign(inside.window, { BroadcastChannel: Deaf });
    return inside;
  }
  const wake = (inside: Frame) => inside.window.document.dispatchEvent(new inside.window.Event('resume'));

  /** A tab in a frame that leads a conversation with a secret, and one that has loaded it. */
  async function secret(inside: Frame) {
    const id = fresh('gone');
    const one = page(id, ['Your secret is kept.'], { frame: inside });
    await one.chat.sendMessage('Hear my secret');
    await stored(id, (found) => found?.messages[1]?.text === 'Your secret is kept.' && found.kept);
    const other = page(id);
    await until(() => other.texts().length === 2);
    return { id, one, other };
  }

  for (const how of ['clear', 'forget'] as const) {
    it(`${how}() is over when the tab that leads has forgotten it, too`, async () => {
      const { id, one, other } = await secret(await frame());
      await other.chat[how]();
      expect(await everything(id)).to.not.include('secret');
      expect([one.texts(), other.texts()]).to.deep.equal([[], []]);
    });

    it(`${how}() reaches what a tab holds that stands still, and that tab does not write it back when it wakes`, async () => {
      const inside = await frozen();
      const { id, one, other } = await secret(inside);
      await other.chat[how]();
      expect(await everything(id)).to.not.include('secret');
      expect(other.texts()).to.deep.equal([]);
      // The negative control: it has it still, and leads.
      expect(one.texts()).to.deep.equal(['Hear my secret', 'Your secret is kept.']);
      // Settings outlive clear().
      if (how === 'clear') await stored(id, (found) => found?.messages.length === 0 && found.kept !== undefined);
      wake(inside);
      await until(() => one.texts().length === 0);
      one.leave();
      other.leave();
      const third = page(id, ['Hello!']);
      await third.chat.sendMessage('Hi');
      expect(third.texts()).to.deep.equal(['Hi', 'Hello!']);
      expect(await everything(id)).to.not.include('secret');
    }).timeout(20_000);
  }

  for (const where of ['here', 'in another tab'] as const)
    it(`rejects with a code where it cannot be done ${where}, and can be tried again`, async () => {
      const { id, one, other } = await secret(where === 'here' ? await frame() : await frozen());
      if (where === 'here') one.leave();
      const mend = breaking(IDBObjectStore.prototype, 'delete', 'UnknownError');
      try {
        expect(await rejection(other.chat.forget())).to.include({ code: 'STORAGE' });
      } finally {
        mend();
      }
      expect(await everything(id)).to.include('secret');
      await other.chat.forget();
      expect(await everything(id)).to.not.include('secret');
    }).timeout(20_000);
};

for (const [title, run] of [
  ['a conversation in two tabs', inTwoTabs],
  ['a message of one tab whose turn ends in another', endsElsewhere],
  ['clear() and forget() resolve when it is gone, wherever it was, and reject when it is not', forgets],
] as const) {
  describe(title, () => run(true));
  describe(`${title}, without HTTPS`, () => {
    beforeEach(() => withoutLocks());
    run(false);
  });
}
