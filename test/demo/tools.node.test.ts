/** The task page's tools over a real task API: what its pages do not show of them. `more-tools` counts, changes several and exports (S0-184, S0-199). */
import { expect } from 'chai';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { startTaskServer, type TaskServer } from './task-server.js';

type Args = Record<string, unknown>;
interface Result {
  success: boolean;
  message: string;
  data: Args;
}

// The page's own scripts, as the browser loads them: plain JavaScript without types.
const load = async <T>(file: string) => (await import(new URL(`../../demo/${file}`, import.meta.url).href)) as T;
const { createApi } = await load<{ createApi(options: object): object }>('api.js');
const { createTaskTools } = await load<{ createTaskTools(options: object): ToolDefinition[] }>('tools.js');
const { createMoreTools } = await load<{ createMoreTools(options: object): ToolDefinition[] }>('more-tools.js');

describe('tools of the task page', () => {
  let server: TaskServer;
  let tools: Map<string, ToolDefinition>;
  let saved: [name: string, content: string, type: string][];
  const context = {
    requestId: 'r1',
    sessionId: 's1',
    signal: new AbortController().signal,
    progress: () => undefined,
  } as unknown as ToolContext;

  function speak(lang: string) {
    const api = createApi({ apiBaseUrl: server.url, client: 'assistant', lang });
    const more = createMoreTools({ api, lang, save: (...file: [string, string, string]) => saved.push(file) });
    tools = new Map([...createTaskTools({ api, lang }), ...more].map((tool) => [tool.name, tool]));
  }
  beforeEach(async () => {
    server = await startTaskServer();
    saved = [];
    speak('en');
  });
  afterEach(() => server.close());

  const run = (name: string, args: Args = {}) => Promise.resolve(tools.get(name)!.execute(args, context)) as Promise<Result>;
  const undo = (name: string, result: Result) => tools.get(name)!.undo!(result as never, context);
  const preview = (name: string, args: Args) => tools.get(name)!.preview!(args, context);
  const create = async (args: Args) => String((await run('create_task', args)).data['id']);

  it('count what is there, and what comes (S0-184)', async () => {
    const { data: before } = await run('task_stats');
    const task_id = await create({ title: 'Late', scheduled_date: '2020-01-01' });
    await create({ title: 'Someday' });
    const { data: after, message } = await run('task_stats');
    const more = (field: string) => Number(after[field]) - Number(before[field]);
    expect(['all', 'open', 'done', 'late', 'unplanned'].map(more)).to.deep.equal([2, 2, 0, 1, 1]);
    expect(message).to.contain('overdue');
    await run('update_task', { task_id, completed: true });
    expect((await run('task_stats')).data).to.deep.include({ late: before['late'], done: Number(before['done']) + 1 });
  });

  it('show each of several tasks by its name, change all of them that there are, and undo it (S0-198)', async () => {
    const task_ids = [await create({ title: 'One' }), await create({ title: 'Two' })];
    expect(tools.get('batch_update_tasks')!.risk).to.equal('danger');
    expect(await preview('batch_update_tasks', { task_ids, completed: true })).to.deep.equal([
      { label: 'One', before: 'open', after: 'done' },
      { label: 'Two', before: 'open', after: 'done' },
    ]);
    const open = async () => (await run('task_stats')).data['open'] as number;
    const before = await open();
    const result = await run('batch_update_tasks', { task_ids, completed: true });
    expect(result).to.deep.include({ success: true, message: '2 tasks updated' });
    expect(await open()).to.equal(before - 2);
    await undo('batch_update_tasks', result);
    expect(await open()).to.equal(before);
    const partly = await run('batch_update_tasks', { task_ids: [task_ids[0], 'nobody'], completed: true });
    expect(partly.message).to.equal('1 tasks updated, 1 failed');
  });

  it('save the planned tasks of some days as a file that calendars read (S0-199)', async () => {
    await create({ title: 'Dentist, 9:00; bring "card"', scheduled_date: '2031-03-05' });
    await create({ title: 'Elsewhen', scheduled_date: '2031-04-05' });
    expect((await run('export_calendar', { from: '2031-03-01', to: '2031-03-31' })).message).to.equal('tasks.ics saved: 1 entries');
    const [[name, content, type] = []] = saved;
    expect([name, type]).to.deep.equal(['tasks.ics', 'text/calendar']);
    expect(content?.split('\r\n')).to.include.members([
      'BEGIN:VCALENDAR',
      'DTSTART;VALUE=DATE:20310305',
      'SUMMARY:Dentist\\, 9:00\\; bring "card"',
      'END:VCALENDAR',
    ]);
    expect(content).not.to.contain('Elsewhen');
    expect(await run('export_calendar', { from: '2031-02-30' })).to.include({ success: false });
  });
});
