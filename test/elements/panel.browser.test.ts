import { expect } from '@open-wc/testing';
import { emulateMedia, sendKeys, setViewport } from '@web/test-runner-commands';
import type { CardStatus, CardView, PublishedResult } from '../../src/model/calls.js';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import { chatErrorOf, failureLines } from '../../src/conversation/view/failure-text.js';
import type { TurnFailure } from '../../src/conversation/chart/chart-context.js';
import { exportPanel, panelParts } from '../../src/elements/parts.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import { appears, atRest, deepText, find, findAll, frame, part, stage, until } from './helpers.js';

const result = (success: boolean, message: string, data?: unknown) => ({
  requestId: 'c1',
  toolName: 'create_task',
  success,
  status: success ? ('success' as const) : ('error' as const),
  message,
  result: message,
  durationMs: 1234,
  ...(data !== undefined && { data }),
});

const created = { toolName: 'create_task', label: '创建任务', icon: '📝', risk: 'write' as const, args: { title: '完成项目报告' } };
const asked = user('u1', '创建一个任务，标题是完成项目报告');
const withCard = (view: Partial<ViewSnapshot>) => ({ views: [asked, assistant('a1', ['好的', { call: 'c1' }])], ...view });
const failure = {
  error: { code: 'REQUEST_TIMEOUT', layer: 'network', message: en.timedOut, retryable: true } as const,
  lines: [en.timedOut, en.checkNetwork],
  canRetry: true,
};

/** A call that the page never checked: made, and run, by the service. */
const served = (status: CardStatus, change: Partial<PublishedResult> = {}): CardView => ({
  ...{ requestId: 'c1', toolName: 'web_search', label: 'web_search', status, service: true, params: { query: '柏林天气' } },
  ...(change.message && { result: { ...result(status === 'success', change.message), durationMs: 0, ...change } }),
});
const unread = (toolName: string, message: string): CardView => ({
  ...{ requestId: 'c1', toolName, label: toolName, status: 'error' as const, params: {}, raw: '<invoke name="x">' },
  result: { ...result(false, message), code: 'MALFORMED_CALL' as const },
});
const failing = (kind: TurnFailure['kind'], change: Partial<TurnFailure> = {}): Partial<ViewSnapshot> => {
  const failed: TurnFailure = { kind, code: 'CONNECT_FAILED', layer: 'network', retryable: true, ...change };
  const lines = failureLines(failed, zhCN);
  return { views: [asked], failure: { error: chatErrorOf(failed, lines), lines, canRetry: true } };
};
const waits = { isLoading: true, activities: ['awaitingApproval'] } as const;

