/** An OpenAI-compatible server on a real socket, whose every answer is written by the test. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { closeServer, listen, originOf } from '../helpers/http-server.js';

export interface Received {
  headers: IncomingMessage['headers'];
  url: string;
  body: Record<string, unknown>;
}

export interface Answer {
  response: ServerResponse;
  closed: Promise<void>;
  open(): void;
  chunk(content: string): void;
  /** A finish reason, the usage, `[DONE]`, and the end of the body. */
  end(finish?: string): void;
}

export type Play = (answer: Answer, received: Received) => void | Promise<void>;

export const chunkFrame = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', model: 'fake-1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** An answer without a server, in small pieces, so that a call is put together from many. */
export function answered(text: string): Response {
  const pieces = text.match(/[^]{1,7}/gu) ?? [];
  const body = [...pieces.map((content) => chunkFrame({ content })), chunkFrame({}, 'stop'), 'data: [DONE]\n\n'].join('');
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

export type Upstream = Awaited<ReturnType<typeof startUpstream>>;

export async function startUpstream(first: Play) {
  let play = first;
  const requests: Received[] = [];
  const sockets = new Set<unknown>();
  const server = await listen((request, response) => {
    void (async () => {
      const received = { headers: request.headers, url: request.url ?? '', body: (await json(request)) as Record<string, unknown> };
      requests.push(received);
      const answer: Answer = {
        response,
        closed: new Promise((resolve) => response.on('close', resolve)),
        open: () => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
        chunk: (content) => void response.write(chunkFrame({ content })),
        end(finish = 'stop') {
          response.write(chunkFrame({}, finish));
          response.write(
            `data: ${JSON.stringify({ model: 'fake-1', choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } })}\n\n`,
          );
          response.end('data: [DONE]\n\n');
        },
      };
      await play(answer, received);
    })();
  });
  server.on('connection', (socket) => sockets.add(socket));
  return {
    baseUrl: `${originOf(server)}/v1`,
    requests,
    play: (next: Play) => void (play = next),
    sockets: () => sockets.size,
    close: () => closeServer(server),
  };
}
