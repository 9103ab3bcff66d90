/**
 * The page's way to its own HTTP API: one base URL, common headers, one kind of error.
 * The board and the assistant's tools each have one of these; `client` tells the server which of the two is asking.
 */

/**
 * The server refused. A numeric `status` is how `<tool-chat>` recognises an API error; `message` is the server's own
 * sentence, so the person and the model both read why.
 */
export class ApiError extends Error {
  constructor(status, body) {
    super(typeof body?.message === 'string' && body.message ? body.message : `HTTP ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
  }
}

/**
 * @param {{ apiBaseUrl?: string, lang?: string, client: string, fetch?: typeof fetch }} options
 * `apiBaseUrl`: what every path is appended to; default: the page's own origin.
 */
export function createApi({ apiBaseUrl = '', lang = 'en', client, fetch = (...args) => globalThis.fetch(...args) }) {
  /** Resolves with `data` of the answer; rejects with an `ApiError`, or with what `fetch` throws. */
  async function request(method, path, body, { signal } = {}) {
    const response = await fetch(apiBaseUrl + path, {
      method,
      headers: {
        Accept: 'application/json',
        'Accept-Language': lang,
        'X-Client': client,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const answer = await response.json().catch(() => null);
    if (!response.ok || answer === null) throw new ApiError(response.status, answer);
    return answer.data;
  }

  const taskPath = (id) => `/api/tasks/${encodeURIComponent(id)}`;

  return {
    areas: (options) => request('GET', '/api/areas', undefined, options),
    view: (context, options) => request('GET', `/api/views/${encodeURIComponent(context)}/tasks`, undefined, options),
    tasks: (options) => request('GET', '/api/tasks', undefined, options),
    task: (id, options) => request('GET', taskPath(id), undefined, options),
    createTask: (task, options) => request('POST', '/api/tasks', task, options),
    updateTask: (id, changes, options) => request('PATCH', taskPath(id), changes, options),
    deleteTask: (id, options) => request('DELETE', taskPath(id), undefined, options),
    schedule: (id, date, options) => request('POST', `${taskPath(id)}/schedules`, { scheduled_date: date }, options),
    unschedule: (id, scheduleId, options) =>
      request('DELETE', `${taskPath(id)}/schedules/${encodeURIComponent(scheduleId)}`, undefined, options),
  };
}
