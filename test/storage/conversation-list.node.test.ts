/** The list of conversations that one storage keeps, over `sessionStorage`; that of the database is tried in browsers. */
import { expect } from 'chai';
import { asTitle, createConversationList, isSibling, siblingId, TITLE_CHARS } from '../../src/storage/conversation-list.js';
import { createConversationStore } from '../../src/storage/conversation-store.js';
import { createSessionJournal } from '../../src/storage/session-journal.js';
import { fullConversation } from './sample.js';

/** What a tab has. */
function memoryStorage(): Storage & { readonly names: string[] } {
  const map = new Map<string, string>();
  return {
    get length() {
      return map.size;
    },
    get names() {
      return [...map.keys()];
    },
    key: (at) => [...map.keys()][at] ?? null,
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
    removeItem: (key) => void map.delete(key),
    clear: () => map.clear(),
  };
}

async function keep(storage: Storage, sessionId: string, ...said: string[]): Promise<void> {
  const store = createConversationStore({ sessionId, area: 'session', storage });
  const sample = fullConversation(sessionId);
  const messages = said.map((text, at) => ({ ...sample.messages[0]!, id: `u${at}`, text }));
  store.save({ ...sample, messages, parts: {} });
  await store.close();
}

describe('the list of conversations', () => {
  it('names each by what a person said first, the newest first, and leaves out those without a word', async () => {
    const storage = memoryStorage();
    const list = createConversationList({ first: 'shop', area: 'session', storage });
    await keep(storage, 'shop', ' Where is\n\tmy   parcel? ', 'later');
    await keep(storage, siblingId('shop', 'two'), 'Holidays');
    await keep(storage, siblingId('shop', 'empty'));
    storage.setItem('tool-chat:conversation:shop~broken', '{"messages": 7}');
    storage.setItem('tool-chat:conversation:shop~worse', 'no JSON');
    const found = await list.all();
    expect(found.map(({ id, title }) => [id, title]).sort()).to.deep.equal([
      ['shop', 'Where is my parcel?'],
      ['shop~two', 'Holidays'],
    ]);
    expect(found.map(({ updatedAt }) => updatedAt)).to.deep.equal(found.map(({ updatedAt }) => updatedAt).sort((a, b) => b - a));
  });

  it('takes a name of its own, and the first words again', async () => {
    const storage = memoryStorage();
    const list = createConversationList({ first: 'shop', area: 'session', storage });
    await keep(storage, 'shop', 'Hello');
    await list.rename('shop', 'A name');
    expect((await list.all())[0]?.title).to.equal('A name');
    storage.setItem('tool-chat:title:shop', '{"title": {"html": "<b>"}}');
    expect((await list.all())[0]?.title).to.equal('Hello');
    await list.rename('shop', '');
    expect(storage.getItem('tool-chat:title:shop')).to.equal(null);
  });

  it('is rid of one with its calls and its name, and of no other', async () => {
    const storage = memoryStorage();
    const list = createConversationList({ first: 'shop', area: 'session', storage });
    await keep(storage, 'shop', 'Hello');
    await keep(storage, 'shop~two', 'Hello again');
    const journal = createSessionJournal({ sessionId: 'shop', storage });
    await journal.intent({ requestId: 'c1', toolName: 'pay', digest: 'd', args: { card: '4111' } });
    await list.rename('shop', 'A name');
    await list.remove('shop');
    expect((await list.all()).map(({ id }) => id)).to.deep.equal(['shop~two']);
    expect(JSON.stringify(storage.names.map((name) => storage.getItem(name))))
      .to.not.include('4111')
      .and.not.include('A name');
    // That it was made is still known: it does not run a second time.
    expect(await journal.intent({ requestId: 'c1', toolName: 'pay', digest: 'd' })).to.equal('known');
  });

  it('sees those of its own name only', () => {
    expect([isSibling('shop', 'shop'), isSibling('shop', siblingId('shop', 'c_12ab'))]).to.deep.equal([true, true]);
    for (const id of ['shops', 'shop~', 'shop~../x', 'shop~a b', 'shop~a~b', 'other~a', ''])
      expect(isSibling('shop', id), id).to.equal(false);
  });

  it('has titles of one short line', () => {
    expect([asTitle(' a \n b\u2028c '), asTitle('x'.repeat(10_000)).length]).to.deep.equal(['a b c', TITLE_CHARS]);
    expect([asTitle(7), asTitle(undefined), asTitle({})]).to.deep.equal(['', '', '']);
  });
});
