/** `<tool-chat>` as a page sees it: state, methods, life on the page. Options, events, registrations and approval have files of their own. */
import { expect, fixture } from '@open-wc/testing';
import { html } from 'lit';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { armed, click, keys, press } from './doing.js';
import { appears, atRest, deepText, fieldOf, find, findAll, frame, frames, part, until } from './looking.js';
import { answerByHand, call, chatOnPage, chatWith, tool } from './tool-chat-stage.js';

const any = (chat: ToolChat) => chat as unknown as Record<string, unknown>;
const roles = (chat: ToolChat) => chat.messages.map(({ role }) => role);

type Begun = { chat: ToolChat; model: ReturnType<typeof answerByHand>; turn: ReturnType<ToolChat['sendMessage']> };

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

    it('shows what was sent within a frame, then an empty answer, which grows to its whole text (S0-15 … S0-17, S0-21, S0-102, S0-134)', async () => {
      const { chat, model } = await chatWith([]);
      fieldOf(chat).focus();
      await keys('type: Count');
      let seen: unknown;
      const button = await appears(chat, part('send-button'));
      button.addEventListener('click', () => {
        const look = () => (seen = [find(chat, `${part('message-user')} p`)?.textContent, chat.isLoading, chat.messages.length > 0]);
        requestAnimationFrame(look);
      });
      await click(button);
      await until(() => seen !== undefined, 'no frame');
      expect(seen).to.deep.equal(['Count', true, true]);
      const request = await model.next();
      await until(() => roles(chat).length === 2, 'the answer has no place');
      expect(chat.messages[1]).to.include({ role: 'assistant', text: '' });
      await appears(chat, '.dots');
      const bubble = await appears(chat, part('message-assistant'));
      let whole = '';
      for (const word of ['One, ', 'two, ', 'three.']) {
        request.send(word);
        whole += word;
        await until(() => deepText(bubble).includes(whole.trim()), `“${word}” is not shown`);
        expect([chat.streamingText, findAll(chat, part('message-assistant'))]).to.deep.equal([whole, [bubble]]);
      }
      request.done();
      await until(() => !chat.isLoading, 'the turn does not end');
      expect([chat.messages[1]?.text, chat.streamingText]).to.deep.equal([whole, '']);
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
      const snapshots: object[] = [];
      const off = chat.subscribe((snapshot) => snapshots.push(snapshot));
      const forged = { role: 'user', text: 'forged' };
      for (const forge of [
        () => (chat.messages as unknown[]).push(forged),
        () => (chat.toolHistory as unknown[]).push(forged),
        () => ((chat.messages[1] as { text: string }).text = 'forged'),
      ])
        try {
          forge();
        } catch {
          // A frozen copy is as good.
        }
      await model.turn('Once more', '');
      off();
      expect([chat.messages[1]?.text, deepText(chat).includes('forged')]).to.deep.equal(['Hello', false]);
      expect(snapshots.map((snapshot) => structuredClone(snapshot))).to.have.length.above(1);
    });

    it('never shows markup, not even one character at a time (S0-41, S0-42)', async () => {
      const { chat, model } = await chatWith([tool('look', { risk: 'query' })]);
      const turn = chat.sendMessage('Look');
      const shown = new Set<string>();
      for (const text of [`Let me see. 1 < 2 and a <b. ${call('look', { title: 'x < y' })}\n`, 'Indeed: a < b']) {
        const request = await model.next();
        for (const letter of text) {
          request.send(letter);
          await frame();
          for (const { textContent } of findAll(chat, '.text')) shown.add(textContent);
        }
        request.done();
      }
      await turn;
      expect([...shown].join('\n'))
        .to.contain('Let me see. 1 < 2 and a <b.')
        .and.not.match(/<\/?(?:to|in|pa|\/)|tool_use|invoke|parameter/);
      await until(() => deepText(chat).includes('Indeed: a < b'), 'the end is missing');
      expect(chat.messages.map(({ text }) => text).join('\n')).not.to.match(/tool_use|invoke|parameter/);
    });
  });

  describe('methods', () => {
    it('keeps what was said when a person stops, and closes its request (S0-106, S0-135)', async () => {
      const { chat, model } = await chatWith([]);
      const turn = chat.sendMessage('Talk');
      const request = await model.next();
      request.send('This sentence never');
      await until(() => chat.streamingText.length > 5, 'nothing arrives');
      const text = chat.streamingText;
      await click(await appears(chat, part('stop-button')));
      expect(await turn).to.include({ success: false, reason: 'cancelled' });
      expect([chat.isLoading, request.signal.aborted]).to.deep.equal([false, true]);
      const bubble = await appears(chat, `${part('message-assistant')}[data-status=cancelled]`);
      expect(chat.messages.at(-1)).to.deep.include({ text, status: { type: 'cancelled' } });
      expect(deepText(bubble)).to.contain(text).and.to.contain('Stopped');
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
      await until(() => find(chat, 'tool-chat-error-details')?.shadowRoot?.querySelector('button') != null, 'the bar is not complete');
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
  });

  describe('on the page', () => {
    it('D70 closes its request when it is taken away, with what waits, and goes on when it comes back (X-13)', async () => {
      const { chat, model } = await chatWith([]);
      const box = chat.parentElement as HTMLElement;
      const turns = ['Talk', 'And more'].map((said) => chat.sendMessage(said));
      const request = await model.next();
      request.send('This sentence never');
      await until(() => chat.streamingText.length > 5, 'nothing arrives');
      chat.remove();
      expect((await Promise.all(turns)).map(({ reason }) => reason)).to.deep.equal(['cancelled', 'cancelled']);
      expect(request.signal.aborted).to.equal(true);
      box.append(chat);
      await until(() => /This sentence.*Stopped/s.test(deepText(chat)), 'what was said is not shown again');
      expect(await model.turn('Go on', 'Well.')).to.include({ success: true });
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

    it('sends nothing when it is stopped, or taken away, before there is a conversation; moved at once it does', async () => {
      const [stopped, removed, moved] = [0, 1, 2].map(() => {
        const chat = document.createElement('tool-chat');
        const model = answerByHand(chat);
        document.body.append(chat);
        return { chat, model, turn: chat.sendMessage('At once') };
      }) as [Begun, Begun, Begun];
      stopped.chat.cancelStream();
      removed.chat.remove();
      moved.chat.remove();
      await Promise.resolve();
      document.body.append(moved.chat);
      for (const { turn } of [stopped, removed]) expect(await turn).to.include({ reason: 'cancelled' });
      await moved.model.reply('');
      expect(await moved.turn).to.include({ reason: 'stop' });
      expect([stopped.model.requests, removed.model.requests]).to.deep.equal([[], []]);
      for (const { chat } of [stopped, moved]) chat.remove();
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
  });
});
