/**
 * Streamable HTTP, old and new: each request is a POST with a JSON or event stream response. Versions from 2026-07-28 on have no sessions;
 * earlier ones have a session id and resumable streams.
 */
import { isObject, own } from '../base/objects.js';
import { createSseReader } from '../transports/sse.js';
import { readText } from '../toolkits/read-response.js';
import { McpError, MOST_MESSAGES, readMcpError, readRpcMessages, type Fields, type Message } from './mcp-message.js';

export const MODERN = '2026-07-28';
/** Maximum number of bytes and events in one streamed response. */
const STREAM_BYTES = 8_000_000;
const STREAM_EVENTS = 100_000;
/** Maximum numbers of concurrent answers to a server, and of its unanswered requests. */
const ANSWERS = 8;
const UNANSWERED = 100;
/** Maximum number of attempts in a row to resume a stream without receiving anything new. */
const RESUMES = 3;
/** Milliseconds before resuming: the default, and the limits of what a server may set. */
const PAUSE = 1000;
const SHORTEST_PAUSE = 100;
const LONGEST_PAUSE = 60_000;
const META = 'io.modelcontextprotocol/';

export interface TransportOptions {
  url: URL;
  /** Returns the headers. Called for every request. */
  headers(): Promise<Record<string, string>>;
  fetch: typeof globalThis.fetch;
  /** The client's capabilities, as sent to the server. */
  capabilities: Fields;
  /** Called when the server requires another token, with its challenge. Resolves with true if there is one now. */
  onUnauthorized?: ((challenge: string) => Promise<boolean>) | undefined;
  /** Handles an unsolicited message of the server. Resolves with the answer to a request, or rejects. */
  onMessage(message: Exclude<Message, { type: 'answer' }>): Promise<Fields> | undefined;
}

export interface RpcRequestOptions {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** Receives progress notifications for this request. */
  onProgress?: (params: Fields) => void;
  /** Called when the user is asked something for this request. Its timeout pauses until the returned function is called. */
  pause?: (() => () => void) | undefined;
}

export interface Transport {
  /** `MODERN`, or the version that `initialize` agreed on; empty before. */
  version: string;
  readonly hasSession: boolean;
  /** @throws McpError, or the signal's reason */
  request(method: string, params: Fields, asking?: RpcRequestOptions): Promise<Fields>;
  notify(method: string, params?: Fields): Promise<void>;
  /**
   * Listens for unsolicited messages until the stream ends. Resolves with the milliseconds to wait before reopening it, or with undefined
   * if the server has no such stream.
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
  /** Id of the last event of the stream of unsolicited messages. */
  let lastHeard = '';
  const answers: Fields[] = [];
  let unanswered = 0;
  let answering = 0;

  /** Sends a request, and sends it again with a new token if the first one was refused for its token: it was not carried out. */
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

  function post(message: Fields, { headers: more = {}, signal }: RpcRequestOptions = {}): Promise<Response> {
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

  async function request(method: string, params: Fields, asking: RpcRequestOptions = {}): Promise<Fields> {
    const { signal, onProgress } = asking;
    signal?.throwIfAborted();
    const id = (ids += 1);
    const onAbort = () => {
      // With the newer version, closing the stream cancels the request already.
      if (transport.version !== MODERN && method !== 'initialize')
        notify('notifications/cancelled', { requestId: id, reason: 'cancelled' }).catch(() => undefined);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const response = await post({ id, method, params: withMeta(params, onProgress && id) }, asking);
      if (!response.ok) throw await responseError(response);
      const given = response.headers.get('mcp-session-id');
      if (method === 'initialize' && given !== null) session = given;
      return await answerOf(response, id, asking);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async function answerOf(response: Response, id: number, { signal, onProgress }: RpcRequestOptions): Promise<Fields> {
    let answer: Extract<Message, { type: 'answer' }> | undefined;
    const hear = (text: string): boolean => {
      const messages = readRpcMessages(text);
      if (!messages) throw new McpError('unreadable', 'The server sent what is no JSON.');
      if (messages.length > MOST_MESSAGES) throw new McpError('too-large', 'The answer is too large.');
      for (const message of messages) {
        if (message.type === 'answer') answer = message.id === id ? message : answer;
        else if (message.type === 'notice' && message.method === 'notifications/progress') {
          if (message.params['progressToken'] === id) onProgress?.(message.params);
        } else serve(message);
      }
      return answer !== undefined;
    };
    let end = await readStream(response, hear, signal);
    let { lastId, retry } = end;
    // The call may be running. Errors from here on do not mean that it is not.
    let isFirst = true;
    for (let left = RESUMES; !answer && lastId && transport.version !== MODERN && left > 0; left -= 1) {
      if (retry !== undefined || !isFirst) await sleep(retry ?? PAUSE, signal);
      isFirst = false;
      try {
        const again = await send('GET', undefined, { 'last-event-id': lastId }, signal);
        if (!again.ok) break;
        end = await readStream(again, hear, signal);
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

  /** Answers a request of the server with a separate POST. While too many are unanswered, new ones get no answer. */
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
      for (const message of readRpcMessages(text)?.slice(0, MOST_MESSAGES) ?? []) if (message.type !== 'answer') serve(message);
      return false;
    };
    const subscribe = { id: (ids += 1), method: 'subscriptions/listen', params: withMeta({ notifications: { toolsListChanged: true } }) };
    const since: Record<string, string> = lastHeard ? { 'last-event-id': lastHeard } : {};
    const response = transport.version === MODERN ? await post(subscribe, { signal }) : await send('GET', undefined, since, signal);
    if (!response.ok && response.status !== 405) throw await responseError(response);
    if (!isStream(response)) {
      await response.body?.cancel();
      return undefined;
    }
    const { lastId, retry = PAUSE } = await readStream(response, hear, signal, Infinity);
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

/** Returns an error with the server's own message, if any. An HTML page has none. */
async function responseError(response: Response): Promise<McpError> {
  const { status } = response;
  const text = (await readText(response).catch(() => '')) ?? '';
  let message = '';
  try {
    const json: unknown = JSON.parse(text);
    const error = own(json, 'error');
    if (isObject(error)) return readMcpError(error, status);
    message = [error, own(json, 'message'), own(json, 'detail')].find((words) => typeof words === 'string') ?? '';
  } catch {
    // Most error responses that are not JSON come from a proxy. Some servers send plain text.
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
  /** Id of the last event, for resuming. */
  lastId: string;
  /** Milliseconds to wait before resuming, if the server says so. */
  retry?: number;
  /** True if anything new arrived, even only an event id. */
  heard: boolean;
}

/** Passes each text to `hear` until it returns true. */
async function readStream(
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
      last.retry = Math.min(Math.max(ms, SHORTEST_PAUSE), LONGEST_PAUSE);
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
    // The stream broke. The messages so far count, and the rest can be requested again.
    signal?.throwIfAborted();
  }
  reader?.cancel().catch(() => undefined);
  if (wrong !== undefined) throw wrong instanceof Error ? wrong : new McpError('unreadable', '');
  return last;
}
