/** What the tests of `<tool-chat>` share: an element on the page, and models that say exactly what a test wants, when it wants. */
import { fixture } from '@open-wc/testing';
import { html } from 'lit';
import '../../src/define.js';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { appears, until } from './looking.js';

/** An element in a box of its own, and its panel drawn. */
export async function chatOnPage(attributes: Record<string, string> = {}): Promise<ToolChat> {
  const box = await fixture<HTMLElement>(html`<main></main>`);
  Object.assign(box.style, { position: 'fixed', inset: '0 auto auto 0', width: '480px', height: '560px' });
  const chat = document.createElement('tool-chat');
  for (const [name, value] of Object.entries({ theme: 'light', lang: 'en', ...attributes })) chat.setAttribute(name, value);
  box.append(chat);
  if (attributes['layout'] !== 'floating') await untilTalking(chat);
  return chat;
}

/** The panel is there before its conversation; what asks for the second waits for it. */
export async function untilTalking(chat: ToolChat): Promise<void> {
  await appears(chat, 'textarea');
  await Promise.resolve(chat.revoke('none'));
}

/** Into another document, until it says that it was moved, and back. */
export async function thereAndBack(chat: ToolChat): Promise<void> {
  const home = chat.parentElement!;
  const page = document.createElement('iframe');
  home.append(page);
  page.contentDocument?.body.append(chat);
  await until(() => Boolean(chat.shadowRoot?.querySelector('[role=alert]')), 'it says that it was moved');
  home.append(chat);
}

/** One request to a model that a test answers by hand, piece by piece. */
export interface Request {
  readonly body: { system: string; messages: { role: string; text: string }[]; [field: string]: unknown };
  readonly signal: AbortSignal;
  send(text: string): void;
  done(): void;
  /** The connection is lost. */
  cut(): void;
}

/** Puts the test in the place of the network: `next` waits for a request. */
export function answerByHand(chat: ToolChat) {
  const requests: Request[] = [];
  let taken = 0;
  chat.endpoint = '/by-hand';
  chat.fetch = (_input, init) => {
    const encoder = new TextEncoder();
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const signal = init?.signal as AbortSignal;
    const body = new ReadableStream<Uint8Array>({ start: (its) => void (controller = its) });
    signal.addEventListener('abort', () => {
      try {
        controller.error(signal.reason);
      } catch {
        // It has been closed.
      }
    });
    const event = (name: string, data: object) => {
      if (!signal.aborted) controller.enqueue(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
    };
    requests.push({
      body: JSON.parse(String(init?.body)) as Request['body'],
      signal,
      send: (content) => event('message', { type: 'text', content }),
      done: () => {
        event('done', { type: 'done' });
        if (!signal.aborted) controller.close();
      },
      cut: () => controller.error(new TypeError('network error')),
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  const next = async (): Promise<Request> => {
    await until(() => requests.length > taken, 'the model is not asked');
    return requests[taken++] as Request;
  };
  /** Answers one request after the other with these texts; gives back the last request. */
  const reply = async (...texts: string[]): Promise<Request> => {
    let last!: Request;
    for (const text of texts) {
      last = await next();
      if (text) last.send(text);
      last.done();
    }
    return last;
  };
  return {
    requests,
    next,
    reply,
    /** A whole turn: what is said, and a text for each request that follows. */
    async turn(said: string, ...texts: string[]) {
      const over = chat.sendMessage(said);
      await reply(...texts);
      return over;
    },
    /** The same up to the question that comes of it, or whatever else the turn waits for then. */
    async begin(said: string, ...texts: string[]) {
      const turn = chat.sendMessage(said);
      await reply(...texts);
      return { turn };
    },
  };
}

/** An element with tools, whose model is a test. */
export async function chatWith(tools: readonly AnyTool[], attributes: Record<string, string> = {}) {
  const chat = await chatOnPage(attributes);
  const model = answerByHand(chat);
  for (const one of tools) chat.registerTool(one);
  return { chat, model };
}

export const call = (name: string, parameters: Record<string, string> = {}) =>
  `<tool_use><invoke name="${name}">${Object.entries(parameters)
    .map(([key, value]) => `<parameter name="${key}">${value}</parameter>`)
    .join('')}</invoke></tool_use>`;

export type AnyTool = ToolDefinition<never>;

/** A tool that notes what it ran with. */
export function tool(name: string, change: Record<string, unknown> = {}): AnyTool & { ran: Record<string, unknown>[] } {
  const ran: Record<string, unknown>[] = [];
  return {
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object', properties: { title: { type: 'string' } }, additionalProperties: false },
    execute(args: Record<string, unknown>) {
      ran.push(args);
      return { success: true, message: `${name} is done` };
    },
    ran,
    ...change,
  } as unknown as AnyTool & { ran: Record<string, unknown>[] };
}

/** Collects what is written to the console while `work` runs, and keeps it from being shown. */
export async function listening(work: () => unknown): Promise<string[]> {
  const said: string[] = [];
  const { debug, info, warn, error } = console;
  const hear = (...words: unknown[]) =>
    void said.push(words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))).join(' '));
  Object.assign(console, { debug: hear, info: hear, warn: hear, error: hear });
  try {
    await work();
  } finally {
    Object.assign(console, { debug, info, warn, error });
  }
  return said;
}
