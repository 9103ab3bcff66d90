/** Servers and connections of one test file, each closed after its test. */
import type { ServerResponse } from 'node:http';
import { afterEach } from 'mocha';
import { connectMcp, type McpConnection, type McpOptions } from '../../src/mcp/index.js';
import { createRegistry, type ToolRegistry } from '../../src/tools/registry.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { ownServer, type Answer, type Asked } from './servers.js';

const nothing = () => undefined;
export const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing };
export const context = (more: Partial<ToolContext> = {}): ToolContext => ({
  ...{ requestId: 'call-1', sessionId: 's', signal: new AbortController().signal, progress: nothing, logger: quiet, ...more },
});
export const json = (fields: object) => JSON.stringify({ jsonrpc: '2.0', ...fields });
export const event = (fields: object) => `data: ${json(fields)}\n\n`;
export const streaming = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
export const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
export const callsOf = ({ asked }: { asked: Asked[] }) => asked.filter(({ method }) => method === 'tools/call');
export const answersTo = ({ asked }: { asked: Asked[] }) =>
  asked.filter(({ method, http }) => !method && http === 'POST').map(({ body }) => body);
export const question = (more: object = {}) => ({
  method: 'elicitation/create',
  params: { message: 'Which?', requestedSchema: {}, ...more },
});

/** The stream that a client keeps open for what a server says by itself, and what writes into it. */
export function listening() {
  const heard: ((sent: string) => void)[] = [];
  const GET: Answer = (_, response) => {
    streaming(response).flushHeaders();
    heard.push((sent) => response.write(sent));
  };
  return { heard, GET };
}

export interface Connected {
  connection: McpConnection;
  registry: ToolRegistry;
  said: string[];
  run(name: string, args?: Record<string, unknown>, more?: Partial<ToolContext>): Promise<unknown>;
  names(): string[];
}

export const tools = (...list: object[]) => ({ 'tools/list': () => ({ tools: list }) });
export const tool = (more: object = {}) => ({ name: 'wipe', description: 'Wipes', inputSchema: { type: 'object' }, ...more });

export const failure = (run: Promise<unknown>) => run.then(() => undefined).catch((error: Error) => error);

export function useConnections() {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  async function connected(url: string, options: McpOptions = {}): Promise<Connected> {
    const registry = createRegistry();
    const said: string[] = [];
    const logger = { ...quiet, warn: (message: string) => void said.push(message) };
    const connection = await connectMcp({ registerTool: (tool) => registry.register(tool) }, url, { logger, ...options });
    open.push(() => connection.close());
    return {
      ...{ connection, registry, said },
      names: () => registry.list().map(({ name }) => name),
      async run(name, args = {}, more = {}) {
        return registry.get(name)?.execute(args, context(more));
      },
    };
  }

  async function serve(answers: Record<string, Answer>) {
    const server = await ownServer(answers);
    open.push(() => server.stop());
    return server;
  }

  async function own(answers: Record<string, Answer>, options: McpOptions = {}) {
    const server = await serve(answers);
    return { server, ...(await connected(server.url, options)) };
  }
  return { open, connected, serve, own };
}
