/** `<tool-chat>` as a page sees it: options, state, methods, life on the page. The events have a file of their own, as has approval. */
import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { appears, atRest, click, deepText, find, findAll, frame, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, listening, OPTIONS, scripted, tool } from './tool-chat-stage.js';

const any = (chat: ToolChat) => chat as unknown as Record<string, unknown>;
const roles = (chat: ToolChat) => chat.messages.map(({ role }) => role);
const idle = (chat: ToolChat) => until(() => !chat.isLoading, 'the turn does not end');

/** Brings a chat into a state; gives back what ends it. */
const states: Record<string, (chat: ToolChat) => Promise<() => void>> = {
  idle: () => Promise.resolve(() => undefined),
  async 'an answer streams'(chat) {
    const model = answerByHand(chat);
    void chat.sendMessage('Talk');
    const request = await model.next();
    request.send('# Title\n\nSome **text** with a [link](https://example.org) and\n\n- [x] a list\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n');
    await appears(chat, 'table');
    return () => {
      request.done();
    };
  },
  async 'a call waits for approval'(chat) {
    const model = answerByHand(chat);
    chat.registerTool(tool('act', { risk: 'danger', label: 'Act', icon: '🗑️', describeCall: () => 'Acts once' }));
    void chat.sendMessage('Act');
    const request = await model.next();
    request.send(call('act', { title: 'x' }));
    request.done();
    const button = await appears(chat, part('approve-button'));
    await until(() => button.getAttribute('aria-disabled') === 'false', 'the button does not arm');
    return () => {
      chat.cancelStream();
    };
  },
  async 'an error is shown'(chat) {
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Fail');
    (await model.next()).error('It broke');
    await turn;
    await appears(chat, part('error-bar'));
    return () => undefined;
  },
};

