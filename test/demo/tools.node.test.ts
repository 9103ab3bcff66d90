import { expect } from 'chai';
import type { Change } from '../../src/model/calls.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { AREA, NOBODY, startTaskServer, type TaskServer } from './task-server.js';

type Api = object;
type Args = Record<string, unknown>;
interface Result {
  success: boolean;
  message: string;
  data?: unknown;
  code?: string;
  errorType?: string;
}

// The page's own scripts, as the browser loads them: plain JavaScript without types.
const load = async <T>(file: string) => (await import(new URL(`../../demo/${file}`, import.meta.url).href)) as T;
const { createApi } = await load<{ createApi(options: object): Api }>('api.js');
const { createTaskTools, permissions } = await load<{
  createTaskTools(options: { api: Api; lang: string }): ToolDefinition[];
  permissions: string[];
}>('tools.js');

describe('tools of the task page', () => {
  let server: TaskServer;
  let tools: Map<string, ToolDefinition>;
  const abort = new AbortController();
  const context = { requestId: 'r1', sessionId: 's1', signal: abort.signal } as ToolContext;

  const toolsFor = (options: { lang: string; apiBaseUrl?: string; fetch?: unknown }) =>
    createTaskTools({ api: createApi({ apiBaseUrl: server.url, client: 'assistant', ...options }), lang: options.lang });

  beforeEach(async () => {
    server = await startTaskServer();
    tools = new Map(toolsFor({ lang: 'zh-CN' }).map((tool) => [tool.name, tool]));
  });
  afterEach(() => server.close());

  const run = (name: string, args: Args) => Promise.resolve(tools.get(name)!.execute(args, context)) as Promise<Result>;
  const create = async (args: Args) => (await run('create_task', args)).data as { id: string };
  const sent = () => server.log.requests.map(({ method, path }) => `${method} ${path}`);
  const writes = () => server.log.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail('it did not fail'),
      (error: unknown) => error as Error & { status?: number; body?: object },
    );

  it('describe every parameter in both languages', () => {
    for (const lang of ['zh-CN', 'en']) {
      for (const { description, parameters } of toolsFor({ lang })) {
        const { properties } = parameters as unknown as { properties: Record<string, { description: string }> };
        const texts = [description, ...Object.values(properties).map((property) => property.description)];
        for (const text of texts) expect(/[\u4e00-\u9fff]/.test(text), text).to.equal(lang === 'zh-CN');
      }
    }
  });

  it('take only what their schema allows as a view or a date', () => {
    const pattern = (name: string, parameter: string) => {
      const { properties } = tools.get(name)!.parameters as unknown as { properties: Record<string, { pattern: string }> };
      return new RegExp(properties[parameter]!.pattern, 'u');
    };
    const view = pattern('read_tasks', 'view_context');
    for (const good of ['staging', 'daily::2024-01-01', `area::${AREA}`]) expect(view.test(good), good).to.equal(true);
    for (const bad of ['weekly::x', 'daily::today', 'area::work', ' staging', 'staging::']) expect(view.test(bad), bad).to.equal(false);
    expect(pattern('create_schedule', 'scheduled_date').test('15.1.2024')).to.equal(false);
  });

  describe('create_task', () => {
    it('creates by the API and says so', async () => {
      const result = await run('create_task', { title: '完成报告' });
      expect(result).to.include({ success: true, message: '任务「完成报告」已创建' });
      expect(result.data).to.include({ title: '完成报告', completed: false }).and.to.have.property('id');
      expect(sent()).to.deep.equal(['POST /api/tasks']);
      expect(server.log.requests[0]!.body).to.equal('{"title":"完成报告"}');
    });

    it('fails with the status and the sentence of the server', async () => {
      const error = await failure(run('create_task', { title: '' }));
      expect(error).to.include({ status: 400, message: '任务标题不能为空' });
      expect(error.body).to.include({ code: 400, data: null });
    });

    it('refuses a day that does not exist without asking the server', async () => {
      const result = await run('create_task', { title: 'a', scheduled_date: '2024-02-30' });
      expect(result).to.include({ success: false, code: 'INVALID_PARAMETER' });
      expect(sent()).to.be.empty;
    });

    it('is taken back by deleting what it made', async () => {
      const result = await run('create_task', { title: 'a' });
      await tools.get('create_task')!.undo!(result as never, context);
      expect(await failure(run('delete_task', { task_id: (result.data as { id: string }).id }))).to.include({ status: 404 });
    });
  });

  describe('read_tasks', () => {
    it('counts what it found', async () => {
      for (let n = 1; n <= 5; n++) await create({ title: `任务${n}`, scheduled_date: '2024-01-01' });
      server.log.clear();
      const result = await run('read_tasks', { view_context: 'daily::2024-01-01' });
      expect(result).to.include({ success: true, message: '找到 5 个任务' });
      const { tasks } = result.data as { tasks: Args[] };
      expect(tasks[0]).to.have.all.keys('id', 'title', 'completed', 'area_id', 'scheduled_dates');
      expect(sent()).to.deep.equal(['GET /api/views/daily%3A%3A2024-01-01/tasks']);
    });

    it('calls an empty view empty, and no failure', async () => {
      const result = await run('read_tasks', { view_context: 'staging' });
      expect(result).to.deep.equal({ success: true, message: '找到 0 个任务', data: { tasks: [] }, errorType: 'empty_result' });
    });
  });

  describe('update_task', () => {
    it('checks the task first and sends only what is given', async () => {
      const { id } = await create({ title: 'a' });
      server.log.clear();
      expect(await run('update_task', { task_id: id, completed: true })).to.include({ success: true, message: '任务已更新' });
      expect(sent()).to.deep.equal([`GET /api/tasks/${id}`, `PATCH /api/tasks/${id}`]);
      expect(server.log.requests[1]!.body).to.equal('{"completed":true}');
    });

    it('shows before and after, and can be taken back', async () => {
      const { id } = await create({ title: 'a' });
      const args = { task_id: id, title: 'b', completed: true };
      const tool = tools.get('update_task')!;
      expect(await tool.preview!(args, context)).to.deep.equal([
        { label: '标题', before: 'a', after: 'b' },
        { label: '状态', before: '未完成', after: '已完成' },
      ] satisfies Change[]);
      const result = await run('update_task', args);
      await tool.undo!(result as never, context);
      const { tasks } = (await run('read_tasks', { view_context: 'staging' })).data as { tasks: Args[] };
      expect(tasks[0]).to.include({ title: 'a', completed: false });
    });
  });

  describe('create_schedule', () => {
    it('says the day', async () => {
      const { id } = await create({ title: 'a' });
      const result = await run('create_schedule', { task_id: id, scheduled_date: '2024-01-15' });
      expect(result).to.include({ success: true, message: '已为任务创建日程：2024-01-15' });
      expect(result.data).to.have.property('schedule_id');
      expect(sent().at(-1)).to.equal(`POST /api/tasks/${id}/schedules`);
    });

    it('fails with 409 on the second time, and can be taken back', async () => {
      const { id } = await create({ title: 'a' });
      const args = { task_id: id, scheduled_date: '2024-01-15' };
      const result = await run('create_schedule', args);
      expect(await failure(run('create_schedule', args))).to.include({ status: 409, message: '该任务在这一天已有日程' });
      await tools.get('create_schedule')!.undo!(result as never, context);
      expect(await run('create_schedule', args)).to.have.property('success', true);
    });
  });

  describe('delete_task', () => {
    it('tells people which task it is', async () => {
      const { id } = await create({ title: '完成报告', scheduled_date: '2024-01-15' });
      const tool = tools.get('delete_task')!;
      expect(await tool.describeCall!({ task_id: id }, context)).to.equal('删除任务「完成报告」');
      expect(await tool.preview!({ task_id: id }, context)).to.deep.equal([
        { label: '标题', before: '完成报告' },
        { label: '日期', before: '2024-01-15' },
      ]);
      expect(writes()).to.deep.equal(['POST']);
    });

    it('deletes and answers with no data', async () => {
      const { id } = await create({ title: 'a' });
      expect(await run('delete_task', { task_id: id })).to.deep.equal({ success: true, message: '任务已删除', data: null });
      expect(await run('read_tasks', { view_context: 'staging' })).to.have.property('errorType', 'empty_result');
    });
  });

  it('catch an unknown task before any write', async () => {
    for (const [name, args] of [
      ['update_task', { completed: true }],
      ['create_schedule', { scheduled_date: '2024-01-15' }],
      ['delete_task', {}],
    ] as const) {
      const error = await failure(run(name, { task_id: NOBODY, ...args }));
      expect(error).to.include({ status: 404, message: '任务不存在' });
    }
    expect(writes()).to.be.empty;
    expect(sent()).to.deep.equal(Array(3).fill(`GET /api/tasks/${NOBODY}`));
  });

  it('say the same in English', async () => {
    tools = new Map(toolsFor({ lang: 'en' }).map((tool) => [tool.name, tool]));
    const made = await run('create_task', { title: 'Report' });
    const { id: task_id } = made.data as { id: string };
    expect(await tools.get('delete_task')!.describeCall!({ task_id }, context)).to.equal('Delete the task “Report”');
    const reads = (view_context: string) => tools.get('read_tasks')!.describeCall!({ view_context }, context);
    expect(await reads('daily::2026-11-23')).to.equal('Look at the tasks of 23 November');
    expect(await reads('staging')).to.equal('Look at the tasks that have no day yet');
    expect([
      made.message,
      (await run('read_tasks', { view_context: 'staging' })).message,
      (await run('update_task', { task_id, completed: true })).message,
      (await run('create_schedule', { task_id, scheduled_date: '2024-01-15' })).message,
      (await run('delete_task', { task_id })).message,
      (await failure(run('create_task', { title: '' }))).message,
    ]).to.deep.equal([
      'Task “Report” created',
      'Found 1 task',
      'Task updated',
      'Task scheduled: 2024-01-15',
      'Task deleted',
      'The task title must not be empty',
    ]);
  });

  it('tell a broken server from a refusal by its status', async () => {
    server.log.failNext({ status: 503 });
    expect(await failure(run('read_tasks', { view_context: 'staging' }))).to.include({ name: 'ApiError', status: 503 });
  });
});