/** Each state the panel can be in, and words that must be there. */
const states: Record<string, { view: Partial<ViewSnapshot>; zh: string[]; wait?: string }> = {
  empty: { view: {}, zh: ['助手', '我可以帮你做什么？'] },
  thinking: {
    view: { isLoading: true, activities: ['streaming'], views: [asked, assistant('a1', [], 'running')] },
    zh: ['思考中…', '停止生成'],
  },
  'reading a call': {
    view: withCard({
      isLoading: true,
      activities: ['streaming', 'parsing'],
      cards: { c1: card('c1', 'pending', { toolName: 'create_task', label: '创建任务', params: { title: '完成' } }) },
    }),
    zh: ['正在解析工具...', '参数: title = 完成'],
    wait: '[data-status=pending]',
  },
  executing: {
    view: withCard({
      isLoading: true,
      isToolExecuting: true,
      activities: ['executing'],
      cards: { c1: card('c1', 'executing', { call: call('c1', created), progress: { fraction: 0.5, message: '一半' } }) },
    }),
    zh: ['🔧 正在执行工具: create_task', '参数: title = 完成项目报告', '一半', '正在执行工具...'],
    wait: '[data-status=executing]',
  },
  'awaiting approval': {
    view: withCard({ isLoading: true, activities: ['awaitingApproval'], cards: { c1: card('c1', 'awaiting_approval') } }),
    zh: ['等待确认', 'AI想要执行以下操作：', '🗑️ 删除任务', '参数：', '是否允许？'],
    wait: '[part~=approval]',
  },
  success: {
    view: withCard({
      cards: { c1: card('c1', 'success', { call: call('c1', created), result: result(true, '任务「完成项目报告」已创建', { id: 1 }) }) },
    }),
    zh: ['✅ 工具执行成功', '任务「完成项目报告」已创建', '1.2 秒', '详情'],
    wait: '[data-status=success]',
  },
  'a failed tool': {
    view: withCard({ cards: { c1: card('c1', 'error', { call: call('c1', created), result: result(false, '任务标题不能为空') }) } }),
    zh: ['❌ 工具执行失败', '错误: 任务标题不能为空'],
    wait: '[data-status=error]',
  },
  'an unreadable call': {
    view: withCard({ cards: { c1: unread('x', '没有写完') } }),
    zh: ['未执行', '错误: 没有写完', '查看模型原文'],
    wait: '[data-status=error]',
  },
  'an unreadable call of no tool': {
    view: withCard({ cards: { c1: unread('', zhCN.malformedCall(zhCN.problemMissingName)) } }),
    zh: ['助手写的工具调用无法识别', '未执行', '缺少工具名称'],
    wait: '[data-status=error]',
  },
  'a call in another notation, and a second attempt': {
    view: withCard({
      views: [asked, assistant('a1', ['好的', { call: 'c1' }]), assistant('a2', [{ call: 'c2' }])],
      cards: {
        c1: unread('create_task', zhCN.wrongNotation('create_task')),
        c2: card('c2', 'success', { call: call('c2', created), result: result(true, '任务已创建') }),
      },
    }),
    zh: ['没有使用要求的格式', '任务已创建'],
    wait: '[data-status=success]',
  },
  'a call that was only shown': {
    view: withCard({
      ...waits,
      views: [asked, assistant('a1', ['```xml\n<tool_use/>\n```', { call: 'c1' }])],
      cards: { c1: card('c1', 'awaiting_approval', { call: call('c1', { flags: ['quoted'], reason: zhCN.reasonQuoted }) }) },
    }),
    zh: ['助手只是展示了这个调用', '🗑️ 删除任务', '要执行吗？', '不执行'],
    wait: '[part~=approval]',
  },
  'a call that the service runs': {
    view: withCard({ cards: { c1: served('executing') } }),
    zh: ['web_search', '服务正在执行', 'query = 柏林天气'],
    wait: '[data-status=executing]',
  },
  'a call that the service has run': {
    view: withCard({ cards: { c1: served('success', { message: zhCN.serviceDid, data: { hits: 3 } }) } }),
    zh: ['已由服务执行', 'query = 柏林天气', '详情'],
    wait: '[data-status=success]',
  },
  'a call that failed at the service': {
    view: withCard({ cards: { c1: served('error', { message: zhCN.toolFailed, result: '搜索服务离线', code: 'EXECUTION_FAILED' }) } }),
    zh: ['工具执行失败', '错误: 搜索服务离线'],
    wait: '[data-status=error]',
  },
  'a call that the service left open': {
    view: withCard({ cards: { c1: served('cancelled', { message: zhCN.serviceLeftOpen, result: '' }) } }),
    zh: ['已取消', '由服务提出，未在此处执行'],
    wait: '[data-status=cancelled]',
  },
  'a question of the service': {
    view: withCard({
      ...waits,
      cards: { c1: card('c1', 'awaiting_approval', { call: call('c1', { flags: ['service'], reason: '需要付款', risk: 'undeclared' }) }) },
    }),
    zh: ['AI想要执行以下操作：', '服务说： 需要付款', '是否允许？'],
    wait: '[part~=approval]',
  },
  'a model that is being fetched': {
    view: { isLoading: true, activities: ['streaming'], loaded: 0.42, views: [asked, assistant('a1', [], 'running')] },
    zh: ['正在下载模型… 42%'],
    wait: 'progress',
  },
  'no model in the browser': { view: failing('no-model', { retryable: false }), zh: ['⚠️ 此浏览器没有本页可用的内置模型'] },
  'a model that waits for a click': { view: failing('needs-gesture'), zh: ['只在点击之后才会开始', '重试'] },
  'too long for the model': { view: failing('overflow'), zh: ['对话太长，此模型无法处理'] },
  'a model on this computer that cannot be reached': {
    view: failing('connect', { localNetwork: true }),
    zh: ['无法连接到服务器', '请在网站设置中允许', 'OLLAMA_ORIGINS', '重试'],
  },
  queued: {
    view: withCard({ cards: { c1: card('c1', 'queued', { queuePosition: 2 }) } }),
    zh: ['排队中（第 2 位）'],
    wait: '[data-status=queued]',
  },
  denied: {
    view: withCard({ cards: { c1: card('c1', 'denied', { call: call('c1', { decidedBy: 'person' }) }) } }),
    zh: ['用户拒绝了该操作'],
    wait: '[data-status=denied]',
  },
  cancelled: { view: withCard({ cards: { c1: card('c1', 'cancelled') } }), zh: ['已取消'], wait: '[data-status=cancelled]' },
  interrupted: {
    view: withCard({ cards: { c1: card('c1', 'interrupted') } }),
    zh: ['已中断：可能已经执行'],
    wait: '[data-status=interrupted]',
  },
  undone: { view: withCard({ cards: { c1: card('c1', 'undone') } }), zh: ['已撤销'], wait: '[data-status=undone]' },
  error: {
    view: { views: [asked], failure: { ...failure, lines: [zhCN.timedOut, zhCN.checkNetwork], helpUrl: 'https://example.com/help' } },
    zh: ['⚠️ 请求超时，请重试', '请检查网络连接', '重试', '关闭', '帮助'],
  },
  'a retry that is due': {
    view: {
      views: [asked],
      isLoading: true,
      activities: ['retrying'],
      retry: { attempt: 2, of: 3, at: Date.now() + 600_000_000, visible: true },
    },
    zh: ['秒后重试（2/3）', '取消'],
  },
  'a cut answer': {
    view: { views: [{ ...assistant('a1', ['半'], 'cut'), note: zhCN.answerCut, canContinue: true }] },
    zh: ['回答被中断', '继续'],
  },
  'a message that waits': {
    view: { isLoading: true, activities: ['executing'], views: [asked], queue: ['然后呢'] },
    zh: ['然后呢', '稍后发送'],
  },
  reasoning: {
    view: { views: [{ ...assistant('a1', ['好']), message: { ...assistant('a1', ['好']).message, reasoning: '因为' } }] },
    zh: ['思考过程', '因为'],
  },
};

