/** Asking anew, saying it otherwise, and when it was said. */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys } from '@web/test-runner-commands';
import { assistant, FakeSurface, user } from './fake-surface.js';
import { appears, click, deepText, find, findAll, part, stage, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

const said = (chat: Element) =>
  findAll(chat, part('message')).map((message) => deepText(message.querySelector('p, .body') ?? message).trim());

async function talk() {
  const chat = await chatOnPage({});
  const requests = answerByHand(chat);
  const answer = async (text: string) => {
    const request = await requests.next();
    request.send(text);
    request.done();
    await until(() => !chat.isLoading, 'the end of the turn');
    return request;
  };
  return { chat, answer };
}

describe('a message', () => {
  afterEach(() => resetMouse());

  it('of the assistant is asked for anew, the last one only', async () => {
    const { chat, answer } = await talk();
    void chat.sendMessage('One');
    await answer('First answer');
    void chat.sendMessage('Two');
    await answer('Second answer');
    await appears(chat, part('regenerate-button'));
    expect(findAll(chat, part('regenerate-button'))).to.have.lengthOf(1);
    await click(find(chat, part('regenerate-button')) as Element);
    const again = await answer('Another answer');
    expect(JSON.stringify(again.body)).to.contain('Two').and.to.not.contain('Second answer');
    await until(() => said(chat).at(-1) === 'Another answer', said(chat).join(' | '));
    expect(said(chat)).to.deep.equal(['One', 'First answer', 'Two', 'Another answer']);
  });

  it('of the person is said otherwise, and what followed goes', async () => {
    const { chat, answer } = await talk();
    void chat.sendMessage('One');
    await answer('First answer');
    void chat.sendMessage('Two');
    await answer('Second answer');
    await click(findAll(chat, part('edit-message-button'))[0] as Element);
    const field = await appears<HTMLTextAreaElement>(
      chat,
      'tool-chat-rewrite, [aria-label="Say it otherwise"] textarea, textarea[rows="1"][aria-label="Say it otherwise"]',
    );
    await until(() => find<HTMLTextAreaElement>(chat, 'textarea[aria-label="Say it otherwise"]')?.value === 'One', String(field));
    await sendKeys({ type: ' more' });
    await sendKeys({ press: 'Enter' });
    const request = await answer('Third answer');
    expect(JSON.stringify(request.body)).to.contain('One more').and.to.not.contain('Two');
    await until(() => said(chat).at(-1) === 'Third answer', said(chat).join(' | '));
    expect(said(chat)).to.deep.equal(['One more', 'Third answer']);
  });

  it('stays as it was after Escape, with the focus where it was', async () => {
    const { chat, answer } = await talk();
    void chat.sendMessage('One');
    await answer('First answer');
    await click(find(chat, part('edit-message-button')) as Element);
    await until(() => find(chat, 'textarea[aria-label="Say it otherwise"]') !== undefined, 'no field');
    await sendKeys({ type: 'x' });
    await sendKeys({ press: 'Escape' });
    await until(() => !find(chat, 'tool-chat-rewrite'), 'the field stays');
    expect(said(chat)).to.deep.equal(['One', 'First answer']);
    await until(() => find(chat, part('edit-message-button'))?.matches(':focus') === true, 'the focus is elsewhere');
  });

  it('says what of what followed stays done', async () => {
    const chat = await chatOnPage({});
    const requests = answerByHand(chat);
    chat.registerTool(tool('note', { risk: 'write' }));
    void chat.sendMessage('One');
    const first = await requests.next();
    first.send(call('note', { title: 'x' }));
    first.done();
    const second = await requests.next();
    second.send('Done.');
    second.done();
    await until(() => !chat.isLoading, 'the end of the turn');
    await click(await appears(chat, part('edit-message-button')));
    await until(() => deepText(chat.shadowRoot as unknown as Element).includes('One action that followed stays done'), 'it is not said');
  });

  it('has its time, and a day stands between two days', async () => {
    const at = (one: ReturnType<typeof user>, day: number) => ({
      ...one,
      message: { ...one.message, createdAt: new Date(2026, 2, day, 12, 4).getTime() },
    });
    const views = [at(user('1', 'One'), 2), at(assistant('2', ['Yes']), 2), at(user('3', 'Two'), 3), user('4', 'of no time')];
    const { panel } = await stage(new FakeSurface({ views }));
    await until(() => findAll(panel, 'time').length === 3, 'no times');
    expect(find(panel, 'time')?.textContent).to.equal('12:04 PM');
    expect(findAll(panel, '.day').map((one) => one.textContent)).to.deep.equal(['Tuesday, March 3']);
  });
});
