/** The database of tasks: libSQL, as an embedded file unless `DATABASE_URL` names another file or a libSQL server. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '@libsql/client';
import { sampleAreas, sampleTasks } from './sample-data.js';

export type Database = Client;

export interface DatabaseOptions {
  /** `file:…`, `libsql://…`, `https://…` or `:memory:`. Default: `file:data/demo.db` under the project. */
  url?: string | undefined;
  /** For a libSQL server that wants one. */
  authToken?: string | undefined;
  /** The day the sample tasks are planned around, `YYYY-MM-DD`. Default: today, local time. */
  today?: string;
  /** If true, a database without any area gets the sample areas and tasks. Default true. */
  seed?: boolean;
}

export const DEFAULT_DATABASE_PATH = fileURLToPath(new URL('../../data/demo.db', import.meta.url));

// Every foreign key is also checked by the statements themselves: a libSQL server may run with the constraint off.
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS areas (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    sample TEXT,
    position INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS tasks (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL CHECK (length(title) > 0),
    completed INTEGER NOT NULL DEFAULT 0 CHECK (completed IN (0, 1)),
    area_id TEXT REFERENCES areas (id),
    sample TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS schedules (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    scheduled_date TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (task_id, scheduled_date)
  )`,
  'CREATE INDEX IF NOT EXISTS schedules_by_date ON schedules (scheduled_date)',
  'CREATE INDEX IF NOT EXISTS tasks_by_area ON tasks (area_id)',
];

/** Opens the database, creates what is missing, and fills an empty one with sample data. Throws when the address cannot be opened. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  const url = options.url || `file:${DEFAULT_DATABASE_PATH}`;
  if (url.startsWith('file:') && !url.includes(':memory:')) {
    const path = url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length);
    mkdirSync(dirname(path), { recursive: true });
  }
  const database = createClient({ url, timeout: 5000, ...(options.authToken ? { authToken: options.authToken } : {}) });
  await database.batch(SCHEMA, 'write');
  if (options.seed ?? true) await seed(database, options.today ?? localDate(new Date()));
  return database;
}

/** Local calendar date as `YYYY-MM-DD`. */
export function localDate(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

async function seed(database: Database, today: string): Promise<void> {
  const { rows } = await database.execute('SELECT 1 FROM areas LIMIT 1');
  if (rows.length > 0) return;
  const now = new Date().toISOString();
  const statements = sampleAreas.map((area, position) => ({
    sql: 'INSERT OR IGNORE INTO areas (id, name, color, sample, position) VALUES (?, ?, ?, ?, ?)',
    args: [area.id, area.name.en, area.color, area.key, position] as (string | number | null)[],
  }));
  for (const task of sampleTasks) {
    const id = crypto.randomUUID();
    statements.push({
      sql: 'INSERT INTO tasks (id, title, completed, area_id, sample, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      args: [id, task.title.en, task.completed ? 1 : 0, task.areaId, task.key, now, now],
    });
    if (task.dayOffset === null) continue;
    statements.push({
      sql: 'INSERT INTO schedules (id, task_id, scheduled_date, created_at) VALUES (?, ?, ?, ?)',
      args: [crypto.randomUUID(), id, addDays(today, task.dayOffset), now],
    });
  }
  await database.batch(statements, 'write');
}

function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
