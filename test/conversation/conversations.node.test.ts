/** Several conversations beside one another: listed, begun, opened, deleted. Each is kept as if it were the only one. */
import { expect } from 'chai';
import type { KeptConversation } from '../../src/model/session.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { fresh, rejection, until } from '../storage/helpers.js';
import { call, closeAll, page as openPage, type Page, type Reply } from './kept.js';

const titles = async ({ chat }: Page) => (await chat.listConversations()).map(({ title }) => title);
const openOne = (list: readonly KeptConversation[]) => list.filter(({ isOpen }) => isOpen).map(({ title }) => title);

describe('several conversations', () => {
  useSessionStorage();
  afterEach(closeAll);
  const page = (replies: Reply[] = [], name = fresh('several')): Page => openPage(name, replies, { storage: 'session', approval: 'auto' });

  /** A page with two conversations; the second one is open. */
  async function withTwo(more: Reply[] = [], name = fresh('several')) {
    const one = page(['A1', 'B1', ...more], name);
    await one.chat.sendMessage('first');
    const id = await one.chat.newConversation();
    expect(one.texts()).to.deep.equal([]);
    await one.chat.sendMessage('second');
    const [second, first] = await one.chat.listConversations();
    expect(second?.id).to.equal(id);
    return { name, one, first: first!, second: second! };
  }

  it('are listed by what was said first, the newest first, and each goes on where it was', async () => {
    const one = page(['A1', 'B1', 'A2']);
    await one.chat.sendMessage('Where is\n my   parcel?');
    const [first] = await one.chat.listConversations();
    await one.chat.newConversation();
    await one.chat.sendMessage('Something else');
    const list = await one.chat.listConversations();
    expect(list.map(({ title }) => title)).to.deep.equal(['Something else', 'Where is my parcel?']);
    expect(openOne(list)).to.deep.equal(['Something else']);
    expect(list[0]?.updatedAt).to.be.within(Date.now() - 60_000, Date.now());
    await one.chat.openConversation(first?.id ?? '');
    expect(one.texts()).to.deep.equal(['Where is\n my   parcel?', 'A1']);
    await one.chat.sendMessage('And now?');
    // Nothing of the other conversation is told to the model.
    expect(one.asked.at(-1)?.messages.map(({ text }) => text)).to.deep.equal(['Where is\n my   parcel?', 'A1', 'And now?']);
    expect(openOne(await one.chat.listConversations())).to.deep.equal(['Where is my parcel?']);
  });

  it('a page that is loaded again goes on with the one that was open', async () => {
    const { name, one } = await withTwo();
    one.leave();
    const after = page([], name);
    await until(() => after.texts().length === 2);
    expect(after.texts()).to.deep.equal(['second', 'B1']);
    expect(await titles(after)).to.deep.equal(['second', 'first']);
  });

  it('one that is deleted is gone; in place of the open one an empty one is begun', async () => {
    const { name, one, first, second } = await withTwo();
    await one.chat.renameConversation(first.id, 'A name');
    await one.chat.deleteConversation(first.id);
    expect([await titles(one), one.texts()]).to.deep.equal([['second'], ['second', 'B1']]);
    await one.chat.deleteConversation(second.id);
    expect([one.texts(), await titles(one)]).to.deep.equal([[], []]);
    one.leave();
    const after = page([], name);
    expect([await titles(after), after.texts()]).to.deep.equal([[], []]);
  });

  it('a question that waits is asked again when its conversation is opened again, and nothing runs meanwhile', async () => {
    const one = page([`I will. ${call('pay', { amount: 5 })}`, 'B1', 'Paid.']);
    one.options.approval = 'by-risk';
    one.tool('pay');
    const old = await one.ask();
    const [first] = await one.chat.listConversations();
    await one.chat.newConversation();
    expect(one.cards()).to.deep.equal([]);
    await one.chat.sendMessage('Something else');
    // A click that comes too late finds nothing.
    one.decide('allow', old);
    expect(one.runs).to.deep.equal([]);
    await one.chat.openConversation(first?.id ?? '');
    expect((await one.card()).call?.args).to.deep.equal({ amount: 5 });
    await one.allow();
    await one.said('Paid.');
    expect(one.runs.map(({ name }) => name)).to.deep.equal(['pay']);
  });

  it('what is sent while another one opens is said there', async () => {
    const one = page(['A1', 'B1']);
    await one.chat.sendMessage('first');
    const moved = one.chat.newConversation();
    await one.chat.listConversations();
    await Promise.all([moved, one.chat.sendMessage('second')]);
    expect(one.texts()).to.deep.equal(['second', 'B1']);
    expect(one.asked.at(-1)?.messages.map(({ text }) => text)).to.deep.equal(['second']);
  });

  it('those of another name are never listed, opened or deleted', async () => {
    const name = fresh('several');
    const other = page(['theirs'], `${name}x`);
    await other.chat.sendMessage('secret');
    const [theirs] = await other.chat.listConversations();
    const one = page(['mine'], name);
    await one.chat.sendMessage('hello');
    expect(await titles(one)).to.deep.equal(['hello']);
    for (const id of [theirs?.id ?? '', 'nothing', `${name}~../x`, 7 as never])
      for (const work of ['openConversation', 'deleteConversation', 'renameConversation'] as const)
        expect(await rejection(one.chat[work](id, 'x'))).to.be.instanceOf(TypeError);
    expect(await titles(other)).to.deep.equal(['secret']);
  });

  it('quick changes one after the other end where the last one said', async () => {
    const { one, first, second } = await withTwo();
    await Promise.all([first, second, first, second, first].map(({ id }) => one.chat.openConversation(id)));
    expect([one.texts(), openOne(await one.chat.listConversations())]).to.deep.equal([['first', 'A1'], ['first']]);
  });

  it('a new one is empty without storage, nothing is listed, and the rest says what to set', async () => {
    const one = openPage('', ['A1'], { storage: 'none' });
    await one.chat.sendMessage('first');
    await one.chat.newConversation();
    expect([one.texts(), await one.chat.listConversations()]).to.deep.equal([[], []]);
    expect(String(await rejection(one.chat.openConversation('x')))).to.match(/^TypeError.*storage="indexeddb"/);
  });
});
