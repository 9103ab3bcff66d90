/** `storage` and `session-id` that are set while a conversation goes on: they count from the next turn. In Node, with the storage of a tab. */
import { expect } from 'chai';
import { useSessionStorage } from '../helpers/session-storage.js';
import { until } from '../storage/helpers.js';
import { call, closeAll, page as openPage, slowly, type PageOptions, type Reply } from './kept.js';

describe('where a conversation is kept, changed while it goes on', () => {
  const area = useSessionStorage();
  afterEach(closeAll);

  /** A page; after `replies` the model counts its answers. */
  function page(options: PageOptions = {}, replies: Reply[] = []) {
    const answers = Array.from({ length: 5 }, (_, at) => replies[at] ?? `answer ${String(at + 1)}`);
    const one = openPage('', answers, { storage: 'none', approval: 'auto', ...options });
    return { ...one, told: (nth: number) => one.asked[nth]?.messages.map(({ text }) => text) };
  }

  const keys = (start: string) => [...area.keys()].filter((key) => key.startsWith(`tool-chat:${start}:`));
  /** What a page that is loaded now finds. */
  async function found(sessionId: string): Promise<string[]> {
    const { chat, texts } = page({ storage: 'session', sessionId });
    await chat.listConversations();
    const said = texts();
    chat.dispose();
    return said;
  }

  it('leaves a turn that runs where it began, and keeps the one that waits behind it', async () => {
    const slow = slowly();
    const one = page({}, [slow.response, call('add'), 'done']);
    let before = -1;
    one.tool('add', { execute: () => void (before = keys('journal').length) });
    const first = one.chat.sendMessage('first');
    const second = one.chat.sendMessage('second');
    await until(() => one.asked.length === 1);
    Object.assign(one.options, { storage: 'session', sessionId: 'mine' });
    slow.say('slow answer');
    slow.end();
    await first;
    expect(keys('conversation')).to.deep.equal([]);
    await second;
    expect(before).to.equal(1);
    await one.chat.listConversations();
    one.chat.dispose();
    expect((await found('mine')).slice(0, 3)).to.deep.equal(['first', 'slow answer', 'second']);
  });

  it('opens the conversation of another name, and leaves the one before where it is', async () => {
    const one = page({ storage: 'session', sessionId: 'anna' });
    await one.chat.sendMessage('I am Anna');
    one.options.sessionId = 'ben';
    await one.chat.sendMessage('I am Ben');
    expect([one.told(1), one.texts()]).to.deep.equal([['I am Ben'], ['I am Ben', 'answer 2']]);
    expect(JSON.stringify(one.chat.trace)).not.to.include('Anna');
    expect((await one.chat.listConversations()).map(({ title }) => title)).to.deep.equal(['I am Ben']);
    one.options.sessionId = 'anna';
    await one.chat.sendMessage('Anna again');
    expect(one.told(2)).to.deep.equal(['I am Anna', 'answer 1', 'Anna again']);
    one.chat.dispose();
    expect(await found('ben')).to.deep.equal(['I am Ben', 'answer 2']);
    expect(await found('anna')).to.deep.equal(['I am Anna', 'answer 1', 'Anna again', 'answer 3']);
  });

  describe('another user', () => {
    const users = { anna: { sessionId: 'anna', context: { user: { id: 1 } } }, ben: { sessionId: 'ben', context: { user: { id: 2 } } } };
    type Storage = 'none' | 'session';
    const signedIn = (storage: Storage, replies: Reply[] = []) =>
      page({ storage, ...users.anna, approval: 'by-risk', register: { pay: { risk: 'danger' } } }, replies);
    /** The page says who is here now, as the element does when an option changes. */
    function signIn(one: ReturnType<typeof page>, user: keyof typeof users): void {
      Object.assign(one.options, users[user]);
      one.internals.look();
    }

    for (const storage of ['none', 'session'] as const) {
      it(`sees nothing of the one before, at once (storage="${storage}")`, async () => {
        const one = signedIn(storage);
        await one.chat.sendMessage('I am Anna');
        one.internals.surface.draft?.('Dear doctor');
        signIn(one, 'ben');
        await until(() => one.texts().length === 0);
        expect([one.view().opened, one.view().draft, one.chat.toolHistory, one.chat.trace]).to.deep.equal([1, undefined, [], []]);
        await one.chat.sendMessage('I am Ben');
        expect(one.told(1)).to.deep.equal(['I am Ben']);
        signIn(one, 'anna');
        await until(() => !one.texts().includes('I am Ben'));
        await one.chat.listConversations();
        expect([one.texts(), one.view().draft]).to.deep.equal(
          storage === 'session' ? [['I am Anna', 'answer 1'], 'Dear doctor'] : [[], undefined],
        );
      });

      it(`cannot decide a card of the one before (storage="${storage}")`, async () => {
        const one = signedIn(storage, [call('pay'), 'Hello Ben']);
        const card = await one.ask();
        Object.assign(one.options, users.ben);
        one.decide('allow', card);
        await until(() => one.cards().length === 0);
        one.decide('allow', card);
        await one.chat.sendMessage('I am Ben');
        expect([one.runs, one.texts()]).to.deep.equal([[], ['I am Ben', 'Hello Ben']]);
        signIn(one, 'anna');
        if (storage === 'none') return void (await until(() => one.texts().length === 0));
        // There it waits for her.
        await one.card();
        expect([one.runs, one.texts()]).to.deep.equal([[], ['Pay']]);
        await one.allow();
        await until(() => one.runs.length === 1);
      });

      it(`waits for a turn that runs, and none of its user's waiting messages begins (storage="${storage}")`, async () => {
        const slow = slowly();
        const one = signedIn(storage, [slow.response, 'for Ben']);
        const first = one.chat.sendMessage('I am Anna');
        const second = one.chat.sendMessage('And one more thing');
        await until(() => one.asked.length === 1);
        signIn(one, 'ben');
        const his = one.chat.sendMessage('I am Ben');
        slow.say('for Anna');
        slow.end();
        expect((await first).text).to.equal('for Anna');
        expect([(await second).reason, (await his).text]).to.deep.equal(['cancelled', 'for Ben']);
        expect([one.asked.length, one.told(1), one.texts()]).to.deep.equal([2, ['I am Ben'], ['I am Ben', 'for Ben']]);
      });
    }

    for (const [who, lastly, ran] of [
      ['another one under the same name decides nothing that was asked before', 2, 0],
      ['the same one, told with more or less about them, decides', 1, 1],
    ] as const)
      it(who, async () => {
        const one = signedIn('none', [call('pay'), 'Paid']);
        const card = await one.ask();
        one.options.context = { user: { id: 1, lastSeen: 'today' } };
        expect(one.statuses()).to.deep.equal(['awaiting_approval']);
        one.options.context = { user: { id: lastly } };
        one.decide('allow', card);
        await until(() => one.statuses().join() === (ran ? 'success' : 'cancelled'));
        expect(one.runs).to.have.length(ran);
      });
  });
});
