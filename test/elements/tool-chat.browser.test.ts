/** `<tool-chat>` as a page sees it: state, methods, life on the page. Options, events, registrations and approval have files of their own. */
import { expect, fixture } from '@open-wc/testing';
import { html } from 'lit';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { armed, click, keys, press, styled } from './doing.js';
import { appears, atRest, deepText, fieldOf, find, findAll, frames, part, until } from './looking.js';
import { answerByHand, call, chatOnPage, chatWith, scripted, tool } from './tool-chat-stage.js';

const any = (chat: ToolChat) => chat as unknown as Record<string, unknown>;
const roles = (chat: ToolChat) => chat.messages.map(({ role }) => role);
const idle = (chat: ToolChat) => until(() => !chat.isLoading, 'the turn does not end');
const endless = { text: 'This sentence never ends, as far as this test can see.', q: 'hang=6', times: 1 };

/** The server has seen the request close, at the latest so long after `from`. */
async function untilClosed({ log }: Awaited<ReturnType<typeof scripted>>, from: number): Promise<void> {
  const closed = async () => (await log()).find(({ clientClosed }) => clientClosed !== null)?.clientClosed;
  while (!(await closed())) if (Date.now() > from + 4000) throw new Error('The server does not see the request close.');
  expect(await closed()).to.be.below(from + 3000);
}

