/** The five scenarios of S0-157: a real browser, the built bundle, the relay, the task API and a database of its own. */
import { expect } from 'chai';
import { type Driver, launch } from './driver.js';
import {
  ALLOW,
  card,
  cutAfter,
  DENY,
  type DemoUnderTest,
  ERROR_BAR,
  expectInOrder,
  INPUT,
  part,
  recording,
  say,
  serveTasks,
  startRecording,
  textOfChat,
  untilIdle,
  untilOnBoard,
  untilReady,
} from './widget.js';

describe('the scenarios of the task manager', () => {
  let driver: Driver;
  let demo: DemoUnderTest;

  before(async () => {
    driver = await launch();
  });
  after(() => driver.close());
  afterEach(async () => {
    await driver.open('about:blank');
    await demo.close();
  });

  async function open(lang: 'zh-CN' | 'en') {
    demo = await serveTasks(4);
    await driver.open(`${demo.url}/?lang=${lang}`);
    await untilReady(driver);
    await driver.waitFor('.task-title');
    await startRecording(driver);
  }

  const writes = () => demo.api.requests.filter(({ method }) => method !== 'GET');
  const counts = () =>
    driver.evaluate(() => {
      const messages = document.querySelector<HTMLElement & { messages: { role: string }[] }>('tool-chat')?.messages ?? [];
      return messages.map(({ role }) => role);
    });

  describe('1, creating', () => {
    it('shows every text of the seed in its order (S0-126)', async () => {
      await open('zh-CN');
      demo.api.delayNext({ method: 'POST', milliseconds: 400 });
      await say(driver, '创建一个任务，标题是完成项目报告');
      await driver.waitFor(card('success', 'create_task'));
      await untilIdle(driver);

      expectInOrder(await recording(driver), [
        '创建一个任务，标题是完成项目报告',
        '好的，我来帮你创建任务...',
        '🔧 正在执行工具: create_task',
        '参数: title = 完成项目报告',
        '✅ 工具执行成功',
        '任务「完成项目报告」已创建',
        '任务已经为你创建好了，你可以在今日视图中看到它。',
      ]);
      expect(writes().map(({ method, path, status }) => [method, path, status])).to.deep.equal([['POST', '/api/tasks', 201]]);
      await untilOnBoard(driver, '完成项目报告');
      expect(driver.complaints).to.deep.equal([]);
    });

    it('does so in English', async () => {
      await open('en');
      demo.api.delayNext({ method: 'POST', milliseconds: 400 });
      await say(driver, 'Create a task titled "Finish the report"');
      await driver.waitFor(card('success', 'create_task'));
      await untilIdle(driver);

      expectInOrder(await recording(driver), [
        'Create a task titled',
        "Sure, I'll create that task for you...",
        '🔧 Running tool: create_task',
        'Parameters: title = Finish the report',
        '✅ Tool finished',
        'Task “Finish the report” created',
        'Your task has been created. You can find it in the today view.',
      ]);
      await untilOnBoard(driver, 'Finish the report');
    });
  });

  it('2, asking: reads the list and answers from it', async () => {
    await open('zh-CN');
    await say(driver, '今天有哪些任务？');
    await driver.waitFor(card('success', 'read_tasks'));
    await untilIdle(driver);

    expectInOrder(await recording(driver), [
      '今天有哪些任务？',
      '好的，我先查看一下任务。',
      '✅ 工具执行成功',
      '找到 5 个任务，其中 1 个已完成：',
    ]);
    const items = await driver.evaluate(() => {
      const items: string[] = [];
      const walk = (root: ParentNode) => {
        for (const element of root.querySelectorAll('*')) {
          if (element.localName === 'li') items.push(element.textContent.trim());
          if (element.shadowRoot) walk(element.shadowRoot);
        }
      };
      walk(document.querySelector('tool-chat')?.shadowRoot ?? document);
      return items;
    });
    expect(items).to.have.members(['☑整理站会纪要', '☐检查发布清单', '☐给牙医打电话', '☐买蔬菜和大米', '☐读完状态图那一章']);
    expect(writes()).to.deep.equal([]);
    expect(demo.asked).to.have.length(2);
    expect(demo.asked[1]?.at(-1)?.content).to.contain('给牙医打电话');
  });

  it('3, changing: finds the task, changes it, and the board follows', async () => {
    await open('zh-CN');
    await say(driver, '把检查发布清单标记为完成');
    await driver.waitFor(card('success', 'update_task'));
    await untilIdle(driver);

    expectInOrder(await recording(driver), ['把检查发布清单标记为完成', '任务已更新', '「检查发布清单」已标记为完成，做得好！']);
    expect(writes().map(({ method, body, status }) => [method, JSON.parse(body), status])).to.deep.equal([
      ['PATCH', { completed: true }, 200],
    ]);
    await driver.waitFor(
      (title: string) => {
        const row = [...document.querySelectorAll('.task.done')].find((one) => one.querySelector('.task-title')?.textContent === title);
        return row?.querySelector<HTMLInputElement>('.check')?.checked;
      },
      10_000,
      '检查发布清单',
    );
  });

  describe('4, a conversation of several turns', () => {
    it('creates three at once, then deletes only what a person allows (S0-128, S0-131 … S0-133)', async () => {
      await open('zh-CN');
      await say(driver, '帮我创建3个任务');
      await driver.waitFor(
        () => document.querySelector<HTMLElement & { toolHistory: unknown[] }>('tool-chat')?.toolHistory.length === 3,
        15_000,
      );
      await untilIdle(driver);
      expectInOrder(await recording(driver), [
        '任务「任务1」已创建',
        '任务「任务2」已创建',
        '任务「任务3」已创建',
        '已经为你创建了3个任务。',
      ]);
      expect(await driver.count(card('success', 'create_task'))).to.equal(3);
      expect(writes().map(({ body }) => (JSON.parse(body) as { title: string }).title)).to.deep.equal(['任务1', '任务2', '任务3']);
      expect(demo.asked, 'one request with the question, one with the results').to.have.length(2);

      await say(driver, '删除「任务2」');
      await driver.waitFor(DENY);
      const question = await textOfChat(driver);
      for (const text of ['AI想要执行以下操作：', '🗑️ 删除任务', '删除任务「任务2」', '参数：', 'task_id = ', '是否允许？'])
        expect(question).to.contain(text);
      expect(writes().filter(({ method }) => method === 'DELETE')).to.deep.equal([]);
      await driver.click(DENY);
      await driver.waitFor(card('denied', 'delete_task'));
      await untilIdle(driver);
      expectInOrder(await recording(driver), ['是否允许？', '用户拒绝了该操作', '好的，我不会删除任务了。']);
      expect(writes().filter(({ method }) => method === 'DELETE')).to.deep.equal([]);
      expect(demo.asked.at(-1)?.at(-1)?.content, 'the model hears of the refusal').to.contain('用户拒绝了该操作');
      await untilOnBoard(driver, '任务2');

      await say(driver, '删除「任务2」');
      await driver.waitFor(ALLOW);
      expect(writes().filter(({ method }) => method === 'DELETE')).to.deep.equal([]);
      await driver.click(ALLOW);
      await driver.waitFor(card('success', 'delete_task'));
      await untilIdle(driver);
      expectInOrder(await recording(driver), ['任务已删除', '已经删除了「任务2」。']);
      expect(writes().filter(({ method }) => method === 'DELETE')).to.have.length(1);
      await untilOnBoard(driver, '任务2', false);
      expect((await counts()).filter((role) => role === 'user')).to.have.length(3);
      expect(driver.complaints).to.deep.equal([]);
    });

    it('does so in English', async () => {
      await open('en');
      await say(driver, 'Create 3 tasks: milk, bread and eggs');
      await driver.waitFor(
        () => document.querySelector<HTMLElement & { toolHistory: unknown[] }>('tool-chat')?.toolHistory.length === 3,
        15_000,
      );
      await untilIdle(driver);
      expectInOrder(await recording(driver), [
        'Task “milk” created',
        'Task “bread” created',
        'Task “eggs” created',
        'I have created 3 tasks for you.',
      ]);
      await say(driver, 'Delete "bread"');
      await driver.waitFor(DENY);
      expect(await textOfChat(driver))
        .to.contain('The assistant wants to:')
        .and.to.contain('Delete the task “bread”')
        .and.to.contain('Allow this?');
      await driver.click(DENY);
      await untilIdle(driver);
      expectInOrder(await recording(driver), ['The user declined this action', "All right, I won't delete the task."]);
      await untilOnBoard(driver, 'bread');
      expect(writes().filter(({ method }) => method === 'DELETE')).to.deep.equal([]);
    });

    it('is decided by keys alone (S0-131)', async () => {
      await open('zh-CN');
      await driver.click(INPUT);
      await driver.type(INPUT, '删除「给牙医打电话」');
      await driver.press('Enter');
      await driver.waitFor(DENY);
      // Enter right away: the focus is on the question, not on an answer to it.
      await driver.press('Enter');
      expect(await driver.exists(card('awaiting_approval', 'delete_task'))).to.equal(true);
      await driver.press('Escape');
      expect(await driver.exists(card('awaiting_approval', 'delete_task')), 'Escape never decides').to.equal(true);

      await tabTo('deny-button');
      await driver.press('Tab');
      expect(await focusedPart(), '"allow" comes right after "deny"').to.equal('approve-button');
      await driver.press('Shift+Tab');
      await driver.press('Enter');
      await driver.waitFor(card('denied', 'delete_task'));
      await untilIdle(driver);
      expect(writes()).to.deep.equal([]);

      await say(driver, '删除「给牙医打电话」');
      await driver.waitFor(ALLOW);
      await tabTo('approve-button');
      await driver.press(' ');
      await driver.waitFor(card('success', 'delete_task'));
      await untilIdle(driver);
      expect(writes().map(({ method }) => method)).to.deep.equal(['DELETE']);
      await untilOnBoard(driver, '给牙医打电话', false);
    });
  });

  it('4, with Enter still down from sending: nothing is decided by it', async () => {
    await open('zh-CN');
    await driver.type(INPUT, '删除「给牙医打电话」');
    await driver.hold('Enter');
    await driver.waitFor(ALLOW);
    await driver.hold('Enter');
    await tabTo('deny-button');
    if (driver.engine === 'chromium') await driver.hold('Enter'); // the others count a key held again as pressed anew
    await driver.press('Tab');
    if (driver.engine === 'chromium') await driver.hold('Enter');
    expect(await focusedPart()).to.contain('approve-button');
    await driver.release('Enter');
    expect(await driver.exists(card('awaiting_approval', 'delete_task'))).to.equal(true);
    expect(writes()).to.deep.equal([]);
    await driver.click(DENY);
    await untilIdle(driver);
  });

  describe('5, recovering', () => {
    it('keeps what came before a cut, and sends again without a second bubble (S0-45, S0-136)', async () => {
      await open('zh-CN');
      demo.answerNext(cutAfter('好的，我来'));
      await say(driver, '创建一个任务，标题是完成项目报告');
      await driver.waitFor(ERROR_BAR);
      await untilIdle(driver);
      const bar = await driver.text(ERROR_BAR);
      expect(bar).to.contain('重试').and.to.contain('关闭');
      expect(await textOfChat(driver)).to.contain('好的，我来');
      expect(writes()).to.deep.equal([]);

      await driver.click(part('retry-button'));
      await driver.waitFor(card('success', 'create_task'));
      await untilIdle(driver);
      expect(await driver.exists(ERROR_BAR)).to.equal(false);
      expect((await counts()).filter((role) => role === 'user')).to.have.length(1);
      expect(await driver.count(part('message-user'))).to.equal(1);
      // Examples that are sent as turns stand before it.
      expect(demo.asked[1]?.filter(({ role, content }) => role === 'user' && content.includes('完成项目报告'))).to.have.length(1);
      await untilOnBoard(driver, '完成项目报告');
      expect(writes()).to.have.length(1);
    });

    it('shows why a tool failed, and the model answers to it (S0-130)', async () => {
      await open('zh-CN');
      await say(driver, '创建一个任务');
      await driver.waitFor(card('error', 'create_task'));
      await untilIdle(driver);
      expectInOrder(await recording(driver), ['❌ 工具执行失败', '错误: 任务标题不能为空', '抱歉，创建任务失败了。请提供任务标题。']);
      expect(demo.asked[1]?.at(-1)?.content).to.contain('任务标题不能为空');
    });
  });

  const focusedPart = () =>
    driver.evaluate(() => {
      let active = document.activeElement;
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      return active?.getAttribute('part') ?? active?.localName ?? '';
    });

  /** Presses Tab until a part has the focus. */
  async function tabTo(name: string) {
    for (let presses = 0; presses < 12; presses += 1) {
      if ((await focusedPart()).split(' ').includes(name)) return;
      await driver.press('Tab');
    }
    throw new Error(`Tab does not lead to ${name} within 12 presses; it led to ${await focusedPart()}`);
  }
});
