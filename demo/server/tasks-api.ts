/**
 * The task manager's own HTTP API. The page's board and the assistant's tools are two clients of it, with equal rights.
 * Every answer is an `ApiResponse<T>`: `{code, message, data}`; `code` is 0 for success, else the HTTP status.
 */
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import { createChangeFeed, type Change, type ChangeFeed } from './changes.js';
import type { Database } from './database.js';
import { isMessageKey, languageOf, message, type MessageKey } from './messages.js';
import type { RequestLog } from './request-log.js';
import { createTaskStore, TaskError, type View } from './task-store.js';

export interface ApiResponse<T> {
  code: number;
  message: string;
  data: T;
  errorType?: string;
}

export interface TasksApiOptions {
  database: Database;
  /** Only for tests: notes every request, and can make the next one fail or wait. */
  log?: RequestLog;
  /** Default: a feed of its own. */
  changes?: ChangeFeed;
  /** Gets faults that are not the caller's. Default: `console.error`. */
  onError?: (error: unknown) => void;
}

export interface TasksApi {
  fetch(request: Request): Promise<Response>;
  changes: ChangeFeed;
}

const MAX_BODY_BYTES = 65_536;
const PING_MS = 25_000;

// A NUL ends a text early for SQLite, and half a surrogate pair cannot be stored as it came.
const title = z
  .string('title_required')
  .trim()
  .min(1, 'title_required')
  .max(200, 'title_too_long')
  .refine((text) => !/\0|\p{Surrogate}/u.test(text), 'title_invalid');
const date = z.iso.date('date_invalid');
const createBody = z.strictObject({ title, area_id: z.guid('area_invalid').nullish(), scheduled_date: date.nullish() });
const updateBody = z
  .strictObject({ title: title.optional(), completed: z.boolean('completed_boolean').optional() })
  .refine((changes) => changes.title !== undefined || changes.completed !== undefined, 'nothing_to_change');
const scheduleBody = z.strictObject({ scheduled_date: date });

export function createTasksApi({ database, log, changes = createChangeFeed(), onError = console.error }: TasksApiOptions): TasksApi {
  const store = createTaskStore(database);
  const app = new Hono();

  app.onError((error, c) => {
    if (error instanceof TaskError) return failure(c, error.status, error.key);
    onError(error);
    return failure(c, 500, 'server_error');
  });
  app.notFound((c) => failure(c, 404, 'route_not_found'));

  if (log) {
    app.use(async (c, next) => {
      const { entry, fault } = await log.receive(c.req.raw);
      if (fault) c.res = c.json({ code: fault.status, message: fault.message ?? `HTTP ${fault.status}`, data: null }, fault.status as 500);
      else await next();
      entry.status = c.res.status;
    });
  }
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (c) => failure(c, 413, 'body_too_large') }));
  app.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
  });

  app.get('/api/areas', async (c) => success(c, { areas: await store.areas(languageFor(c)) }));

  app.get('/api/views/:context/tasks', async (c) => {
    const view = viewOf(c.req.param('context'));
    return success(c, { view_context: c.req.param('context'), tasks: await store.view(view, languageFor(c)) });
  });

  /** All tasks of all views, for numbers about them and for a calendar. */
  app.get('/api/tasks', async (c) => success(c, { tasks: await store.all(languageFor(c)) }));

  app.post('/api/tasks', async (c) => {
    const body = await readBody(c, createBody);
    const input = {
      title: body.title,
      ...(body.area_id ? { areaId: body.area_id.toLowerCase() } : {}),
      ...(body.scheduled_date ? { date: body.scheduled_date } : {}),
    };
    const task = await store.create(input, languageFor(c));
    publish(c, 'task.created', task.id);
    return success(c, task, 201);
  });

  app.get('/api/tasks/:id', async (c) => success(c, await store.get(c.req.param('id'), languageFor(c))));

  app.patch('/api/tasks/:id', async (c) => {
    const { title, completed } = await readBody(c, updateBody);
    const supplied = { ...(title === undefined ? {} : { title }), ...(completed === undefined ? {} : { completed }) };
    const task = await store.update(c.req.param('id'), supplied, languageFor(c));
    publish(c, 'task.updated', task.id);
    return success(c, task);
  });

  app.delete('/api/tasks/:id', async (c) => {
    await store.remove(c.req.param('id'));
    publish(c, 'task.deleted', c.req.param('id'));
    return success(c, null);
  });

  app.post('/api/tasks/:id/schedules', async (c) => {
    const { scheduled_date } = await readBody(c, scheduleBody);
    const schedule = await store.addSchedule(c.req.param('id'), scheduled_date);
    publish(c, 'task.scheduled', schedule.task_id);
    return success(c, schedule, 201);
  });

  app.delete('/api/tasks/:id/schedules/:scheduleId', async (c) => {
    await store.removeSchedule(c.req.param('id'), c.req.param('scheduleId'));
    publish(c, 'task.unscheduled', c.req.param('id'));
    return success(c, null);
  });

  /** Server-sent events: `ready` once, then a `change` for each write, whoever made it. */
  app.get('/api/events', (c) =>
    streamSSE(c, async (stream) => {
      const pings = setInterval(() => void stream.write(': ping\n\n'), PING_MS);
      await new Promise<void>((resolve) => {
        const send = (change: Change) => void stream.writeSSE({ event: 'change', data: JSON.stringify(change) });
        const unsubscribe = changes.subscribe(send, resolve);
        stream.onAbort(() => {
          unsubscribe();
          resolve();
        });
        void stream.writeSSE({ event: 'ready', data: '{}' });
      });
      clearInterval(pings);
    }),
  );

  function publish(c: Context, type: Change['type'], taskId: string) {
    changes.publish({ type, task_id: taskId, source: c.req.header('X-Client') ?? 'other' });
  }

  return { fetch: async (request) => app.fetch(request), changes };
}

function success<T>(c: Context, data: T, status: 200 | 201 = 200) {
  return c.json({ code: 0, message: 'OK', data } satisfies ApiResponse<T>, status);
}

function failure(c: Context, status: TaskError['status'] | 500, key: MessageKey) {
  const body: ApiResponse<null> = { code: status, message: message(key, languageFor(c)), data: null };
  if (status === 400) body.errorType = 'invalid_format';
  return c.json(body, status);
}

const languageFor = (c: Context) => languageOf(c.req.header('Accept-Language'));

/** Refuses anything but JSON by its type: a form on another site can send text, and would otherwise write here with no preflight. */
async function readBody<T extends z.ZodType>(c: Context, schema: T): Promise<z.output<T>> {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') throw new TaskError(415, 'body_not_json');
  let body: unknown;
  try {
    body = await c.req.json();
  } catch {
    throw new TaskError(400, 'body_invalid');
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') throw new TaskError(400, 'unknown_field');
  throw new TaskError(400, issue && isMessageKey(issue.message) ? issue.message : 'body_invalid');
}

/** `daily::2024-01-01`, `staging` or `area::<uuid>`. */
function viewOf(context: string): View {
  if (context === 'staging') return { kind: 'staging' };
  const [kind, value = '', ...rest] = context.split('::');
  if (rest.length === 0 && kind === 'daily' && date.safeParse(value).success) return { kind, date: value };
  if (rest.length === 0 && kind === 'area' && z.guid().safeParse(value).success) return { kind, areaId: value.toLowerCase() };
  throw new TaskError(400, 'view_invalid');
}
