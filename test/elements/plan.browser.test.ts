/** What stands in an answer besides words: plans, questions of the model's own (S4-26 … S4-28, S4-43, S4-44); and what stands before any (S0-186, S0-187, Y-22). */
import { expect } from '@open-wc/testing';
import { loadMarkdown } from '../../src/elements/tool-chat-message/load-markdown.js';
import type { ComposerTemplate } from '../../src/conversation/options/option-shapes.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import type { Clarify, StepStatus, TaskPlan } from '../../src/model/plan.js';
import type { MessageView, ToolChoice, ViewSnapshot } from '../../src/model/snapshot.js';
import { assistant, FakeSurface, user } from './fake-surface.js';
import { click } from './doing.js';
import { stage } from './helpers.js';
import { accessible, appears, atRest, fieldOf, find, findAll, focused, part, said, until, words } from './looking.js';

const inChinese = { texts: zhCN, lang: 'zh-CN' };
const answering = (block: MessageView['parts'][number], status: 'running' | 'complete' = 'complete'): MessageView[] => {
  const answer = assistant('a1', ['Here is what I will do.'], status);
  return [user('u1', 'Compare them and write a report'), { ...answer, parts: [...answer.parts, block] }];
};

describe('<tool-chat-plan>', () => {
  const titles = ['Look for sources', 'Compare them', 'Write the report', 'Send it'];
  const tools = ['web_search', undefined, 'write_note', 'send_mail'];
  const waits = [[], ['s0'], ['s1'], ['s0', 's2']];
  const planOf = (...statuses: StepStatus[]): TaskPlan => ({
    goal: 'A report on three heat pumps',
    steps: statuses.map((status, at) => ({
      ...{ id: `s${String(at)}`, title: titles[at] ?? '', dependsOn: waits[at] ?? [], status },
      ...(tools[at] && { tool: tools[at] }),
    })),
  });
  const views = (plan: TaskPlan, status?: 'running') => answering({ type: 'plan', id: 'p1', plan }, status);
  const steps = (panel: Element) => findAll(panel, part('plan-step'));
  const statuses = (panel: Element) => steps(panel).map(({ dataset }) => dataset['status']);

  async function shown(plan: TaskPlan, view: Partial<ViewSnapshot> = {}, options = {}) {
    const surface = new FakeSurface({ views: views(plan), ...view });
    const { panel } = await stage(surface, options);
    const card = await appears(panel, part('plan'));
    await until(() => steps(panel).length === plan.steps.length, 'no steps');
    return { surface, panel, card };
  }

  it('is a list with the goal, each step, its state, its tool and what it waits for; of the past it says nothing', async () => {
    const { panel, card } = await shown(planOf('done', 'doing', 'todo', 'todo'));
    expect(words(find(panel, '#heading'))).to.equal('A report on three heat pumps');
    expect(statuses(panel)).to.deep.equal(['done', 'doing', 'todo', 'todo']);
    const text = steps(panel).map((step) => words(step));
    expect(text[0]).to.match(/Look for sources.*web_search.*done/);
    expect(text[1]).to.match(/Compare them.*in progress/);
    expect(text[3]).to.match(/Send it.*send_mail.*After: 1 · 3.*to do/);
    expect(words(card)).to.include('1 of 4 done');
    expect(find(panel, '[aria-current=step]')).to.equal(steps(panel)[1]);
    expect([getComputedStyle(find(panel, 'ol') as Element).listStyleType, said(panel)]).to.deep.equal(['none', []]);
  });

  it('ticks in place, and says what changed', async () => {
    const { surface, panel, card } = await shown(planOf('todo', 'todo', 'todo', 'todo'), { isLoading: true, planning: true });
    await until(() => said(panel).includes('A plan in 4 steps: A report on three heat pumps'), 'the plan is not announced');
    for (const now of [planOf('doing', 'todo', 'todo', 'todo'), planOf('done', 'done', 'failed', 'skipped')]) {
      surface.set({ views: views(now) });
      await until(() => statuses(panel).join() === now.steps.map(({ status }) => status).join(), 'it does not change');
    }
    const spoken = () => said(panel).join(' ');
    await until(() => spoken().includes('Send it: skipped'), 'the end is not announced');
    expect(spoken()).to.include('Look for sources: in progress').and.to.include('Write the report: failed');
    expect([find(panel, part('plan')) === card, card.hasAttribute('data-finished')]).to.deep.equal([true, true]);
  });

  it('shows what a model writes as text, and what cannot be seen', async () => {
    const step = { id: '1', title: '<img src=x>\u202Eevil', dependsOn: [], status: 'todo' } as const;
    const { card } = await shown({ goal: '<b>goal</b>', steps: [step] });
    expect(findAll(card, 'img, b')).to.have.length(0);
    expect(words(card)).to.include('<b>goal</b>').and.to.not.include('\u202E');
  });
});

