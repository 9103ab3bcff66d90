import { expect } from 'chai';
import { AREA, NOBODY, startTaskServer, type TaskServer } from './task-server.js';

interface Task {
  id: string;
  title: string;
  completed: boolean;
  area_id: string | null;
  schedules: { schedule_id: string; scheduled_date: string }[];
}

describe('task API', () => {
  let server: TaskServer;
  beforeEach(async () => void (server = await startTaskServer()));
  afterEach(() => server.close());

  const create = async (task: object) => (await server.ask('POST', '/api/tasks', task)).body.data as Task;
  const view = async (context: string) => {
    const { body } = await server.ask('GET', `/api/views/${encodeURIComponent(context)}/tasks`);
    return (body.data as { tasks: Task[] }).tasks;
  };
  const everything = async () => [...(await view('staging')), ...(await view('daily::2024-01-15')), ...(await view(`area::${AREA}`))];

  describe('creating', () => {
    it('refuses what it cannot store, says why, and writes nothing', async () => {
      const [empty, storable] = ['The task title must not be empty', 'The task title has characters that cannot be stored'];
      const [day, object] = ['The date must be a real day, written YYYY-MM-DD', 'The request body must be a JSON object'];
      for (const [body, message] of [
        [{}, empty],
        [{ title: ' \n' }, empty],
        [{ title: 5 }, empty],
        [{ title: 'x'.repeat(201) }, 'The task title must not be longer than 200 characters'],
        [{ title: 'a\0b' }, storable],
        [{ title: 'a\ud83d' }, storable],
        [{ title: 'x', scheduled_date: '2024-02-30' }, day],
        [{ title: 'x', scheduled_date: '15.1.2024' }, day],
        [{ title: 'x', area_id: 'work' }, '"area_id" must be the id of an area'],
        [{ title: 'x', colour: 'red' }, 'The request has a field this endpoint does not know'],
        [[], object],
        ['{"title": "x"', object],
        ['', object],
      ] as const) {
        const answer = await server.ask('POST', '/api/tasks', body);
        expect([answer.status, answer.body], message).to.deep.equal([400, { code: 400, message, data: null, errorType: 'invalid_format' }]);
      }
      // A form of another site could send a body that is no JSON.
      expect((await server.ask('POST', '/api/tasks', '{"title":"x"}', { 'Content-Type': 'text/plain' })).status).to.equal(415);
      expect((await server.ask('POST', '/api/tasks', { title: 'x'.repeat(70_000) })).status).to.equal(413);
      expect(await everything()).to.be.empty;
    });
  });

  describe('views', () => {
    it('refuses a context that is none', async () => {
      const contexts =
        'weekly::x daily daily:: daily::2024-02-30 daily::2024-01-15::x staging::x area::garden area:: %E0%A4 daily::2024-01-15%2F.. __proto__';
      for (const context of contexts.split(' ')) {
        const { status, body } = await server.ask('GET', `/api/views/${context}/tasks`);
        expect([status, body.message.includes('daily::YYYY-MM-DD')], context).to.deep.equal([400, true]);
      }
    });
  });

  describe('one task', () => {
    let task: Task;
    beforeEach(async () => void (task = await create({ title: 'Weed', area_id: AREA, scheduled_date: '2024-01-15' })));

    it('changes only what is given, and stays as it was where it refuses', async () => {
      const path = `/api/tasks/${task.id}`;
      for (const [method, at, body] of [
        ...[{}, { title: '' }, { completed: 'true' }, { completed: true, title: '' }, { area_id: AREA }].map(
          (body) => ['PATCH', path, body] as const,
        ),
        ...[{}, { scheduled_date: '2024-13-01' }, { scheduled_date: 20240101 }].map((body) => ['POST', `${path}/schedules`, body] as const),
      ])
        expect((await server.ask(method, at, body)).status, JSON.stringify(body)).to.equal(400);
      expect((await server.ask('GET', path)).body.data).to.deep.equal(task);
      const done = (await server.ask('PATCH', path, { completed: true })).body.data as Task;
      expect(done).to.include({ title: 'Weed', completed: true, area_id: AREA });
      const renamed = (await server.ask('PATCH', path, { title: 'Water' })).body.data as Task;
      expect(renamed).to.include({ title: 'Water', completed: true });
      expect(renamed.schedules).to.deep.equal(task.schedules);
    });
  });

  it('answers 404 with the same sentence for every way to reach a task that does not exist', async () => {
    for (const id of [NOBODY, 'x', "'", '..%2F..']) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { completed: true }],
        ['DELETE', '', undefined],
        ['POST', '/schedules', { scheduled_date: '2024-01-15' }],
      ] as const) {
        const answer = await server.ask(method, `/api/tasks/${id}${path}`, body, { 'Accept-Language': 'zh-CN' });
        expect([method, id, answer.status, answer.body.message]).to.deep.equal([method, id, 404, '任务不存在']);
      }
    }
    expect(await view('daily::2024-01-15')).to.be.empty;
  });

  it('tells followers of every change, and of nothing that was refused', async () => {
    const abort = new AbortController();
    const response = await fetch(`${server.url}/api/events`, { signal: abort.signal });
    expect(response.headers.get('content-type')).to.match(/^text\/event-stream/);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (mark: string) => {
      while (!text.includes(mark)) text += (await reader.read()).value ?? '';
    };
    await until('event: ready');
    await server.ask('POST', '/api/tasks', { title: '' });
    const { id } = await create({ title: 'x' });
    await server.ask('DELETE', `/api/tasks/${id}`, undefined, { 'X-Client': 'assistant' });
    await until('task.deleted');
    const changes = [...text.matchAll(/^data: (\{"type.*)$/gm)].map(([, json]) => JSON.parse(json!) as object);
    expect(changes).to.deep.equal([
      { type: 'task.created', task_id: id, source: 'other' },
      { type: 'task.deleted', task_id: id, source: 'assistant' },
    ]);
    abort.abort();
  });
});
