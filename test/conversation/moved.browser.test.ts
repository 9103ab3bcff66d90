/** `storage` and `session-id` that are set while a conversation goes on, with other tabs of the same name. */
import { expect } from 'chai';
import { fresh, until } from '../storage/helpers.js';
import { call, closeAll, everything, page, stored } from './kept.js';

describe('where a conversation is kept, changed in one of several tabs', () => {
  afterEach(() => {
    closeAll();
    for (const area of [sessionStorage, localStorage]) area.clear();
  });

  it('is kept beside the one that another tab has, and a tab that opens finds it', async () => {
    const name = fresh('moved');
    const other = page(name, ['theirs']);
    await other.chat.sendMessage('other tab');
    const one = page('', ['A1', call('pay', { amount: 5 }), 'Paid.'], { storage: 'none', approval: 'auto' });
    let written = '';
    one.tool('pay', { execute: async () => ((written = await everything(name)), 'ok') });
    await one.chat.sendMessage('first');
    Object.assign(one.options, { storage: 'indexeddb', sessionId: name });
    await one.chat.sendMessage('second');
    expect(one.texts()).to.deep.equal(['first', 'A1', 'second', 'Paid.']);
    expect(written).to.include('"toolName":"pay"').and.to.include('"first"');
    expect(other.texts()).to.deep.equal(['other tab', 'theirs']);
    expect((await one.chat.listConversations()).map(({ title, isOpen }) => [title, isOpen])).to.deep.equal([
      ['first', true],
      ['other tab', false],
    ]);
    one.leave();
    const after = page(name);
    await until(() => after.texts().length === 4);
    expect(after.texts()).to.deep.equal(['first', 'A1', 'second', 'Paid.']);
    expect(one.runs).to.have.length(1);
  });

  it('says the message in the conversation of another name where another tab leads it', async () => {
    const [mine, theirs] = [fresh('moved'), fresh('moved')];
    const leader = page(theirs, ['B1', 'B2']);
    await leader.chat.sendMessage('theirs');
    const one = page(mine, ['A1']);
    await one.chat.sendMessage('mine');
    one.options.sessionId = theirs;
    const result = await one.chat.sendMessage('and mine');
    expect(result.text).to.equal('B2');
    expect(leader.texts()).to.deep.equal(['theirs', 'B1', 'and mine', 'B2']);
    await until(() => one.texts().length === 4);
    await stored(mine, (found) => found?.messages.length === 2);
  });

  it('goes on in the page of a tab that followed, with all that stood there', async () => {
    const name = fresh('moved');
    const leader = page(name, ['A1']);
    await leader.chat.sendMessage('first');
    const one = page(name, ['A2']);
    await until(() => one.texts().length === 2);
    one.options.storage = 'none';
    await one.chat.sendMessage('between us');
    expect(one.texts()).to.deep.equal(['first', 'A1', 'between us', 'A2']);
    expect(one.asked[0]?.messages.map(({ text }) => text)).to.deep.equal(['first', 'A1', 'between us']);
    await until(() => leader.texts().length === 2);
    expect(await everything(name)).not.to.include('between us');
  });
});
