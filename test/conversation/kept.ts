/** Pages on one saved conversation: each is a conversation of its own with a scripted model and tools that count. Needs a browser. */
import type { CardView } from '../../src/model/calls.js';
import { createConversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import type { HostEvent } from '../../src/conversation/chart/hooks.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { createConversationStore } from '../../src/storage/conversation-store.js';
import { sharedDatabase } from '../../src/storage/indexeddb.js';
import type { StoredConversation } from '../../src/storage/stored-conversation.js';
import { until } from '../storage/helpers.js';
import type { PageModules } from './page.js';
import { cutieText } from './scripted-fetch.js';

export { call } from './scripted-fetch.js';

export interface Asked {
  system?: string;
  messages: { role: string; text: string }[];
}

export type Reply = string | Response | (() => Response | Promise<Response>);

export type Page = ReturnType<typeof page>;

const open: { killed(): boolean; leave(): void }[] = [];
const repair: (() => unknown)[] = [];
export const closeAll = () => {
  for (const page of open.splice(0)) if (!page.killed()) page.leave();
  for (const undo of repair.splice(0)) undo();
};

/** Takes Web Locks away, as on pages without HTTPS, until `closeAll`, in this page and in frames that are opened then. */
export function withoutLocks({ navigator } = window): void {
  Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true });
  repair.push(() => Reflect.deleteProperty(navigator, 'locks'));
}

export interface PageOptions extends Partial<ConversationOptions> {
  register?: Record<string, Partial<ToolDefinition>>;
  frame?: Frame;
}

/** A page that can be killed. */
export interface Frame {
  window: Window & typeof globalThis;
  modules: PageModules;
  killed(): boolean;
  kill(): void;
}

/** A page is loaded; `replies` are what the model answers from now on. */
export function page(sessionId: string, replies: Reply[] = [], { register = {}, frame: inside, ...options }: PageOptions = {}) {
  const events: HostEvent[] = [];
  /** What the model was sent, oldest first. */
  const asked: Asked[] = [];
  /** Tools that were started, in order. */
  const runs: { name: string; args: Record<string, unknown>; requestId: string }[] = [];
  const waiting = [...replies];
  const given: ConversationOptions = {
    endpoint: 'https://model.test/chat',
    wire: 'cutie',
    storage: 'indexeddb',
    sessionId,
    logger: silent,
    logLevel: 'warn',
    onEvent(event) {
      events.push(event);
      return true;
    },
    async fetch(_url, init) {
      asked.push(JSON.parse((init as { body: string }).body) as Asked);
      const next = waiting.shift();
      if (next === undefined) throw new TypeError('No reply is left.');
      const reply = typeof next === 'function' ? await next() : next;
      return typeof reply === 'string' ? cutieText(reply) : reply;
    },
    ...options,
  };
  const chat = (inside?.modules.createConversation ?? createConversation)(given);
  const internals = (inside?.modules.internalsOf ?? internalsOf)(chat);
  internals.attachPerson();
  const view = () => internals.surface.view;
  const cards = () => Object.values(view().cards);
  const self = {
    ...{ chat, options: given, internals, events, asked, runs, view, cards },
    card: (status: CardView['status'] = 'awaiting_approval'): Promise<CardView> =>
      until(() => cards().find((card) => card.status === status)),
    /** Sends a message, and resolves with the card that waits then. */
    ask(text = 'Pay') {
      void chat.sendMessage(text);
      return self.card();
    },
    decide: (verdict: 'allow' | 'deny', { requestId, call: shown }: CardView, more: object = {}) =>
      internals.decide({ requestId, digest: shown?.digest ?? '', verdict, ...more } as never),
    allow: async () => self.decide('allow', await self.card()),
    said: (text: string) => until(() => self.texts().includes(text)),
    statuses: () => cards().map(({ status }) => status),
    tool: (name: string, { execute, ...more }: Partial<ToolDefinition> = {}) =>
      chat.registerTool({
        ...{ name, description: `Does ${name}.`, risk: 'danger' },
        parameters: { type: 'object', properties: { amount: { type: 'integer' } } },
        ...(more as object),
        execute(args: Record<string, unknown>, context: Parameters<ToolDefinition['execute']>[1]) {
          runs.push({ name, args, requestId: context.requestId });
          return execute ? execute(args, context) : { success: true, message: `${name} done` };
        },
      }),
    /** All texts on the screen that are no cards. */
    texts: () =>
      view().views.flatMap(({ message, parts }) => {
        const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
        return text.trim() ? [text.trim()] : message.text.trim() ? [message.text.trim()] : [];
      }),
    notices: () => (view().notices ?? []).map(({ text }) => text),
    idle: () => until(() => !chat.isLoading && chat.state === 'idle'),
    killed: () => inside?.killed() === true,
    /** The page is left in the usual way. */
    leave: () => chat.dispose(),
  };
  for (const [name, more] of Object.entries(register)) self.tool(name, more);
  open.push(self);
  return self;
}

