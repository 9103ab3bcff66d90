/**
 * Tasks, areas and schedules as SQL. Every change is one batch, which libSQL runs as one transaction: either all of it is
 * written or nothing. Batches instead of interactive transactions, because two requests may not share one of those.
 */
import { LibsqlError, type InStatement, type Row, type Value } from '@libsql/client';
import type { Database } from './database.js';
import type { Language, MessageKey } from './messages.js';
import { sampleText } from './sample-data.js';

export interface Schedule {
  schedule_id: string;
  /** `YYYY-MM-DD` */
  scheduled_date: string;
}

export interface Task {
  id: string;
  title: string;
  completed: boolean;
  area_id: string | null;
  /** Earliest first. */
  schedules: Schedule[];
  /** ISO 8601, UTC. */
  created_at: string;
  updated_at: string;
}

export interface Area {
  id: string;
  name: string;
  /** The name of a colour; the page decides which. */
  color: string;
  open_tasks: number;
}

export type View = { kind: 'daily'; date: string } | { kind: 'staging' } | { kind: 'area'; areaId: string };

/** A request that cannot be carried out: what to answer, and with which HTTP status. */
export class TaskError extends Error {
  readonly status: 400 | 404 | 409 | 413 | 415;
  readonly key: MessageKey;

  constructor(status: TaskError['status'], key: MessageKey) {
    super(key);
    this.name = 'TaskError';
    this.status = status;
    this.key = key;
  }
}

export type TaskStore = ReturnType<typeof createTaskStore>;

export function createTaskStore(database: Database) {
  return {
    async areas(language: Language): Promise<Area[]> {
      const { rows } = await database.execute(
        `SELECT areas.*, (SELECT count(*) FROM tasks WHERE area_id = areas.id AND completed = 0) AS open_tasks FROM areas ORDER BY position`,
      );
      return rows.map((row) => ({
        id: String(row['id']),
        name: sampleText('area', text(row['sample']), language, String(row['name'])),
        color: String(row['color']),
        open_tasks: Number(row['open_tasks']),
      }));
    },

    async view(view: View, language: Language): Promise<Task[]> {
      const [known, found] = await database.batch([areaExists(view), selectTasks(...whereOf(view))], 'read');
      if (known!.rows.length === 0) throw new TaskError(404, 'area_not_found');
      return found!.rows.map((row) => taskOf(row, language));
    },

    async all(language: Language): Promise<Task[]> {
      const { rows } = await database.execute(selectTasks('TRUE', []));
      return rows.map((row) => taskOf(row, language));
    },

    async get(id: string, language: Language): Promise<Task> {
      const { rows } = await database.execute(selectById(id));
      return onlyTask(rows, language);
    },

    async create(input: { title: string; areaId?: string; date?: string }, language: Language): Promise<Task> {
      const id = crypto.randomUUID();
      const now = new Date().toISOString();
      const areaId = input.areaId ?? null;
      const statements: InStatement[] = [
        {
          sql: `INSERT INTO tasks (id, title, area_id, created_at, updated_at)
                SELECT ?1, ?2, ?3, ?4, ?4 WHERE ?3 IS NULL OR EXISTS (SELECT 1 FROM areas WHERE id = ?3)`,
          args: [id, input.title, areaId, now],
        },
      ];
      if (input.date !== undefined) statements.push(insertSchedule(crypto.randomUUID(), id, input.date, now));
      const results = await database.batch([...statements, selectById(id)], 'write');
      const { rows } = results.at(-1)!;
      if (rows.length === 0) throw new TaskError(404, 'area_not_found');
      return onlyTask(rows, language);
    },

    /** Changes only what is given. */
    async update(id: string, changes: { title?: string; completed?: boolean }, language: Language): Promise<Task> {
      const { title = null, completed } = changes;
      const results = await database.batch(
        [
          {
            sql: `UPDATE tasks SET title = coalesce(?1, title), sample = CASE WHEN ?1 IS NULL THEN sample END,
                  completed = coalesce(?2, completed), updated_at = ?3 WHERE id = ?4`,
            args: [title, completed === undefined ? null : Number(completed), new Date().toISOString(), id],
          },
          selectById(id),
        ],
        'write',
      );
      return onlyTask(results[1]!.rows, language);
    },

    async remove(id: string): Promise<void> {
      const results = await database.batch(
        [
          { sql: 'DELETE FROM schedules WHERE task_id = ?', args: [id] },
          { sql: 'DELETE FROM tasks WHERE id = ? RETURNING id', args: [id] },
        ],
        'write',
      );
      if (results[1]!.rows.length === 0) throw new TaskError(404, 'task_not_found');
    },

    async addSchedule(taskId: string, date: string): Promise<Schedule & { task_id: string }> {
      const scheduleId = crypto.randomUUID();
      try {
        const results = await database.batch(
          [
            insertSchedule(scheduleId, taskId, date, new Date().toISOString()),
            { sql: 'SELECT 1 FROM schedules WHERE id = ?', args: [scheduleId] },
          ],
          'write',
        );
        if (results[1]!.rows.length === 0) throw new TaskError(404, 'task_not_found');
      } catch (error) {
        // The only constraint this statement can meet is one schedule a day and task.
        if (error instanceof LibsqlError && error.code.startsWith('SQLITE_CONSTRAINT')) throw new TaskError(409, 'schedule_exists');
        throw error;
      }
      return { schedule_id: scheduleId, task_id: taskId, scheduled_date: date };
    },

    async removeSchedule(taskId: string, scheduleId: string): Promise<void> {
      const { rows } = await database.execute({
        sql: 'DELETE FROM schedules WHERE id = ? AND task_id = ? RETURNING id',
        args: [scheduleId, taskId],
      });
      if (rows.length === 0) throw new TaskError(404, 'schedule_not_found');
    },
  };
}

