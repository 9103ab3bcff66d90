/** One origin for everything the demo shows: the pages, the built widget, the task API, the relay and the playground's services. */
import { createAdaptorServer } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DocsState } from './docs-build.js';
import type { TasksApi } from './tasks-api.js';

export interface SiteOptions {
  tasks: TasksApi;
  /** Answers `/api/ai/*`: the relay. */
  ai: (request: Request, platform?: unknown) => Promise<Response>;
  /** Answers `/api/scripted/*`: services of every wire, for the playground. */
  scripted?: (request: Request) => Promise<Response>;
  /** `scripted`, or the name of the model behind the relay. The page says which. */
  model: string;
  /** The model that turns texts into vectors, if there is one. */
  embeddings?: string | undefined;
  /** The folder of the built widget. Default: `dist` of the project. */
  dist?: string;
  /** Folder whose `dist` holds the built documentation. Default: `docs/.vitepress` of the project. */
  docs?: string;
  /** Progress of the documentation's build; `undefined` if none runs. */
  docsState?: (() => DocsState | undefined) | undefined;
}

/** The strictest policy the widget works under. The demo keeps it, so a regression shows at once. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The page on which code from a model runs: a file of the package, which the pages have in a frame. */
export const POLICY_OF_SANDBOX = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'font-src data:',
  'media-src data: blob:',
  "frame-ancestors 'self'",
].join('; ');

/** There a person may name a service of their own, wherever it is. */
export const POLICY_OF_PLAYGROUND = CONTENT_SECURITY_POLICY.replace(
  "connect-src 'self'",
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
);

/** For a page that somebody puts beside the demo to try things out: it keeps its inline scripts and styles, and nothing else. */
export const POLICY_BESIDE = CONTENT_SECURITY_POLICY.replace(/(?:script|style)-src 'self'/g, "$& 'unsafe-inline'");

/** The documentation is made by a generator whose pages set themselves up by inline scripts; its examples run in frames of its own. */
export const POLICY_OF_DOCS = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Served at `/name` and `/name.html`, under the strictest policy. */
const PAGES_BY_NAME = [
  'gallery',
  'brand',
  'links',
  'files',
  'research',
  'shop',
  'shop-basket',
  'shop-order',
  'two',
  'strict',
  'tool-calling-tester',
];
const OWN_PAGES = new Set(['index', ...PAGES_BY_NAME].map((name) => `/${name}.html`));

/** Scripts run by this response's own nonce or from this origin: what a page needs that has an inline script. */
export const policyWithNonce = (nonce: string) => CONTENT_SECURITY_POLICY.replace("script-src 'self'", `$& 'nonce-${nonce}'`);

function policyOf(path: string): string {
  if (/^\/docs(?:\/|$)/.test(path)) return POLICY_OF_DOCS;
  if (/^\/playground(?:\.html)?$/.test(path)) return POLICY_OF_PLAYGROUND;
  return path.endsWith('.html') && !OWN_PAGES.has(path) ? POLICY_BESIDE : CONTENT_SECURITY_POLICY;
}

