/** A real server whose answers are made by somebody else's library, and a conversation that talks to it. Node only. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before } from 'mocha';
import { createConversation, type Conversation, type ConversationOptions } from '../../../src/conversation/conversation.js';
import type { TurnRequest, Wire } from '../../../src/transports/wire.js';
import { closeServer, listen, originOf } from '../../helpers/http-server.js';
import { askFor, requestFor } from '../reply.js';

export interface Served {
  path: string;
  body: unknown;
  response: ServerResponse;
  count: number;
}

export interface Service {
  readonly origin: string;
  readonly asked: unknown[];
}

/** Serves for one `describe`; what a handler throws is answered with 500 and its message. */
export function useService(handle: (served: Served) => void | Promise<void>): Service {
  const asked: unknown[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await json(request);
    try {
      await handle({ path: request.url ?? '', body, response, count: asked.push(body) - 1 });
    } catch (error) {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    }
  };
  let server: Server;
  before(async () => void (server = await listen((request, response) => void answer(request, response))));
  after(() => closeServer(server));
  return {
    asked,
    get origin() {
      return originOf(server);
    },
  };
}

export function talk(options: ConversationOptions): { chat: Conversation; ran: Record<string, unknown>[] } {
  const ran: Record<string, unknown>[] = [];
  const chat = createConversation({ logLevel: 'off', decide: () => 'allow', ...options });
  chat.registerTool({
    name: 'add_task',
    description: 'Adds a task.',
    risk: 'write',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    execute(args: Record<string, unknown>) {
      ran.push(args);
      return { success: true, message: 'Task added' };
    },
  });
  return { chat, ran };
}

export const CALL = '<tool_use>\n<invoke name="add_task">\n<parameter name="title">买牛奶 🥛</parameter>\n</invoke>\n</tool_use>';

export async function ask(wire: Wire, endpoint: string, turn: Partial<TurnRequest> = {}) {
  const request = { wire, endpoint, fetch: globalThis.fetch, turn: { ...requestFor().turn, sessionId: 's1', ...turn } };
  const reply = await askFor(request);
  return { ...reply, tools: reply.events.filter((event) => event.type === 'tool') };
}

export const PROVED = { type: 'ended', finish: 'stop', proof: 'proved' };
