/** What is said to a server: who we are, which tools and resources it has, a call. Small and strict; knows nothing of conversations. */
import { isObject, own } from '../base/objects.js';
import { headerText, McpError, type Fields } from './mcp-message.js';
import { createTransport, MODERN, type Asking } from './mcp-transport.js';

/** Newest first; the first is asked for. */
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'];
const PAGES = 20;
const ITEMS = 500;
/** Rounds in which a call may ask for more. */
const ROUNDS = 5;
/** Questions that one call may put to the user; further ones are declined. */
export const MOST_QUESTIONS = 3;
/** Milliseconds for what nobody waits for with a card open. */
const PATIENCE = 15_000;
/** Milliseconds between two attempts to hear what comes unasked. */
const PAUSES = [1000, 5000, 15_000, 60_000];

export interface ClientOptions {
  url: URL;
  headers(): Promise<Record<string, string>>;
  fetch: typeof globalThis.fetch;
  /** See `TransportOptions`. */
  onUnauthorized?: ((challenge: string) => Promise<boolean>) | undefined;
  /** Asks a person; absent where nobody can be asked. */
  elicit?: ((params: Fields, signal?: AbortSignal) => Promise<Fields>) | undefined;
  /** Pages that belong to tools are shown. */
  showsPages?: boolean;
  onToolsChanged(): void;
  /** Told each time that a question is declined because a call asks more than `MOST_QUESTIONS`. */
  onTooManyQuestions?(): void;
}

export interface McpClient {
  /** As the server calls itself; the host where it does not say. */
  readonly name: string;
  readonly hasResources: boolean;
  listTools(): Promise<Fields[]>;
  listResources(): Promise<Fields[]>;
  readResource(uri: string, signal?: AbortSignal): Promise<Fields>;
  callTool(name: string, args: Fields, asking: Asking): Promise<Fields>;
  close(): Promise<void>;
}

/** @throws McpError where there is no such server, or it does not speak what we speak */
export async function openClient({
  url,
  headers,
  fetch,
  onUnauthorized,
  elicit,
  showsPages,
  onToolsChanged,
  onTooManyQuestions,
}: ClientOptions): Promise<McpClient> {
  const capabilities: Fields = {
    ...(elicit && { elicitation: { form: {}, url: {} } }),
    ...(showsPages && { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }),
  };
  const closing = new AbortController();
  let told: Fields = {};
  let calls = 0;
  let questions = 0;
  let idle = new AbortController();
  let asking: Promise<unknown> = Promise.resolve();
  let name = url.host;

  const transport = createTransport({
    ...{ url, headers, fetch, capabilities, onUnauthorized },
    onMessage(message) {
      if (message.type === 'notice') {
        if (message.method === 'notifications/tools/list_changed') onToolsChanged();
        return undefined;
      }
      if (message.method === 'ping') return Promise.resolve({});
      // Only who was called may ask.
      return message.method === 'elicitation/create' && elicit && calls > 0
        ? askOnce(message.params, AbortSignal.any([closing.signal, idle.signal]))
        : undefined;
    },
  });

  /** One question at a time. */
  function askOnce(params: Fields, signal: AbortSignal | undefined): Promise<Fields> {
    questions += 1;
    // Calls that run at the same time share the limit of each: a server does not say for which of them it asks.
    if (questions > MOST_QUESTIONS * Math.max(calls, 1)) {
      onTooManyQuestions?.();
      return Promise.resolve({ action: 'decline' });
    }
    const answer = asking.then(() => elicit!(params, signal));
    asking = answer.catch(() => undefined);
    return answer;
  }

  const patient = (): AbortSignal => AbortSignal.any([closing.signal, AbortSignal.timeout(PATIENCE)]);

  function readInfo(result: Fields): void {
    told = isObject(result['capabilities']) ? result['capabilities'] : {};
    const info = own(result, 'serverInfo') ?? own(own(result, '_meta'), 'io.modelcontextprotocol/serverInfo');
    const given = own(info, 'title') ?? own(info, 'name');
    if (typeof given === 'string' && given.trim()) name = given.trim().slice(0, 80);
  }

  /** Whether it speaks without sessions. */
  async function discover(): Promise<boolean> {
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

  /** A session that the server has forgotten begins anew: what was asked in it was not done. */
  async function ask(method: string, params: Fields, asking: Asking): Promise<Fields> {
    const more = transport.version === MODERN ? { ...asking.headers } : {};
    const named = own(params, 'name') ?? own(params, 'uri');
    if (transport.version === MODERN && typeof named === 'string') more['mcp-name'] = headerText(named);
    try {
      return await transport.request(method, params, { ...asking, headers: more });
    } catch (error) {
      if (!(error instanceof McpError) || error.status !== 404 || !transport.hasSession) throw error;
      await initialize();
      return transport.request(method, params, asking);
    }
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

  /** A call of the newer era may come back with questions; it is made again with the answers. */
  async function callTool(tool: string, args: Fields, asked: Asking): Promise<Fields> {
    calls += 1;
    try {
      return await callRounds(tool, args, asked);
    } finally {
      calls -= 1;
      if (calls === 0) {
        // What is still asked is of no use to anybody.
        idle.abort();
        idle = new AbortController();
        questions = 0;
      }
    }
  }

  async function callRounds(tool: string, args: Fields, asked: Asking): Promise<Fields> {
    let params: Fields = { name: tool, arguments: args };
    for (let round = 0; round < ROUNDS; round += 1) {
      const result = await ask('tools/call', params, asked);
      if (own(result, 'resultType') !== 'input_required') return result;
      const inputResponses: Fields = {};
      const requests = own(result, 'inputRequests');
      for (const [key, request] of isObject(requests) ? Object.entries(requests).slice(0, 10) : []) {
        const given = own(request, 'params');
        if (own(request, 'method') !== 'elicitation/create' || !elicit || !isObject(given))
          throw new McpError('refused', 'The server asked for what cannot be given here.');
        inputResponses[key] = await askOnce(given, asked.signal);
      }
      const state = own(result, 'requestState');
      params = { name: tool, arguments: args, inputResponses, ...(state !== undefined && { requestState: state }) };
    }
    throw new McpError('refused', 'The server asked too often.');
  }

  async function listenOn(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted && failures < PAUSES.length; failures += 1) {
      try {
        if (!(await transport.listen(closing.signal))) return;
        failures = -1; // it worked, until it ended
      } catch {
        // The next attempt may go better.
      }
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, PAUSES[Math.max(failures, 0)]);
        closing.signal.addEventListener('abort', () => (clearTimeout(timer), resolve(undefined)), { once: true });
      });
    }
  }

  if (!(await discover())) await initialize();
  if (own(own(told, 'tools'), 'listChanged') === true) void listenOn();

  return {
    name,
    hasResources: isObject(own(told, 'resources')),
    listTools: () => listAll('tools/list', 'tools'),
    listResources: () => listAll('resources/list', 'resources'),
    readResource: (uri, signal) => ask('resources/read', { uri }, { signal: signal ?? patient() }),
    callTool,
    async close() {
      closing.abort();
      await transport.endSession().catch(() => undefined);
    },
  };
}
