/** The list of conversations that one storage keeps, over `sessionStorage`. What users see of it: test/conversation/conversations.node.test.ts. */
import { expect } from 'chai';
import { createId } from '../../src/base/ids.js';
import { createConversationList, isSibling, siblingId } from '../../src/storage/conversation-list.js';
import { createConversationStore } from '../../src/storage/conversation-store.js';
import { createSessionJournal } from '../../src/storage/session-journal.js';
import { useSessionStorage } from '../helpers/session-storage.js';
import { fullConversation } from './sample.js';

async function keep(sessionId: string, ...said: string[]): Promise<void> {
  const store = createConversationStore({ sessionId, area: 'session' });
  const sample = fullConversation(sessionId);
  store.save({ ...sample, messages: said.map((text, at) => ({ ...sample.messages[0]!, id: `u${at}`, text })), parts: {} });
  await store.close();
}

describe('the list of conversations', () => {
  const kept = useSessionStorage();
  const list = createConversationList({ first: 'shop', area: 'session' });

  it('leaves out those without a word and those that are damaged, and names that are no text', async () => {
    await keep('shop', 'Hello', 'later');
    await keep(siblingId('shop', createId('c')));
    kept.set(`tool-chat:conversation:${siblingId('shop', createId('c'))}`, '{"messages": 7}');
    kept.set(`tool-chat:conversation:${siblingId('shop', createId('c'))}`, 'no JSON');
    kept.set('tool-chat:title:shop', '{"title": {"html": "<b>"}}');
    expect((await list.all()).map(({ id, title }) => [id, title])).to.deep.equal([['shop', 'Hello']]);
    await list.rename('shop', '');
    expect(kept.get('tool-chat:title:shop')).to.equal(undefined);
  });

  it('is rid of one with its calls and its name, and of no other', async () => {
    await keep('shop', 'Hello');
    const two = siblingId('shop', createId('c'));
    await keep(two, 'Hello again');
    const journal = createSessionJournal({ sessionId: 'shop' });
    await journal.intent({ requestId: 'c1', toolName: 'pay', digest: 'd', args: { card: '4111' } });
    await list.rename('shop', 'A name');
    await list.remove('shop');
    expect((await list.all()).map(({ id }) => id)).to.deep.equal([two]);
    expect(JSON.stringify([...kept.values()])).to.not.match(/4111|A name/);
    // That it was made is still known: it does not run a second time.
    expect(await journal.intent({ requestId: 'c1', toolName: 'pay', digest: 'd' })).to.equal('known');
  });

  it('sees those of its own name only', () => {
    const unique = createId('c');
    for (const id of ['shop', siblingId('shop', unique)]) expect(isSibling('shop', id), id).to.equal(true);
    for (const id of ['shops', 'shop~', 'shop~42', 'shop~c_42', `shop~42~${unique}`, `shop~${unique}~`, `other~${unique}`, ''])
      expect(isSibling('shop', id), id).to.equal(false);
  });
});