describe('<tool-chat>', () => {
  describe('state', () => {
    it('begins with nothing, and is read-only (S0-14)', async () => {
      const chat = await chatOnPage();
      const session = { state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null };
      const nothing = { messages: [], toolHistory: [], grants: [], isLoading: false, error: null, currentTool: null, streamingText: '' };
      for (const each of [chat, document.createElement('tool-chat')]) {
        for (const [name, value] of Object.entries({ ...nothing, isToolExecuting: false, state: 'idle', session }))
          expect(any(each)[name], name).to.deep.equal(value);
        expect(['idle', 'streaming', 'nonsense'].map((state) => each.matchesState(state as never))).to.deep.equal([true, false, false]);
      }
      const own = Object.keys(nothing).filter((name) => name !== 'grants');
      for (const name of [...own, 'isToolExecuting', 'session', 'state']) expect(() => (any(chat)[name] = null), name).to.throw(TypeError);
    });

    it('shows what was sent within a frame, and an empty answer once the stream has begun (S0-15, S0-16)', async () => {
      const chat = await chatOnPage();
      const { endpoint } = await scripted({ text: 'Hello', q: 'delay=300' });
      chat.endpoint = endpoint;
      fieldOf(chat).focus();
      await keys('type: Hi there');
      const button = await appears(chat, part('send-button'));
      let seen: unknown;
      button.addEventListener('click', () => {
        requestAnimationFrame(
          () => (seen = [find(chat, `${part('message-user')} p`)?.textContent, chat.isLoading, chat.messages.length > 0]),
        );
      });
      await click(button);
      await until(() => seen !== undefined, 'no frame');
      expect(seen).to.deep.equal(['Hi there', true, true]);
      await until(() => roles(chat).length === 2, 'the answer has no place');
      expect(chat.messages[1]).to.include({ role: 'assistant', text: '' });
      await appears(chat, '.dots');
      await idle(chat);
      expect(chat.messages[1]).to.include({ text: 'Hello' });
    });

    it('grows one and the same bubble, and ends with the whole text (S0-17, S0-21, S0-102, S0-134)', async () => {
      const { chat, model } = await chatWith([]);
      const turn = chat.sendMessage('Count');
      const request = await model.next();
      request.send('One, ');
      const bubble = await appears(chat, part('message-assistant'));
      let whole = 'One, ';
      for (const word of ['two, ', 'three, ', 'four.']) {
        const before = deepText(bubble).length;
        request.send(word);
        await until(() => deepText(bubble).length > before, `“${word}” is not shown`);
        expect(chat.streamingText).to.equal((whole += word));
        expect(find(chat, part('message-assistant'))).to.equal(bubble);
      }
      expect(chat.messages.at(-1)?.text).to.equal(whole);
      request.done();
      expect(await turn).to.include({ success: true, reason: 'stop', text: whole });
      expect([chat.streamingText, chat.isLoading]).to.deep.equal(['', false]);
      await until(() => deepText(bubble).includes(whole), 'the whole text is not shown');
      expect(findAll(chat, part('message-assistant'))).to.deep.equal([bubble]);
    });

    it('follows a call from its first sign to its end (S0-18 … S0-20, S0-100 … S0-103)', async () => {
      let finish = (): void => undefined;
      const execute = () => new Promise((resolve) => (finish = () => resolve({ success: true, message: '任务「周报」已创建' })));
      const { chat, model } = await chatWith([tool('create_task', { risk: 'write', execute })], { lang: 'zh-CN' });
      const turn = chat.sendMessage('创建');
      const request = await model.next();
      request.send('好的。');
      expect(chat.currentTool).to.equal(null);
      request.send('<tool_use><invoke name="create_task"><parameter name="title">周');
      await until(() => chat.currentTool?.params['title'] === '周', 'the call is not seen');
      expect(chat.currentTool).to.deep.equal({ type: 'tool_use', name: 'create_task', params: { title: '周' }, partial: true });
      const card = await appears(chat, '[data-status=pending]');
      await until(() => deepText(card).includes('正在解析工具...'), 'the card does not say that it reads');
      expect([chat.matchesState('parsing'), chat.matches(':state(parsing)')]).to.deep.equal([true, true]);

      request.send('报</parameter></invoke></tool_use>');
      request.done();
      await until(() => chat.isToolExecuting, 'the tool does not start');
      expect(chat.currentTool).to.deep.equal({ type: 'tool_use', name: 'create_task', params: { title: '周报' }, partial: false });
      await until(() => card.dataset['status'] === 'executing', 'the card does not say that it runs');
      expect(deepText(card)).to.contain('正在执行工具: create_task').and.to.contain('title = 周报');
      expect(find(chat, part('status'))?.textContent).to.contain('正在执行工具...');
      expect([chat.matchesState('executing'), chat.matches(':state(executing):state(tool_call)')]).to.deep.equal([true, true]);
      expect(chat.state).to.equal('tool_call');
      finish();
      const second = await model.next();
      expect([chat.currentTool, chat.isToolExecuting]).to.deep.equal([null, false]);
      await until(() => card.dataset['status'] === 'success', 'the card does not say that it is done');
      expect(deepText(card)).to.contain('工具执行成功').and.to.contain('任务「周报」已创建');
      second.send('完成了。');
      second.done();
      await turn;
      expect(chat.toolHistory).to.have.length(1);
      expect(chat.toolHistory[0]).to.include({ toolName: 'create_task', status: 'success', success: true, message: '任务「周报」已创建' });
      expect(chat.messages.filter(({ role }) => role === 'assistant').map(({ text }) => text.trim())).to.deep.equal(['好的。', '完成了。']);
      expect([roles(chat), chat.matches(':state(idle)')]).to.deep.equal([['user', 'assistant', 'tool', 'assistant'], true]);
    });

    it('gives copies: what a page does to them changes nothing (S0-108)', async () => {
      const { chat, model } = await chatWith([]);
      await model.turn('Hi', 'Hello');
      const snapshots: { messages: readonly unknown[] }[] = [];
      const off = chat.subscribe((snapshot) => snapshots.push(snapshot));
      const forgeries = [
        () => (chat.messages as unknown[]).push({ role: 'user', text: 'forged' }),
        () => (chat.toolHistory as unknown[]).push({ role: 'user', text: 'forged' }),
        () => ((chat.messages[1] as { text: string }).text = 'forged'),
      ];
      for (const forge of forgeries)
        try {
          forge();
        } catch {
          // A frozen copy is as good.
        }
      await model.turn('Once more', '');
      off();
      expect(chat.messages[1]?.text).to.equal('Hello');
      expect(deepText(chat)).not.to.contain('forged');
      const seen = snapshots.length;
      expect(seen).to.be.above(1);
      await model.turn('And again', '');
      expect(snapshots).to.have.length(seen);
      for (const snapshot of snapshots) expect(() => structuredClone(snapshot)).not.to.throw();
    });

    it('never shows markup, not even one character at a time (S0-41, S0-42)', async () => {
      const chat = await chatOnPage();
      chat.registerTool(tool('look', { risk: 'query' }));
      const { endpoint } = await scripted(
        { text: `Let me see. 1 < 2 and a <b. ${call('look', { title: 'x < y' })}\n`, q: 'tok=1&gap=0' },
        { text: 'Indeed: a < b', q: 'tok=1&gap=0' },
      );
      chat.endpoint = endpoint;
      const flashes: string[] = [];
      const look = () => {
        for (const bubble of findAll(chat, part('message-assistant'))) {
          const text = [...bubble.querySelectorAll('.text')].map((node) => node.textContent).join(' ');
          if (/<\/?(?:t(?:o|$)|i(?:n|$)|p(?:a|$)|\/)|tool_use|invoke|parameter/.test(text)) flashes.push(text);
        }
      };
      const observer = new MutationObserver(look);
      let watched = 0;
      const watch = () => {
        for (const { shadowRoot } of [chat, ...findAll(chat, 'tool-chat-message')]) {
          if (!shadowRoot) continue;
          watched += shadowRoot === chat.shadowRoot ? 0 : 1;
          observer.observe(shadowRoot, { childList: true, subtree: true, characterData: true });
        }
      };
      const off = chat.subscribe(watch);
      const turn = chat.sendMessage('Look');
      for (let drawn = 0; drawn < 3; drawn += 1) await frames(1).then(watch);
      await turn;
      off();
      observer.disconnect();
      look();
      expect(watched).to.be.above(0);
      expect(flashes).to.deep.equal([]);
      await until(() => deepText(chat).includes('Indeed: a < b'), 'the end is missing');
      expect(deepText(chat)).to.contain('Let me see. 1 < 2 and a <b.');
      expect(chat.messages.map(({ text }) => text).join('\n')).not.to.match(/tool_use|invoke|parameter/);
    });
  });

  describe('methods', () => {
    it('sends one after the other, in order, and refuses to send nothing (S0-112)', async () => {
      const { chat, model } = await chatWith([]);
      expect(await chat.sendMessage(' ').catch((error: unknown) => error)).to.be.instanceOf(TypeError);
      const ended: string[] = [];
      const both = ['One', 'Two'].map((text) => chat.sendMessage(text).then((result) => ended.push(`${text} ${result.text}`)));
      const first = await model.next();
      first.send('first');
      await until(() => deepText(chat).includes('first'), 'the first answer does not arrive');
      expect(model.requests).to.have.length(1);
      first.done();
      const second = await model.reply('second');
      expect(second.body.messages.map(({ text }) => text)).to.deep.equal(['One', 'first', 'Two']);
      await Promise.all(both);
      expect(ended).to.deep.equal(['One first', 'Two second']);
    });

    it('keeps what was said when a person stops (S0-106, S0-135)', async () => {
      const chat = await chatOnPage();
      const script = await scripted(endless);
      chat.endpoint = script.endpoint;
      const turn = chat.sendMessage('Talk');
      await until(() => chat.streamingText.length > 5, 'nothing arrives');
      const text = chat.streamingText;
      const stopped = Date.now();
      await click(await appears(chat, part('stop-button')));
      expect(await turn).to.include({ success: false, reason: 'cancelled' });
      expect(chat.isLoading).to.equal(false);
      const bubble = await appears(chat, `${part('message-assistant')}[data-status=cancelled]`);
      expect(chat.messages.at(-1)).to.deep.include({ text, status: { type: 'cancelled' } });
      expect(deepText(bubble)).to.contain(text).and.to.contain('Stopped');
      await untilClosed(script, stopped);
    });

    it('sends again what failed, and says it once (S0-39, S0-107, S0-124)', async () => {
      const { chat, model } = await chatWith([]);
      const turn = chat.sendMessage('Tell me');
      const request = await model.next();
      request.send('Half of');
      await until(() => chat.streamingText !== '', 'nothing arrives');
      request.cut();
      expect((await turn).success).to.equal(false);
      expect(chat.error).to.equal('Connection lost');
      const bar = await appears(chat, part('error-bar'));
      for (const said of ['Connection lost', 'Retry', 'Close']) expect(deepText(bar)).to.contain(said);
      // What else it offers is loaded with the first error.
      await until(() => find(chat, 'tool-chat-fault')?.shadowRoot?.querySelector('button') != null, 'the bar is not complete');
      await atRest(chat);
      await click(find(chat, part('close-button')) as Element);
      await until(() => chat.error === null && !find(chat, part('error-bar')), 'the bar does not close');
      const again = chat.retryLastMessage();
      await model.reply('Half of an answer and the rest.');
      expect(await again).to.include({ success: true, text: 'Half of an answer and the rest.' });
      expect(roles(chat)).to.deep.equal(['user', 'assistant']);
      expect(findAll(chat, part('message-user'))).to.have.length(1);
      expect(model.requests.map(({ body }) => body.messages.length)).to.deep.equal([1, 1]);
    });

    it('chats without tools when told so (S0-104)', async () => {
      const look = tool('look', { risk: 'query' });
      const { chat, model } = await chatWith([look]);
      const turn = chat.sendMessage('Look', { tools: false });
      const plain = await model.reply(call('look'));
      expect(plain.body.system).not.to.contain('look').and.not.to.contain('tool_use');
      await turn;
      expect(look.ran).to.deep.equal([]);
      const withTools = chat.sendMessageWithTools('Look');
      expect((await model.reply(call('look'))).body.system).to.contain('look');
      await model.reply('');
      await withTools;
      expect(look.ran).to.deep.equal([{}]);
    });

    it('runs a call of the page through the same checks, without a model (S0-105)', async () => {
      const act = tool('act');
      const { chat, model } = await chatWith([act]);
      const running = chat.executeToolManually({ type: 'tool_use', name: 'act', params: { title: 'by hand' }, partial: false });
      const button = await armed(chat, part('approve-button'));
      expect(act.ran).to.deep.equal([]);
      await press(button);
      expect(await running).to.include({ toolName: 'act', status: 'success' });
      expect(act.ran).to.deep.equal([{ title: 'by hand' }]);
      const unfit = await chat.executeToolManually({ type: 'tool_use', name: 'act', params: { nonsense: 1 }, partial: false });
      expect(unfit).to.include({ success: false, status: 'error' });
      expect([chat.toolHistory.length, model.requests.length]).to.deep.equal([2, 0]);
    });
  });

  describe('on the page', () => {
    it('D70 closes its request when it is taken away, with what waits, and goes on when it comes back (X-13)', async () => {
      const chat = await chatOnPage();
      const box = chat.parentElement as HTMLElement;
      const script = await scripted(endless);
      chat.endpoint = script.endpoint;
      const turns = ['Talk', 'And more'].map((said) => chat.sendMessage(said));
      await until(() => chat.streamingText.length > 5, 'nothing arrives');
      const text = chat.streamingText;
      const removed = Date.now();
      chat.remove();
      expect((await Promise.all(turns)).map(({ reason }) => reason)).to.deep.equal(['cancelled', 'cancelled']);
      await untilClosed(script, removed);
      box.append(chat);
      await until(() => deepText(chat).includes(text) && deepText(chat).includes('Stopped'), 'what was said is not shown again');
      expect(await chat.sendMessage('Go on')).to.include({ success: true });
    });

    it('goes on with a call that waits where it is put back a moment later', async () => {
      const act = tool('act');
      const { chat, model } = await chatWith([act]);
      const box = chat.parentElement as HTMLElement;
      const { turn } = await model.begin('Act', call('act', { title: 'once' }));
      await appears(chat, part('approve-button'));
      chat.remove();
      await frames(2);
      box.append(chat);
      await atRest(chat);
      await press(await armed(chat, part('approve-button')));
      await model.reply('Done.');
      expect([await turn, act.ran, chat.toolHistory.length]).to.deep.include.members([[{ title: 'once' }], 1]);
    });

    it('sends nothing when it is stopped, or taken away, before there is a conversation', async () => {
      const begun = () => {
        const chat = document.createElement('tool-chat');
        chat.setAttribute('lang', 'en');
        const model = answerByHand(chat);
        document.body.append(chat);
        return { chat, model, turn: chat.sendMessage('At once') };
      };
      const [stopped, removed, moved] = [begun(), begun(), begun()];
      stopped.chat.cancelStream();
      removed.chat.remove();
      moved.chat.remove();
      await Promise.resolve();
      document.body.append(moved.chat);
      try {
        expect(await stopped.turn).to.include({ reason: 'cancelled' });
        expect(await removed.turn).to.include({ reason: 'cancelled' });
        await moved.model.reply('');
        expect(await moved.turn).to.include({ reason: 'stop' });
        expect([stopped.model.requests, removed.model.requests]).to.deep.equal([[], []]);
      } finally {
        for (const { chat } of [stopped, moved]) chat.remove();
      }
    });

    it('answers to its own language, and to that of the page', async () => {
      const chinese = await chatOnPage({ lang: 'zh-CN' });
      await until(() => deepText(chinese).includes('我可以帮你做什么？'), 'Chinese is not spoken');
      const outer = document.createElement('div');
      outer.lang = 'zh';
      chinese.parentElement?.append(outer);
      const inherits = document.createElement('tool-chat');
      outer.append(inherits);
      await until(() => deepText(inherits).includes('我可以帮你做什么？'), 'the language of the page is not spoken');
      chinese.lang = 'en';
      await until(() => deepText(chinese).includes('How can I help?'), 'English is not spoken');
    });

    it('shows no English words before those of its language have come', async () => {
      const chat = document.createElement('tool-chat');
      chat.lang = 'fr';
      (await fixture<HTMLElement>(html`<main></main>`)).append(chat);
      const seen = new Set<string>();
      for (let send = ''; send !== 'Envoyer';) {
        await new Promise((resolve) => setTimeout(resolve));
        const footer = find(chat, 'footer');
        send = find(chat, part('send-button'))?.ariaLabel ?? '';
        if (footer && getComputedStyle(footer).opacity !== '0') seen.add(send);
      }
      expect([...seen]).to.deep.equal(['Envoyer']);
    });

    for (const lang of ['C', 'en_US', 'not a language'])
      it(`shows a call to its end where the language is called “${lang}”`, async () => {
        const execute = () => new Promise((resolve) => setTimeout(resolve, 5));
        const { chat, model } = await chatWith([tool('look', { risk: 'query', execute })], { lang });
        await model.turn('Look', call('look'), '');
        await appears(chat, '[data-status=success]');
      });

    it('shows what the page puts into its slots', async () => {
      const chat = await chatOnPage();
      const greeting = Object.assign(document.createElement('p'), { slot: 'empty', textContent: 'Welcome aboard' });
      const fallback = () => find(chat, 'slot[name=empty] p')?.getBoundingClientRect().height ?? 0;
      chat.append(greeting);
      await until(() => greeting.getBoundingClientRect().height > 0, 'what is slotted is not shown');
      expect(deepText(chat)).to.contain('How can I help?'); // the fallback is in the tree, yet not on screen
      expect(fallback()).to.equal(0);
      greeting.remove();
      await until(() => fallback() > 0, 'the greeting does not come back');
    });

    it('can be styled by the page, part by part (S0-120)', async () => {
      styled('tool-chat::part(tool-card) { outline: 3px solid rgb(1, 2, 3) } tool-chat::part(send-button) { opacity: 0.25 }');
      const { chat, model } = await chatWith([tool('look', { risk: 'query' })]);
      await model.turn('Look', call('look'), '');
      expect(getComputedStyle(await appears(chat, part('tool-card'))).outlineColor).to.equal('rgb(1, 2, 3)');
      expect(getComputedStyle(find(chat, part('send-button')) as Element).opacity).to.equal('0.25');
    });
  });
});
