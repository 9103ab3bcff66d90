/** The built files as a site serves them, compressed, a page for each session, and the relay with a model that says what the session wants. */
import { getRequestListener } from '@hono/node-server';
import { readFileSync, existsSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const TOOLS = readFileSync(new URL('../fixtures/pages/size-tools.html', import.meta.url), 'utf8');

/** With `tools` two of them; without, a page that only talks. */
const page = (tools) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">
<script type="module" src="/dist/tool-chat.js"></script>${tools ? TOOLS : ''}
<p>A page.</p><tool-chat layout="floating" endpoint="/api/ai/chat/stream"></tool-chat>`;

/** @returns {Promise<{ url: string, say(...texts: string[]): void, close(): void }>} `say`: one text for each request that follows. */
export async function serveSite(root) {
  const dist = path.join(root, 'dist');
  const { createRelay } = await import(pathToFileURL(path.join(dist, 'lib/relay/index.js')).href);
  let texts = [];
  const upstream = () => Promise.resolve(speak(texts.shift() ?? 'There is nothing to say.'));
  const answer = getRequestListener(createRelay({ upstream, logger: false }));
  const pages = { '/plain': page(false), '/tools': page(true) };
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pages[pathname]) return response.setHeader('content-type', 'text/html; charset=utf-8').end(pages[pathname]);
    if (pathname.startsWith('/api/ai/')) return void answer(request, response);
    const file = path.join(root, path.normalize(pathname));
    if (!file.startsWith(dist) || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'max-age=3600',
    });
    response.end(gzipSync(readFileSync(file), { level: 9 }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    say: (...next) => (texts = next),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function speak(text) {
  const frames = (text.match(/[^]{1,12}/g) ?? []).map((content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
  frames.push({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  const body = `${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