/** A page on which a message was sent, and which was left at the first card that waits, or when the turn was over. */
export async function left(sessionId: string, replies: Reply[], text: string, options: PageOptions = {}): Promise<Page> {
  const one = page(sessionId, replies, options);
  void one.chat.sendMessage(text);
  await until(() => !one.chat.isLoading || one.statuses().includes('awaiting_approval'));
  one.leave();
  return one;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A page in a frame, for those that are killed. */
export async function frame(): Promise<Frame> {
  const element = document.createElement('iframe');
  element.src = new URL('./page.html', import.meta.url).href;
  document.body.append(element);
  const modules = await until(() => (element.contentWindow as unknown as { page?: PageModules } | null)?.page);
  if (repair.length > 0) withoutLocks(element.contentWindow as Frame['window']);
  return { window: element.contentWindow as Frame['window'], modules, killed: () => !element.isConnected, kill: () => element.remove() };
}

/** A reply that comes piece by piece. */
export function slowly(): { response: Response; say(text: string): void; end(): void } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  const send = (frame: object) => controller?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(frame)}\n\n`));
  return {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    say: (content) => send({ type: 'text', content }),
    end() {
      send({ type: 'done' });
      controller?.close();
    },
  };
}

/** A relay with one answer: it gives the first piece at once, and the rest where it is asked to go on. */
export function relay() {
  const methods: string[] = [];
  const piece = (n: number, data: object, event = 'message') =>
    `id: ${'b'.repeat(32)}.${String(n)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  const begun = piece(1, { type: 'text', content: 'One, ' });
  const rest = piece(2, { type: 'text', content: 'two.' }) + piece(3, { type: 'done', finish_reason: 'stop' }, 'done');
  const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => {
    const method = init?.method ?? 'GET';
    methods.push(method);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(method === 'GET' ? rest : begun));
        if (method !== 'POST') controller.close();
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  return { methods, options: { endpoint: 'https://relay.test/api/ai/chat/stream', fetch: fetch as typeof globalThis.fetch } };
}

/** Never settles. */
export const forever = (): Promise<never> => new Promise(() => {});

/** Waits until what is stored is so. */
export async function stored(sessionId: string, is: (found: StoredConversation | undefined) => unknown): Promise<void> {
  const store = createConversationStore({ sessionId, area: 'indexeddb' });
  while (!is(await store.load())) await new Promise((resolve) => setTimeout(resolve, 20));
  await store.close();
}

/** All rows of all tables that belong to it, as one text. */
export async function everything(sessionId: string): Promise<string> {
  const rowsOf = (name: 'conversations' | 'journal') =>
    sharedDatabase().transact(name, 'readonly', async (table) => {
      const keys = await table.getAllKeys();
      return (await table.getAll()).map((row: unknown, at) => [keys[at], row]);
    });
  const all = [...(await rowsOf('conversations')), ...(await rowsOf('journal')), ...Object.entries(sessionStorage)];
  return JSON.stringify(all.filter((one) => JSON.stringify(one).includes(sessionId)));
}
