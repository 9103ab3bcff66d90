/** A real task API over a database of its own, listening on a free port. */
import { openDatabase } from '../../demo/server/database.js';
import { createRequestLog, type RequestLog } from '../../demo/server/request-log.js';
import { listen } from '../../demo/server/site.js';
import { createTasksApi } from '../../demo/server/tasks-api.js';

export interface TaskServer {
  url: string;
  log: RequestLog;
  /** The answer's status, headers and parsed body. `body` is sent as JSON; a string is sent as it is. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: { code: number; message: string; data: never; errorType?: string };
}

/** `seed: true` fills in the sample data, planned around `today`. */
export async function startTaskServer({ seed = false, today = '2024-01-15' } = {}): Promise<TaskServer> {
  const database = await openDatabase({ url: ':memory:', seed, today });
  await database.execute(`INSERT OR IGNORE INTO areas (id, name, color, position) VALUES ('${AREA}', 'Garden', 'green', 9)`);
  const log = createRequestLog();
  const tasks = createTasksApi({ database, log });
  const site = await listen((request) => tasks.fetch(request), { port: 0 });
  return {
    url: site.url,
    log,
    async ask(method, path, body, headers = {}) {
      const response = await fetch(site.url + path, {
        method,
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
    },
    async close() {
      tasks.changes.close();
      await site.close();
      database.close();
    },
  };
}

export const AREA = '11111111-2222-4333-8444-555555555555';
export const NOBODY = '00000000-0000-4000-8000-000000000000';
