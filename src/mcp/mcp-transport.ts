/**
 * Streamable HTTP of both eras: each request is a POST that is answered by JSON or by a stream of events; from 2026-07-28 on without sessions,
 * before it with a session id and with streams that can be taken up again.
 */
import { isObject, own } from '../base/objects.js';
import { createSseReader } from '../transports/sse.js';
import { readText } from '../toolkits/answers.js';
import { McpError, readMcpError, readRpcMessages, type Fields, type Message } from './mcp-message.js';

export const MODERN = '2026-07-28';
/** Bytes and events of one answer that comes as a stream. */
const STREAM_BYTES = 8_000_000;
const STREAM_EVENTS = 100_000;
/** Answers that a server gets at the same time, what it may ask before it has them, and messages of one batch. */
const ANSWERS = 8;
const UNANSWERED = 100;
const BATCH = 100;
/** Times in a row that a stream is taken up again without anything new. */
const RESUMES = 3;
/** Milliseconds between them, where the server does not say, and the most that it may say. */
const PAUSE = 1000;
const LONGEST_PAUSE = 60_000;
const META = 'io.modelcontextprotocol/';

export interface TransportOptions {
  url: URL;
  /** Asked for every request. */
  headers(): Promise<Record<string, string>>;
  fetch: typeof globalThis.fetch;
  /** What this client can do, as the server is told it. */
  capabilities: Fields;
  /** It wants another token, and says which; whether there is one now. */
  onUnauthorized?: ((challenge: string) => Promise<boolean>) | undefined;
  /** What a server says or asks unasked; gives what it asked for, or rejects. */
  onMessage(message: Exclude<Message, { type: 'answer' }>): Promise<Fields> | undefined;
}

export interface Asking {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** Gets what a server reports of this request. */
  onProgress?: (params: Fields) => void;
  /** The user is asked something for this request: its time does not run until the returned function is called. */
  pause?: (() => () => void) | undefined;
}

export interface Transport {
  /** `MODERN`, or what `initialize` agreed on; empty before. */
  version: string;
  readonly hasSession: boolean;
  /** @throws McpError, or the signal's reason */
  request(method: string, params: Fields, asking?: Asking): Promise<Fields>;
  notify(method: string, params?: Fields): Promise<void>;
  /**
   * Hears what comes unasked until the stream ends. Gives the milliseconds to wait before it is opened again; undefined where the server has no
   * such stream.
   *
   * @throws McpError
   */
  listen(signal: AbortSignal): Promise<number | undefined>;
  forgetSession(): void;
  endSession(): Promise<void>;
}

