/** MCP servers that nobody here wrote, each in a process of its own, and one that behaves as badly as it is told to. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort } from '../helpers/browsers/webkit.mjs';
import { closeServer, listen, originOf } from '../helpers/http-server.js';

const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url));

export interface Running {
  url: string;
  stop(): Promise<unknown>;
}

async function run(
  file: string,
  args: (port: string) => string[],
  more: (port: string) => Record<string, string>,
  given?: number,
): Promise<Running> {
  const port = String(given ?? (await freePort()));
  const env = { ...process.env, ...more(port) };
  const child: ChildProcess = spawn(process.execPath, [packages + file, ...args(port)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    let said = '';
    const hear = (text: Buffer) => {
      said += text.toString();
      if (/listening on port|running on HTTP/.test(said)) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    void ended.then(() => {
      reject(new Error(`It ended at once: ${said}`));
    });
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The reference server, of the older era: sessions, streams, everything that a tool can do. */
export const everything = (at?: number): Promise<Running> =>
  run(
    '@modelcontextprotocol/server-everything/dist/transports/streamableHttp.js',
    () => [],
    (port) => ({ PORT: port }),
    at,
  );

/** A server that is in use all over, of the newer era: no sessions, read-only tools. */
export const context7 = (): Promise<Running> =>
  run(
    '@upstash/context7-mcp/dist/index.js',
    (port) => ['--transport', 'http', '--port', port],
    () => ({ OTEL_SDK_DISABLED: 'true' }),
  );

export interface Asked {
  method: string;
  http: string;
  params: Record<string, unknown>;
  headers: IncomingMessage['headers'];
  id: unknown;
  /** All that was sent, where it is no request. */
  body: unknown;
}

export type Answer = (asked: Asked, response: ServerResponse) => unknown;

/** A server whose every answer is written by the test: what a handler gives back is sent as the result. */
export async function ownServer(answers: Record<string, Answer>): Promise<Running & { asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = await listen((request, response) => {
    void (async () => {
      const sent = await text(request);
      const body = (sent ? JSON.parse(sent) : {}) as { method?: string; params?: Record<string, unknown>; id?: unknown };
      const { method = '', params = {}, id } = body;
      const one = { method, http: request.method ?? '', params, headers: request.headers, id, body };
      asked.push(one);
      const answer = answers[one.method || one.http];
      if (!answer) {
        response.writeHead(one.id === undefined && one.method ? 202 : 405).end();
        return;
      }
      const result = await answer(one, response);
      if (result === undefined) return;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: one.id, result }));
    })();
  });
  return { asked, url: `${originOf(server)}/mcp`, stop: () => closeServer(server) };
}

export const modern = (capabilities: object = { tools: {} }, name = 'Own') => ({
  'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities, _meta: { 'io.modelcontextprotocol/serverInfo': { name } } }),
});

export const legacy = (capabilities: object = { tools: {} }): Record<string, Answer> => ({
  'server/discover': (_, response) =>
    void response.writeHead(400).end('{"jsonrpc":"2.0","error":{"code":-32000,"message":"Not initialized"},"id":null}'),
  initialize: (_, response) => {
    response.setHeader('mcp-session-id', 'session-1');
    return { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'Old' } };
  },
});
