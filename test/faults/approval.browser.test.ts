/** Areas C and H of the fault list on a page: results that only a page can give, and a widget that asks too often. */
import { expect } from '@open-wc/testing';
import { resetMouse } from '@web/test-runner-commands';
import { appears, click, deepText, find, findAll, part, until } from '../elements/helpers.js';
import { answerByHand, call, chatOnPage, tool } from '../elements/tool-chat-stage.js';

describe('faults of tools and approval, on a page', () => {
  afterEach(() => resetMouse());

  const pageValues: Record<string, () => unknown> = {
    'the window': () => window,
    'the document': () => document,
    'an element that holds itself': () => Object.assign(document.createElement('div'), { self: document.body }),
    'a file': () => new File(['sk-SECRET-123'], 'a.txt'),
    'a list of nodes': () => document.querySelectorAll('*'),
    'an event': () => new MouseEvent('click'),
    'the storage': () => localStorage,
  };
  for (const [name, make] of Object.entries(pageValues))
    it(`C52 a tool returns ${name}: one bounded result, and nothing of the page in it`, async () => {
      localStorage.setItem('token', 'sk-SECRET-123');
      document.cookie = 'token=sk-SECRET-123';
      try {
        const chat = await chatOnPage({ 'log-level': 'off' });
        const model = answerByHand(chat);
        chat.registerTool(tool('odd', { risk: 'query', execute: make }));
        const turn = chat.sendMessage('Do it');
        const first = await model.next();
        first.send(call('odd'));
        first.done();
        const second = await model.next();
        second.send('I am well.');
        second.done();
        const { results, text } = await turn;
        expect(text).to.equal('I am well.');
        expect(results).to.have.length(1);
        const told = JSON.stringify(second.body);
        expect(told.length).to.be.below(60_000);
        if (name !== 'the storage') expect(told).to.not.include('SECRET');
      } finally {
        localStorage.removeItem('token');
        document.cookie = 'token=; max-age=0';
      }
    });

  it('H122 asked ten times in a turn: it offers to stop, and a click on that ends the turn', async () => {
    const chat = await chatOnPage({ 'log-level': 'off' });
    const model = answerByHand(chat);
    const act = tool('act', { risk: 'danger' });
    chat.registerTool(act);
    const turn = chat.sendMessage('Do it all');
    const request = await model.next();
    for (let at = 0; at < 10; at++) request.send(call('act', { title: String(at) }));
    request.done();
    await until(() => findAll(chat, '[data-status=awaiting_approval]').length === 10, 'ten questions');
    await appears(chat, 'tool-chat-batch');
    const notice = await appears(chat, part('notice'));
    expect(deepText(notice)).to.include('10 times');
    const button = [...notice.querySelectorAll('button')].find((each) => each.textContent.includes('Stop')) as HTMLElement;
    button.scrollIntoView({ block: 'center' });
    await click(button);
    expect(await turn).to.include({ reason: 'cancelled' });
    await until(() => !find(chat, part('notice')), 'the offer stays');
    expect(act.ran).to.deep.equal([]);

    const well = chat.sendMessage('Are you well?');
    const last = await model.next();
    last.send('I am well.');
    last.done();
    expect(await well).to.include({ success: true, text: 'I am well.' });
  });
});
