// engines: pointer, frames
/** An element that is taken away, moved, and clicked as people do when they are in a hurry. */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys, sendMouse } from '@web/test-runner-commands';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { appears, armed, click, deepText, find, frame, middle, part, until } from '../elements/helpers.js';
import { answerByHand, call, chatOnPage, scripted, tool } from '../elements/tool-chat-stage.js';

const SEND = part('send-button');
const STOP = part('stop-button');
const ALLOW = part('approve-button');

async function isWell(chat: ToolChat, model: ReturnType<typeof answerByHand>) {
  const turn = chat.sendMessage('Are you well?');
  const request = await model.next();
  request.send('I am well.');
  request.done();
  expect(await turn).to.include({ success: true, text: 'I am well.' });
  await until(() => deepText(chat).includes('I am well.'), 'the answer is not shown');
  expect(Object.keys(Object.prototype)).to.deep.equal([]);
}

/** Writes as a person does. */
async function write(chat: ToolChat, text: string): Promise<HTMLTextAreaElement> {
  const field = await appears<HTMLTextAreaElement>(chat, 'textarea');
  await click(field);
  await sendKeys({ type: text });
  return field;
}

const asked = (model: ReturnType<typeof answerByHand>) => model.requests.length;

describe('faults of the lifecycle', () => {
  afterEach(() => resetMouse());

  it('a tool takes its own element off the page: the turn ends, the tool has run once, and the element works when it is back', async () => {
    const chat = await chatOnPage();
    const box = chat.parentElement as HTMLElement;
    const model = answerByHand(chat);
    const away = tool('away', {
      risk: 'query',
      execute() {
        away.ran.push({});
        chat.remove();
        return { success: true, message: 'gone' };
      },
    });
    chat.registerTool(away);
    const turn = chat.sendMessage('Go away');
    const first = await model.next();
    first.send(call('away'));
    first.done();
    const { reason, results } = await turn;
    expect(reason).to.equal('cancelled');
    expect(results).to.have.length(1);
    expect(chat.isConnected).to.equal(false);
    box.append(chat);
    await isWell(chat, model);
    expect(away.ran).to.have.length(1);
  });

  it('send and stop are clicked twice: one request, and one that is closed', async () => {
    const chat = await chatOnPage();
    const model = answerByHand(chat);
    await write(chat, 'once');
    const position = middle(find(chat, SEND) as Element);
    await sendMouse({ type: 'click', position });
    await sendMouse({ type: 'click', position });
    const request = await model.next();
    request.send('Some words. ');
    await until(() => chat.streamingText !== '', 'nothing arrives');
    expect(request.signal.aborted, 'the second click was not meant for the stop').to.equal(false);
    await new Promise((resolve) => setTimeout(resolve, 600)); // longer than two clicks that are meant as one
    const stop = middle(await appears(chat, STOP));
    await sendMouse({ type: 'click', position: stop });
    await sendMouse({ type: 'click', position: stop });
    await until(() => chat.state === 'idle', 'it does not stop');
    await frame();
    expect(request.signal.aborted).to.equal(true);
    expect(asked(model)).to.equal(1);
    expect(chat.messages.filter(({ role }) => role === 'user')).to.have.length(1);
    await isWell(chat, model);
  });

  it('taken away while it streams: what it listened to on the page is let go of, and came back with it', async () => {
    const held = new Map<string, number>();
    const targets = [window, document, document.body, document.documentElement];
    const kept = targets.map((target) => [target, target.addEventListener, target.removeEventListener] as const);
    for (const [target, add, remove] of kept) {
      const count = (by: number, [type, listener]: [string, unknown]) => {
        if (typeof listener === 'function' || listener) held.set(type, (held.get(type) ?? 0) + by);
      };
      // A listener with `once` or a signal goes by itself; it is counted and left out below.
      target.addEventListener = ((...all: Parameters<typeof add>) => {
        const options = all[2];
        if (typeof options !== 'object' || !(options.once || options.signal)) count(1, [all[0], all[1]]);
        add.apply(target, all);
      }) as typeof add;
      target.removeEventListener = ((...all: Parameters<typeof remove>) => {
        count(-1, [all[0], all[1]]);
        remove.apply(target, all);
      }) as typeof remove;
    }
    try {
      const { endpoint, log } = await scripted(
        { text: 'This sentence never ends, as far as this test can see.', q: 'hang=6', times: 1 },
        'I am well.',
      );
      const life = async () => {
        const chat = await chatOnPage({ endpoint, 'log-level': 'off' });
        const turn = chat.sendMessage('Talk');
        await until(() => chat.streamingText !== '' || chat.state === 'idle', 'nothing arrives');
        chat.remove();
        await turn;
        await frame();
        return JSON.stringify([...held].filter(([, count]) => count !== 0).sort());
      };
      // What the page holds once for all widgets it may keep; a second one adds nothing.
      const first = await life();
      expect(await life()).to.equal(first);
      expect((await log())[0]?.clientClosed).to.not.equal(null);
    } finally {
      for (const [target, add, remove] of kept) Object.assign(target, { addEventListener: add, removeEventListener: remove });
    }
  });

  it('two widgets ask at once: each decision is for its own, and nothing of one is told to the model of the other', async () => {
    const chats = [await chatOnPage(), await chatOnPage()];
    (chats[1]!.parentElement as HTMLElement).style.insetInlineStart = '390px';
    for (const chat of chats) (chat.parentElement as HTMLElement).style.inlineSize = '380px';
    const sides = [];
    for (const [at, chat] of chats.entries()) {
      const act = tool(`act_${String(at)}`, { risk: 'danger' });
      chat.registerTool(act);
      const model = answerByHand(chat);
      sides.push({ chat, act, model, turn: chat.sendMessage(`question ${String(at)}`) });
    }
    for (const { model, act } of sides) {
      const request = await model.next();
      request.send(call(act.name, { title: act.name }));
      request.done();
    }
    const [left, right] = sides as [(typeof sides)[0], (typeof sides)[0]];
    await armed(left.chat, ALLOW);
    await click(await armed(right.chat, ALLOW));
    await until(() => right.act.ran.length === 1, 'the allowed one does not run');
    expect(left.act.ran).to.deep.equal([]);
    expect(left.chat.matchesState('awaitingApproval')).to.equal(true);
    await click(await armed(left.chat, part('deny-button')));
    for (const { model, turn } of sides) {
      const request = await model.next();
      request.send('Done.');
      request.done();
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

  for (const when of ['while it streams', 'before anything was loaded'])
    it(`moved into a frame ${when}, which is another document: it says that it cannot work there, and nothing runs`, async () => {
      const inner = document.createElement('iframe');
      inner.style.cssText = 'position: fixed; inset: 0; inline-size: 480px; block-size: 600px; border: 0';
      document.body.append(inner);
      try {
        const streams = when === 'while it streams';
        const chat = streams ? await chatOnPage({ 'log-level': 'off' }) : document.createElement('tool-chat');
        const model = answerByHand(chat);
        const act = tool('act', { risk: 'query' });
        chat.registerTool(act);
        const errors: string[] = [];
        chat.addEventListener('tool-chat-error', ({ error }) => errors.push(error.message));
        const turn = streams ? chat.sendMessage('Talk') : undefined;
        const request = streams ? await model.next() : undefined;
        request?.send(call('act', { title: 'x' }).slice(0, 30));
        inner.contentDocument?.body.append(chat);
        const says = () => chat.shadowRoot?.querySelector('[role=alert]')?.textContent ?? '';
        await until(() => says().includes('moved into another document'), 'it does not say so');
        expect(errors.join()).to.include('moved into another document');
        request?.send(call('act', { title: 'x' }).slice(30));
        request?.done();
        if (turn) expect(await turn).to.include({ reason: 'cancelled' });
        const refused = await chat.sendMessage('Anybody there?');
        expect(refused).to.include({ success: false, reason: 'error' });
        expect(refused.error).to.include({ code: 'CONFIG', layer: 'business', retryable: false });
        expect(refused.error?.message).to.include('moved into another document');
        expect(chat.error).to.include('moved into another document');
        expect(act.ran).to.deep.equal([]);
        expect(chat.state).to.equal('idle');
        expect(model.requests).to.have.length(streams ? 1 : 0);

        // Back in its own document it is as it was.
        document.body.append(chat);
        await until(() => find(chat, 'tool-chat-composer') !== undefined, 'it does not come back');
        expect(says()).to.equal('');
        expect(chat.error).to.equal(null);
        expect(getComputedStyle(chat).display).to.equal('grid');
        const again = chat.sendMessage('And now?');
        const answer = await model.next();
        answer.send('Here I am.');
        answer.done();
        expect(await again).to.include({ success: true });
        await until(() => deepText(chat).includes('Here I am.'), 'the answer is not shown');
        expect(deepText(chat)).to.include('And now?');
        chat.remove();
      } finally {
        inner.remove();
      }
      // The page itself is well: another one works.
      const other = await chatOnPage();
      await isWell(other, answerByHand(other));
    });
});
