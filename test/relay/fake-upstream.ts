/** An OpenAI-compatible server on a real socket, whose every answer is written by the test. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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

export type Upstream = Awaited<ReturnType<typeof startUpstream>>;

export async function startUpstream(first: Play) {
  let play = first;
  const requests: Received[] = [];
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const piece of request.setEncoding('utf8')) text += piece as string;
      const received = { headers: request.headers, url: request.url ?? '', body: JSON.parse(text) as Record<string, unknown> };
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    play: (next: Play) => void (play = next),
    sockets: () => sockets.size,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