export function createTransport({ url, headers, fetch, capabilities, onUnauthorized, onMessage }: TransportOptions): Transport {
  let ids = 0;
  let session: string | undefined;
  /** Of the stream that carries what comes unasked. */
  let lastHeard = '';
  const answers: Fields[] = [];
  let unanswered = 0;
  let answering = 0;

  /** With another token, where that is what is missing: what was refused was not done. */
  async function send(...sent: Parameters<typeof sendOnce>): Promise<Response> {
    const response = await sendOnce(...sent);
    const challenge = response.headers.get('www-authenticate') ?? '';
    if (response.status !== 401 && !(response.status === 403 && /insufficient_scope/.test(challenge))) return response;
    if (!(await onUnauthorized?.(challenge))) return response;
    await response.body?.cancel();
    return sendOnce(...sent);
  }

  async function sendOnce(method: 'POST' | 'GET' | 'DELETE', body: Fields | undefined, more: Record<string, string>, signal?: AbortSignal) {
    const all = new Headers({ accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream' });
    if (body) all.set('content-type', 'application/json');
    if (transport.version) all.set('mcp-protocol-version', transport.version);
    if (session !== undefined) all.set('mcp-session-id', session);
    for (const [name, value] of [...Object.entries(more), ...Object.entries(await headers())]) all.set(name, value);
    try {
      const sent = { method, headers: all, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) };
      return await fetch(url, { ...sent, redirect: 'error', referrerPolicy: 'no-referrer', cache: 'no-store' });
    } catch {
      signal?.throwIfAborted();
      throw new McpError('network', 'The server could not be reached.');
    }
  }

  function post(message: Fields, { headers: more = {}, signal }: Asking = {}): Promise<Response> {
    const modern: Record<string, string> = transport.version === MODERN ? { 'mcp-method': String(message['method']) } : {};
    return send('POST', { jsonrpc: '2.0', ...message }, { ...modern, ...more }, signal);
  }

  function withMeta(params: Fields, progressToken?: number): Fields {
    const meta = {
      ...(transport.version === MODERN && {
        [`${META}protocolVersion`]: MODERN,
        [`${META}clientCapabilities`]: capabilities,
        [`${META}clientInfo`]: { name: 'tool-chat', version: '1' },
      }),
      ...(progressToken !== undefined && { progressToken }),
    };
    return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
  }

  async function request(method: string, params: Fields, asking: Asking = {}): Promise<Fields> {
    const { signal, onProgress } = asking;
    signal?.throwIfAborted();
    const id = (ids += 1);
    const onAbort = () => {
      // A stream that is closed says it already, in the newer era.
      if (transport.version !== MODERN && method !== 'initialize')
        notify('notifications/cancelled', { requestId: id, reason: 'cancelled' }).catch(() => undefined);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const response = await post({ id, method, params: withMeta(params, onProgress && id) }, asking);
      if (!response.ok) throw await refusal(response);
      const given = response.headers.get('mcp-session-id');
      if (method === 'initialize' && given !== null) session = given;
      return await answerOf(response, id, asking);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async function answerOf(response: Response, id: number, { signal, onProgress }: Asking): Promise<Fields> {
    let answer: Extract<Message, { type: 'answer' }> | undefined;
    const hear = (text: string): boolean => {
      const messages = readRpcMessages(text);
      if (!messages) throw new McpError('unreadable', 'The server sent what is no JSON.');
      if (messages.length > BATCH) throw new McpError('too-large', 'The answer is too large.');
      for (const message of messages) {
        if (message.type === 'answer') answer = message.id === id ? message : answer;
        else if (message.type === 'notice' && message.method === 'notifications/progress') {
          if (message.params['progressToken'] === id) onProgress?.(message.params);
        } else serve(message);
      }
      return answer !== undefined;
    };
    let end = await readAll(response, hear, signal);
    let { lastId, retry } = end;
    // The call may be at work. Whatever goes wrong from here on does not say that it is not.
    for (let left = RESUMES; !answer && lastId && transport.version !== MODERN && left > 0; left -= 1) {
      if (retry !== undefined || left < RESUMES) await sleep(retry ?? PAUSE, signal);
      try {
        const again = await send('GET', undefined, { 'last-event-id': lastId }, signal);
        if (!again.ok) break;
        end = await readAll(again, hear, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof McpError && error.why !== 'network') throw error;
        continue;
      }
      if (end.heard) left = RESUMES + 1;
      lastId = end.lastId || lastId;
      retry = end.retry ?? retry;
    }
    if (!answer) throw new McpError('cut', 'The connection ended before the answer.');
    if (answer.error) throw answer.error;
    return answer.result ?? {};
  }

  /** Answers what a server asks, in a request of its own. What is asked while too much is unanswered gets no answer. */
  function serve(message: Exclude<Message, { type: 'answer' }>): void {
    if (message.type !== 'request') return void onMessage(message);
    if (unanswered >= UNANSWERED) return;
    unanswered += 1;
    const { id } = message;
    void (onMessage(message) ?? Promise.reject(new Error('unknown')))
      .then(
        (result): Fields => ({ id, result }),
        (): Fields => ({ id, error: { code: -32601, message: 'Not supported here' } }),
      )
      .then((answer) => {
        answers.push(answer);
        if (answering < ANSWERS) void sendAnswers();
      });
  }

  async function sendAnswers(): Promise<void> {
    answering += 1;
    for (let next = answers.shift(); next; next = answers.shift()) {
      const response = await post(next).catch(() => undefined);
      response?.body?.cancel().catch(() => undefined);
      unanswered -= 1;
    }
    answering -= 1;
  }

  async function notify(method: string, params: Fields = {}): Promise<void> {
    const response = await post({ method, params: withMeta(params) });
    await response.body?.cancel();
  }

  async function listen(signal: AbortSignal): Promise<number | undefined> {
    const hear = (text: string): boolean => {
      for (const message of readRpcMessages(text)?.slice(0, BATCH) ?? []) if (message.type !== 'answer') serve(message);
      return false;
    };
    const subscribe = { id: (ids += 1), method: 'subscriptions/listen', params: withMeta({ notifications: { toolsListChanged: true } }) };
    const since: Record<string, string> = lastHeard ? { 'last-event-id': lastHeard } : {};
    const response = transport.version === MODERN ? await post(subscribe, { signal }) : await send('GET', undefined, since, signal);
    if (!response.ok && response.status !== 405) throw await refusal(response);
    if (!isStream(response)) {
      await response.body?.cancel();
      return undefined;
    }
    const { lastId, retry = PAUSE } = await readAll(response, hear, signal, Infinity);
    lastHeard = lastId || lastHeard;
    return retry;
  }

  const transport: Transport = {
    version: '',
    get hasSession() {
      return session !== undefined;
    },
    ...{ request, notify, listen },
    forgetSession() {
      session = undefined;
      lastHeard = '';
      transport.version = '';
    },
    async endSession() {
      if (session === undefined) return;
      const response = await send('DELETE', undefined, {});
      session = undefined;
      await response.body?.cancel();
    },
  };
  return transport;
}

const isStream = (response: Response): boolean => response.headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Gives the server's own words; a page of markup has none. */
async function refusal(response: Response): Promise<McpError> {
  const { status } = response;
  const text = (await readText(response).catch(() => '')) ?? '';
  let message = '';
  try {
    const json: unknown = JSON.parse(text);
    const error = own(json, 'error');
    if (isObject(error)) return readMcpError(error, status);
    message = [error, own(json, 'message'), own(json, 'detail')].find((words) => typeof words === 'string') ?? '';
  } catch {
    // Most refusals that are no JSON come from what stands before the server. Some servers say it in plain words.
    if (!text.includes('<') && text.length <= 300) message = text.trim();
  }
  return new McpError('refused', message, { status, data: response.headers.get('www-authenticate') ?? undefined });
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

interface StreamEnd {
  /** Id of the last event. */
  lastId: string;
  /** Milliseconds after which the server wants to be asked for more. */
  retry?: number;
  /** Something new came, if only that. */
  heard: boolean;
}

/** Hands on each text until `hear` has what it wants. */
async function readAll(
  response: Response,
  hear: (text: string) => boolean,
  signal: AbortSignal | undefined,
  mostBytes = STREAM_BYTES,
): Promise<StreamEnd> {
  const last: StreamEnd = { lastId: '', heard: false };
  if (!isStream(response)) {
    const text = await readText(response);
    if (text === undefined) throw new McpError('too-large', 'The answer is too large.');
    if (text.trim()) hear(text);
    return last;
  }
  let done = false;
  let events = 0;
  let wrong: unknown;
  const tooMuch = () => (wrong ??= new McpError('too-large', 'The answer is too large.'));
  const sse = createSseReader({
    event({ id, data }) {
      if (id) last.lastId = id;
      last.heard = true;
      if (data === '' || done || wrong) return;
      events += 1;
      if (events > STREAM_EVENTS && mostBytes !== Infinity) tooMuch();
      try {
        done = hear(data);
      } catch (error) {
        wrong = error;
      }
    },
    comment: () => undefined,
    retry(ms) {
      last.retry = Math.min(ms, LONGEST_PAUSE);
      last.heard = true;
    },
    tooLong: tooMuch,
  });
  const reader = response.body?.getReader();
  let bytes = 0;
  try {
    while (reader && !done && wrong === undefined) {
      const chunk = await reader.read();
      if (chunk.done) break;
      bytes += chunk.value.byteLength;
      if (bytes > mostBytes) tooMuch();
      sse.push(chunk.value);
    }
  } catch {
    // It broke: what came counts, and what is missing can be asked for again.
    signal?.throwIfAborted();
  }
  reader?.cancel().catch(() => undefined);
  if (wrong !== undefined) throw wrong instanceof Error ? wrong : new McpError('unreadable', '');
  return last;
}
