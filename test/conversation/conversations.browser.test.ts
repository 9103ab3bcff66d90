/** Several conversations beside one another: listed, begun, opened, renamed, deleted. Each is kept as if it were the only one. */
import { expect } from 'chai';
import type { KeptConversation } from '../../src/model/session.js';
import { fresh, until } from '../storage/helpers.js';
import { call, closeAll, forever, page, type Page } from './kept.js';

const titles = async ({ chat }: Page) => (await chat.listConversations()).map(({ title }) => title);
const openOne = (list: readonly KeptConversation[]) => list.filter(({ isOpen }) => isOpen).map(({ title }) => title);
const names = new Set<string>();
const named = () => {
  const name = fresh('several');
  names.add(name);
  return name;
};

for (const storage of ['indexeddb', 'session'] as const)
  describe(`several conversations, storage="${storage}"`, () => {
    afterEach(() => {
      closeAll();
      for (const name of names) for (const area of [sessionStorage, localStorage]) area.removeItem(`tool-chat:open:${name}`);
    });

    it('are listed by what was said first, the newest first, and each goes on where it was', async () => {
      const one = page(named(), ['A1', 'B1', 'A2'], { storage });
      await one.chat.sendMessage('Where is\n my   parcel?');
      const [first] = await one.chat.listConversations();
      const id = await one.chat.newConversation();
      expect(one.texts()).to.deep.equal([]);
      await one.chat.sendMessage('Something else');
      const list = await one.chat.listConversations();
      expect(list.map(({ title }) => title)).to.deep.equal(['Something else', 'Where is my parcel?']);
      expect(openOne(list)).to.deep.equal(['Something else']);
      expect(list[0]?.id).to.equal(id);
      expect(list[0]?.updatedAt).to.be.within(Date.now() - 60_000, Date.now());
      await one.chat.openConversation(first?.id ?? '');
      expect(one.texts()).to.deep.equal(['Where is\n my   parcel?', 'A1']);
      await one.chat.sendMessage('And now?');
      // Nothing of the other conversation is told to the model.
      expect(one.asked.at(-1)?.messages.map(({ text }) => text)).to.deep.equal(['Where is\n my   parcel?', 'A1', 'And now?']);
      expect(openOne(await one.chat.listConversations())).to.deep.equal(['Where is my parcel?']);
    });

    it('a page that is loaded again goes on with the one that was open', async () => {
      const name = named();
      const before = page(name, ['A1', 'B1'], { storage });
      await before.chat.sendMessage('first');
      await before.chat.newConversation();
      await before.chat.sendMessage('second');
      before.leave();
      const after = page(name, [], { storage });
      await until(() => after.texts().length === 2);
      expect(after.texts()).to.deep.equal(['second', 'B1']);
      expect(await titles(after)).to.deep.equal(['second', 'first']);
    });

    it('an empty one is new enough, and is not listed', async () => {
      const one = page(named(), ['A1'], { storage });
      const id = await one.chat.newConversation();
      expect(await one.chat.newConversation()).to.equal(id);
      expect(await one.chat.listConversations()).to.deep.equal([]);
      await one.chat.sendMessage('first');
      expect(await one.chat.newConversation()).not.to.equal(id);
      expect(await titles(one)).to.deep.equal(['first']);
    });

    it('can be renamed, and are called by their first words again', async () => {
      const name = named();
      const one = page(name, ['A1'], { storage });
      await one.chat.sendMessage('first');
      const id = (await one.chat.listConversations())[0]?.id ?? '';
      await one.chat.renameConversation(id, '  Holidays \n in May ');
      expect(await titles(one)).to.deep.equal(['Holidays in May']);
      one.leave();
      const after = page(name, [], { storage });
      expect(await titles(after)).to.deep.equal(['Holidays in May']);
      await after.chat.renameConversation(id, '');
      expect(await titles(after)).to.deep.equal(['first']);
      await after.chat.renameConversation(id, 'x'.repeat(500));
      expect((await titles(after))[0]).to.have.length(120);
    });

    it('one that is deleted is gone; in place of the open one an empty one is begun', async () => {
      const name = named();
      const one = page(name, ['A1', 'B1'], { storage });
      await one.chat.sendMessage('first');
      await one.chat.newConversation();
      await one.chat.sendMessage('second');
      const [second, first] = await one.chat.listConversations();
      await one.chat.renameConversation(first?.id ?? '', 'A name');
      await one.chat.deleteConversation(first?.id ?? '');
      expect(await titles(one)).to.deep.equal(['second']);
      expect(one.texts()).to.deep.equal(['second', 'B1']);
      await one.chat.deleteConversation(second?.id ?? '');
      expect(one.texts()).to.deep.equal([]);
      expect(await titles(one)).to.deep.equal([]);
      one.leave();
      const after = page(name, [], { storage });
      expect(await titles(after)).to.deep.equal([]);
      expect(after.texts()).to.deep.equal([]);
    });

    it('a question that waits is asked again when its conversation is opened again, and nothing runs meanwhile', async () => {
      const one = page(named(), [`I will. ${call('pay', { amount: 5 })}`, 'B1', 'Paid.'], { storage });
      one.tool('pay');
      void one.chat.sendMessage('Pay');
      const old = await one.card();
      const [first] = await one.chat.listConversations();
      await one.chat.newConversation();
      expect(one.cards()).to.deep.equal([]);
      await one.chat.sendMessage('Something else');
      // A click that comes too late finds nothing.
      one.decide('allow', old);
      expect(one.runs).to.deep.equal([]);
      await one.chat.openConversation(first?.id ?? '');
      const card = await one.card();
      expect(card.call?.args).to.deep.equal({ amount: 5 });
      one.decide('allow', card);
      await until(() => one.texts().includes('Paid.'));
      expect(one.runs.map(({ name }) => name)).to.deep.equal(['pay']);
    });

    it('a tool that runs is stopped as a person stops it', async () => {
      const one = page(named(), [call('wait'), 'B1'], { storage, approval: 'auto' });
      one.tool('wait', { risk: 'query', execute: forever });
      void one.chat.sendMessage('Wait');
      await one.card('executing');
      const [first] = await one.chat.listConversations();
      await one.chat.newConversation();
      await one.chat.sendMessage('Something else');
      expect(one.texts()).to.deep.equal(['Something else', 'B1']);
      await one.chat.openConversation(first?.id ?? '');
      expect(one.cards().map(({ status }) => status)).to.deep.equal(['cancelled']);
      expect(one.runs).to.have.length(1);
    });

    it('what is sent while another one opens is said there', async () => {
      const one = page(named(), ['A1', 'B1'], { storage });
      await one.chat.sendMessage('first');
      const moved = one.chat.newConversation();
      await one.chat.listConversations().catch(() => []);
      await Promise.all([moved, one.chat.sendMessage('second')]);
      expect(one.texts()).to.deep.equal(['second', 'B1']);
      expect(one.asked.at(-1)?.messages.map(({ text }) => text)).to.deep.equal(['second']);
    });

    it('those of another name are never listed, opened or deleted', async () => {
      const name = named();
      const other = page(`${name}x`, ['theirs'], { storage });
      await other.chat.sendMessage('secret');
      const [theirs] = await other.chat.listConversations();
      const one = page(name, ['mine'], { storage });
      await one.chat.sendMessage('hello');
      expect(await titles(one)).to.deep.equal(['hello']);
      for (const id of [theirs?.id ?? '', 'nothing', `${name}~../x`, 7 as never])
        for (const work of [
          () => one.chat.openConversation(id),
          () => one.chat.deleteConversation(id),
          () => one.chat.renameConversation(id, 'x'),
        ])
          expect(await work().catch((error: unknown) => error)).to.be.instanceOf(TypeError);
      expect(await titles(other)).to.deep.equal(['secret']);
    });

    it('quick changes one after the other end where the last one said', async () => {
      const one = page(named(), ['A1', 'B1'], { storage });
      await one.chat.sendMessage('first');
      await one.chat.newConversation();
      await one.chat.sendMessage('second');
      const [second, first] = await one.chat.listConversations();
      const ids = [first, second, first, second, first].map((each) => each?.id ?? '');
      await Promise.all(ids.map((id) => one.chat.openConversation(id)));
      expect(one.texts()).to.deep.equal(['first', 'A1']);
      expect(openOne(await one.chat.listConversations())).to.deep.equal(['first']);
    });

    it('tools are told the id of the conversation that is open', async () => {
      const one = page(named(), [call('who'), 'A1', call('who'), 'B1'], { storage, approval: 'auto' });
      const ids: unknown[] = [];
      one.tool('who', {
        risk: 'query',
        execute(_args, { sessionId }) {
          ids.push(sessionId);
          return { success: true };
        },
      });
      await one.chat.sendMessage('first');
      await one.chat.newConversation();
      await one.chat.sendMessage('second');
      const list = await one.chat.listConversations();
      expect(ids).to.deep.equal(list.map(({ id }) => id).reverse());
    });
  });

