/** The panel in each of its states, from plain data. */
import { expect } from '@open-wc/testing';
import type { CardView } from '../../src/model/calls.js';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import { pretend, styled } from './doing.js';
import { stage } from './helpers.js';
import { accessible, appears, deepText, find, part, until } from './looking.js';

const result = (success: boolean, message: string, data?: unknown) => ({
  ...{ requestId: 'c1', toolName: 'create_task', success, status: success ? ('success' as const) : ('error' as const) },
  ...{ message, result: message, durationMs: 1234 },
  ...(data !== undefined && { data }),
});
const created = { toolName: 'create_task', label: '创建任务', icon: '📝', risk: 'write' as const, args: { title: '完成项目报告' } };
const asked = user('u1', '创建一个任务，标题是完成项目报告');
const failure = {
  error: { code: 'REQUEST_TIMEOUT', layer: 'network', message: en.timedOut, retryable: true } as const,
  lines: [en.timedOut, en.checkNetwork],
  canRetry: true,
};
const busy = (...activities: ViewSnapshot['activities']) => ({
  isLoading: true,
  activities,
  views: [asked, assistant('a1', [], 'running')],
});
/** A message with a card, in this state. */
const withCard = (c1: CardView, view: Partial<ViewSnapshot> = {}): Partial<ViewSnapshot> => ({
  ...{ views: [asked, assistant('a1', ['好的', { call: 'c1' }])], cards: { c1 } },
  ...view,
});
const done = (message: ReturnType<typeof result>) => card('c1', message.status, { call: call('c1', created), result: message });
const waits = (change: Parameters<typeof call>[1] = {}) =>
  withCard(card('c1', 'awaiting_approval', { call: call('c1', change) }), { isLoading: true, activities: ['awaitingApproval'] });
const executing = withCard(card('c1', 'executing', { call: call('c1', created), progress: { fraction: 0.5, message: '一半' } }), {
  ...{ isLoading: true, isToolExecuting: true, activities: ['executing'] },
});

/** Each state the panel can be in, and words that must be there. */
const states: Record<string, readonly [view: Partial<ViewSnapshot>, ...zh: string[]]> = {
  empty: [{}, '助手', '我可以帮你做什么？'],
  thinking: [busy('streaming'), '思考中…', '停止生成'],
  'reading a call': [
    withCard(card('c1', 'pending', { toolName: 'create_task', label: '创建任务', params: { title: '完成' } }), {
      ...{ isLoading: true, activities: ['streaming', 'parsing'] },
    }),
    ...['正在解析工具...', '参数: title = 完成'],
  ],
  executing: [executing, '🔧 正在执行工具: create_task', '参数: title = 完成项目报告', '一半', '正在执行工具...'],
  'awaiting approval': [waits(), '等待确认', 'AI想要执行以下操作：', '🗑️ 删除任务', '参数：', '是否允许？'],
  success: [
    withCard(done(result(true, '任务「完成项目报告」已创建', { id: 1 }))),
    '✅ 工具执行成功',
    '任务「完成项目报告」已创建',
    '1.2 秒',
    '详情',
  ],
  'a failed tool': [withCard(done(result(false, '任务标题不能为空'))), '❌ 工具执行失败', '错误: 任务标题不能为空'],
  'a model that is being fetched': [{ ...busy('streaming'), loaded: 0.42 }, '正在下载模型… 42%'],
  queued: [withCard(card('c1', 'queued', { queuePosition: 2 })), '排队中（第 2 位）'],
  denied: [withCard(card('c1', 'denied', { call: call('c1', { decidedBy: 'person' }) })), '你已拒绝'],
  cancelled: [withCard(card('c1', 'cancelled')), '已取消'],
  interrupted: [withCard(card('c1', 'interrupted')), '已中断，可能已经执行'],
  undone: [withCard(card('c1', 'undone')), '已撤销'],
  error: [
    { views: [asked], failure: { ...failure, lines: [zhCN.timedOut, zhCN.checkNetwork], helpUrl: 'https://example.com/help' } },
    ...['⚠️ 请求超时，请重试', '请检查网络连接', '重试', '关闭', '帮助'],
  ],
  'a cut answer': [{ views: [{ ...assistant('a1', ['半'], 'cut'), note: zhCN.answerCut, canContinue: true }] }, '回答被中断', '继续'],
  'a message that waits': [{ isLoading: true, activities: ['executing'], views: [asked], queue: ['然后呢'] }, '然后呢', '稍后发送'],
};