function insertSchedule(scheduleId: string, taskId: string, date: string, now: string): InStatement {
  return {
    sql: `INSERT INTO schedules (id, task_id, scheduled_date, created_at)
          SELECT ?, id, ?, ? FROM tasks WHERE id = ?`,
    args: [scheduleId, date, now, taskId],
  };
}

function selectTasks(where: string, args: string[]): InStatement {
  return {
    sql: `SELECT tasks.*, (SELECT json_group_array(json_object('schedule_id', id, 'scheduled_date', scheduled_date))
          FROM schedules WHERE task_id = tasks.id) AS schedules
          FROM tasks WHERE ${where} ORDER BY completed, tasks.rowid`,
    args,
  };
}

const selectById = (id: string) => selectTasks('tasks.id = ?', [id]);

function whereOf(view: View): [where: string, args: string[]] {
  switch (view.kind) {
    case 'daily':
      return ['tasks.id IN (SELECT task_id FROM schedules WHERE scheduled_date = ?)', [view.date]];
    case 'staging':
      return ['NOT EXISTS (SELECT 1 FROM schedules WHERE task_id = tasks.id)', []];
    case 'area':
      return ['area_id = ?', [view.areaId]];
  }
}

function areaExists(view: View): InStatement {
  return view.kind === 'area' ? { sql: 'SELECT 1 FROM areas WHERE id = ?', args: [view.areaId] } : 'SELECT 1';
}

function onlyTask(rows: Row[], language: Language): Task {
  const row = rows[0];
  if (!row) throw new TaskError(404, 'task_not_found');
  return taskOf(row, language);
}

function taskOf(row: Row, language: Language): Task {
  const schedules = JSON.parse(String(row['schedules'])) as Schedule[];
  return {
    id: String(row['id']),
    title: sampleText('task', text(row['sample']), language, String(row['title'])),
    completed: row['completed'] === 1,
    area_id: text(row['area_id']),
    schedules: schedules.sort((a, b) => (a.scheduled_date < b.scheduled_date ? -1 : 1)),
    created_at: String(row['created_at']),
    updated_at: String(row['updated_at']),
  };
}

const text = (value: Value | undefined) => (value === null || value === undefined ? null : String(value));
