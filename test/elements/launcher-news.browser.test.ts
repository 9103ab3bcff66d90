/** What the round button of a closed chat says: how much waits, and the beginning of it. */
import { expect } from '@open-wc/testing';
import { resetMouse } from '@web/test-runner-commands';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { appears, click, find, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool, untilTalking } from './tool-chat-stage.js';

const words = (chat: ToolChat, name: string) => find(chat, part(name))?.textContent.replace(/\s+/g, ' ').trim() ?? '';

/** A floating chat that was opened and closed while an answer is on its way. */
async function closed(attributes: Record<string, string> = {}) {
  const chat = await chatOnPage({ layout: 'floating', open: '', ...attributes });
  const requests = answerByHand(chat);
  chat.registerTool(tool('wipe', { risk: 'danger', label: 'Wipe', describeCall: () => 'Wipe “everything”' }));
  await untilTalking(chat);
  const turn = chat.sendMessage('Do it');
  const request = await requests.next();
  chat.hide();
  const say = (text: string) => {
    request.send(text);
    request.done();
  };
  return { chat, turn, say };
}

describe('the button of a closed chat', () => {
  afterEach(() => resetMouse());

  it('counts the answer that came, shows how it begins, and leads to it', async () => {
    const { chat, turn, say } = await closed();
    expect(find(chat, part('badge'))).to.equal(undefined);
    say(`**All** of it is done. ${'And more. '.repeat(30)}`);
    await turn;
    await until(() => words(chat, 'badge') === '1', 'no count');
    expect(words(chat, 'bubble')).to.match(/^New answer ?All of it is done\. And more\..*…×$/u);
    expect(find(chat, '[role=status] b')).not.to.equal(undefined);
    await click(find(chat, '[part=bubble] .text') as Element);
    await until(() => chat.open, 'it stays closed');
    await until(() => !find(chat, part('badge')) && !find(chat, part('bubble')), 'they stay');
  });

  it('says what waits for a decision, before any answer', async () => {
    const { chat, say } = await closed();
    say(`One moment. ${call('wipe', { title: 'x' })}`);
    await until(() => words(chat, 'badge') === '1', 'no count');
    expect(words(chat, 'bubble')).to.contain('Waiting for confirmation').and.to.contain('Wipe “everything”');
    // Seen is not decided: nothing of it can be allowed from here.
    expect(find(chat, '[part=bubble] [part~=approve-button]')).to.equal(undefined);
    chat.show();
    await until(() => !find(chat, part('badge')), 'it stays');
  });

  it('keeps the count and takes back its words when they are put away', async () => {
    const { chat, turn, say } = await closed();
    say('Done.');
    await turn;
    await until(() => words(chat, 'badge') === '1', 'no count');
    await click(await appears(chat, '[part=bubble] .away'));
    await until(() => find(chat, part('bubble'))?.checkVisibility() === false, 'it stays');
    expect(words(chat, 'badge')).to.equal('1');
    expect(find(chat, part('launcher'))?.matches(':focus')).to.equal(true);
  });

  it('is quiet while the chat is open, and where it does not float', async () => {
    for (const attributes of [{ layout: 'floating', open: '' }, { layout: 'inline' }]) {
      const chat = await chatOnPage(attributes);
      const requests = answerByHand(chat);
      const turn = chat.sendMessage('Hello');
      const request = await requests.next();
      request.send('Hi.');
      request.done();
      await turn;
      await until(() => !chat.isLoading, 'it goes on');
      expect([find(chat, part('badge')), find(chat, part('bubble'))]).to.deep.equal([undefined, undefined]);
      chat.remove();
    }
  });

  it('is accessible', async () => {
    const { chat, turn, say } = await closed();
    say('Done.');
    await turn;
    await until(() => words(chat, 'badge') === '1', 'no count');
    // While it comes up it is paler than it is.
    await Promise.all((find(chat, part('bubble')) as Element).getAnimations().map(({ finished }) => finished));
    await expect(chat).to.be.accessible();
  });
});
