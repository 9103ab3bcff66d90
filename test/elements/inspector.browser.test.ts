/** The inspector: beside an element that asks for it, and in a page of its own (S2-88 … S2-92, S4-13). */
import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import '../../src/inspector/index.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import type { ToolChatInspector } from '../../src/inspector/tool-chat-inspector.js';
import type { ToolChatInspectorSession } from '../../src/inspector/tool-chat-inspector-session.js';
// @ts-expect-error A page of the demo: plain JavaScript.
import { inspectorPages } from '../../demo/gallery-inspector.js';
import { appears, armed, click, deepText, find, findAll, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

const beside = () => document.querySelector('tool-chat-inspector');

describe('the inspector', () => {
  let inspector: ToolChatInspector;

  afterEach(() => {
    for (const one of document.querySelectorAll('tool-chat-inspector')) one.remove();
  });

  async function inspect(chat: ToolChat, tab: ToolChatInspector['tab'], lang?: string): Promise<Element> {
    inspector = document.createElement('tool-chat-inspector');
    if (lang) inspector.lang = lang;
    // Beside the chat, not over it: what is covered cannot be allowed.
    Object.assign(inspector.style, { position: 'fixed', inset: '0 0 0 490px' });
    Object.assign(inspector, { chat, tab });
    document.body.append(inspector);
    return appears(inspector, `tool-chat-inspector-${tab}`);
  }

  const withTools = async (attributes = {}) => {
    const chat = await chatOnPage(attributes);
    const add = tool('add_note', { risk: 'danger', label: 'Add note' });
    chat.registerTool(add);
    chat.registerTool(tool('look_up', { risk: 'query' }));
    chat.registerTools({
      getMetadata: () => ({
        ...{ id: 'calendar', name: 'Calendar' },
        methods: [{ name: 'free_days', description: 'Finds free days.', agentCallable: true, risk: 'query' }],
      }),
      free_days: () => ['Monday'],
    });
    return { chat, add };
  };

  it('stands beside an element that asks for it, where the element is not, until it asks no more', async () => {
    const chat = await chatOnPage({});
    expect(beside()).to.equal(null);
    chat.setAttribute('inspect', '');
    await until(() => beside() !== null, 'no inspector');
    expect(chat.inspect).to.equal('on');
    expect(beside()!.docked).to.equal(chat.getBoundingClientRect().right < innerWidth ? 'right' : 'left');
    chat.removeAttribute('inspect');
    await until(() => beside() === null, 'it stays');
    chat.inspect = 'on';
    await until(() => beside() !== null, 'no inspector');
    await click(await appears(beside()!, '.close'));
    await until(() => beside() === null, 'it cannot be closed');
    expect(chat.inspect).to.equal('off');
  });

  it('stands nowhere else where the page has put one, also before anybody knew what that is', async () => {
    const chat = await chatOnPage({});
    const own = document.createElement('tool-chat-inspector');
    own.chat = chat;
    document.body.append(own);
    chat.inspect = 'on';
    await appears(own, 'tool-chat-inspector-tools');
    expect(document.querySelectorAll('tool-chat-inspector')).to.have.length(1);
    expect(own.docked).to.equal(undefined);
  });

  it('gives a page nothing by which a call could be allowed', async () => {
    const { chat } = await withTools();
    const run = await inspect(chat, 'run');
    for (const element of [inspector, run])
      for (let at: object | null = element; at && at !== HTMLElement.prototype; at = Object.getPrototypeOf(at) as object | null)
        for (const name of Object.getOwnPropertyNames(at)) {
          const value: unknown = Reflect.get(at, name, element);
          if (typeof value === 'object' && value !== null && value !== chat) expect(value, name).to.not.have.any.keys('decide', 'surface');
        }
  });

  it('lists the tools there are, says where each comes from, and finds some by words (S2-89)', async () => {
    const { chat } = await withTools();
    const page = await inspect(chat, 'tools');
    const names = () => findAll(page, '[data-tool]').map(({ dataset }) => dataset['tool']);
    await until(() => names().length === 3, 'no tools');
    expect(names()).to.deep.equal(['add_note', 'look_up', 'calendar_free_days']);
    expect(deepText(find(page, '[data-tool=calendar_free_days]')!)).to.include('Calendar (calendar.free_days)');
    expect(deepText(find(page, '[data-tool=add_note]')!))
      .to.include('the page itself')
      .and.include('danger')
      .and.include('title');
    await click(await appears(page, 'input'));
    await sendKeys({ type: 'note' });
    await until(() => names().length === 1, 'it is not filtered');
    expect(deepText(page)).to.include('1 of 3');
  });

  it('shows the prompt and its tokens in each notation (S2-90)', async () => {
    const { chat } = await withTools();
    const page = await inspect(chat, 'prompt');
    const text = async () => (await appears(page, 'pre')).textContent;
    expect(await text()).to.equal(await chat.generatePrompt());
    const counts = findAll(page, '.tokens').map(({ textContent }) => textContent);
    expect(counts).to.have.length(5);
    for (const count of counts) expect(count).to.match(/about [1-9]\d+ tokens/);
    find<HTMLInputElement>(page, 'input[value=vcp]')!.click();
    await until(() => (find(page, 'pre')?.textContent ?? '').includes('TOOL_REQUEST'), 'the other notation is not shown');
    expect(await text()).to.equal(await chat.generatePrompt({ protocol: 'vcp' }));
  });

  it('tries the tools that are ticked, at first those that only read, and says what is wrong with them', async () => {
    const { chat } = await withTools();
    let looked = 0;
    let changed = 0;
    // Its example does not fit its own schema.
    chat.registerTool(tool('broken_look', { risk: 'query', examples: [{ name: 7 }], execute: () => void (looked += 1) }));
    chat.registerTool(tool('change_all', { risk: 'write', execute: () => void (changed += 1) }));
    const page = await inspect(chat, 'run');
    const check = await appears(page.parentElement!, 'tool-chat-inspector-check');
    const ticks = () => findAll<HTMLInputElement>(check, '[type=checkbox]').flatMap(({ name, checked }) => (checked ? [name] : []));
    expect(ticks()).to.contain('broken_look').and.not.contain('change_all').and.not.contain('add_note');
    (await appears(check, '.check')).click();
    const report = await appears(check, '.report');
    expect(report.textContent).to.contain('broken_look');
    expect(deepText(check)).to.match(/[1-9]\d* runs, faults: [1-9]/);
    expect(looked).to.be.above(1);
    expect(changed).to.equal(0);
  });

  it('says which simulation changes the page, writes to its storage or sends a request', async () => {
    const { chat } = await withTools();
    const acts: Record<string, () => unknown> = {
      page: () => document.body.toggleAttribute('data-simulated'),
      storage: () => localStorage.setItem('simulated', String(Math.random())),
      request: () => fetch('data:,simulated'),
      nothing: () => undefined,
    };
    for (const [name, act] of Object.entries(acts))
      chat.registerTool(
        tool(`look_${name}`, {
          risk: 'query',
          execute: () => 'seen',
          simulate: async () => (await act(), { changes: [], result: 'seen' }),
        }),
      );
    const page = await inspect(chat, 'run');
    const check = await appears(page.parentElement!, 'tool-chat-inspector-check');
    (await appears(check, '.check')).click();
    const { textContent: report } = await appears(check, '.report');
    expect(report).to.contain('look_page changes the page in `simulate`');
    expect(report).to.contain('look_storage writes to storage in `simulate`');
    expect(report).to.contain('look_request sends a request in `simulate`');
    expect(report).not.to.contain('look_nothing changes').and.not.contain('look_nothing sends');
    localStorage.removeItem('simulated');
    document.body.removeAttribute('data-simulated');
  });

  it('shows what the model was sent last, with tokens for what is private', async () => {
    const { chat } = await withTools();
    chat.privateValues = ['email', { name: 'customer', selector: '#customer' }];
    const field = document.createElement('input');
    Object.assign(field, { id: 'customer', value: 'Zoe Canary' });
    document.body.append(field);
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Write to a.canary@example.org, for Zoe Canary');
    const request = await model.next();
    request.send('I wrote to [EMA');
    request.send('IL_1] for [CUSTOMER_1].');
    request.done();
    expect((await turn).text).to.equal('I wrote to a.canary@example.org for Zoe Canary.');
    await until(() => deepText(chat).includes('I wrote to a.canary@example.org for Zoe Canary.'), 'the screen has other words');
    expect(JSON.stringify(request.body).toLowerCase()).to.contain('[email_1], for [customer_1]').and.not.contain('canary');
    const page = await inspect(chat, 'prompt');
    (await appears(page, '.sent summary')).click();
    await until(() => findAll(page, '.sent mark').length > 1, 'no tokens');
    expect(find(page, '.sent pre')!.textContent).to.contain('[EMAIL_1], for [CUSTOMER_1]').and.not.contain('Zoe');
    field.remove();
  });

  it('reads a pasted reply as the chat does, in pieces of any size (S2-91)', async () => {
    const { chat } = await withTools();
    const page = await inspect(chat, 'bench');
    const field = await appears<HTMLTextAreaElement>(page, 'textarea');
    field.value = `One moment. ${call('add_note', { title: 'Milk & rice' })}`;
    field.dispatchEvent(new Event('input'));
    const found = async () => JSON.parse((await appears(page, '.requests')).textContent ?? '') as unknown;
    expect(await found()).to.deep.equal([{ name: 'add_note', arguments: { title: 'Milk & rice' } }]);
    expect(find(page, '.shown')?.textContent?.trim()).to.equal('One moment.');
    expect(deepText(page)).to.include('the same at 1 · 2 · 7 · 64 · whole');
    const slider = find<HTMLInputElement>(page, '[type=range]')!;
    slider.focus();
    await sendKeys({ press: 'Home' });
    await until(() => deepText(page).includes(`Pieces: ${String(field.value.length)}`), 'the pieces are not of one character');
    await sendKeys({ press: 'End' });
    await until(() => deepText(page).includes('Pieces: 1'), 'it is not whole');
    expect(await found()).to.have.length(1);
  });

  it('runs a tool by hand, asked about in the chat like any call (S2-92)', async () => {
    const { chat, add } = await withTools();
    const page = await inspect(chat, 'run');
    const field = await appears<HTMLInputElement>(page, '[data-field=title] input');
    field.value = 'Bread';
    field.dispatchEvent(new Event('input'));
    await click(await appears(page, '.run'));
    await until(() => deepText(page).includes('Waits for your decision'), 'it does not say that it waits');
    expect(add.ran).to.deep.equal([]);
    await click(await armed(chat, part('approve-button')));
    await until(() => find(page, '.result') !== undefined, 'no result');
    expect(add.ran).to.deep.equal([{ title: 'Bread' }]);
    expect(deepText(page))
      .to.include('success')
      .and.match(/\d+ ms/);
  });

  it('lights the states that the conversation is in, as it goes on', async () => {
    const { chat } = await withTools();
    const model = answerByHand(chat);
    const page = await inspect(chat, 'chart');
    const lit = () => findAll(page, '[data-lit]').map(({ dataset }) => dataset['state']);
    const rest = ['conversation.talk', 'conversation.talk.idle', 'conversation.memory', 'conversation.memory.resting'];
    expect(lit()).to.deep.equal(rest);
    void chat.sendMessage('Hello');
    const request = await model.next();
    await until(() => lit().includes('conversation.talk.turn'), 'the turn is not lit');
    request.send('Hello.');
    request.done();
    await until(() => lit().join() === rest.join(), 'it does not come to rest');
  });

  it('notes events, what is logged, and decisions; a word or a kind filters them', async () => {
    const { chat } = await withTools();
    const model = answerByHand(chat);
    const page = await inspect(chat, 'trace');
    void chat.sendMessage('Look it up');
    const request = await model.next();
    request.send(call('look_up', { title: 'x' }));
    request.done('stop');
    (await model.next()).done('stop');
    const kinds = () => new Set(findAll(page, '.rows > li').map(({ dataset }) => dataset['kind']));
    await until(() => deepText(page).includes('tool-chat-stream-end'), 'the end is not noted');
    expect(kinds()).to.deep.equal(new Set(['event', 'log', 'decision']));
    expect(deepText(page)).to.include('wire.chosen').and.include('wire.event');
    await click(find(page, '[data-kind=event].kind')!);
    await until(() => !kinds().has('event'), 'events are still there');
    const filter = find<HTMLInputElement>(page, 'input')!;
    filter.value = 'look_up';
    filter.dispatchEvent(new Event('input'));
    await until(() => findAll(page, '.rows .text').every((one) => one.parentElement!.textContent!.includes('look_up')), 'not filtered');
  });

  it('says of each call who decided on it, and why (S4-13)', async () => {
    const { chat } = await withTools();
    const model = answerByHand(chat);
    const page = await inspect(chat, 'decisions');
    expect(deepText(page)).to.include('Nothing has been called yet');
    void chat.sendMessage('Look it up');
    const request = await model.next();
    request.send(call('look_up', { title: 'x' }));
    request.done('stop');
    (await model.next()).done('stop');
    await until(() => deepText(page).includes('success'), 'the call is not shown');
    const [only] = findAll(page, '[data-call]');
    expect(deepText(only!)).to.match(/Decided by\s+policy/);
    expect(deepText(only!)).to.match(/Reason\s+\S+/);
  });

  for (const lang of ['en', 'zh-CN', 'ar'])
    for (const theme of ['light', 'dark'])
      it(`is accessible on each page: ${lang}, ${theme}`, async function () {
        this.timeout(60_000);
        const { chat } = await withTools({ lang, theme });
        await inspect(chat, 'tools');
        for (const tab of findAll(inspector, '[role=tab]')) {
          tab.click();
          await appears(inspector, `tool-chat-inspector-${tab.dataset['tab'] as string}`);
          if (tab.dataset['tab'] === 'prompt') await appears(inspector, 'pre');
          await expect(inspector, tab.dataset['tab']).to.be.accessible();
        }
      });

  it('has each page in the gallery', () => {
    const shown = (inspectorPages as readonly { tab: string }[]).map(({ tab }) => tab);
    inspector = document.createElement('tool-chat-inspector');
    document.body.append(inspector);
    return inspector.updateComplete.then(() => {
      expect(shown).to.deep.equal(findAll(inspector, '[role=tab]').map(({ dataset }) => dataset['tab']));
    });
  });

  it('goes from page to page by the arrow keys', async () => {
    const chat = await chatOnPage({});
    await inspect(chat, 'tools');
    find(inspector, '[data-tab=tools]')!.focus();
    await sendKeys({ press: 'ArrowRight' });
    await until(() => inspector.tab === 'prompt', 'no step');
    await sendKeys({ press: 'End' });
    await until(() => inspector.tab === 'session', 'not the last');
    await sendKeys({ press: 'ArrowRight' });
    await until(() => inspector.tab === 'tools', 'not around');
    await until(() => inspector.shadowRoot?.activeElement?.id === 'tab-tools', 'the focus stays behind');
  });
});

describe('sessions in the inspector', () => {
  it('plays a file step by step in a conversation of its own, where nothing runs', async () => {
    const chat = await chatOnPage({});
    const remove = tool('remove_note', { risk: 'danger', label: 'Remove note' });
    const look = tool('look_up', { risk: 'query' });
    chat.registerTool(remove);
    chat.registerTool(look);
    const model = answerByHand(chat);
    void chat.sendMessage('Look it up, then remove it');
    const first = await model.next();
    first.send(call('look_up', { title: 'x' }));
    first.done('stop');
    const second = await model.next();
    second.send(`Found.${call('remove_note', { title: 'x' })}`);
    second.done('stop');
    await until(() => chat.matchesState('awaitingApproval'), 'it does not ask');
    const file = JSON.stringify(await chat.exportSession());
    const before = chat.messages.length;

    const inspector = document.createElement('tool-chat-inspector');
    Object.assign(inspector, { chat, tab: 'session' });
    document.body.append(inspector);
    const page = await appears(inspector, 'tool-chat-inspector-session');
    await (page as ToolChatInspectorSession).play(file);
    const panel = await appears(page, 'tool-chat-panel');
    expect(panel.inert).to.equal(true);
    await until(() => deepText(panel).includes('Remove note'), 'the call is not shown');
    const slider = find<HTMLInputElement>(page, '[type=range]')!;
    expect(slider.max).to.equal(String(before));
    slider.value = '1';
    slider.dispatchEvent(new Event('input'));
    await until(() => !deepText(panel).includes('Found.') && deepText(panel).includes('Look it up'), 'it does not go back');
    find(page, '.play')!.click();
    await until(() => deepText(panel).includes('Found.'), 'it does not play');
    expect([look.ran.length, remove.ran.length]).to.deep.equal([1, 0]);
    expect(chat.matchesState('awaitingApproval')).to.equal(true);

    await (page as ToolChatInspectorSession).play('{"format":"other"}');
    await until(() => deepText(page).includes('cannot be opened'), 'it does not say what is wrong');
    inspector.remove();
  });
});