describe('<tool-chat-clarify>', () => {
  // It comes with the first answer, and what it draws is of another height than the plain text before.
  before(loadMarkdown);

  const one: Clarify = { default: 'A page about cats', questions: [{ text: 'How long?', options: ['Short', 'Long'] }] };
  const two: Clarify = { ...one, questions: [{ text: 'For whom?', options: ['Teachers', 'Parents'] }, ...one.questions] };

  async function asking(clarify: Clarify, options = {}) {
    const surface = new FakeSurface({ views: answering({ type: 'clarify', clarify }) });
    const { panel } = await stage(surface, options);
    await appears(panel, part('default-button'));
    await atRest(panel);
    const card = find(panel, part('clarify')) as HTMLElement;
    const button = (text: string) => findAll(panel, 'button').find((each) => words(each) === text) as HTMLElement;
    const choose = async (...texts: string[]) => {
      for (const text of texts) await click(button(text));
    };
    return { surface, panel, card, choose };
  }

  it('shows the guess and the questions, and sends the guess once', async () => {
    const { surface, panel, card } = await asking(two);
    for (const text of ['A page about cats', 'For whom?', 'How long?', 'Teachers', 'Long']) expect(words(card)).to.include(text);
    const use = find(panel, part('default-button')) as HTMLElement;
    for (let times = 0; times < 2; times += 1) use.click();
    expect(surface.asked).to.deep.equal(['send Go with the default: A page about cats']);
  });

  for (const [what, clarify, chosen, sends] of [
    ['the answer to a single question at once, with the question', one, ['Long'], 'How long? Long'],
    ['the answers to two questions as one message', two, ['Parents', 'Short', 'Send answers'], 'For whom? Parents\nHow long? Short'],
    [
      'the guess for what is not answered',
      two,
      ['Send answers', 'Teachers', 'Send answers'],
      'For whom? Teachers\nFor the rest, go with the default: A page about cats',
    ],
  ] as const)
    it(`sends ${what}`, async () => {
      const { surface, choose } = await asking(clarify);
      await choose(...chosen.slice(0, -1));
      expect(surface.asked).to.deep.equal([]);
      await choose(chosen.at(-1)!);
      expect(surface.asked).to.deep.equal([`send ${sends}`]);
    });

  it('lets a choice be changed and taken back', async () => {
    const { panel, choose } = await asking(two);
    const pressed = (text: string) => until(() => String(findAll(panel, '[aria-pressed=true]').map((one) => words(one))) === text, text);
    await choose('Teachers', 'Parents');
    await pressed('Parents');
    await choose('Parents');
    await pressed('');
  });

  it('is not there while the answer is not whole, is announced when it has come, and over when something follows', async () => {
    const surface = new FakeSurface({ isLoading: true, views: answering({ type: 'clarify', clarify: one }) });
    const { panel } = await stage(surface);
    const card = await appears(panel, part('clarify'));
    expect(find(panel, part('default-button'))).to.equal(undefined);
    surface.set({ isLoading: false });
    const sentence = 'The assistant would like to know: How long? By default: A page about cats';
    await until(() => said(panel).join().includes(sentence), 'it is not announced');
    surface.set({ views: [...surface.view.views, user('u2', 'Long, please')] });
    await until(() => findAll(card, 'button').length === 0, 'the buttons stay');
    expect(words(card)).to.include('Long');
    await accessible(panel);
  });

  it('speaks Chinese, never says a bare 请补充, shows what a model writes as text, and axe finds nothing', async () => {
    const hostile = { default: '<b>x</b>\u202E', questions: [{ text: '给谁看？', options: ['老师', '<i>y</i>'] }] };
    const { surface, panel, card, choose } = await asking(hostile, { ...inChinese, width: 320 });
    expect(words(card)).to.include('先确认一下').and.to.include('按默认来').and.to.not.include('请补充');
    expect(findAll(card, 'img, b, i')).to.have.length(0);
    expect(words(card)).to.include('<b>x</b>').and.to.include('<i>y</i>').and.to.not.include('\u202E');
    await accessible(panel);
    await choose('老师');
    expect(surface.asked).to.deep.equal(['send 给谁看？老师']);
  });
});

