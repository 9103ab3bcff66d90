/** The five scenarios of S0-157, and a request that crosses pages: the bundle, the relay and a database. */
import { expect } from 'chai';
import { until } from './kept-call.js';
import {
  ALLOW,
  card,
  type Chat,
  cutAfter,
  DENY,
  type DemoUnderTest,
  ERROR_BAR,
  expectInOrder,
  part,
  recording,
  say,
  serveTasks,
  startRecording,
  textOfChat,
  textsOf,
  untilIdle,
  untilOnBoard,
  untilReady,
  useDriver,
} from './widget.js';

describe('the demo', function () {
  this.timeout(90_000);
  const driver = useDriver();
  let demo: DemoUnderTest;

  beforeEach(async () => {
    demo = await serveTasks(4);
  });
  afterEach(async () => {
    await driver.open('about:blank');
    await demo.close();
  });

  async function open(lang: 'zh-CN' | 'en' = 'zh-CN') {
    await driver.open(`${demo.url}/?lang=${lang}`);
    await untilReady(driver);
    await driver.waitFor('.task-title');
    await startRecording(driver);
  }

  /** Says something, waits for the end of its call and of the turn, and looks at what was to be read meanwhile. */
  async function ask(text: string, status: string, tool: string, reads: readonly string[] = []) {
    await say(driver, text);
    await end(status, tool, [text, ...reads]);
  }
  async function end(status: string, tool: string, reads: readonly string[] = []) {
    await driver.waitFor(card(status, tool));
    await untilIdle(driver);
    expectInOrder(await recording(driver), reads);
  }
  async function decide(button: string, status: string, tool: string, reads: readonly string[] = []) {
    await driver.click(button);
    await end(status, tool, reads);
  }

  const writes = () => demo.api.requests.filter(({ method }) => method !== 'GET');
  const deletions = () => writes().filter(({ method }) => method === 'DELETE').length;
  const fromUser = () =>
    driver.evaluate(() => document.querySelector<Chat>('tool-chat')?.messages.filter(({ role }) => role === 'user').length);

  it('1, creating: shows every text of the seed in its order (S0-126)', async () => {
    await open();
    demo.api.delayNext({ method: 'POST', milliseconds: 400 });
    await ask('创建一个任务，标题是完成项目报告', 'success', 'create_task', [
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

  it('2, asking: reads the list and answers from it', async () => {
    await open();
    await ask('今天有哪些任务？', 'success', 'read_tasks', [
      '好的，我先查看一下任务。',
      '✅ 工具执行成功',
      '找到 5 个任务，其中 1 个已完成：',
    ]);
    const answer = await textOfChat(driver);
    for (const item of ['整理站会纪要', '检查发布清单', '给牙医打电话', '买蔬菜和大米', '读完状态图那一章'])
      expect(answer).to.match(new RegExp(`[☑☐]\\s*${item}`));
    expect(writes()).to.deep.equal([]);
    expect(demo.asked).to.have.length(2);
    expect(demo.asked[1]?.at(-1)?.content).to.contain('给牙医打电话');
  });

  it('3, changing: finds the task, changes it, and the board follows', async () => {
    await open();
    await ask('把检查发布清单标记为完成', 'success', 'update_task', ['任务已更新', '「检查发布清单」已标记为完成，做得好！']);
    expect(writes().map(({ method, body, status }) => [method, JSON.parse(body), status])).to.deep.equal([
      ['PATCH', { completed: true }, 200],
    ]);
    await driver.waitFor(() => {
      const done = [...document.querySelectorAll('.task.done')].find((row) => row.textContent?.includes('检查发布清单'));
      return done?.querySelector<HTMLInputElement>('.check')?.checked;
    });
  });

  it('4, several turns: creates three at once, then deletes only what the user allows (S0-128, S0-131 … S0-133)', async () => {
    await open();
    await say(driver, '帮我创建3个任务');
    await driver.waitFor(() => document.querySelector<Chat>('tool-chat')?.toolHistory.length === 3, 15_000);
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
    await decide(DENY, 'denied', 'delete_task', ['是否允许？', '你已拒绝', '好的，我不会删除任务了。']);
    expect(deletions()).to.equal(0);
    expect(demo.asked.at(-1)?.at(-1)?.content, 'the model hears of the refusal').to.contain('用户拒绝了该操作');
    await untilOnBoard(driver, '任务2');

    await say(driver, '删除「任务2」');
    await driver.waitFor(ALLOW);
    expect(deletions()).to.equal(0);
    await decide(ALLOW, 'success', 'delete_task', ['任务已删除', '已经删除了「任务2」。']);
    expect(deletions()).to.equal(1);
    await untilOnBoard(driver, '任务2', false);
    expect(await fromUser()).to.equal(3);
    expect(driver.complaints).to.deep.equal([]);
  });

  it('5, recovering: keeps what came before a cut, and sends again without a second bubble (S0-45, S0-136)', async () => {
    await open();
    demo.answerNext(cutAfter('好的，我来'));
    await say(driver, '创建一个任务，标题是完成项目报告');
    await driver.waitFor(ERROR_BAR);
    await untilIdle(driver);
    const bar = await driver.text(ERROR_BAR);
    expect(bar).to.contain('重试').and.to.contain('关闭');
    expect(await textOfChat(driver)).to.contain('好的，我来');
    expect(writes()).to.deep.equal([]);

    await driver.click(part('retry-button'));
    await end('success', 'create_task');
    expect(await driver.exists(ERROR_BAR)).to.equal(false);
    expect(await fromUser()).to.equal(1);
    expect(await driver.count(part('message-user'))).to.equal(1);
    // Examples that are sent as turns stand before it.
    expect(demo.asked[1]?.filter(({ role, content }) => role === 'user' && content.includes('完成项目报告'))).to.have.length(1);
    await untilOnBoard(driver, '完成项目报告');
    expect(writes()).to.have.length(1);
  });

  it('5, recovering: shows why a tool failed, and the model answers to it (S0-130)', async () => {
    await open();
    await ask('创建一个任务', 'error', 'create_task', [
      '❌ 工具执行失败',
      '错误: 任务标题不能为空',
      '抱歉，创建任务失败了。请提供任务标题。',
    ]);
    expect(demo.asked[1]?.at(-1)?.content).to.contain('任务标题不能为空');
  });

  /** A page that is left while it is asked gives no answer; the next one does. */
  const acrossPages = (what: string | (() => unknown)) => {
    const isThere = () =>
      driver
        .waitFor(what, 2000)
        .then(() => true)
        .catch(() => false);
    return until(isThere, String(what), 30_000);
  };

  it('carries “Buy 2 green tea” from the shelves over the basket to the order, which asks, and is placed once', async () => {
    await driver.open(`${demo.url}/shop?lang=en`);
    await untilReady(driver);
    await say(driver, 'Buy 2 green tea');
    await acrossPages(() => location.pathname === '/shop-order' && document.querySelectorAll('#basket li').length > 0);
    await acrossPages(ALLOW);
    expect(await textsOf(driver, '#basket .name')).to.deep.equal(['Green tea']);
    expect(await textsOf(driver, '#orders li')).to.deep.equal([]);
    await driver.click(ALLOW);
    await driver.waitFor(card('success', 'place_order'));
    await untilIdle(driver);
    expect(await textsOf(driver, '#orders li')).to.deep.equal(['Order 1001 · €9.00']);
    expect(await textOfChat(driver)).to.contain('All done. Order 1001 is placed');
    const history = await driver.evaluate(() =>
      document
        .querySelector<Chat>('tool-chat')!
        .toolHistory.map(({ toolName, status }) => `${toolName} ${status}`)
        .join(),
    );
    expect(history).to.equal('add_to_basket success,open_page success,read_basket success,open_page success,place_order success');
    await driver.reload();
    await untilReady(driver);
    expect(await textsOf(driver, '#orders li')).to.have.length(1);
  });
});
