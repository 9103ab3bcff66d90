/** Choosing a tool for the next message, and a text to start from (S4-45, S4-47 … S4-49). */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys } from '@web/test-runner-commands';
import type { ToolChoice } from '../../src/model/snapshot.js';
import type { ToolChatComposer } from '../../src/elements/tool-chat-composer/tool-chat-composer.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { FakeSurface } from './fake-surface.js';
import { appears, click, deepText, find, findAll, part, stage, until, type PanelOptions } from './helpers.js';
import { answerByHand, chatOnPage, tool } from './tool-chat-stage.js';

const few: ToolChoice[] = [
  { name: 'webSearch', label: '网页搜索', icon: '🔎', risk: 'query' },
  { name: 'create_task', label: 'create_task', risk: 'write' },
  { name: 'delete_task', label: '删除任务', icon: '🗑️', risk: 'danger' },
];
const many = Array.from({ length: 12 }, (_, at): ToolChoice => ({
  name: `tool_${String(at)}`,
  label: `Tool ${String(at)}`,
  risk: 'query',
}));

async function open(choices = few, options: PanelOptions = {}) {
  const surface = new FakeSurface({ hasTools: true });
  surface.choices = choices;
  const { panel } = await stage(surface, options);
  const composer = find<ToolChatComposer>(panel, 'tool-chat-composer') as ToolChatComposer;
  const button = find(panel, part('tool-picker')) as HTMLElement;
  await click(button);
  const picker = await appears(panel, 'tool-chat-picker [role=listbox], [role=listbox]');
  const shown = () => findAll(panel, '[role=option]').map((option) => option.querySelector('[dir]')?.textContent);
  const active = () => find(panel, '[role=option][aria-selected=true]')?.querySelector('[dir]')?.textContent;
  const closed = () => until(() => !find(panel, '[role=listbox]'), 'the list stays open');
  return { surface, panel, composer, button, picker, shown, active, closed };
}

describe('tool picker', () => {
  afterEach(() => resetMouse());

  it('is not there without tools', async () => {
    const { panel } = await stage(new FakeSurface({ hasTools: false }));
    expect(find(panel, part('tool-picker'))).to.equal(undefined);
  });

  it('shows label, name, icon and risk of each tool', async () => {
    const { panel, button, shown } = await open();
    expect(button.getAttribute('aria-expanded')).to.equal('true');
    expect(shown()).to.deep.equal(['网页搜索', 'create_task', '删除任务']);
    const text = findAll(panel, '[role=option]').map((option) => option.textContent.replace(/\s+/g, ' ').trim());
    expect(text[2]).to.equal('🗑️ 删除任务delete_task dangerous');
    expect(text[1]).to.equal('create_task changes');
    expect(find(panel, '[role=combobox]'), 'few need no filter').to.equal(undefined);
  });

  it('locks a tool by keyboard alone, and sends it with the message once', async () => {
    const { surface, panel, closed, active } = await open();
    await sendKeys({ press: 'ArrowDown' });
    await sendKeys({ press: 'ArrowDown' });
    await until(() => active() === '删除任务', 'the third is not active');
    await sendKeys({ press: 'ArrowUp' });
    await sendKeys({ press: 'Home' });
    await until(() => active() === '网页搜索', 'the first is not active');
    await sendKeys({ press: 'Enter' });
    await closed();
    expect(deepText(find(panel, part('locked-tool')) as Element).trim()).to.contain('Locked tool: 网页搜索');
    await sendKeys({ type: 'lit' });
    await sendKeys({ press: 'Enter' });
    await until(() => surface.asked.length === 1, 'nothing is sent');
    expect(surface.asked).to.deep.equal(['send lit with webSearch']);
    await until(() => !find(panel, part('locked-tool')), 'the lock stays');
    await sendKeys({ type: 'more' });
    await sendKeys({ press: 'Enter' });
    expect(surface.asked[1]).to.equal('send more');
  });

  it('says what is locked in the person’s language, and lets go of it', async () => {
    const { surface, panel, closed } = await open(few, { texts: zhCN, lang: 'zh-CN' });
    await click(findAll(panel, '[role=option]')[1] as Element);
    await closed();
    const chip = find(panel, part('locked-tool')) as HTMLElement;
    expect(chip.textContent).to.contain('已锁定工具：create_task');
    await click(chip.querySelector('button') as Element);
    await until(() => !find(panel, part('locked-tool')), 'the lock stays');
    await sendKeys({ type: 'lit' });
    await sendKeys({ press: 'Enter' });
    expect(surface.asked).to.deep.equal(['send lit']);
  });

  it('filters a long list by label and name', async () => {
    const { panel, shown, closed } = await open(many);
    expect(shown()).to.have.length(12);
    await sendKeys({ type: 'tol 1'.replace('tol', 'l') });
    await until(() => shown().length === 3, 'the list is not filtered');
    expect(shown()).to.deep.equal(['Tool 1', 'Tool 10', 'Tool 11']);
    await sendKeys({ press: 'ArrowUp' });
    await sendKeys({ press: 'Enter' });
    await closed();
    expect(find(panel, part('locked-tool'))?.textContent).to.contain('Tool 11');
  });

  it('says when nothing fits', async () => {
    const { panel, shown } = await open(many);
    await sendKeys({ type: 'xyz' });
    await until(() => shown().length === 0, 'something fits');
    expect(find(panel, '.none')?.textContent).to.equal(en.nothingFits);
    await sendKeys({ press: 'Enter' });
    expect(find(panel, part('locked-tool'))).to.equal(undefined);
  });

  it('closes by Escape, by its button and by leaving, and gives the focus back', async () => {
    const { panel, button, closed } = await open();
    await sendKeys({ press: 'Escape' });
    await closed();
    const field = find<HTMLElement>(panel, 'textarea') as HTMLElement;
    expect((field.getRootNode() as ShadowRoot).activeElement).to.equal(field);
    await click(button);
    await appears(panel, '[role=listbox]');
    await click(button);
    await closed();
    await click(button);
    await appears(panel, '[role=listbox]');
    await click(field);
    await closed();
    expect(find(panel, part('locked-tool'))).to.equal(undefined);
  });

  it('sends nothing when the tool has gone meanwhile, and keeps what was written', async () => {
    const { surface, panel, composer, closed } = await open();
    await sendKeys({ press: 'Enter' });
    await closed();
    surface.choices = [];
    await sendKeys({ type: 'lit' });
    await sendKeys({ press: 'Enter' });
    await appears(panel, '.problem');
    expect(find(panel, '.problem')?.textContent).to.equal(en.lockGone('网页搜索'));
    expect(surface.asked).to.deep.equal([]);
    expect(composer.draft).to.equal('lit');
    await sendKeys({ press: 'Enter' });
    expect(surface.asked, 'the next time without it').to.deep.equal(['send lit']);
  });

  it('has nothing that axe objects to', async () => {
    const { panel } = await open(many);
    await expect(panel).to.be.accessible();
  });
});

