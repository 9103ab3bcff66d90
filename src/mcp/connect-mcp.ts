/**
 * Registers the tools of an MCP server like the page's own, with the same approval policy and journal. No claim of a server can lower a
 * risk.
 */
import { allowanceOfTool, createAllowance, isSpent, spend } from '../base/allowance.js';
import { createLog } from '../base/logging.js';
import { load } from '../base/load.js';
import { isObject, numbered, own, readField } from '../base/objects.js';
import { messageOf } from '../base/plain.js';
import type { PublishedResult } from '../model/calls.js';
import { PARTS_OF_TOOL } from '../toolkits/foreign-schema.js';
import { toolkitTextsFor, type ToolkitTexts } from '../toolkits/toolkit-texts.js';
import { createYield } from '../tools/yield-to-main.js';
import { oneSentence, shorter, snakeCase, uniqueName } from '../tools/tool-naming.js';
import type { ToolDefinition } from '../tools/tool.js';
import { replaceable, sourceAt, withSource, type ToolSource } from '../tools/tool-source.js';
import { MOST_QUESTIONS, openClient, type McpClient } from './mcp-client.js';
import { McpError, written, type Fields } from './mcp-message.js';
import { isWanted, resourceTool, toolOf } from './mcp-tools.js';
import type { McpOptions, McpQuestion } from './mcp-options.js';
import { withAccess } from './mcp-access.js';
import { formSchema } from './form-schema.js';
import { isVisibleTo, sandboxUrlOf, type AppSource } from './tool-app.js';
import { createKeptResults, keepMedia } from './result-media.js';