describe('<tool-chat>', () => {
  describe('options', () => {
    for (const [attribute, property, fallback, other, unfit] of OPTIONS) {
      it(`has ${attribute} as an attribute and as a property`, async () => {
        const chat = document.createElement('tool-chat');
        const said = await listening(() => {
          expect(any(chat)[property]).to.equal(fallback);
          chat.setAttribute(attribute, String(other));
          expect(any(chat)[property]).to.equal(other);
          chat.removeAttribute(attribute);
          expect(any(chat)[property]).to.equal(fallback);
          any(chat)[property] = other;
          expect(any(chat)[property]).to.equal(other);
        });
        expect(said).to.deep.equal([]);
        expect(Object.hasOwn(chat, property)).to.equal(false);
        if (unfit === undefined) return;
        const warnings = await listening(() => {
          chat.setAttribute(attribute, unfit);
          expect(any(chat)[property]).to.equal(fallback);
          expect(any(chat)[property]).to.equal(fallback);
        });
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.contain(attribute).and.to.contain('does not fit');
      });
    }

    it('takes the last of attribute and property, before `config`, before the default', () => {
      const chat = document.createElement('tool-chat');
      chat.config = { model: 'of config', heading: 'of config', maxTokens: 10 };
      expect([chat.model, chat.heading, chat.maxTokens, chat.repeatLimit]).to.deep.equal(['of config', 'of config', 10, 3]);
      chat.setAttribute('model', 'of attribute');
      expect(chat.model).to.equal('of attribute');
      chat.model = 'of property';
      expect(chat.model).to.equal('of property');
      chat.setAttribute('model', 'of attribute again');
      expect(chat.config).to.include({
        model: 'of attribute again',
        heading: 'of config',
        maxTokens: 10,
        repeatLimit: 3,
        wire: 'auto',
      });
      chat.removeAttribute('model');
      expect(chat.model).to.equal('of config');
      chat.config = {};
      expect([chat.model, chat.maxTokens]).to.deep.equal(['', 2000]);
    });

    it('warns of a value in `config` that does not fit', async () => {
      const chat = document.createElement('tool-chat');
      const warnings = await listening(() => {
        chat.config = { maxTokens: 'many', model: 'large-1' };
      });
      expect(warnings).to.have.length(1);
      expect([chat.maxTokens, chat.model]).to.deep.equal([2000, 'large-1']);
    });

    it('D83 honours properties that were set before the tag was known', async () => {
      const elsewhere = document.implementation.createHTMLDocument();
      const early = elsewhere.createElement('tool-chat');
      Object.assign(early, { endpoint: '/early', systemPrompt: 'Set early.', maxTokens: 7, decide: () => 'allow', config: { model: 'm' } });
      expect(early instanceof HTMLElement && 'sendMessage' in early).to.equal(false);
      document.body.append(early);
      try {
        const chat = early as ToolChat;
        expect([chat.endpoint, chat.systemPrompt, chat.maxTokens, chat.model]).to.deep.equal(['/early', 'Set early.', 7, 'm']);
        expect(chat.decide).to.be.a('function');
        expect(Object.hasOwn(chat, 'endpoint')).to.equal(false);
      } finally {
        early.remove();
      }
    });

    it('D83 takes what a script set before the tag was known, also where the markup says something else', async () => {
      const early = document.implementation.createHTMLDocument().createElement('tool-chat');
      for (const [name, value] of [
        ['endpoint', '/markup'],
        ['theme', 'light'],
      ] as const)
        early.setAttribute(name, value);
      const set = { endpoint: '/script', theme: 'dark', layout: 'floating', open: true } as const;
      Object.assign(early, set);
      document.body.append(early);
      try {
        const { endpoint, theme, layout, open } = early as ToolChat;
        expect({ endpoint, theme, layout, open }).to.deep.equal(set);
        expect(early.matches('[layout=floating][open][theme=dark]')).to.equal(true);
      } finally {
        early.remove();
      }
    });

    it('D82 sets a change in force from the next turn (X-02)', async () => {
      const chat = await chatOnPage({ 'system-prompt': 'First prompt.', 'max-tokens': '111', model: 'm-1' });
      chat.registerTool(tool('look', { risk: 'query' }));
      const model = answerByHand(chat);
      const turn = chat.sendMessage('Look');
      const first = await model.next();
      Object.assign(chat, { systemPrompt: 'Second prompt.', maxTokens: 222 });
      chat.setAttribute('model', 'm-2');
      first.send(call('look'));
      first.done();
      const second = await model.next();
      second.done();
      await turn;
      const nextTurn = chat.sendMessage('Again');
      const third = await model.next();
      third.done();
      await nextTurn;
      const seen = [first, second, third].map(({ body }) => [body.system.includes('First prompt.'), body['max_tokens'], body['model']]);
      expect(seen).to.deep.equal([
        [true, 111, 'm-1'],
        [true, 111, 'm-1'],
        [false, 222, 'm-2'],
      ]);
    });

    it('lets the page set its own gate once, before the first turn', async () => {
      const chat = await chatOnPage();
      chat.decide = () => 'allow';
      expect(() => (chat.decide = () => 'deny')).to.throw('once');
      const asks = tool('act');
      chat.registerTool(asks);
      const model = answerByHand(chat);
      const turn = chat.sendMessage('Act');
      const first = await model.next();
      first.send(call('act', { title: 'x' }));
      first.done();
      (await model.next()).done();
      await turn;
      expect(asks.ran).to.deep.equal([{ title: 'x' }]);

      const late = await chatOnPage();
      const lateModel = answerByHand(late);
      const begun = late.sendMessage('Hi');
      const request = await lateModel.next();
      expect(() => (late.decide = () => 'allow')).to.throw('before the first turn');
      request.done();
      await begun;
    });

    it('asks for headers anew for each request', async () => {
      const chat = await chatOnPage();
      const model = answerByHand(chat);
      let asked = 0;
      const sent: (string | null)[] = [];
      const byHand = chat.fetch as typeof fetch;
      chat.fetch = (input, init) => {
        sent.push(new Headers(init?.headers).get('authorization'));
        return byHand(input, init);
      };
      chat.headers = () => Promise.resolve({ Authorization: `Bearer ${String((asked += 1))}` });
      for (const text of ['One', 'Two']) {
        const turn = chat.sendMessage(text);
        (await model.next()).done();
        await turn;
      }
      expect(sent).to.deep.equal(['Bearer 1', 'Bearer 2']);
    });
  });

  describe('state', () => {
    it('begins with nothing (S0-14)', async () => {
      const chat = await chatOnPage();
      for (const each of [chat, document.createElement('tool-chat')]) {
        expect(each.isLoading).to.equal(false);
        expect([each.messages, each.toolHistory, each.grants]).to.deep.equal([[], [], []]);
        expect([each.error, each.currentTool, each.streamingText, each.isToolExecuting, each.state]).to.deep.equal([
          null,
          null,
          '',
          false,
          'idle',
        ]);
        expect(each.session).to.deep.equal({ state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null });
        expect([each.matchesState('idle'), each.matchesState('streaming'), each.matchesState('nonsense')]).to.deep.equal([
          true,
          false,
          false,
        ]);
      }
    });

    it('is read-only', async () => {
      const chat = await chatOnPage();
      for (const name of [
        'messages',
        'isLoading',
        'error',
        'currentTool',
        'toolHistory',
        'streamingText',
        'isToolExecuting',
        'session',
        'state',
      ])
        expect(() => (any(chat)[name] = null), name).to.throw(TypeError);
    });

    it('shows what was sent within a frame, and an empty answer once the stream has begun (S0-15, S0-16)', async () => {
      const chat = await chatOnPage();
      const { endpoint } = await scripted({ text: 'Hello', q: 'delay=600' });
      chat.endpoint = endpoint;
      find<HTMLTextAreaElement>(chat, 'textarea')?.focus();
      await sendKeys({ type: 'Hi there' });
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
      expect(await appears(chat, '.dots')).to.exist;
      await idle(chat);
      expect(chat.messages[1]).to.include({ text: 'Hello' });
    });

    it('grows one and the same bubble, and ends with the whole text (S0-17, S0-21, S0-102, S0-134)', async () => {
      const chat = await chatOnPage();
      const model = answerByHand(chat);
      const turn = chat.sendMessage('Count');
      const request = await model.next();
      request.send('One, ');
      const bubble = await appears(chat, part('message-assistant'));
      const streaming: string[] = [];
      for (const word of ['two, ', 'three, ', 'four, ', 'five.']) {
        const before = deepText(bubble).length;
        request.send(word);
        await until(() => deepText(bubble).length > before, `“${word}” is not shown`);
        streaming.push(chat.streamingText);
        expect(find(chat, part('message-assistant'))).to.equal(bubble);
      }
      expect(streaming).to.deep.equal(['One, two, ', 'One, two, three, ', 'One, two, three, four, ', 'One, two, three, four, five.']);
      expect(chat.messages.at(-1)?.text).to.equal('One, two, three, four, five.');
      request.done();
      const result = await turn;
      expect(result).to.include({ success: true, reason: 'stop', text: 'One, two, three, four, five.' });
      expect([chat.streamingText, chat.isLoading]).to.deep.equal(['', false]);
      await until(() => deepText(bubble).includes('One, two, three, four, five.'), 'the whole text is not shown');
      expect(findAll(chat, part('message-assistant'))).to.deep.equal([bubble]);
    });

    it('follows a call from its first sign to its end (S0-18 … S0-20, S0-100 … S0-103)', async () => {
      const chat = await chatOnPage({ lang: 'zh-CN' });
      let finish = (): void => undefined;
      const slow = tool('create_task', {
        risk: 'write',
        execute: () => new Promise((resolve) => (finish = () => resolve({ success: true, message: '任务「周报」已创建' }))),
      });
      chat.registerTool(slow);
      const model = answerByHand(chat);
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
      expect([
        chat.matchesState('executing'),
        chat.state,
        chat.matches(':state(executing)'),
        chat.matches(':state(tool_call)'),
      ]).to.deep.equal([true, 'tool_call', true, true]);
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
      expect(roles(chat)).to.deep.equal(['user', 'assistant', 'tool', 'assistant']);
      expect(chat.matches(':state(idle)')).to.equal(true);
    });

    it('gives copies: what a page does to them changes nothing (S0-108)', async () => {
      const chat = await chatOnPage();
      const model = answerByHand(chat);
      const turn = chat.sendMessage('Hi');
      const request = await model.next();
      request.send('Hello');
      request.done();
      await turn;
      const snapshots: { messages: readonly unknown[] }[] = [];
      const off = chat.subscribe((snapshot) => snapshots.push(snapshot));
      for (const list of [chat.messages, chat.toolHistory] as unknown[][])
        try {
          list.push({ role: 'user', text: 'forged' });
        } catch {
          // A frozen copy is as good.
        }
      try {
        (chat.messages[1] as { text: string }).text = 'forged';
      } catch {
        // The same.
      }
      const again = chat.sendMessage('Once more');
      (await model.next()).done();
      await again;
      off();
      expect(chat.messages[1]?.text).to.equal('Hello');
      expect(deepText(chat)).not.to.contain('forged');
      expect(snapshots.length).to.be.above(1);
      const seen = snapshots.length;
      const last = chat.sendMessage('And again');
      (await model.next()).done();
      await last;
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
      observer.observe(chat.shadowRoot as ShadowRoot, { childList: true, subtree: true, characterData: true });
      let watched = 0;
      const watch = () => {
        for (const message of findAll(chat, 'tool-chat-message'))
          if (message.shadowRoot) {
            watched += 1;
            observer.observe(message.shadowRoot, { childList: true, subtree: true, characterData: true });
          }
      };
      const off = chat.subscribe(watch);
      const turn = chat.sendMessage('Look');
      for (let frames = 0; frames < 3; frames += 1) await frame().then(watch);
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
    it('refuses to send nothing', async () => {
      const chat = await chatOnPage();
      const failure: unknown = await chat.sendMessage(' ').catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(TypeError);
    });

    it('sends one after the other, in order (S0-112)', async () => {
      const chat = await chatOnPage();
      const model = answerByHand(chat);
      const ended: string[] = [];
      const both = [chat.sendMessage('One'), chat.sendMessage('Two')].map((turn, at) =>
        turn.then(({ text }) => ended.push(`${String(at)} ${text}`)),
      );
      const first = await model.next();
      first.send('first');
      await until(() => deepText(chat).includes('first'), 'the first answer does not arrive');
      expect(model.requests).to.have.length(1);
      first.done();
      const second = await model.next();
      expect(second.body.messages.map(({ text }) => text)).to.deep.equal(['One', 'first', 'Two']);
      second.send('second');
      second.done();
      await Promise.all(both);
      expect(ended).to.deep.equal(['0 first', '1 second']);
    });

    it('keeps what was said when a person stops (S0-106, S0-135)', async () => {
      const chat = await chatOnPage();
      const { endpoint, log } = await scripted({ text: 'This sentence never ends, as far as this test can see.', q: 'hang=6' });
      chat.endpoint = endpoint;
      const turn = chat.sendMessage('Talk');
      await until(() => chat.streamingText.length > 5, 'nothing arrives');
      const said = chat.streamingText;
      const stopped = Date.now();
      await click(await appears(chat, part('stop-button')));
      const result = await turn;
      expect(result).to.include({ success: false, reason: 'cancelled' });
      expect(chat.isLoading).to.equal(false);
      await until(
        () => find(chat, part('message-assistant'))?.dataset['status'] === 'cancelled',
        'the message does not say that it was stopped',
      );
      expect(chat.messages.at(-1)).to.deep.include({ text: said, status: { type: 'cancelled' } });
      expect(deepText(find(chat, part('message-assistant')) as Element))
        .to.contain(said)
        .and.to.contain('Stopped');
      await untilClosed(log);
      expect((await log())[0]?.clientClosed ?? Infinity).to.be.below(stopped + 1500);
    });

    it('sends again what failed, and says it once (S0-39, S0-107, S0-124)', async () => {
      const chat = await chatOnPage();
      const { endpoint, log } = await scripted({ text: 'Half of an answer and the rest.', q: 'abort=120', times: 1 });
      chat.endpoint = endpoint;
      const result = await chat.sendMessage('Tell me');
      expect(result.success).to.equal(false);
      expect(chat.error).to.equal('Connection lost');
      const bar = await appears(chat, part('error-bar'));
      expect(deepText(bar)).to.contain('Connection lost').and.to.contain('Retry').and.to.contain('Close');
      // What else it offers is loaded with the first error.
      await until(() => find(chat, 'tool-chat-fault')?.shadowRoot?.querySelector('button') != null, 'the bar is not complete');
      await atRest(chat);
      await click(find(chat, part('close-button')) as Element);
      await until(() => chat.error === null && !find(chat, part('error-bar')), 'the bar does not close');
      const again = await chat.retryLastMessage();
      expect(again).to.include({ success: true, text: 'Half of an answer and the rest.' });
      expect(roles(chat)).to.deep.equal(['user', 'assistant']);
      expect(findAll(chat, part('message-user'))).to.have.length(1);
      const bodies = (await log()).map(({ body }) => (JSON.parse(body) as { messages: unknown[] }).messages.length);
      expect(bodies).to.deep.equal([1, 1]);
    });

    it('chats without tools when told so (S0-104)', async () => {
      const chat = await chatOnPage();
      const look = tool('look', { risk: 'query' });
      chat.registerTool(look);
      const model = answerByHand(chat);
      const turn = chat.sendMessage('Look', { tools: false });
      const plain = await model.next();
      expect(plain.body.system).not.to.contain('look').and.not.to.contain('tool_use');
      plain.send(call('look'));
      plain.done();
      await turn;
      expect(look.ran).to.deep.equal([]);
      const withTools = chat.sendMessageWithTools('Look');
      const taught = await model.next();
      expect(taught.body.system).to.contain('look');
      taught.send(call('look'));
      taught.done();
      (await model.next()).done();
      await withTools;
      expect(look.ran).to.deep.equal([{}]);
    });

    it('runs a call of the page through the same checks, without a model (S0-105)', async () => {
      const chat = await chatOnPage();
      const model = answerByHand(chat);
      const act = tool('act');
      chat.registerTool(act);
      const running = chat.executeToolManually({ type: 'tool_use', name: 'act', params: { title: 'by hand' }, partial: false });
      const button = await appears(chat, part('approve-button'));
      await until(() => button.getAttribute('aria-disabled') === 'false', 'the button does not arm');
      expect(act.ran).to.deep.equal([]);
      await click(button);
      expect(await running).to.include({ toolName: 'act', status: 'success' });
      expect(act.ran).to.deep.equal([{ title: 'by hand' }]);
      const unfit = await chat.executeToolManually({ type: 'tool_use', name: 'act', params: { nonsense: 1 }, partial: false });
      expect(unfit).to.include({ success: false, status: 'error' });
      expect(chat.toolHistory).to.have.length(2);
      expect(model.requests).to.have.length(0);
    });

    it('takes a tool back, and refuses a second one of its name', async () => {
      const chat = await chatOnPage();
      const early = document.createElement('tool-chat');
      for (const each of [chat, early]) {
        const abort = new AbortController();
        const off = each.registerTool(tool('one'));
        each.registerTool(tool('two'), { signal: abort.signal });
        expect(() => each.registerTool(tool('one'))).to.throw('taken');
        expect(() => each.registerTool(tool('not a name'))).to.throw(TypeError);
        off();
        each.registerTool(tool('one'))();
        abort.abort();
        const told = await each.getToolDescriptions();
        expect(told).not.to.contain('one').and.not.to.contain('two');
      }
    });
  });

  describe('on the page', () => {
    it('D70 closes its request when it is taken away, and goes on when it comes back (X-13)', async () => {
      const chat = await chatOnPage();
      const box = chat.parentElement as HTMLElement;
      const { endpoint, log } = await scripted({ text: 'This sentence never ends, as far as this test can see.', q: 'hang=6', times: 1 });
      chat.endpoint = endpoint;
      const turn = chat.sendMessage('Talk');
      await until(() => chat.streamingText.length > 5, 'nothing arrives');
      const said = chat.streamingText;
      const removed = Date.now();
      chat.remove();
      expect(await turn).to.include({ reason: 'cancelled' });
      await untilClosed(log);
      expect((await log())[0]?.clientClosed ?? Infinity).to.be.below(removed + 1500);

      box.append(chat);
      await until(() => deepText(chat).includes(said) && deepText(chat).includes('Stopped'), 'what was said is not shown again');
      expect(await chat.sendMessage('Go on')).to.include({ success: true });
    });

    it('cancels what waits, too, when it is taken away', async () => {
      const chat = await chatOnPage();
      const model = answerByHand(chat);
      const turns = [chat.sendMessage('One'), chat.sendMessage('Two')];
      await model.next();
      chat.remove();
      expect((await Promise.all(turns)).map(({ reason }) => reason)).to.deep.equal(['cancelled', 'cancelled']);
      expect(model.requests).to.have.length(1);
    });

    it('sends nothing when it is stopped, or taken away, before there is a conversation', async () => {
      const begun = () => {
        const chat = document.createElement('tool-chat');
        chat.setAttribute('lang', 'en');
        const model = answerByHand(chat);
        document.body.append(chat);
        return { chat, model, turn: chat.sendMessage('At once') };
      };
      const stopped = begun();
      const removed = begun();
      const moved = begun();
      stopped.chat.cancelStream();
      removed.chat.remove();
      moved.chat.remove();
      await Promise.resolve();
      document.body.append(moved.chat);
      try {
        expect(await stopped.turn).to.include({ reason: 'cancelled' });
        expect(await removed.turn).to.include({ reason: 'cancelled' });
        (await moved.model.next()).done();
        expect(await moved.turn).to.include({ reason: 'stop' });
        expect([stopped.model.requests, removed.model.requests]).to.deep.equal([[], []]);
      } finally {
        stopped.chat.remove();
        moved.chat.remove();
      }
    });

    it('D70 keeps its request when it is only moved (X-13)', async () => {
      const chat = await chatOnPage();
      const model = answerByHand(chat);
      const turn = chat.sendMessage('Talk');
      const request = await model.next();
      request.send('Before the move, ');
      await until(() => chat.streamingText !== '', 'nothing arrives');
      const elsewhere = document.createElement('section');
      chat.parentElement?.append(elsewhere);
      elsewhere.append(chat);
      request.send('and after it.');
      await until(() => chat.streamingText.endsWith('and after it.'), 'nothing more arrives');
      expect(request.signal.aborted).to.equal(false);
      request.done();
      expect(await turn).to.include({ success: true, text: 'Before the move, and after it.' });
      await until(() => deepText(chat).includes('Before the move, and after it.'), 'the text is not shown');
      expect(findAll(chat, 'tool-chat-panel')).to.have.length(1);
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

    for (const lang of ['C', 'en_US', 'not a language'])
      it(`shows a call to its end where the language is called “${lang}”`, async () => {
        const chat = await chatOnPage({ lang });
        const model = answerByHand(chat);
        chat.registerTool(tool('look', { risk: 'query', execute: () => new Promise((resolve) => setTimeout(resolve, 5)) }));
        const turn = chat.sendMessage('Look');
        const request = await model.next();
        request.send(call('look'));
        request.done();
        (await model.next()).done();
        await turn;
        await until(() => find(chat, '[data-status=success]') !== undefined, 'the card does not come to its end');
      });

    it('shows what the page puts into its slots', async () => {
      const chat = await chatOnPage();
      const greeting = Object.assign(document.createElement('p'), { slot: 'empty', textContent: 'Welcome aboard' });
      chat.append(greeting);
      await until(() => greeting.getBoundingClientRect().height > 0, 'what is slotted is not shown');
      expect(deepText(chat)).to.contain('How can I help?'); // the fallback is in the tree, yet not on screen
      expect(find(chat, 'slot[name=empty] p')?.getBoundingClientRect().height ?? 0).to.equal(0);
      greeting.remove();
      await until(() => (find(chat, 'slot[name=empty] p')?.getBoundingClientRect().height ?? 0) > 0, 'the greeting does not come back');
    });

    it('can be styled by the page, part by part (S0-120)', async () => {
      const chat = await chatOnPage();
      const style = document.createElement('style');
      style.textContent = 'tool-chat::part(tool-card) { outline: 3px solid rgb(1, 2, 3) } tool-chat::part(send-button) { opacity: 0.25 }';
      document.head.append(style);
      try {
        chat.registerTool(tool('look', { risk: 'query' }));
        const model = answerByHand(chat);
        const turn = chat.sendMessage('Look');
        const request = await model.next();
        request.send(call('look'));
        request.done();
        (await model.next()).done();
        await turn;
        expect(getComputedStyle(await appears(chat, part('tool-card'))).outlineColor).to.equal('rgb(1, 2, 3)');
        expect(getComputedStyle(find(chat, part('send-button')) as Element).opacity).to.equal('0.25');
      } finally {
        style.remove();
      }
    });

    for (const [name, reach] of Object.entries(states))
      it(`has nothing that keeps people out while ${name}`, async () => {
        const chat = await chatOnPage();
        const end = await reach(chat);
        await untilStill(chat);
        await expect(chat).to.be.accessible();
        end();
        await idle(chat);
      });
  });
});

/** Colours in the middle of a transition are nobody's choice. */
async function untilStill(chat: ToolChat): Promise<void> {
  const moving = () =>
    [chat.shadowRoot as ShadowRoot, ...findAll(chat, '*').flatMap(({ shadowRoot }) => shadowRoot ?? [])]
      .flatMap((root) => root.getAnimations())
      .filter(({ effect, playState }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
  for (let quiet = 0; quiet < 3; quiet = moving().length > 0 ? 0 : quiet + 1) await frame();
}

async function untilClosed(log: () => Promise<{ clientClosed: number | null }[]>): Promise<void> {
  const end = Date.now() + 4000;
  while (!(await log()).some(({ clientClosed }) => clientClosed !== null))
    if (Date.now() > end) throw new Error('The server does not see the request close.');
}
