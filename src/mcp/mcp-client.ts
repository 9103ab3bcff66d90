/** The client of an MCP server: handshake, lists of tools and resources, calls. It knows nothing of conversations. */
import { isObject, numbered, own } from '../base/objects.js';
import { headerText, isSessionLost, McpError, readPages, type Fields } from './mcp-message.js';
import { createTransport, MODERN, sleep, type RpcRequestOptions } from './mcp-transport.js';

/** Protocol versions with sessions, newest first. The first one is requested. */
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'];
const PAGES = 20;
export const ITEMS = 500;
/** Maximum number of rounds in which a call may ask for more input. */
const ROUNDS = 5;
/** Questions that one call may put to the user; further ones are declined. */
export const MOST_QUESTIONS = 3;
/** Timeout in milliseconds for requests other than calls. */
const RESPONSE_TIMEOUT_MS = 15_000;
/** Milliseconds between two attempts to open the stream of unsolicited messages. */
const PAUSES = [1000, 5000, 15_000, 60_000];
/** Milliseconds between two lists of a server that keeps saying that its tools have changed: at first, and at most. */
const RELIST_PAUSE = { first: 1000, longest: 60_000 };

export interface ClientOptions {
  url: URL;
  headers(): Promise<Record<string, string>>;
  fetch: typeof globalThis.fetch;
  /** See `TransportOptions`. */
  onUnauthorized?: ((challenge: string) => Promise<boolean>) | undefined;
  /** Asks the user. Absent if that is not possible. */
  elicit?: ((params: Fields, signal?: AbortSignal) => Promise<Fields>) | undefined;
  /** True if app pages of tools are shown. */
  showsPages?: boolean;
  /** Called when the tools may have changed: the server says so, or a new session has begun. Settles when they have been listed again. */
  onToolsChanged(): void | Promise<void>;
  /** Called for each list with the names of tools that work only as tasks, which are left out. */
  onTaskTools?(names: readonly string[]): void;
  /** Called each time a question is declined because a call asks more than `MOST_QUESTIONS`. */
  onTooManyQuestions?(): void;
}

export interface McpClient {
  /** The name that the server gives itself, or else its host. */
  readonly name: string;
  readonly hasResources: boolean;
  listTools(): Promise<Fields[]>;
  listResources(): Promise<Fields[]>;
  readResource(uri: string, signal?: AbortSignal): Promise<Fields>;
  callTool(name: string, args: Fields, asking: RpcRequestOptions): Promise<Fields>;
  close(): Promise<void>;
}