describe('an empty conversation', () => {
  const look: ToolChoice = { name: 'look', label: 'Look at the tasks', icon: '📋', risk: 'query', says: 'Which tasks are open?' };
  const add: ToolChoice = { name: 'add', label: 'Add a task', risk: 'write', asks: true, says: 'Remind me to buy milk' };
  const wipe: ToolChoice = { name: 'wipe', label: 'Delete a task', risk: 'danger', asks: true };

  async function empty(tools: ToolChoice[], templates: ComposerTemplate[] = []) {
    const surface = new FakeSurface({ hasTools: tools.length > 0 });
    surface.conversations = { kept: false } as NonNullable<FakeSurface['conversations']>;
    surface.choices = tools;
    const { panel } = await stage(surface, { texts: en });
    panel.templates = templates;
    await appears(panel, 'tool-chat-welcome');
    await atRest(panel);
    const starters = () => findAll(panel, part('starter')).map((one) => words(one));
    const offers = (count: number) => until(() => starters().length === count, `not ${String(count)} starters`);
    const promise = () => words(find(panel, 'tool-chat-welcome')?.shadowRoot?.querySelector('p'));
    return { surface, panel, starters, offers, promise };
  }

  it('shows what can be asked for in the words of the tools’ authors, writes a starter into the field and sends nothing', async () => {
    const { surface, panel, starters, offers } = await empty([look, add, wipe]);
    await offers(2);
    expect(starters()).to.deep.equal(['📋Look at the tasksWhich tasks are open?', 'Add a taskRemind me to buy milk']);
    await accessible(panel);
    await click(findAll(panel, part('starter'))[1] as Element);
    await until(() => fieldOf(panel).value === 'Remind me to buy milk', 'the field');
    expect([focused(), surface.asked.filter((one) => one.startsWith('send'))]).to.deep.equal([fieldOf(panel), []]);
  });

  it('puts the page’s templates first, and shows four at most', async () => {
    const templates = ['One', 'Two', 'Three'].map((label) => ({ label, text: `${label} of {name}` }));
    const { starters, offers } = await empty([look, add], templates);
    await offers(4);
    expect(starters().slice(0, 3)).to.deep.equal(['OneOne of {name}', 'TwoTwo of {name}', 'ThreeThree of {name}']);
  });

  for (const [what, tools, sentence] of [
    ['everything that changes something asks', [look, add, wipe], 'I ask before I change anything'],
    ['only what could do harm asks', [look, { ...add, asks: false }, wipe], 'I ask before anything that could do harm'],
    ['nothing asks', [look, { ...add, asks: false }], ''],
    ['nothing changes anything', [look], ''],
  ] as const)
    it(`promises to ask only as far as it is so: ${what}`, async () => {
      const { promise, starters } = await empty([...tools]);
      await until(() => starters().length > 0, 'the starters');
      expect(promise()).to.equal(sentence);
    });

  it('has neither where there are no tools, and where they cannot be told; takes in tools that come later', async () => {
    const { surface, panel, starters, offers, promise } = await empty([]);
    const { tools } = surface;
    expect([starters(), promise()]).to.deep.equal([[], '']);
    surface.tools = () => Promise.reject(new Error('away'));
    surface.set({ hasTools: true });
    await atRest(panel);
    expect([starters(), promise()]).to.deep.equal([[], '']);
    Object.assign(surface, { tools, choices: [look] });
    surface.set({ hasTools: false });
    await panel.updateComplete;
    surface.set({ hasTools: true });
    await offers(1);
  });
});
