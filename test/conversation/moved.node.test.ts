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

  it('tries again and edits where something was said, and not in the conversation of another name', async () => {
    const other = page({ storage: 'session', sessionId: 'ben' });
    await other.chat.sendMessage('I am Ben');
    other.chat.dispose();
    const one = page({ storage: 'session', sessionId: 'anna' });
    await one.chat.sendMessage('I am Anna');
    one.options.sessionId = 'ben';
    await one.chat.regenerate();
    expect(one.told(1)).to.deep.equal(['I am Anna']);
    await one.chat.editMessage(one.chat.messages[0]!.id, 'I am Anne');
    expect(one.texts()).to.deep.equal(['I am Anne', 'answer 3']);
    one.chat.dispose();
    expect(await found('ben')).to.deep.equal(['I am Ben', 'answer 1']);
  });

  it('keeps all that was said from the next turn on, beside what is kept there', async () => {
    const before = page({ storage: 'session', sessionId: 'mine' });
    await before.chat.sendMessage('long ago');
    before.chat.dispose();
    const one = page();
    await one.chat.sendMessage('today');
    Object.assign(one.options, { storage: 'session', sessionId: 'mine' });
    await one.chat.sendMessage('and now');
    expect(one.told(1)).to.deep.equal(['today', 'answer 1', 'and now']);
    const listed = (await one.chat.listConversations()).map(({ title, isOpen }) => `${title} ${String(isOpen)}`);
    expect(listed).to.deep.equal(['today true', 'long ago false']);
    one.chat.dispose();
    expect(await found('mine')).to.deep.equal(['today', 'answer 1', 'and now', 'answer 2']);
  });

  it('goes on in the page alone, and comes back to where it was kept', async () => {
    const one = page({ storage: 'session', sessionId: 'mine' });
    await one.chat.sendMessage('first');
    one.options.storage = 'none';
    await one.chat.sendMessage('between us');
    expect([one.told(1), await one.chat.listConversations()]).to.deep.equal([['first', 'answer 1', 'between us'], []]);
    expect(await found('mine')).to.deep.equal(['first', 'answer 1']);
    one.options.storage = 'session';
    await one.chat.sendMessage('third');
    expect((await one.chat.listConversations()).map(({ title }) => title)).to.deep.equal(['first']);
    one.chat.dispose();
    expect(await found('mine')).to.deep.equal(['first', 'answer 1', 'between us', 'answer 2', 'third', 'answer 3']);
  });
});
