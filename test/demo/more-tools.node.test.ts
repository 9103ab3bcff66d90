/** The task page's further tools: numbers (S0-184), several tasks at once (S0-184), a file for a calendar (S0-199). */
import { expect } from 'chai';
import type { Change } from '../../src/model/calls.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { startTaskServer, type TaskServer } from './task-server.js';

type Api = { createTask(task: object): Promise<{ id: string }>; updateTask(id: string, changes: object): Promise<unknown> };

const load = async <T>(file: string) => (await import(new URL(`../../demo/${file}`, import.meta.url).href)) as T;
const { createApi } = await load<{ createApi(options: object): Api }>('api.js');
const { createMoreTools, calendarFile } = await load<{
  createMoreTools(options: object): ToolDefinition[];
  calendarFile(entries: object[], options: { name: string; now: Date }): string;
}>('more-tools.js');

describe('further tools of the task page', () => {
  let server: TaskServer;
  let api: Api;
  let tools: Map<string, ToolDefinition>;
  let saved: [name: string, content: string, type: string][];
  const context = {
    requestId: 'r',
    sessionId: 's',
    signal: new AbortController().signal,
    progress: () => undefined,
  } as unknown as ToolContext;
  const run = (name: string, args: Record<string, unknown> = {}) =>
    Promise.resolve(tools.get(name)!.execute(args, context)) as Promise<{
      success: boolean;
      message: string;
      data: Record<string, unknown>;
    }>;

  beforeEach(async () => {
    server = await startTaskServer();
    saved = [];
    api = createApi({ apiBaseUrl: server.url, client: 'assistant', lang: 'en' });
    const made = createMoreTools({ api, lang: 'en', save: (...file: [string, string, string]) => saved.push(file) });
    tools = new Map(made.map((tool) => [tool.name, tool]));
  });
  afterEach(() => server.close());

  it('counts what is there, and what comes', async () => {
    const { data: before } = await run('task_stats');
    const { id } = await api.createTask({ title: 'Late', scheduled_date: '2020-01-01' });
    await api.createTask({ title: 'Someday' });
    const { data: after, message } = await run('task_stats');
    const more = (field: string) => Number(after[field]) - Number(before[field]);
    expect(['all', 'open', 'done', 'late', 'unplanned'].map(more)).to.deep.equal([2, 2, 0, 1, 1]);
    expect(message).to.contain('overdue');
    await api.updateTask(id, { completed: true });
    expect((await run('task_stats')).data).to.deep.include({ late: before['late'], done: Number(before['done']) + 1 });
  });

  it('shows each of several tasks by its name, changes all of them, and takes it back (S0-198)', async () => {
    const ids = [(await api.createTask({ title: 'One' })).id, (await api.createTask({ title: 'Two' })).id];
    const tool = tools.get('batch_update_tasks')!;
    expect(tool.risk).to.equal('danger');
    const args = { task_ids: ids, completed: true };
    const changes = (await tool.preview!(args, context)) as Change[];
    expect(changes).to.deep.equal([
      { label: 'One', before: 'open', after: 'done' },
      { label: 'Two', before: 'open', after: 'done' },
    ]);
    const open = async () => (await run('task_stats')).data['open'] as number;
    const before = await open();
    const result = await run('batch_update_tasks', args);
    expect(result).to.deep.include({ success: true, message: '2 tasks updated' });
    expect(await open()).to.equal(before - 2);
    await tool.undo!(result as never, context);
    expect(await open()).to.equal(before);
  });

  it('says which of several failed, and changes the others', async () => {
    const { id } = await api.createTask({ title: 'One' });
    const result = await run('batch_update_tasks', { task_ids: [id, 'nobody'], completed: true });
    expect(result.message).to.equal('1 tasks updated, 1 failed');
    expect(result.data['failed']).to.deep.equal([{ id: 'nobody', reason: 'There is no such task' }]);
  });

  it('saves the planned tasks of some days as a file that calendars read', async () => {
    await api.createTask({ title: 'Dentist, 9:00; bring "card"', scheduled_date: '2031-03-05' });
    await api.createTask({ title: 'Elsewhen', scheduled_date: '2031-04-05' });
    expect(await run('export_calendar', { from: '2031-03-01', to: '2031-03-31' })).to.deep.include({
      message: 'tasks.ics saved: 1 entries',
    });
    const [[name, content, type]] = saved as [[string, string, string]];
    expect([name, type]).to.deep.equal(['tasks.ics', 'text/calendar']);
    expect(content.split('\r\n')).to.include.members([
      'BEGIN:VCALENDAR',
      'DTSTART;VALUE=DATE:20310305',
      'SUMMARY:Dentist\\, 9:00\\; bring "card"',
      'END:VCALENDAR',
    ]);
    expect(content).not.to.contain('Elsewhen');
    expect(await run('export_calendar', { from: '2031-02-30' })).to.deep.include({ success: false });
    expect(await run('export_calendar', { from: '2050-01-01' })).to.deep.include({ success: true });
    expect(saved).to.have.length(1);
  });

  it('folds long lines at 75 octets, inside no character, and lets no title end its line', () => {
    const title = '完成项目报告'.repeat(12);
    const file = calendarFile(
      [
        { uid: 'u', title, completed: false, date: '2031-03-05' },
        { uid: 'v', title: 'a\nEND:VEVENT', completed: true, date: '2031-03-06' },
      ],
      {
        name: 'Tasks',
        now: new Date(0),
      },
    );
    for (const line of file.split('\r\n')) expect(Buffer.byteLength(line)).to.be.at.most(75);
    expect(file.replaceAll('\r\n ', '')).to.contain(`SUMMARY:${title}\r\n`).and.to.contain('SUMMARY:✓ a\\nEND:VEVENT\r\n');
    expect(file.match(/^END:VEVENT\r$/gm)).to.have.length(2);
  });
});
