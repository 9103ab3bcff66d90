// engines: storage, locks
/** One conversation in several tabs: one leads, the others follow; it moves, it is forgotten everywhere, and nothing happens twice. */
import { expect } from 'chai';
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
  await until(() => one.notices().some((text) => text.includes('decide once more')));
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

  it('is not taken from a tab that is reading a reply, though nothing but a card waits there', async () => {
    const id = fresh('tabs');
    const { response, say, end } = slowly();
    const one = paying(id, [response, 'Done.'], { dispatch: 'on-block' });
    void one.chat.sendMessage('Pay');
    say(call('pay'));
    const card = await one.card();
    const other = paying(id, [], { dispatch: 'on-block' });
    await until(() => other.chat.matchesState('awaitingApproval') && other.chat.matchesState('streaming'));
    other.decide('allow', await other.card());
    await until(() => other.notices().some((text) => text.includes('another tab')));
    expect(one.statuses()).to.deep.equal(['awaiting_approval']);
    one.decide('allow', card);
    end();
    await one.said('Done.');
    expect(runs(one, other)).to.deep.equal([1, 0]);
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

  it('can be left by a tab that only looks on for one of its own, and is not written back once that deletes it', async () => {
    const { id, leader, follower } = await two(['A2'], ['B1']);
    const titles = async () => (await follower.chat.listConversations()).map(({ title }) => title);
    await follower.chat.newConversation();
    await follower.chat.sendMessage('second');
    expect(follower.texts()).to.deep.equal(['second', 'B1']);
    await leader.chat.sendMessage('third');
    expect(leader.texts()).to.deep.equal(['Hi', 'Hello.', 'third', 'A2']);
    expect(await titles()).to.have.members(['second', 'Hi']);
    await follower.chat.deleteConversation(id);
    document.dispatchEvent(new Event('visibilitychange'));
    await until(() => leader.texts().length === 0);
    leader.leave();
    expect(await titles()).to.deep.equal(['second']);
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

  it('ends as cancelled where the person stops it there, or its own tab is left', async () => {
    const moved = await two([pay]);
    const stopped = moved.follower.chat.sendMessage('Pay');
    await moveTo(moved.follower);
    moved.follower.chat.cancelStream();
    expect([(await stopped).reason, moved.follower.runs.length]).to.deep.equal(['cancelled', 0]);
    const { leader, follower } = await two([slowly().response]);
    const sent = follower.chat.sendMessage('Go on');
    await until(() => leader.asked.length === 2);
    follower.leave();
    expect((await sent).reason).to.equal('cancelled');
  });

  it('ends so in the tab that led, too, when the conversation moves away from it', async () => {
    const { leader, follower } = await two([pay], ['Paid.', 'Behind.']);
    const sent = [leader.chat.sendMessage('Pay'), leader.chat.sendMessage('What waits behind it')];
    follower.decide('allow', await moveTo(follower));
    expect((await Promise.all(sent)).map(({ reason, text }) => `${reason} ${text}`)).to.deep.equal(['stop Paid.', 'stop Behind.']);
    expect(leader.runs).to.have.length(0);
    expect(follower.texts().slice(2)).to.deep.equal(['Pay', 'Paid.', 'What waits behind it', 'Behind.']);
  });

  it('ends so in a third tab, whose message waits or is answered while the conversation moves', async () => {
    const { id, leader, follower } = await two([pay], ['Paid.', 'Behind.']);
    const third = paying(id);
    await until(() => third.texts().length === 2);
    const sent = third.chat.sendMessage('Pay');
    await leader.card();
    const behind = third.chat.sendMessage('What waits behind it');
    await until(() => leader.view().queue.length === 1);
    follower.decide('allow', await moveTo(follower));
    expect([(await sent).text, (await behind).text]).to.deep.equal(['Paid.', 'Behind.']);
    expect(follower.texts().filter((text) => text === 'What waits behind it')).to.have.length(1);
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

const changes = () => {
  afterEach(() => {
    closeAll();
    for (const area of [sessionStorage, localStorage]) area.clear();
  });

  it('say the message in the conversation of another name where another tab leads it', async () => {
    const [mine, theirs] = [fresh('moved'), fresh('moved')];
    const leader = page(theirs, ['B1', 'B2']);
    await leader.chat.sendMessage('theirs');
    const one = page(mine, ['A1']);
    await one.chat.sendMessage('mine');
    one.options.sessionId = theirs;
    expect((await one.chat.sendMessage('and mine')).text).to.equal('B2');
    expect(leader.texts()).to.deep.equal(['theirs', 'B1', 'and mine', 'B2']);
    await until(() => one.texts().length === 4);
    await stored(mine, (found) => found?.messages.length === 2);
  });

  it('go on in the page of a tab that followed, with all that stood there', async () => {
    const { id, leader, follower } = await two([], ['A2']);
    follower.options.storage = 'none';
    await follower.chat.sendMessage('between us');
    expect(follower.texts()).to.deep.equal(['Hi', 'Hello.', 'between us', 'A2']);
    expect(follower.asked[0]?.messages.map(({ text }) => text)).to.deep.equal(['Hi', 'Hello.', 'between us']);
    expect(leader.texts()).to.have.length(2);
    expect(await everything(id)).not.to.include('between us');
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
  async function secret(inside: Frame, replies: string[] = [], mine: Reply[] = []) {
    const id = fresh('gone');
    const one = page(id, ['Your secret is kept.', ...replies], { frame: inside });
    await one.chat.sendMessage('Hear my secret');
    await stored(id, (found) => found?.messages[1]?.text === 'Your secret is kept.' && found.kept);
    const other = page(id, mine);
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

    it(`${how}() is over, too, when the tab that led has just gone and this one takes up what is stored`, async () => {
      const { id, one, other } = await secret(await frame(), [], ['Hello!']);
      one.leave();
      await other.chat[how]();
      expect(await everything(id)).to.not.include('secret');
      await other.chat.sendMessage('Hi');
      expect(other.texts()).to.deep.equal(['Hi', 'Hello!']);
      other.leave();
      expect(await everything(id)).to.not.include('secret');
    });
  }

  it('is honoured by a tab that goes on before it has looked: nothing is written, and no call begins', async () => {
    const { id, one, other } = await secret(await frozen(), [pay]);
    one.tool('pay');
    const turn = one.chat.sendMessage('Pay for my secret');
    const card = await one.card();
    await stored(id, (found) => found?.calls.length === 1);
    await other.chat.forget();
    one.decide('allow', card);
    await turn;
    expect(one.runs).to.deep.equal([]);
    await until(() => one.texts().length === 0);
    expect(await everything(id)).to.not.include('secret');
  }).timeout(20_000);

  it('is honoured by a reply that goes on arriving', async () => {
    const id = fresh('gone');
    const reply = slowly();
    const one = page(id, [() => reply.response], { frame: await frozen() });
    void one.chat.sendMessage('Hear my secret');
    reply.say('Your secret ');
    await stored(id, (found) => found?.reply?.text.includes('secret'));
    const other = page(id);
    await until(() => other.texts().length > 0);
    await other.chat.forget();
    reply.say('is safe.');
    await until(() => one.texts().length === 0);
    expect(await everything(id)).to.not.include('secret');
  }).timeout(20_000);

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
  ['`storage` and `session-id` changed in one of several tabs', changes],
  ['clear() and forget() resolve when it is gone, wherever it was, and reject when it is not', forgets],
] as const) {
  describe(title, () => run(true));
  describe(`${title}, without HTTPS`, () => {
    beforeEach(() => withoutLocks());
    run(false);
  });
}
