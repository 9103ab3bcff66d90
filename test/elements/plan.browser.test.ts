/** The checklist of a plan: its states, what is announced, and whether everybody can use it (S4-26 … S4-28). */
import { expect } from '@open-wc/testing';
import type { MessageView } from '../../src/model/snapshot.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import type { StepStatus, TaskPlan } from '../../src/model/plan.js';
import { assistant, FakeSurface, user } from './fake-surface.js';
import { appears, atRest, deepText, find, findAll, part, stage, until } from './helpers.js';

const titles = ['Look for sources', 'Compare them', 'Write the report', 'Send it'];

function planOf(...statuses: StepStatus[]): TaskPlan {
  return {
    goal: 'A report on three heat pumps',
    steps: statuses.map((status, at) => ({
      id: `s${String(at)}`,
      title: titles[at] ?? '',
      ...(at !== 1 && { tool: ['web_search', '', 'write_note', 'send_mail'][at] }),
      dependsOn: at === 3 ? ['s0', 's2'] : at > 0 ? [`s${String(at - 1)}`] : [],
      status,
    })),
  } as TaskPlan;
}

const views = (plan: TaskPlan, status: 'running' | 'complete' = 'complete'): MessageView[] => {
  const answer = assistant('a1', ['Here is what I will do.'], status);
  return [user('u1', 'Compare them and write a report'), { ...answer, parts: [...answer.parts, { type: 'plan', id: 'p1', plan }] }];
};

const steps = (panel: Element) => findAll(panel, part('plan-step')).map(({ dataset }) => dataset['status']);
const spoken = (panel: Element) => deepText(find(panel, '.said') as Node);

describe('<tool-chat-plan>', () => {
  it('is a list with the goal, each step, its state, its tool and what it waits for', async () => {
    const { panel } = await stage(new FakeSurface({ views: views(planOf('done', 'doing', 'todo', 'todo')) }));
    const card = await appears(panel, part('plan'));
    await until(() => steps(panel).length === 4, 'no steps');
    expect(deepText(find(panel, '#heading') as Node).trim()).to.equal('A report on three heat pumps');
    expect(steps(panel)).to.deep.equal(['done', 'doing', 'todo', 'todo']);
    const said = findAll(panel, part('plan-step')).map((step) => deepText(step).replace(/\s+/g, ' ').trim());
    expect(said[0]).to.match(/Look for sources.*web_search.*done/);
    expect(said[1]).to.match(/Compare them.*in progress/);
    expect(said[3]).to.match(/Send it.*send_mail.*After: 1 · 3.*to do/);
    expect(deepText(card)).to.include('1 of 4 done');
    expect(find(panel, '[aria-current=step]')).to.equal(findAll(panel, part('plan-step'))[1]);
    expect(getComputedStyle(find(panel, 'ol') as Element).listStyleType).to.equal('none');
  });

  it('ticks in place, and says what changed', async () => {
    const surface = new FakeSurface({ isLoading: true, planning: true, views: views(planOf('todo', 'todo', 'todo', 'todo')) });
    const { panel } = await stage(surface);
    const card = await appears(panel, part('plan'));
    await until(() => spoken(panel).includes('A plan in 4 steps: A report on three heat pumps'), 'the plan is not announced');
    for (const now of [planOf('doing', 'todo', 'todo', 'todo'), planOf('done', 'done', 'failed', 'skipped')]) {
      surface.set({ views: views(now) });
      await until(() => steps(panel).join() === now.steps.map(({ status }) => status).join(), 'it does not change');
    }
    expect(find(panel, part('plan'))).to.equal(card);
    await until(() => spoken(panel).includes('Send it: skipped'), 'the end is not announced');
    expect(spoken(panel)).to.include('Look for sources: in progress').and.to.include('Write the report: failed');
    expect(card.hasAttribute('data-finished')).to.equal(true);
  });

  it('appears while the reply streams, in its place', async () => {
    const surface = new FakeSurface({ isLoading: true, planning: true, views: views(planOf('todo', 'todo', 'todo', 'todo'), 'running') });
    const { panel } = await stage(surface);
    surface.stream('a1', { text: 'Before' });
    surface.stream('a1', { block: { type: 'plan', id: 'p1', plan: planOf('todo', 'todo', 'todo', 'todo') } });
    surface.stream('a1', { text: 'Behind' });
    await appears(panel, part('plan'));
    await until(() => steps(panel).length === 4, 'no steps');
    const body = find(panel, '.body') as Element;
    expect([...body.children].map(({ localName }) => localName)).to.deep.equal(['div', 'tool-chat-plan', 'div']);
  });

  it('of the past says nothing', async () => {
    const { panel } = await stage(new FakeSurface({ views: views(planOf('done', 'done', 'done', 'done')) }));
    await appears(panel, part('plan'));
    await until(() => steps(panel).length === 4, 'no steps');
    expect(spoken(panel)).to.equal('');
  });

  it('shows the mode as long as it lasts, in Chinese and English', async () => {
    for (const [texts, lang, mode] of [
      [en, 'en', 'Step by step'],
      [zhCN, 'zh-CN', '分解模式'],
    ] as const) {
      const surface = new FakeSurface({ isLoading: true, planning: true, views: [user('u1', 'x')] });
      const { panel } = await stage(surface, { texts, lang });
      expect(deepText((await appears(panel, '.mode')) as Node)).to.equal(mode);
      const { planning: _, ...rest } = surface.view;
      surface.view = rest;
      surface.set({ isLoading: false });
      await until(() => !find(panel, '.mode'), 'the mode stays');
    }
  });

  it('speaks Chinese', async () => {
    const { panel } = await stage(new FakeSurface({ views: views(planOf('done', 'doing', 'failed', 'skipped')) }), {
      texts: zhCN,
      lang: 'zh-CN',
    });
    const card = await appears(panel, part('plan'));
    await until(() => steps(panel).length === 4, 'no steps');
    for (const text of ['计划', '已完成 1/4', '已完成', '进行中', '失败', '已跳过']) expect(deepText(card)).to.include(text);
  });

  it('shows what a model writes as text, and what cannot be seen', async () => {
    const plan: TaskPlan = { goal: '<b>goal</b>', steps: [{ id: '1', title: '<img src=x>\u202Eevil', dependsOn: [], status: 'todo' }] };
    const { panel } = await stage(new FakeSurface({ views: views(plan) }));
    const card = await appears(panel, part('plan'));
    await until(() => steps(panel).length === 1, 'no steps');
    expect(findAll(card, 'img, b')).to.have.length(0);
    expect(deepText(card)).to.include('<b>goal</b>').and.to.not.include('\u202E');
  });

  it('is accessible in both themes, and when it is narrow', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const { panel } = await stage(new FakeSurface({ views: views(planOf('done', 'doing', 'failed', 'skipped')) }), { width: 320 });
      panel.theme = theme;
      const card = await appears(panel, part('plan'));
      await until(() => steps(panel).length === 4, 'no steps');
      await atRest(panel);
      await expect(panel).to.be.accessible();
      expect(card.scrollWidth).to.be.at.most(card.clientWidth + 1);
    }
  });
});