describe('several conversations in several tabs', () => {
  afterEach(closeAll);

  it('a tab that only looks on begins one of its own, and leaves the other tab alone', async () => {
    const name = named();
    const leader = page(name, ['A1', 'A2']);
    await leader.chat.sendMessage('first');
    const other = page(name, ['B1']);
    await until(() => other.texts().length === 2);
    await other.chat.newConversation();
    await other.chat.sendMessage('second');
    expect(other.texts()).to.deep.equal(['second', 'B1']);
    await leader.chat.sendMessage('third');
    expect(leader.texts()).to.deep.equal(['first', 'A1', 'third', 'A2']);
    expect(await titles(other)).to.have.members(['second', 'first']);
  });

  it('one that is deleted is not written back by a tab that has it open', async () => {
    const name = named();
    const leader = page(name, ['A1']);
    await leader.chat.sendMessage('first');
    const other = page(name, ['B1']);
    await until(() => other.texts().length === 2);
    await other.chat.newConversation();
    await other.chat.sendMessage('second');
    await other.chat.deleteConversation(name);
    leader.internals.surface.draft?.('still writing');
    await until(() => leader.texts().length === 0);
    leader.leave();
    expect(await titles(other)).to.deep.equal(['second']);
    const after = page(name);
    await after.chat.openConversation(name);
    expect(after.texts()).to.deep.equal([]);
  });
});

describe('without storage', () => {
  afterEach(closeAll);

  it('a new conversation is an empty one, nothing is listed, and the rest says what to set', async () => {
    const one = page('', ['A1'], { storage: 'none' });
    await one.chat.sendMessage('first');
    await one.chat.newConversation();
    expect(one.texts()).to.deep.equal([]);
    expect(await one.chat.listConversations()).to.deep.equal([]);
    const error = await one.chat.openConversation('x').catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(TypeError);
    expect(String(error)).to.include('storage="indexeddb"');
  });
});
