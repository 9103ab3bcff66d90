// engines: pointer, frames
/** An element that is taken away, moved, and clicked as people do when they are in a hurry, and results that only a page can give. */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys, sendMouse } from '@web/test-runner-commands';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { appears, armed, click, deepText, find, frame, hitAt, middle, part, until } from '../elements/helpers.js';
import { answerByHand, call, chatOnPage, chatWith, tool } from '../elements/tool-chat-stage.js';

async function isWell(chat: ToolChat, model: ReturnType<typeof answerByHand>) {
  expect(await model.turn('Are you well?', 'I am well.')).to.include({ success: true, text: 'I am well.' });
  await until(() => deepText(chat).includes('I am well.'), 'the answer is not shown');
  expect(Object.keys(Object.prototype)).to.deep.equal([]);
}

/** Drivers may take longer between two clicks than people do, so the page gives the second one: where the first one was, as soon as the button is the stop. */
async function doubleClick(send: Element) {
  const [clientX, clientY] = middle(send);
  const under = () => hitAt(clientX, clientY);
  const first = new Promise((resolve) => addEventListener('click', resolve, { once: true }));
  const second = first.then(async () => {
    await until(() => under()?.closest(part('stop-button')) != null, 'the stop does not take the place of the button that sends');
    under()!.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true, clientX, clientY }));
  });
  await Promise.all([second, click(send)]);
}

describe('faults of a page', () => {
  afterEach(() => resetMouse());

  it('send and stop are clicked twice: one request, and one that is closed', async () => {
    const { chat, model } = await chatWith([]);
    await click(await appears(chat, 'textarea'));
    await sendKeys({ type: 'once' });
    await doubleClick(find(chat, part('send-button'))!);
    const request = await model.next();
    request.send('Some words. ');
    await until(() => chat.streamingText !== '', 'nothing arrives');
    expect(request.signal.aborted, 'the second click was not meant for the stop').to.equal(false);
    await new Promise((resolve) => setTimeout(resolve, 600)); // longer than two clicks that are meant as one
    const stop = middle(await appears(chat, part('stop-button')));
    await sendMouse({ type: 'click', position: stop });
    await sendMouse({ type: 'click', position: stop });
    await until(() => chat.state === 'idle', 'it does not stop');
    await frame();
    expect(request.signal.aborted).to.equal(true);
    expect(model.requests).to.have.length(1);
    expect(chat.messages.filter(({ role }) => role === 'user')).to.have.length(1);
    await isWell(chat, model);
  });

  it('two widgets ask at once: each decision is for its own, and nothing of one is told to the model of the other', async () => {
    const side = async (at: number) => {
      const act = tool(`act_${String(at)}`, { risk: 'danger' });
      const { chat, model } = await chatWith([act]);
      Object.assign(chat.parentElement!.style, { inlineSize: '380px', insetInlineStart: `${String(390 * at)}px` });
      return { chat, act, model, ...(await model.begin(`question ${String(at)}`, call(act.name, { title: act.name }))) };
    };
    const [left, right] = [await side(0), await side(1)];
    const sides = [left, right];
    await armed(left.chat, part('approve-button'));
    await click(await armed(right.chat, part('approve-button')));
    await until(() => right.act.ran.length === 1, 'the allowed one does not run');
    expect(left.act.ran).to.deep.equal([]);
    expect(left.chat.matchesState('awaitingApproval')).to.equal(true);
    await click(await armed(left.chat, part('deny-button')));
    for (const { model, turn } of sides) {
      await model.reply('Done.');
      await turn;
    }
    expect([left.act.ran, right.act.ran]).to.deep.equal([[], [{ title: 'act_1' }]]);
    for (const [at, { model, chat }] of sides.entries()) {
      const told = JSON.stringify(model.requests.map(({ body }) => body)) + deepText(chat);
      expect(told)
        .to.include(`act_${String(at)}`)
        .and.not.include(`act_${String(1 - at)}`);
      await isWell(chat, model);
    }
  });

  it('moved into a frame while it streams, which is another document: it says that it cannot work there, and nothing runs', async () => {
    const inner = document.createElement('iframe');
    inner.style.cssText = 'position: fixed; inset: 0; inline-size: 480px; block-size: 600px; border: 0';
    document.body.append(inner);
    const MOVED = 'moved into another document';
    try {
      const chat = await chatOnPage({ 'log-level': 'off' });
      const model = answerByHand(chat);
      const act = tool('act', { risk: 'query' });
      chat.registerTool(act);
      const turn = chat.sendMessage('Talk');
      const request = await model.next();
      request.send(call('act', { title: 'x' }).slice(0, 30));
      inner.contentDocument?.body.append(chat);
      const says = () => chat.shadowRoot?.querySelector('[role=alert]')?.textContent ?? '';
      await until(() => says().includes(MOVED), 'it does not say so');
      request.send(call('act', { title: 'x' }).slice(30));
      request.done();
      expect(await turn).to.include({ reason: 'cancelled' });
      const refused = await chat.sendMessage('Anybody there?');
      expect(refused.error).to.include({ code: 'CONFIG', layer: 'business', retryable: false });
      expect(chat.error).to.include(MOVED);
      expect([act.ran, chat.state, model.requests.length]).to.deep.equal([[], 'idle', 1]);

      // Back in its own document it is as it was.
      document.body.append(chat);
      await until(() => find(chat, 'tool-chat-composer') !== undefined, 'it does not come back');
      expect([says(), chat.error]).to.deep.equal(['', null]);
      expect(await model.turn('And now?', 'Here I am.')).to.include({ success: true });
      await until(() => deepText(chat).includes('Here I am.'), 'the answer is not shown');
      chat.remove();
    } finally {
      inner.remove();
    }
  });

  const pageValues: Record<string, () => unknown> = {
    'the window': () => window,
    'a file': () => new File(['sk-SECRET-123'], 'a.txt'),
    'the storage': () => localStorage,
  };
  for (const [name, make] of Object.entries(pageValues))
    it(`a tool returns ${name}: one bounded result, and nothing of the page in it`, async () => {
      localStorage.setItem('token', 'sk-SECRET-123');
      document.cookie = 'token=sk-SECRET-123';
      try {
        const { model } = await chatWith([tool('odd', { risk: 'query', execute: make })], { 'log-level': 'off' });
        const { results, text } = await model.turn('Do it', call('odd'), 'I am well.');
        expect(text).to.equal('I am well.');
        expect(results).to.have.length(1);
        const told = JSON.stringify(model.requests[1]?.body);
        expect(told.length).to.be.below(60_000);
        if (name !== 'the storage') expect(told).to.not.include('SECRET');
      } finally {
        localStorage.removeItem('token');
        document.cookie = 'token=; max-age=0';
      }
    });
});
