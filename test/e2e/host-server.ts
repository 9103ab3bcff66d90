/**
 * A site that embeds the widget: pages written by the test, the built bundle in a folder of its own, and the relay with a model that
 * says what the test wants. Beside it two other origins: one that offers the bundle, and one that must never hear from the page.
 */
import { getRequestListener } from '@hono/node-server';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Readable } from 'node:stream';
import { createRelay, type RelayOptions, type Upstream } from '../../src/relay/index.js';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { closeServer, listen, originOf } from '../helpers/http-server.js';
import type { Asked } from './widget.js';

export { closeServer, listen, originOf } from '../helpers/http-server.js';
export type HostSite = Awaited<ReturnType<typeof serveHost>>;

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const types: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css' };

export const frame = (content: string, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;
export const LAST_FRAMES = `${frame('', 'stop')}data: [DONE]\n\n`;

/** Streams a text the way a model does, in pieces of a few characters. */
function speak(text: string): Response {
  async function* frames() {
    for (const piece of text.match(/.{1,12}/gsu) ?? []) {
      await new Promise((resolve) => setTimeout(resolve, 3));
      yield frame(piece);
    }
    yield LAST_FRAMES;
  }
  const body = Readable.toWeb(Readable.from(frames())) as ReadableStream<string>;
  return new Response(body.pipeThrough(new TextEncoderStream()), { headers: { 'content-type': 'text/event-stream' } });
}

export const html = (title: string, content: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>${content}`;

/** @param hostname What the browser calls it, if not by its address; the other options are the relay's. */
export async function serveHost({ hostname, ...relay }: Partial<RelayOptions> & { hostname?: string } = {}) {
  const asked: Asked[] = [];
  const texts: string[] = [];
  const heard: string[] = [];
  const withheld = new Set<string>();
  const files = new Map<string, { content: string; policy: string | undefined }>();
  const scripted = scriptedUpstream({ delayMs: 4 });
  const upstream: Upstream = async (request, signal) => {
    asked.push(((await request.clone().json()) as { messages: Asked }).messages);
    const text = texts.shift();
    return text === undefined ? scripted(request, signal) : speak(text);
  };

  const host = await listen((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://host');
      if (pathname.startsWith('/api/ai/')) return answer(request, response);
      if (withheld.has(pathname)) return response.writeHead(404).end();
      const file = files.get(pathname);
      if (file) {
        response.setHeader('content-type', types[path.extname(pathname)] ?? 'text/plain');
        if (file.policy) response.setHeader('content-security-policy', file.policy);
        return response.end(file.content);
      }
      if (pathname === '/favicon.ico') return response.writeHead(204).end();
      // A site keeps the files where it likes.
      return sendBuilt(pathname.replace(/^.*\/dist\//, '/'), response);
    })();
  });
  const url = originOf(host).replace('127.0.0.1', hostname ?? '127.0.0.1');
  const answer = getRequestListener(
    createRelay({ upstream, logger: false, ...(hostname !== undefined && { publicOrigin: url }), ...relay }),
  );
  const cdn = await listen((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    void sendBuilt((request.url ?? '').replace('/cdn/', '/'), response);
  });
  const stranger = await listen((request, response) => {
    heard.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*').end();
  });

  return {
    url,
    elsewhere: originOf(cdn),
    stranger: originOf(stranger),
    strangerHeard: heard,
    asked,
    /** `policy`: its Content-Security-Policy. */
    put: (at: string, content: string, policy?: string) => void files.set(at, { content, policy }),
    /** Until what it gives is called, this file is not there. */
    withhold(at: string) {
      withheld.add(at);
      return () => void withheld.delete(at);
    },
    /** One text a request, instead of what was left to say; after that it is the scripted model. */
    say: (...next: string[]) => void texts.splice(0, texts.length, ...next),
    close: async () => void (await Promise.all([host, cdn, stranger].map(closeServer))),
  };
}

export async function sendBuilt(pathname: string, response: Parameters<RequestListener>[1]): Promise<void> {
  const file = path.join(dist, path.normalize(pathname));
  const content = file.startsWith(dist) ? await readFile(file).catch(() => undefined) : undefined;
  if (content === undefined) return void response.writeHead(404).end();
  response.setHeader('content-type', types[path.extname(file)] ?? 'application/octet-stream').end(content);
}
