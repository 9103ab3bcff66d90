/** The inspector: beside an element that asks for it, and in a page of its own (S2-88 … S2-92, S4-13). How each page looks: the gallery. */
import { expect } from '@open-wc/testing';
import '../../src/inspector/index.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import type { ToolChatInspector } from '../../src/inspector/tool-chat-inspector.js';
import type { ToolChatInspectorSession } from '../../src/inspector/tool-chat-inspector-session.js';
import { openApiTools } from '../../src/toolkits/index.js';
import { click, keys, press } from './doing.js';
import { appears, find, findAll, part, until, words } from './looking.js';
import { call, chatOnPage, chatWith, tool } from './tool-chat-stage.js';

const beside = () => document.querySelector('tool-chat-inspector');

describe('the inspector', () => {
  afterEach(() => {
    for (const one of document.querySelectorAll('tool-chat-inspector')) one.remove();
  });

  async function inspect(chat: ToolChat, tab: ToolChatInspector['tab']) {
    const inspector = document.createElement('tool-chat-inspector');
    // Beside the chat, not over it: what is covered cannot be allowed.
    Object.assign(inspector.style, { position: 'fixed', inset: '0 0 0 490px' });
    Object.assign(inspector, { chat, tab });
    document.body.append(inspector);
    const page = await appears(inspector, `tool-chat-inspector-${tab}`);
    return { inspector, page, says: (text: string) => until(() => words(page).includes(text), `“${text}” is not shown`) };
  }

  /** A page of the inspector, and a chat with tools. */
  async function page(tab: ToolChatInspector['tab']) {
    const add = tool('add_note', { risk: 'danger', label: 'Add note' });
    const { chat, model } = await chatWith([add, tool('look_up', { risk: 'query' })]);
    chat.registerTools({
      getMetadata: () => ({
        ...{ id: 'calendar', name: 'Calendar' },
        methods: [{ name: 'free_days', description: 'Finds free days.', agentCallable: true, risk: 'query' }],
      }),
      free_days: () => ['Monday'],
    });
    return { chat, model, add, ...(await inspect(chat, tab)) };
  }

  it('stands beside an element that asks for it, where the element is not, until it asks no more', async () => {
    const chat = await chatOnPage({});
    const isThere = (wanted: boolean) => until(() => (beside() !== null) === wanted, `an inspector: ${String(!wanted)}`);
    await isThere(false);
    chat.setAttribute('inspect', '');
    await isThere(true);
    expect(chat.inspect).to.equal('on');
    expect(beside()!.docked).to.equal(chat.getBoundingClientRect().right < innerWidth ? 'right' : 'left');
    chat.removeAttribute('inspect');
    await isThere(false);
    chat.inspect = 'on';
    await isThere(true);
    await click(await appears(beside()!, '.close'));
    await isThere(false);
    expect(chat.inspect).to.equal('off');
  });

  it('gives a page nothing by which a call could be allowed', async () => {
    const { chat, inspector, page: run } = await page('run');
    for (const element of [inspector, run])
      for (let at: object | null = element; at && at !== HTMLElement.prototype; at = Object.getPrototypeOf(at) as object | null)
        for (const name of Object.getOwnPropertyNames(at)) {
          const value: unknown = Reflect.get(at, name, element);
          if (typeof value === 'object' && value !== null && value !== chat) expect(value, name).to.not.have.any.keys('decide', 'surface');
        }
  });

  it('lists the tools there are, says where each comes from, and finds some by words (S2-89)', async () => {
    const { page: tools, says } = await page('tools');
    const names = () => findAll(tools, '[data-tool]').map(({ dataset }) => dataset['tool']);
    await until(() => names().length === 3, 'no tools');
    expect(names()).to.deep.equal(['add_note', 'look_up', 'calendar_free_days']);
    expect(words(find(tools, '[data-tool=calendar_free_days]'))).to.include('Calendar (calendar.free_days)');
    for (const text of ['the page itself', 'danger', 'title']) expect(words(find(tools, '[data-tool=add_note]'))).to.include(text);
    await click(await appears(tools, 'input'));
    await keys('type: note');
    await until(() => names().length === 1, 'it is not filtered');
    await says('1 of 3');
  });

  it('lists by operation and reason what a description offers and the tools do not', async () => {
    const { chat, page: tools } = await page('tools');
    const upload = { requestBody: { content: { 'application/octet-stream': {} } } };
    const document = { openapi: '3.1.0', servers: [{ url: 'https://api.test' }], paths: { '/ok': { get: {} }, '/file': { put: upload } } };
    const quiet = { debug() {}, info() {}, warn() {}, error() {} };
    for (const one of await openApiTools(document, { logger: quiet })) chat.registerTool({ ...one, risk: 'query' });
    const report = await appears(tools, '[data-report="api.test"]');
    find(report, 'summary')!.click();
    const said = words(report);
    for (const text of ['Left out or relaxed (api.test)', 'neither JSON nor a form', 'PUT /file']) expect(said).to.include(text);
    expect(said).to.not.include('/ok');
  });

  it('shows the prompt and its tokens in each notation, and what was sent last, with tokens for what is private (S2-90)', async () => {
    const { chat, model, page: prompt } = await page('prompt');
    const text = async () => (await appears(prompt, 'pre')).textContent;
    expect(await text()).to.equal(await chat.generatePrompt());
    const counts = findAll(prompt, '.tokens').map(({ textContent }) => textContent);
    expect(counts).to.have.length(5);
    for (const count of counts) expect(count).to.match(/about [1-9]\d+ tokens/);
    find<HTMLInputElement>(prompt, 'input[value=vcp]')!.click();
    await until(() => (find(prompt, 'pre')?.textContent ?? '').includes('TOOL_REQUEST'), 'the other notation is not shown');
    expect(await text()).to.equal(await chat.generatePrompt({ protocol: 'vcp' }));
    chat.privateValues = ['email'];
    await model.turn('Write to a.canary@example.org', 'I wrote to [EMAIL_1].');
    (await appears(prompt, '.sent summary')).click();
    await until(() => findAll(prompt, '.sent mark').length > 0, 'no tokens');
    expect(find(prompt, '.sent pre')!.textContent).to.contain('[EMAIL_1]').and.not.contain('canary');
  });

  it('tries the tools that only read, and says what is wrong with them', async () => {
    const { chat, page: run } = await page('run');
    const [looks, changes] = [tool('broken_look', { risk: 'query', examples: [{ name: 7 }] }), tool('change_all', { risk: 'write' })];
    for (const one of [looks, changes]) chat.registerTool(one);
    const check = await appears(run.parentElement!, 'tool-chat-inspector-check');
    const ticks = () => findAll<HTMLInputElement>(check, '[type=checkbox]').flatMap(({ name, checked }) => (checked ? [name] : []));
    await until(() => ticks().includes('broken_look'), 'the tools are not offered');
    expect(ticks()).to.not.include('change_all').and.not.include('add_note');
    (await appears(check, '.check')).click();
    expect(words(await appears(check, '.report')))
      .to.contain('broken_look')
      .and.not.contain('change_all');
    expect(words(check)).to.match(/[1-9]\d* runs, faults: [1-9]/);
    expect([looks.ran.length > 1, changes.ran]).to.deep.equal([true, []]);
  });

  it('reads a pasted reply as the chat does, in pieces of any size (S2-91)', async () => {
    const { page: bench, says } = await page('bench');
    const field = await appears<HTMLTextAreaElement>(bench, 'textarea');
    field.value = `One moment. ${call('add_note', { title: 'Milk & rice' })}`;
    field.dispatchEvent(new Event('input'));
    const found = async () => JSON.parse((await appears(bench, '.requests')).textContent ?? '') as unknown;
    expect(await found()).to.deep.equal([{ name: 'add_note', arguments: { title: 'Milk & rice' } }]);
    expect(words(find(bench, '.shown'))).to.equal('One moment.');
    await says('the same at 1 · 2 · 7 · 64 · whole');
    find(bench, '[type=range]')!.focus();
    await keys('Home');
    await says(`Pieces: ${String(field.value.length)}`);
    await keys('End');
    await says('Pieces: 1');
    expect(await found()).to.have.length(1);
  });

  it('runs a tool by hand, asked about in the chat like any call (S2-92)', async () => {
    const { chat, add, page: run, says } = await page('run');
    const field = await appears<HTMLInputElement>(run, '[data-field=title] input');
    field.value = 'Bread';
    field.dispatchEvent(new Event('input'));
    await click(await appears(run, '.run'));
    await says('Waits for your decision');
    expect(add.ran).to.deep.equal([]);
    await press(await appears(chat, part('approve-button')));
    await appears(run, '.result');
    expect(add.ran).to.deep.equal([{ title: 'Bread' }]);
    expect(words(run)).to.match(/success.*\d+ ms|\d+ ms.*success/);
  });

  it('lights the states that the conversation is in, as it goes on', async () => {
    const { chat, model, page: chart } = await page('chart');
    const lit = () => findAll(chart, '[data-lit]').map(({ dataset }) => dataset['state']);
    const rest = ['conversation.talk', 'conversation.talk.idle', 'conversation.memory', 'conversation.memory.resting'];
    expect(lit()).to.deep.equal(rest);
    const turn = chat.sendMessage('Hello');
    await until(() => lit().includes('conversation.talk.turn'), 'the turn is not lit');
    await model.reply('Hello.');
    await turn;
    await until(() => lit().join() === rest.join(), 'it does not come to rest');
  });

  it('notes events, what is logged, and decisions, which a word or a kind filters; says of each call who decided on it (S4-13)', async () => {
    const { chat, model, page: trace, says } = await page('trace');
    const decisions = await inspect(chat, 'decisions');
    await decisions.says('Nothing has been called yet');
    await model.turn('Look it up', call('look_up', { title: 'x' }), '');
    const kinds = () => new Set(findAll(trace, '.rows > li').map(({ dataset }) => dataset['kind']));
    await says('tool-chat-stream-end');
    expect(kinds()).to.deep.equal(new Set(['event', 'log', 'decision']));
    for (const text of ['wire.chosen', 'wire.event']) expect(words(trace)).to.include(text);
    await decisions.says('success');
    const calls = findAll(decisions.page, '[data-call]').map((one) => words(one));
    expect(calls.join()).to.match(/Decided by policy.*Reason \S+|Reason \S+.*Decided by policy/);
    decisions.inspector.remove();
    await click(find(trace, '[data-kind=event].kind')!);
    await until(() => !kinds().has('event'), 'events are still there');
    const filter = find<HTMLInputElement>(trace, 'input')!;
    filter.value = 'look_up';
    filter.dispatchEvent(new Event('input'));
    await until(() => findAll(trace, '.rows > li').every((one) => words(one).includes('look_up')), 'not filtered');
  });

  it('plays a session step by step in a conversation of its own, where nothing runs', async () => {
    const { chat, model, add } = await page('tools');
    beside()!.remove();
    await model.begin('Look it up, then add it', call('look_up', { title: 'x' }), `Found.${call('add_note', { title: 'x' })}`);
    await until(() => chat.matchesState('awaitingApproval'), 'it does not ask');
    const file = JSON.stringify(await chat.exportSession());
    const { page: session, says } = await inspect(chat, 'session');
    await (session as ToolChatInspectorSession).play(file);
    const panel = await appears(session, 'tool-chat-panel');
    expect(panel.inert).to.equal(true);
    await until(() => words(panel).includes('Add note'), 'the call is not shown');
    const slider = find<HTMLInputElement>(session, '[type=range]')!;
    expect(slider.max).to.equal(String(chat.messages.length));
    slider.value = '1';
    slider.dispatchEvent(new Event('input'));
    await until(() => !words(panel).includes('Found.') && words(panel).includes('Look it up'), 'it does not go back');
    find(session, '.play')!.click();
    await until(() => words(panel).includes('Found.'), 'it does not play');
    expect([chat.toolHistory.length, add.ran, chat.matchesState('awaitingApproval')]).to.deep.equal([1, [], true]);
    await (session as ToolChatInspectorSession).play('{"format":"other"}');
    await says('cannot be opened');
  });
});