export interface McpConnection {
  /** The name that the server gives itself. */
  readonly server: string;
  /** Names of the tools that are registered now. */
  readonly tools: readonly string[];
  /** The reason why there is no connection. Removed when the user has signed in. */
  readonly error?: string | undefined;
  /** Resolves with the server's list of resources: `{uri, name, …}`. */
  resources(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Unregisters the tools and ends the session. */
  close(): Promise<void>;
}

/** The object that tools are registered with: the element, or a conversation. */
export interface ToolHost {
  registerTool(tool: ToolDefinition): () => void;
  /** Lets app pages of the server call its tools. */
  executeToolManually?(tool: {
    type: 'tool_use';
    name: string;
    params: Record<string, unknown>;
    partial: boolean;
  }): Promise<PublishedResult>;
}

/**
 * Connects, registers the tools, and registers them again when the server changes them. Never rejects: failures are logged and set `error`.
 *
 * @example
 * const docs = await connectMcp(chat, 'https://mcp.example/mcp', { trusted: true });
 */
export async function connectMcp(chat: ToolHost, url: string | URL, options: McpOptions = {}): Promise<McpConnection> {
  const { headers, fetch = globalThis.fetch } = options;
  const log = createLog({ level: 'warn', ...(options.logger && { logger: options.logger }) });
  const base = (globalThis as { location?: { href?: string } }).location?.href;
  const at = URL.canParse(url, base) ? new URL(url, base) : undefined;
  const failed = (error: string): McpConnection => {
    log.warn('mcp.failed', `No tools from the MCP server ${at?.host ?? ''}: ${error}`);
    return { server: at?.host ?? '', tools: [], error, resources: () => Promise.resolve([]), close: () => Promise.resolve() };
  };
  if (!at || !/^https?:$/.test(at.protocol)) return failed('its address is not an http or https URL.');

  const words = toolkitTextsFor(options.lang);
  const elicit = options.elicit ?? (typeof document === 'undefined' ? undefined : dialogAsker(chat, options.lang));
  const warn: Warn = (code, message) => {
    log.warn(code, message);
  };
  let toldTasks = '';
  /** Warns once per list: a server may send the same one many times. */
  function tellTasks(names: readonly string[]): void {
    const list = names.slice(0, 20).join(', ');
    if (list && list !== toldTasks)
      warn('mcp.tasks', `Tools of ${at!.host} are left out because they only work as tasks: ${shorter(list, 500)}.`);
    toldTasks = list;
  }
  let client: McpClient | undefined;
  let known: ToolSync | undefined;
  let error: string | undefined;
  let closed = false;
  const access = withAccess(at, options, words, warn, () => {
    if (client) void known?.follow();
    else void open();
  });

  async function open(): Promise<void> {
    error = undefined;
    try {
      const opened = await openClient({
        ...{ url: at!, fetch, onUnauthorized: access?.renew, showsPages: Boolean(sandboxUrlOf(chat, options.sandboxUrl)()) },
        headers: async () => ({ ...(await access?.headers()), ...(typeof headers === 'function' ? await headers() : headers) }),
        elicit: elicit && ((params, signal) => askUser(params, elicit, { server: client?.name ?? at!.host, host: at!.host }, signal)),
        onToolsChanged: () => known?.follow(),
        onTaskTools: (names) => tellTasks(names),
        onTooManyQuestions: once(() =>
          warn('mcp.questions', `${at!.host} asks more than ${String(MOST_QUESTIONS)} questions in one call; the rest are declined.`),
        ),
      });
      if (closed) return await opened.close();
      client = opened;
    } catch (reason) {
      error = access?.isAsking() ? 'the user has to sign in first, and is asked to.' : explain(reason);
      return;
    }
    known = createToolSync(chat, client, options, words, warn, sourceAt(at!, options.trusted === true));
    await known.follow();
  }

  await open();
  if (error !== undefined && !access?.isAsking()) return failed(error);
  return {
    get server() {
      return client?.name ?? at.host;
    },
    get tools() {
      return known?.names() ?? [];
    },
    get error() {
      return error;
    },
    resources: () => (client?.hasResources ? client.listResources() : Promise.resolve([])),
    async close() {
      closed = true;
      access?.close();
      known?.close();
      await client?.close();
    },
  };
}

/** Returns a function that asks in a dialog, under the same framing rule as the element: `allowFramedBy`. */
const dialogAsker =
  (chat: object, lang: string | undefined): NonNullable<McpOptions['elicit']> =>
  async (question, signal) => {
    const { askInDialog } = await load(() => import('../elements/elicit-dialog.js'));
    const framedBy = readField(readField(chat, 'config'), 'allowFramedBy');
    return askInDialog(question, { lang, signal, framedBy: Array.isArray(framedBy) ? framedBy.map(String) : [] });
  };

function explain(error: unknown): string {
  if (error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError')) return 'it did not answer in time.';
  if (!(error instanceof McpError)) return `an error in this page: ${messageOf(error)}`;
  const { why, status, message } = error;
  if (status === 401) return 'it wants you to be signed in: give it `headers`.';
  if (status === 403) return 'it refused this page or account (403): check the origins that it allows, and what your `headers` may do.';
  if (why === 'network') return 'it cannot be reached, or does not allow this page (CORS).';
  if (why === 'refused')
    return `it refused${status === undefined ? '' : ` (${String(status)})`}${message ? `: ${oneSentence(message)}` : '.'}`;
  return message || 'it does not speak MCP.';
}

async function askUser(
  params: Fields,
  elicit: NonNullable<McpOptions['elicit']>,
  who: Pick<McpQuestion, 'server' | 'host'>,
  signal?: AbortSignal,
): Promise<Fields> {
  const [mode, message, schema, url] = ['mode', 'message', 'requestedSchema', 'url'].map((key) => own(params, key));
  const question = {
    ...{ ...who, mode: mode === 'url' ? ('url' as const) : ('form' as const) },
    message: shorter(typeof message === 'string' ? message : '', 1000),
    schema: isObject(schema) ? formSchema(schema) : {},
  };
  if (question.mode === 'form') return { ...(await elicit(question, signal)) };
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return { action: 'decline' };
  const { action } = await elicit({ ...question, url: new URL(url).href }, signal);
  return { action };
}

/** Maximum number of schema nodes read in a whole list. A hundred characters cost as much as one node. */
const PARTS_OF_LIST = 200_000;
/** Milliseconds of work before yielding. A single large schema may exceed this. */
const AT_ONCE = 16;
/** Maximum number of tools named in one warning. */
const NAMED = 20;

interface ToolSync {
  /** Lists the server's tools and updates the registered ones to match. */
  follow(): Promise<void>;
  names(): readonly string[];
  close(): void;
}

type Warn = (code: string, message: string) => void;

function once<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  let done = false;
  return (...args) => {
    if (!done) act(...args);
    done = true;
  };
}

function createToolSync(
  chat: ToolHost,
  client: McpClient,
  options: McpOptions,
  words: ToolkitTexts,
  warn: Warn,
  owner: ToolSource | undefined,
): ToolSync {
  /** The registered tools, by the server's name for them. `source` is the description they were made from. */
  const held = new Map<string, { name: string; source: string; off: () => void }>();
  const from: AppSource = {
    ...{ results: createKeptResults(), media: keepMedia(words.from(client.name)) },
    ...{ client, words, lang: options.lang, sandboxUrl: sandboxUrlOf(chat, options.sandboxUrl) },
    onLink: () => offerResources(true),
    call(given, params) {
      const known = held.get(given);
      if (!known || given === RESOURCE || !isVisibleTo('app', JSON.parse(known.source))) return undefined;
      return chat.executeToolManually?.({ type: 'tool_use', name: known.name, params, partial: false });
    },
  };
  let closed = false;
  /** A function, because TypeScript would assume the value unchanged after an `await`. */
  const isClosed = () => closed;
  let toldTooLong = '';
  let following = Promise.resolve();
  let next: Promise<void> | undefined;
  const tellOnce = once((error) =>
    warn('mcp.options', `Tools of ${client.name} are left out: \`filter\` or \`risk\` threw: ${messageOf(error)}`),
  );

  /** Calls a function of the page, such as `filter`. If it throws, warns once and returns `otherwise`. */
  function pageSays<Said>(otherwise: Said, ask: () => Said): Said {
    try {
      return ask();
    } catch (error) {
      tellOnce(error);
      return otherwise;
    }
  }

  async function read(): Promise<void> {
    let listed: Fields[];
    try {
      listed = await client.listTools();
    } catch (error) {
      warn('mcp.list_failed', `The tools of ${client.name} could not be listed: ${explain(error)}`);
      return;
    }
    if (closed) return;
    const wanted = new Map<string, { tool: Fields; source: string | undefined }>();
    const breathe = createYield(AT_ONCE);
    for (const tool of listed) {
      const name = own(tool, 'name');
      if (
        typeof name === 'string' &&
        name &&
        !wanted.has(name) &&
        isVisibleTo('model', tool) &&
        pageSays(false, () => isWanted(tool, options.filter))
      )
        wanted.set(name, { tool, source: written(tool) });
      await breathe();
    }
    if (isClosed()) return;
    for (const [name, { off, source }] of held) {
      const now = wanted.get(name);
      if (now?.source === source) wanted.delete(name);
      else {
        off();
        held.delete(name);
        if (now) warn('mcp.changed', `${client.name} has changed its tool ${name}: what was allowed before is asked again.`);
      }
    }
    const whole = createAllowance(PARTS_OF_LIST);
    const tooLong: string[] = [];
    for (const [name, { tool, source }] of wanted) {
      const left = allowanceOfTool(whole, PARTS_OF_TOOL);
      const isRead = source !== undefined && spend(left, source.length / 100);
      const made = isRead ? pageSays(undefined, () => toolOf(tool, from, options, left)) : undefined;
      if (!isRead || isSpent(left)) tooLong.push(name);
      else if (made) register(name, source, made);
      await breathe();
      if (isClosed()) return;
    }
    tellTooLong(tooLong);
    await offerResources();
  }

  /** Warns once per list: a server may send the same one many times. */
  function tellTooLong(names: readonly string[]): void {
    const some = names.slice(0, NAMED).map((name) => shorter(name, 100));
    const list = `${some.join(', ')}${names.length > NAMED ? ` and ${String(names.length - NAMED)} more` : ''}`;
    if (names.length > 0 && list !== toldTooLong)
      warn('mcp.left_out', `Tools of ${client.name} are left out because they are described at too great a length: ${list}.`);
    toldTooLong = list;
  }

  /**
   * Registers the tool that reads resources, if there are any.
   * @param isLinked true if a result links to a resource, listed or not
   */
  async function offerResources(isLinked = false): Promise<void> {
    if (!client.hasResources || options.resources === false || held.has(RESOURCE)) return;
    const listed = await client.listResources().catch(() => []);
    if (!closed && !held.has(RESOURCE) && (isLinked || listed.length > 0))
      register(RESOURCE, '', resourceTool(listed, client, options, words));
  }

  const namesFor = ({ name }: ToolDefinition) => [name, uniqueName(`${snakeCase(client.name)}_${name}`, new Map())];

  function register(key: string, source: string, tool: ToolDefinition, names = namesFor(tool)): void {
    for (const [at, name] of numbered(names)) {
      /** Moves the tool to its next name when the page registers its own tool under this one. */
      const replaced = () => {
        held.get(key)?.off();
        if (held.delete(key)) register(key, source, tool, names.slice(at + 1));
      };
      try {
        const off = chat.registerTool(withSource(replaceable({ ...tool, name }, replaced), owner));
        held.set(key, { name, source, off });
        return;
      } catch {
        // The name is taken. The next one has the server's name as a prefix.
      }
    }
    warn('mcp.dropped', `The tool ${shorter(key, 100)} of ${client.name} could not be registered: its name is taken, or it is no tool.`);
  }

  return {
    // Lists are read one after the other, since a late one must not undo a newer one. A waiting read covers all changes until it starts.
    follow: () =>
      (next ??= following =
        following.then(() => {
          next = undefined;
          return closed ? undefined : read();
        })),
    names: () => [...held.values()].map(({ name }) => name),
    close() {
      closed = true;
      for (const { off } of held.values()) off();
      held.clear();
    },
  };
}

/** Key of our own tool that reads resources. No tool of a server can have an empty name. */
const RESOURCE = '';