const PAGES = fileURLToPath(new URL('..', import.meta.url));
const THEMES = fileURLToPath(new URL('../../themes', import.meta.url));
const DOCS = fileURLToPath(new URL('../../docs/.vitepress', import.meta.url));
/** The table from which the playground makes its controls. */
const MANIFEST = fileURLToPath(new URL('../../custom-elements.json', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PROGRESS = fileURLToPath(new URL('docs-progress.html', import.meta.url));

const NO_PAGE = '<!doctype html><title>Not found</title><p>There is no such page. <a href="/docs/">Documentation</a>';

/** The address `/docs/guides/csp` is the file `guides/csp.html`. */
function inDocs(path: string): string {
  const name = path.slice('/docs'.length);
  return `/dist${name.endsWith('/') || /\.\w+$/.test(name) ? name : `${name}.html`}`;
}

/** One sentence for a reader of `/docs` while it is not there. */
function progressText(state: DocsState | undefined): string {
  switch (state?.status) {
    case 'building':
      return `The documentation is being built: ${state.step} (${state.seconds} s). It appears here by itself.`;
    case 'failed':
      return `The documentation could not be built (${state.reason}). Run "npm run docs" to see why; then it appears here by itself.`;
    case undefined:
      return 'The documentation has not been built yet. Run "npm run docs"; then it appears here by itself.';
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The handler that a server calls: `platform` is what it passes along with the request. */
type Fetch = (request: Request, platform?: unknown) => Promise<Response>;

export function createSite({ tasks, ai, scripted, model, embeddings, dist = DIST, docs = DOCS, docsState }: SiteOptions): Fetch {
  const docsAreBuilt = () => existsSync(`${docs}/dist/index.html`);
  const app = new Hono<{ Variables: { policy?: string } }>();
  app.all('/api/ai/*', (c) => ai(c.req.raw, c.env));
  if (scripted) app.all('/api/scripted/*', (c) => scripted(c.req.raw));
  app.get('/api/demo/info', (c) => c.json({ model, embeddings }));
  app.all('/api/*', (c) => tasks.fetch(c.req.raw));

  app.use(etag(), compress(), async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-cache');
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Content-Security-Policy', c.get('policy') ?? policyOf(c.req.path));
  });
  // No page asks for what the build leaves for other tools (`dist/.vite`).
  app.get('/dist/*', async (c, next) => (/\/(?:\.|%2e)/i.test(c.req.path) ? c.notFound() : next()));
  app.get('/dist/*', serveStatic({ root: dist, rewriteRequestPath: (path) => path.slice('/dist'.length) }));
  app.get('/tool-chat-sandbox.html', async (c, next) => {
    c.set('policy', POLICY_OF_SANDBOX);
    return serveStatic({ path: `${dist}/tool-chat-sandbox.html` })(c, next);
  });
  // Only what a page is made of: the server's own sources lie in a folder below and are not files of the site.
  app.get('/', serveStatic({ path: `${PAGES}/index.html` }));
  app.get('/strict', async (c) => {
    const nonce = crypto.randomUUID();
    c.set('policy', policyWithNonce(nonce));
    return c.html((await readFile(`${PAGES}/strict.html`, 'utf8')).replaceAll('{{nonce}}', nonce));
  });
  for (const name of PAGES_BY_NAME) app.get(`/${name}`, serveStatic({ path: `${PAGES}/${name}.html` }));
  app.get('/themes/*', serveStatic({ root: THEMES, rewriteRequestPath: (path) => path.slice('/themes'.length) }));
  app.get('/docs', (c) => c.redirect('/docs/'));
  app.get('/docs/progress.json', (c) => {
    const ready = docsAreBuilt();
    return c.json({ ready, text: ready ? '' : progressText(docsState?.()) });
  });
  app.get('/docs/*', serveStatic({ root: docs, rewriteRequestPath: inDocs }));
  app.get('/docs/*', async (c) => {
    if (docsAreBuilt()) return c.html(NO_PAGE, 404);
    if (/\.\w+$/.test(c.req.path)) return c.notFound();
    const state = docsState?.();
    const page = (await readFile(PROGRESS, 'utf8')).replace('{{text}}', () => escaped(progressText(state)));
    return c.html(page, state?.status === 'building' ? 202 : 503);
  });
  // Browsers ask for it on pages that name no icon: a page of one's own, and the documentation.
  app.get('/favicon.ico', (c) => c.redirect('/icon.svg'));
  app.get('/custom-elements.json', serveStatic({ path: MANIFEST }));
  app.get('/playground', serveStatic({ path: `${PAGES}/playground.html` }));
  app.get('/:file{[a-z0-9-]+\\.(?:js|css|svg|html)}', serveStatic({ root: PAGES }));
  app.notFound((c) => c.text('Not found', 404));
  return async (request, platform) => app.fetch(request, platform as object);
}

export interface RunningSite {
  /** Without a slash at the end. */
  url: string;
  /** Takes no new connections from now on; what is still open is closed after `last`. */
  close(last?: Promise<unknown>): Promise<void>;
}

/**
 * Listens on both loopback addresses, since `localhost` may mean either, or on `host` where one is given.
 * Port 0 picks a free one. Rejects if the port is taken on either address.
 */
export async function listen(fetch: Fetch, { port, host }: { port: number; host?: string | undefined }): Promise<RunningSite> {
  const first = await open(fetch, port, host ?? '127.0.0.1');
  const { port: actual } = first.address() as AddressInfo;
  const servers = [first];
  if (host === undefined)
    await open(fetch, actual, '::1').then(
      (server) => servers.push(server),
      (error: NodeJS.ErrnoException) => {
        // A machine without IPv6 is fine. But if another program has the port there, a browser would show that one as `localhost`.
        if (error.code !== 'EADDRINUSE' || port === 0) return;
        first.close();
        throw error;
      },
    );
  return {
    url: `http://${host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${actual}`,
    async close(last) {
      const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
      await last;
      // Streams to a browser end only when the browser goes away; a stopping server does not wait for that.
      for (const server of servers) server.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

function open(fetch: Fetch, port: number, host: string): Promise<Server> {
  const server = createAdaptorServer({ fetch }) as Server;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}
