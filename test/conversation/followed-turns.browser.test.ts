/** `sendMessage()` in tabs that do not lead, or not for long: it ends as its turn really ended, in whichever tab that was. */
import { expect } from 'chai';
import { fresh, until } from '../storage/helpers.js';
import { call, closeAll, frame, page, slowly, stored, type Page } from './kept.js';

describe('a message of one tab whose turn ends in another', () => {
  afterEach(closeAll);

  /** A tab that leads, and one that follows it. */
  async function two(theirs: Parameters<typeof page>[1] = [], mine: Parameters<typeof page>[1] = []) {
    const id = fresh('followed');
    const leader = page(id, ['Hello.', ...theirs]);
    leader.tool('pay');
    await leader.chat.sendMessage('Hi');
    const follower = page(id, mine);
    follower.tool('pay');
    await until(() => follower.texts().length === 2);
    return { id, leader, follower };
  }
  const pay = call('pay', { amount: 5 });
  /** A click here moves the conversation here; resolves with the card that asks again. */
  async function moveTo(one: Page) {
    one.decide('allow', await one.card());
    await until(() => one.notices().some((text) => text.includes('decide once more')));
    return one.card();
  }

  it('ends with what came of it where the person allows in the tab that sent it', async () => {
    const { leader, follower } = await two([pay], ['Paid.']);
    let ended = 0;
    const sent = follower.chat.sendMessage('Pay').finally(() => (ended += 1));
    const card = await moveTo(follower);
    expect([leader.runs.length, follower.runs.length, ended]).to.deep.equal([0, 0, 0]);
    follower.decide('allow', card);
    const { success, reason, text, results } = await sent;
    expect({ success, reason, text }).to.deep.equal({ success: true, reason: 'stop', text: 'Paid.' });
    expect(results.map(({ status }) => status)).to.deep.equal(['success']);
    expect([leader.runs.length, follower.runs.length]).to.deep.equal([0, 1]);
    expect(follower.texts()).to.deep.equal(['Hi', 'Hello.', 'Pay', 'Paid.']);
  });

  it('ends as cancelled where the person stops it there', async () => {
    const { follower } = await two([pay]);
    const sent = follower.chat.sendMessage('Pay');
    await moveTo(follower);
    follower.chat.cancelStream();
    expect((await sent).reason).to.equal('cancelled');
    expect(follower.runs).to.have.length(0);
  });

  it('ends so in the tab that led, too, when the conversation moves away from it', async () => {
    const { leader, follower } = await two([pay], ['Paid.', 'Behind.']);
    const sent = [leader.chat.sendMessage('Pay'), leader.chat.sendMessage('What waits behind it')];
    const card = await moveTo(follower);
    follower.decide('allow', card);
    expect((await Promise.all(sent)).map(({ reason, text }) => [reason, text])).to.deep.equal([
      ['stop', 'Paid.'],
      ['stop', 'Behind.'],
    ]);
    expect(leader.runs).to.have.length(0);
    expect(follower.texts().slice(2)).to.deep.equal(['Pay', 'Paid.', 'What waits behind it', 'Behind.']);
  });

  it('ends so in a third tab, whose message waits or is answered while the conversation moves', async () => {
    const { id, leader, follower } = await two([pay], ['Paid.', 'Behind.']);
    const third = page(id);
    third.tool('pay');
    await until(() => third.texts().length === 2);
    const sent = third.chat.sendMessage('Pay');
    await leader.card();
    const behind = third.chat.sendMessage('What waits behind it');
    await until(() => leader.view().queue.length === 1);
    follower.decide('allow', await moveTo(follower));
    expect((await sent).text).to.equal('Paid.');
    expect((await behind).text).to.equal('Behind.');
    expect(follower.texts().filter((text) => text === 'What waits behind it')).to.have.length(1);
  });

  it('is begun once, by the tab that takes over, when the one that led is killed', async () => {
    const id = fresh('followed');
    const inside = await frame();
    const leader = page(id, ['Hello.', pay], { frame: inside });
    leader.tool('pay');
    await leader.chat.sendMessage('Hi');
    const follower = page(id, ['Paid.']);
    follower.tool('pay');
    await until(() => follower.texts().length === 2);
    const sent = follower.chat.sendMessage('Pay');
    await follower.card();
    await stored(id, (found) => found?.calls[0]?.status === 'awaiting_approval');
    inside.kill();
    await until(() => follower.cards()[0]?.call?.reason.includes('Asks again'));
    follower.decide('allow', await follower.card());
    expect((await sent).text).to.equal('Paid.');
    expect(follower.texts()).to.deep.equal(['Hi', 'Hello.', 'Pay', 'Paid.']);
  });

  it('ends as cancelled when its own tab is left', async () => {
    const { leader, follower } = await two([slowly().response]);
    const sent = follower.chat.sendMessage('Go on');
    await until(() => leader.asked.length === 2);
    follower.leave();
    expect((await sent).reason).to.equal('cancelled');
  });
});