describe('panel', () => {
  describe('draws each state from plain data, without a network (S0-01)', () => {
    for (const [name, { view, zh, wait }] of Object.entries(states))
      it(`${name}: in Chinese, in English, and axe finds nothing in light or dark`, async function () {
        this.timeout(30_000);
        const surface = new FakeSurface(view);
        const { panel } = await stage(surface, { texts: zhCN, lang: 'zh-CN' });
        if (wait) await appears(panel, wait);
        await until(
          () => zh.every((words) => deepText(panel).includes(words)),
          `missing: ${zh.filter((words) => !deepText(panel).includes(words)).join()}`,
        );

        Object.assign(panel, { texts: en, lang: 'en' });
        await panel.updateComplete;
        await until(() => deepText(panel).includes(en.heading), 'English does not appear');
        expect(find(panel, part('send-button'))?.getAttribute('aria-label')).to.equal(en.send);

        for (const theme of ['light', 'dark'] as const) {
          panel.theme = theme;
          await panel.updateComplete;
          await atRest(panel);
          await expect(panel).to.be.accessible();
        }
      });
  });

  it('shows what a card has, with the data a page can select it by', async () => {
    const { panel } = await stage(new FakeSurface(states['executing']?.view));
    const shown = await appears(panel, part('tool-card'));
    expect({ ...shown.dataset }).to.include({ status: 'executing', tool: 'create_task', requestId: 'c1' });
    expect(shown.textContent.replace(/\s+/g, ' '))
      .to.include('Running tool: create_task')
      .and.to.include('Parameters: title = 完成项目报告');
    expect(find<HTMLProgressElement>(panel, 'progress')?.value).to.equal(0.5);
  });

  it('unfolds the data of a result', async () => {
    const { panel } = await stage(new FakeSurface(states['success']?.view));
    (await appears(panel, `${part('tool-card-result')} summary`)).click();
    await until(
      () => /\bid\s*:?\s*1\b/.test(deepText(find(panel, 'tool-chat-result') ?? document.createElement('p'))),
      'the data does not appear',
    );
  });

  it('exports every part up to whoever placed it', async () => {
    const { panel } = await stage(new FakeSurface({ ...states['awaiting approval']?.view, failure }));
    await appears(panel, part('approval'));
    expect([...panelParts]).to.include.members([
      ...['panel', 'header', 'messages', 'message', 'message-user', 'message-assistant', 'message-tool', 'reasoning', 'tool-card'],
      ...['tool-card-header', 'tool-card-arguments', 'tool-card-result', 'approval', 'approve-button', 'deny-button', 'approve-all-button'],
      ...['deny-all-button', 'continue-button', 'copy-button', 'error-bar', 'retry-button', 'close-button', 'status', 'composer', 'input'],
      ...['send-button', 'stop-button', 'quick-command'],
    ]);
    expect(exportPanel).to.equal(panelParts.join(', '));
    // From the page's own style sheet, four shadow roots down.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      ['approve-button', 'tool-card', 'input', 'message-user', 'retry-button']
        .map((name) => `::part(${name}) { outline: 7px solid red }`)
        .join(''),
    );
    document.adoptedStyleSheets.push(sheet);
    for (const name of ['approve-button', 'tool-card', 'input', 'message-user', 'retry-button'])
      expect(getComputedStyle(find(panel, part(name)) as Element).outlineWidth, name).to.equal('7px');
    document.adoptedStyleSheets.pop();
  });

  describe('error bar', () => {
    it('asks to try again, and is closed', async () => {
      const surface = new FakeSurface({ views: [asked], failure });
      const { panel } = await stage(surface);
      find(panel, part('retry-button'))?.click();
      find(panel, part('close-button'))?.click();
      await panel.updateComplete;
      expect(surface.asked).to.deep.equal(['retry', 'dismissError']);
      expect(find(panel, part('error-bar'))).to.equal(undefined);
    });

    it('offers no retry where none can help, and only a web address as help', async () => {
      const { panel } = await stage(
        new FakeSurface({ failure: { ...failure, canRetry: false, helpUrl: ['javascript', 'alert(1)'].join(':') } }),
      );
      expect(find(panel, part('retry-button'))).to.equal(undefined);
      expect(find(panel, `${part('error-bar')} a`)).to.equal(undefined);
    });

    it('B34 counts down to the next attempt, and cancels', async () => {
      const surface = new FakeSurface({ isLoading: true, retry: { attempt: 2, of: 3, at: Date.now() + 1900, visible: true } });
      const { panel } = await stage(surface);
      for (const seconds of [2, 1])
        await until(() => deepText(panel).includes(en.retryingIn(seconds, 2, 3)), `${String(seconds)} s is not shown`);
      find(panel, part('close-button'))?.click();
      expect(surface.asked).to.deep.equal(['stop']);
    });

    it('says nothing of the first, silent attempt', async () => {
      const { panel } = await stage(
        new FakeSurface({ isLoading: true, retry: { attempt: 1, of: 3, at: Date.now() + 1000, visible: false } }),
      );
      expect(find(panel, part('error-bar'))).to.equal(undefined);
    });
  });

  describe('while a model is fetched', () => {
    const fetching = (loaded?: number) => ({
      isLoading: true,
      activities: ['streaming'] as const,
      views: [asked, assistant('a1', [], 'running')],
      ...(loaded !== undefined && { loaded }),
    });

    it('shows how far it is, and says it once', async () => {
      const surface = new FakeSurface(fetching());
      const { panel } = await stage(surface);
      expect(find(panel, `${part('status')} progress`)).to.equal(undefined);
      for (const loaded of [0, 0.01, 0.5, 0.995]) {
        surface.set({ loaded });
        await panel.updateComplete;
        const bar = find<HTMLProgressElement>(panel, `${part('status')} progress`);
        expect(bar?.value).to.equal(loaded);
        expect(bar?.ariaValueNow ?? bar?.position).to.equal(loaded);
        expect(find(panel, part('status'))?.textContent.trim()).to.equal(en.loadingModel(Math.round(loaded * 100)));
        await frame();
      }
      surface.view = { ...surface.view, ...fetching() };
      delete surface.view.loaded;
      surface.set({});
      await panel.updateComplete;
      expect(find(panel, 'progress')).to.equal(undefined);
      expect(find(panel, part('status'))?.textContent.trim()).to.equal(en.thinking);
      const said = () => [...(find(panel, '.said')?.children ?? [])].map(({ textContent }) => textContent);
      await until(() => said().length > 0, 'nothing is said');
      surface.set({ failure });
      await until(() => said().length > 1, 'the error is not said');
      expect(said()).to.deep.equal([en.loadingModel(0), en.saidError(`${en.timedOut} ${en.checkNetwork}`)]);
    });

    it('counts down to a retry instead, where one is due', async () => {
      const { panel } = await stage(
        new FakeSurface({ ...fetching(0.5), retry: { attempt: 2, of: 3, at: Date.now() + 600_000, visible: true } }),
      );
      expect(find(panel, 'progress')).to.equal(undefined);
    });
  });

  describe('speaks', () => {
    const said = (panel: Element) => deepText(find(panel, '.said') as Element);

    it('errors, whole', async () => {
      const surface = new FakeSurface();
      const { panel } = await stage(surface);
      surface.set({ failure });
      await until(() => said(panel).includes(en.saidError(`${en.timedOut} ${en.checkNetwork}`)), 'the error is not said');
    });

    it('an answer when it has ended, sentence by sentence, as people read it', async () => {
      const surface = new FakeSurface({ isLoading: true, activities: ['streaming'], views: [asked, assistant('a1', [], 'running')] });
      const { panel } = await stage(surface);
      await until(() => surface.following('a1') > 0, 'nobody follows');
      surface.stream('a1', { text: 'It is **done**. ' });
      surface.stream('a1', { text: 'Anything else?', end: true });
      await frame();
      expect(said(panel)).to.equal('');
      surface.set({ isLoading: false, activities: [], views: [asked, assistant('a1', ['It is **done**. Anything else?'])] });
      await until(() => said(panel).includes('Anything else?'), 'the answer is not said');
      expect([...(find(panel, '.said')?.children ?? [])].map(({ textContent }) => textContent)).to.deep.equal([
        'The assistant says: It is done.',
        'Anything else?',
      ]);
    });

    it('the end of a tool, but nothing of calls that had ended before', async () => {
      const surface = new FakeSurface(states['executing']?.view);
      const { panel } = await stage(surface);
      await appears(panel, part('tool-card'));
      surface.setCard(card('c1', 'success', { call: call('c1', created), result: result(true, 'Created') }));
      await until(() => said(panel).includes('创建任务: finished. Created'), 'the result is not said');
    });

    it('with one voice: the list itself is silent', async () => {
      const { panel } = await stage(new FakeSurface({ views: [asked] }));
      expect(find(panel, '[role=log]')?.getAttribute('aria-live')).to.equal('polite');
      expect(find(panel, '.list')?.getAttribute('aria-live')).to.equal('off');
      expect(findAll(panel, '[role=alert], [role=status], [aria-live=assertive]')).to.have.length(0);
    });
  });

  it('is busy while a turn goes on (S0-122)', async () => {
    const surface = new FakeSurface({ isLoading: true, activities: ['streaming'] });
    const { panel } = await stage(surface);
    expect(find(panel, '[role=log]')?.ariaBusy).to.equal('true');
    surface.set({ isLoading: false, activities: [] });
    await panel.updateComplete;
    expect(find(panel, '[role=log]')?.ariaBusy).to.equal('false');
  });

  it('has a button that closes it when it floats, and tells whoever placed it', async () => {
    const { panel } = await stage(new FakeSurface());
    expect(find(panel, 'header button')).to.equal(undefined);
    panel.layout = 'floating';
    await panel.updateComplete;
    const told: Event[] = [];
    panel.addEventListener('tool-chat-panel-close', (event) => told.push(event));
    find(panel, 'header button')?.click();
    expect(told).to.have.length(1);
    expect(told[0]?.composed).to.equal(false);
  });

  it('follows theme and system', async function () {
    const { panel } = await stage(new FakeSurface());
    const background = () => getComputedStyle(find(panel, part('panel')) as Element).backgroundColor;
    const light = background();
    panel.theme = 'dark';
    await panel.updateComplete;
    const dark = background();
    expect(dark).not.to.equal(light);
    panel.theme = 'auto';
    await panel.updateComplete;
    if (!navigator.userAgent.includes('Chrome')) return; // only there can the system's choice be set
    await emulateMedia({ colorScheme: 'dark' });
    expect(background()).to.equal(dark);
    await emulateMedia({ colorScheme: 'light' });
    expect(background()).to.equal(light);
  });

  it('stays within 320 pixels, in either direction of writing', async () => {
    const view = states['awaiting approval']?.view;
    for (const dir of ['ltr', 'rtl']) {
      document.documentElement.dir = dir;
      const { panel } = await stage(new FakeSurface({ ...view, failure }), { width: 320 });
      await appears(panel, part('approval'));
      const box = panel.getBoundingClientRect();
      for (const element of findAll(panel, 'button, textarea, p, h3')) {
        const { left, right, width } = element.getBoundingClientRect();
        if (width > 1)
          expect(left >= box.left - 1 && right <= box.right + 1, `${dir}: ${element.className} ${element.part.value}`).to.equal(true);
      }
    }
    document.documentElement.dir = '';
  });

  it('is not reached by the styles of the page', async () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      'main * { font-size: 40px !important; color: red; letter-spacing: 1em } main { text-transform: uppercase; line-height: 4 }',
    );
    document.adoptedStyleSheets.push(sheet);
    const { panel } = await stage(new FakeSurface({ views: [user('u1', 'hello')] }));
    const style = getComputedStyle(find(panel, `${part('message-user')} p`) as Element);
    expect([style.fontSize, style.textTransform, style.letterSpacing]).to.deep.equal(['15px', 'none', 'normal']);
    document.adoptedStyleSheets.pop();
  });

  it('leads the keyboard from the messages to the text field', async () => {
    const { panel } = await stage(new FakeSurface({ views: [asked] }));
    find(panel, '[role=log]')?.focus();
    await sendKeys({ press: 'Tab' });
    panel.focus();
    expect((panel.shadowRoot as ShadowRoot).activeElement?.localName).to.equal('tool-chat-composer');
  });

  before(async () => {
    if (navigator.userAgent.includes('Chrome')) await setViewport({ width: 900, height: 900 });
  });
});