describe('panel', () => {
  it('has square corners everywhere where the page wants none, parts for its header, and an edge on own messages in forced colors', async () => {
    const views = [asked, assistant('a1', ['Run `npm start`.'])];
    const { panel } = await stage(new FakeSurface({ views }), { more: { suggestions: ['And then?'] } });
    panel.layout = 'floating';
    await appears(panel, 'code');
    const corners = () =>
      ['.panel', '.logo', '.box', '.user p', part('quick-command'), '.send', 'code'].map((name) => {
        const { borderTopLeftRadius } = getComputedStyle(find(panel, name) as Element);
        return parseFloat(borderTopLeftRadius) > 0;
      });
    expect(corners()).to.not.include(false);
    panel.style.setProperty('--tool-chat-radius', '0');
    expect(corners()).to.not.include(true);
    for (const name of ['logo', 'title', 'close-button']) expect(find(panel, `header ${part(name)}`), name).to.not.equal(undefined);
    const edge = () => getComputedStyle(find(panel, '.user p') as Element).borderTopStyle;
    expect(edge()).to.equal('none');
    pretend(panel, 'forced-colors');
    expect(edge()).to.equal('solid');
  });

  for (const [name, [view, ...zh]] of Object.entries(states))
    it(`draws, without a network, in Chinese and in English, and axe finds nothing (S0-01): ${name}`, async () => {
      const { panel } = await stage(new FakeSurface(view), { texts: zhCN, lang: 'zh-CN' });
      const missing = () => zh.filter((text) => !deepText(panel).includes(text));
      await until(() => missing().length === 0, `missing: ${missing().join()}`);
      Object.assign(panel, { texts: en, lang: 'en' });
      await panel.updateComplete;
      await until(() => deepText(panel).includes(en.heading), 'English does not appear');
      expect(find(panel, part('send-button'))?.getAttribute('aria-label')).to.equal(en.send);
      await accessible(panel);
    });

  it('exports every part up to whoever placed it, for the style sheet of the page (S0-120)', async () => {
    const { panel } = await stage(new FakeSurface({ ...waits(), failure }));
    await appears(panel, part('approval'));
    // From the page's own style sheet, four shadow roots down.
    const names = ['approve-button', 'tool-card', 'input', 'message-user', 'retry-button'];
    styled(names.map((name) => `::part(${name}) { outline: 7px solid red }`).join(''));
    for (const name of names) expect(getComputedStyle(find(panel, part(name)) as Element).outlineWidth, name).to.equal('7px');
  });

  it('offers no retry where none can help, and only a web address as help', async () => {
    const helpUrl = ['javascript', 'alert(1)'].join(':');
    const { panel } = await stage(new FakeSurface({ failure: { ...failure, canRetry: false, helpUrl } }));
    expect([part('retry-button'), `${part('error-bar')} a`].map((one) => find(panel, one))).to.deep.equal([undefined, undefined]);
  });

  it('B34 counts down to the next attempt, and cancels; says nothing of the first, silent one', async () => {
    const retry = (attempt: number) => ({ attempt, of: 3, at: Date.now() + 1100, visible: attempt > 1 });
    const surface = new FakeSurface({ isLoading: true, retry: retry(1) });
    const { panel } = await stage(surface);
    expect(find(panel, part('error-bar'))).to.equal(undefined);
    surface.set({ retry: retry(2) });
    for (const seconds of [2, 1])
      await until(() => deepText(panel).includes(en.retryingIn(seconds, 2, 3)), `${String(seconds)} s is not shown`);
    find(panel, part('close-button'))?.click();
    expect(surface.asked).to.deep.equal(['stop']);
  });
});