describe('templates', () => {
  afterEach(() => resetMouse());

  async function template(text: string) {
    const surface = new FakeSurface();
    const { panel } = await stage(surface);
    panel.templates = [
      { label: 'Plain', text: 'Hello' },
      { label: 'Task', text },
    ];
    await panel.updateComplete;
    await click(await appears(panel, '[data-what=templates]'));
    await appears(panel, '[role=listbox]');
    await sendKeys({ press: 'ArrowDown' });
    await sendKeys({ press: 'Enter' });
    const field = find<HTMLTextAreaElement>(panel, 'textarea') as HTMLTextAreaElement;
    await until(() => field.value === text, 'nothing is inserted');
    return { surface, panel, field, selected: () => field.value.slice(field.selectionStart, field.selectionEnd) };
  }

  it('insert their text with the first place selected; Tab goes to the next, and out after the last', async () => {
    const { surface, panel, field, selected } = await template('Task {title} until {day}');
    expect(selected()).to.equal('{title}');
    await sendKeys({ type: 'Milk' });
    await sendKeys({ press: 'Tab' });
    expect(selected()).to.equal('{day}');
    await sendKeys({ type: 'May' });
    expect(field.value).to.equal('Task Milk until May');
    await sendKeys({ press: 'Enter' });
    expect(surface.asked).to.deep.equal(['send Task Milk until May']);
    await sendKeys({ type: 'a {b}' });
    const composer = find<ToolChatComposer>(panel, 'tool-chat-composer') as ToolChatComposer;
    await composer.updateComplete;
    await sendKeys({ press: 'Tab' });
    expect((field.getRootNode() as ShadowRoot).activeElement, 'behind the last place Tab leaves').to.not.equal(field);
  });

  it('stand with the cursor behind them where there is nothing to fill', async () => {
    const { field } = await template('Nothing to fill');
    expect(field.selectionStart).to.equal('Nothing to fill'.length);
  });
});

describe('the composer of the whole widget', () => {
  afterEach(() => resetMouse());

  it('follows `composer-while-busy` and `promptTemplates`, and sends a message for one tool', async () => {
    const chat = await chatOnPage({ 'composer-while-busy': 'disabled', 'tool-picker': '' });
    const requests = answerByHand(chat);
    expect(find(chat, part('tool-picker')), 'no tool yet').to.equal(undefined);
    const look = tool('look', { risk: 'query', label: '查看' });
    chat.registerTool(look);
    chat.promptTemplates = { composer: [{ label: 'Task', text: 'Do {what}' }, { label: 'broken' } as never], vcp: { rules: 'x' } };
    await click(await appears(chat, '[data-what=templates]'));
    await until(() => findAll(chat, '[role=option]').length === 1, 'not one template');
    await sendKeys({ press: 'Escape' });
    await click(await appears(chat, part('tool-picker')));
    await appears(chat, '[role=option]');
    await sendKeys({ press: 'Enter' });
    await appears(chat, part('locked-tool'));
    await sendKeys({ type: 'go' });
    await sendKeys({ press: 'Enter' });
    const request = await requests.next();
    expect(request.body.system).to.include('The user has chosen the tool look');
    await until(() => find<HTMLTextAreaElement>(chat, 'textarea')?.disabled === true, 'the field stays open');
    chat.tools = 'off';
    request.send('I would rather not.');
    request.done();
    chat.cancelStream();
    await until(() => !chat.isLoading, 'the end');
    await until(() => !find(chat, part('tool-picker')), 'tools are offered that are off');
  });
});