/** @throws McpError if there is no such server, or if it supports none of our protocol versions */
export async function openClient({
  url,
  headers,
  fetch,
  onUnauthorized,
  elicit,
  showsPages,
  onToolsChanged,
  onTaskTools,
  onTooManyQuestions,
}: ClientOptions): Promise<McpClient> {
  const capabilities: Fields = {
    ...(elicit && { elicitation: { form: {}, url: {} } }),
    ...(showsPages && { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }),
  };
  const closing = new AbortController();
  let told: Fields = {};
  /** Calls that are running on the server. */
  const running = new Set<RpcRequestOptions>();
  let questions = 0;
  let idle = new AbortController();
  let asking: Promise<unknown> = Promise.resolve();
  let name = url.host;
  const pages = createUrlWait();
  /** The last listed tools of this session, by name. Absent until they are known. */
  let listed: ReadonlyMap<unknown, Fields> | undefined;
  /** Number of sessions so far. */
  let sessions = 0;
  let isLost = false;
  /** True if a request has succeeded in this session. A session that fails from its start is not renewed again and again. */
  let hasWorked = false;
  let renewing: Promise<void> | undefined;
  let relisted: Promise<void> = Promise.resolve();
  let listening = new AbortController();
  /** True if the tools have changed since the last list began. */
  let hasNews = false;
  let isFollowing = false;

  const transport = createTransport({
    ...{ url, headers, fetch, capabilities, onUnauthorized },
    onMessage(message) {
      if (message.type === 'notice') {
        if (message.method === 'notifications/tools/list_changed') void followChanges();
        if (message.method === 'notifications/elicitation/complete') pages.done(own(message.params, 'elicitationId'));
        return undefined;
      }
      if (message.method === 'ping') return Promise.resolve({});
      // A server may ask only during a call.
      return message.method === 'elicitation/create' && elicit && running.size > 0
        ? askOnce(message.params, AbortSignal.any([closing.signal, idle.signal]), [...running])
        : undefined;
    },
  });

  /** Has the tools listed again: at once, then less and less often while the server keeps saying that they have changed. */
  async function followChanges(): Promise<void> {
    hasNews = true;
    if (isFollowing) return;
    isFollowing = true;
    for (let pause = RELIST_PAUSE.first; hasNews && !closing.signal.aborted; pause = Math.min(2 * pause, RELIST_PAUSE.longest)) {
      await onToolsChanged();
      await sleep(pause, closing.signal).catch(() => undefined);
    }
    isFollowing = false;
  }

  /** Asks one question at a time. The timeouts of the calls that may have asked it pause meanwhile. */
  function askOnce(params: Fields, signal: AbortSignal | undefined, askedBy: readonly RpcRequestOptions[]): Promise<Fields> {
    questions += 1;
    // Concurrent calls share their limits: a server does not say which of them a question belongs to.
    if (questions > MOST_QUESTIONS * Math.max(running.size, 1)) {
      onTooManyQuestions?.();
      return Promise.resolve({ action: 'decline' });
    }
    return withRetryPauses(askedBy, () => {
      const answer = asking.then(() => elicit!(params, signal));
      asking = answer.catch(() => undefined);
      return answer;
    });
  }

  const patient = (): AbortSignal => AbortSignal.any([closing.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]);

  function readInfo(result: Fields): void {
    told = isObject(result['capabilities']) ? result['capabilities'] : {};
    const info = own(result, 'serverInfo') ?? own(own(result, '_meta'), 'io.modelcontextprotocol/serverInfo');
    const given = own(info, 'title') ?? own(info, 'name');
    if (typeof given === 'string' && given.trim()) name = given.trim().slice(0, 80);
  }

  /** Checks whether the server supports the version without sessions. */
  async function discover(): Promise<boolean> {
    transport.forgetSession();
    transport.version = MODERN;
    try {
      const result = await transport.request('server/discover', {}, { signal: patient() });
      readInfo(result);
      const versions = own(result, 'supportedVersions');
      return Array.isArray(versions) && versions.includes(MODERN);
    } catch (error) {
      const isOlder = error instanceof McpError && error.why === 'refused' && ![401, 403, 429].includes(error.status ?? 400);
      if (!isOlder || (error.status ?? 400) >= 500) throw error;
      return false;
    }
  }

  async function initialize(): Promise<void> {
    transport.forgetSession();
    const params = { protocolVersion: LEGACY[0], capabilities, clientInfo: { name: 'tool-chat', version: '1' } };
    const result = await transport.request('initialize', params, { signal: patient() });
    const version = own(result, 'protocolVersion');
    if (typeof version !== 'string' || !LEGACY.includes(version))
      throw new McpError('unreadable', `The server speaks ${String(version)}, which is not spoken here.`);
    transport.version = version;
    readInfo(result);
    await transport.notify('notifications/initialized');
  }

  /** Ends the old session, if any, and begins another one. All callers that find the session lost wait for the same renewal. */
  const renew = (): Promise<void> =>
    (renewing ??= (async () => {
      isLost = true;
      listed = undefined;
      if (!(await discover())) await initialize();
      begin();
      relisted = Promise.resolve(onToolsChanged());
    })().finally(() => (renewing = undefined)));

  function begin(): void {
    isLost = hasWorked = false;
    sessions += 1;
    listening.abort();
    listening = new AbortController();
    // Sessions with older versions receive questions on this stream, too.
    if (transport.version !== MODERN || own(own(told, 'tools'), 'listChanged') === true)
      void listenOn(AbortSignal.any([closing.signal, listening.signal]));
  }

  /** Sends a request. One that is refused because the session is lost was not carried out, so it is sent once more in a new session. */
  async function ask(method: string, params: Fields, asking: RpcRequestOptions): Promise<Fields> {
    if (isLost) await renew();
    const session = sessions;
    const hadSession = transport.hasSession;
    const tool = method === 'tools/call' ? params['name'] : undefined;
    const before = listed?.get(tool);
    try {
      return await askNow(method, params, asking);
    } catch (error) {
      const isOld = session !== sessions;
      if (!(hasWorked || isOld) || !isSessionLost(error, hadSession)) throw error;
      if (!isOld) await renew();
      if (tool === undefined) return askNow(method, params, asking);
      // Only an HTTP status below 500 proves that the call did not begin.
      if ((error.status ?? 500) >= 500) throw error;
      await relisted;
      if (!isSame(before, listed?.get(tool)))
        throw new McpError('refused', 'The server has started again, and this tool is no longer the same.');
      return askNow(method, params, asking);
    }
  }

  async function askNow(method: string, params: Fields, asking: RpcRequestOptions): Promise<Fields> {
    const more = transport.version === MODERN ? { ...asking.headers } : {};
    const named = own(params, 'name') ?? own(params, 'uri');
    if (transport.version === MODERN && typeof named === 'string') more['mcp-name'] = headerText(named);
    const result = await transport.request(method, params, { ...asking, headers: more });
    hasWorked = true;
    return result;
  }

  async function listTools(): Promise<Fields[]> {
    const session = sessions;
    hasNews = false;
    const tools = await listAll('tools/list', 'tools');
    if (session === sessions) listed = new Map(tools.map((tool) => [own(tool, 'name'), tool]));
    // Calls of these tools would be refused: this client does not support tasks.
    const needsTask = (tool: Fields) => own(own(tool, 'execution'), 'taskSupport') === 'required';
    onTaskTools?.(tools.filter(needsTask).map((tool) => String(own(tool, 'name'))));
    return tools.filter((tool) => !needsTask(tool));
  }

  async function listAll(method: string, field: string): Promise<Fields[]> {
    const found: Fields[] = [];
    const seen = new Set<unknown>();
    let cursor: unknown;
    for (let page = 0; page < PAGES && found.length < ITEMS; page += 1) {
      const result = await ask(method, cursor === undefined ? {} : { cursor }, { signal: patient() });
      const items = own(result, field);
      if (Array.isArray(items)) found.push(...items.slice(0, ITEMS).filter(isObject));
      cursor = own(result, 'nextCursor');
      if (typeof cursor !== 'string' || seen.has(cursor)) break;
      seen.add(cursor);
    }
    return found.slice(0, ITEMS);
  }

  /** Makes a call. With newer versions the result may be questions; the call is then repeated with the answers. */
  async function callTool(tool: string, args: Fields, asked: RpcRequestOptions): Promise<Fields> {
    const call = { ...asked };
    running.add(call);
    try {
      return await callRounds(tool, args, call);
    } finally {
      running.delete(call);
      if (running.size === 0) {
        // No call is left that needs an answer, so close open questions.
        idle.abort();
        idle = new AbortController();
        questions = 0;
      }
    }
  }

  async function callRounds(tool: string, args: Fields, asked: RpcRequestOptions): Promise<Fields> {
    let params: Fields = { name: tool, arguments: args };
    const offered = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      let result: Fields;
      try {
        result = await ask('tools/call', params, asked);
      } catch (error) {
        const needed = elicit ? readPages(error) : [];
        if (needed.length === 0) throw error;
        await openPages(needed, offered, asked);
        continue;
      }
      if (own(result, 'resultType') !== 'input_required') return result;
      const inputResponses: Fields = {};
      const requests = own(result, 'inputRequests');
      for (const [key, request] of isObject(requests) ? Object.entries(requests).slice(0, 10) : []) {
        const given = own(request, 'params');
        if (own(request, 'method') !== 'elicitation/create' || !elicit || !isObject(given))
          throw new McpError('refused', 'The server asked for what cannot be given here.');
        inputResponses[key] = await askOnce(given, asked.signal, [asked]);
      }
      const state = own(result, 'requestState');
      params = { name: tool, arguments: args, inputResponses, ...(state !== undefined && { requestState: state }) };
    }
    throw new McpError('refused', 'The server asked too often.');
  }

  /**
   * Opens the pages that the user has to visit before the call can go on. If all of them were offered before, waits until the user is done.
   */
  async function openPages(needed: readonly Fields[], offered: Set<string>, asked: RpcRequestOptions): Promise<void> {
    const ids = needed.map((page) => String(own(page, 'elicitationId') ?? own(page, 'url')));
    if (ids.every((id) => offered.has(id))) return withRetryPauses([asked], () => pages.wait(ids, asked.signal));
    for (const [at, page] of numbered(needed)) {
      if (offered.has(ids[at]!)) continue;
      offered.add(ids[at]!);
      const { action } = await askOnce({ ...page, mode: 'url' }, asked.signal, [asked]);
      if (action !== 'accept') throw new McpError('refused', 'The page that the service needs was not opened.');
    }
  }

  async function listenOn(signal: AbortSignal): Promise<void> {
    let wasOpen = false;
    for (let failures = 0; !signal.aborted && failures < PAUSES.length; failures += 1) {
      let pause: number | undefined;
      try {
        pause = await transport.listen(signal);
        if (pause === undefined) return;
        wasOpen = true;
        failures = -1;
      } catch (error) {
        if (signal.aborted) return;
        // The server has restarted. A server that never had such a stream may return the same error.
        if (wasOpen && isSessionLost(error, true)) return void renew().catch(() => undefined);
        if (!wasOpen && error instanceof McpError && error.why === 'refused' && (error.status ?? 0) < 500) return;
      }
      await sleep(pause ?? PAUSES[failures]!, signal).catch(() => undefined);
    }
  }

  if (!(await discover())) await initialize();
  begin();

  return {
    name,
    hasResources: isObject(own(told, 'resources')),
    listTools,
    listResources: () => listAll('resources/list', 'resources'),
    readResource: (uri, signal) => ask('resources/read', { uri }, { signal: signal ?? patient() }),
    callTool,
    async close() {
      closing.abort();
      await transport.endSession().catch(() => undefined);
    },
  };
}

