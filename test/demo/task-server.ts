/** A real task API over a database of its own, listening on a free port. */
import { openDatabase } from '../../demo/server/database.js';
import { createRequestLog, type RequestLog } from '../../demo/server/request-log.js';
import { listen } from '../../demo/server/site.js';
import { createTasksApi } from '../../demo/server/tasks-api.js';

export interface TaskServer {
  url: string;
  log: RequestLog;
  close(): Promise<void>;
}

export async function startTaskServer(): Promise<TaskServer> {
  const database = await openDatabase({ url: ':memory:', seed: false, today: '2024-01-15' });
  await database.execute(`INSERT OR IGNORE INTO areas (id, name, color, position) VALUES ('${AREA}', 'Garden', 'green', 9)`);
  const log = createRequestLog();
  const tasks = createTasksApi({ database, log });
  const site = await listen((request) => tasks.fetch(request), { port: 0 });
  return {
    url: site.url,
    log,
    async close() {
      tasks.changes.close();
      await site.close();
      database.close();
    },
  };
}

const AREA = '11111111-2222-4333-8444-555555555555';