async function withRetryPauses<Result>(calls: readonly RpcRequestOptions[], wait: () => Promise<Result>): Promise<Result> {
  const resume = calls.map(({ pause }) => pause?.());
  try {
    return await wait();
  } finally {
    for (const one of resume) one?.();
  }
}

/** Checks whether two descriptions of a tool are the same. */
function isSame(one: Fields | undefined, other: Fields | undefined): boolean {
  try {
    return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false; // nested too deeply to be compared
  }
}

/** Maximum wait, in milliseconds. */
const LONGEST = 600_000;
/** Maximum number of completed page ids to remember. */
const MOST_DONE = 100;

interface UrlWait {
  /** The server reports that the user has completed this page. */
  done(id: unknown): void;
  /**
   * Settles when the server has reported one of the pages as done, or when the user comes back to this page: then it is time to ask the
   * server again.
   */
  wait(ids: readonly string[], signal?: AbortSignal): Promise<void>;
}

function createUrlWait(): UrlWait {
  const done = new Set<string>();
  const waiting = new Set<() => void>();
  return {
    done(id) {
      if (typeof id !== 'string') return;
      done.add(id);
      const [oldest] = done;
      if (done.size > MOST_DONE && oldest !== undefined) done.delete(oldest);
      for (const look of [...waiting]) look();
    },
    wait: (ids, signal) =>
      new Promise((resolve, reject) => {
        const [page, window] = [globalThis.document, globalThis.window] as (EventTarget | undefined)[];
        const end = (act: () => void) => {
          clearTimeout(timer);
          waiting.delete(look);
          page?.removeEventListener('visibilitychange', onVisible);
          window?.removeEventListener('focus', onReturn);
          signal?.removeEventListener('abort', onAbort);
          act();
        };
        const look = () => {
          const found = ids.filter((id) => done.delete(id));
          if (found.length > 0) end(resolve);
        };
        const onReturn = () => end(resolve);
        const onVisible = () => globalThis.document.visibilityState === 'visible' && onReturn();
        const onAbort = () => end(() => reject(signal!.reason as Error));
        const timer = setTimeout(
          () => end(() => reject(new McpError('refused', 'The page that the service needs was not completed.'))),
          LONGEST,
        );
        waiting.add(look);
        page?.addEventListener('visibilitychange', onVisible);
        window?.addEventListener('focus', onReturn);
        signal?.addEventListener('abort', onAbort);
        if (signal?.aborted) onAbort();
        else look();
      }),
  };
}
