/**
 * A shop that counts what is really done: each effect that arrives counts, whatever its idempotency key says. Its model asks for what the
 * person's message names, and answers everything else with a sentence. Pages can be stopped at any point of a call (`shop-page.ts`).
 */
import { getRequestListener } from '@hono/node-server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { createRelay } from '../../src/relay/index.js';
import { openBrowsers, type Browsers } from './browsers.js';
import { closeServer, frame, html, LAST_FRAMES, listen, originOf, sendBuilt } from './host-server.js';
import { setUpShop, type Plan } from './shop-page.js';
import type { Asked } from './widget.js';

/** What a session of the shop is told to do, and what became of it. */
class Visit {
  plan: Partial<Plan> = {};
  readonly effects: { id: string; tool: string }[] = [];
  /** What the model was sent, oldest first. */
  readonly asked: Asked[] = [];
  readonly said = new Set<string>();
  /** The effects of this session are not answered until it is let go; without it the model's answers, from the `nth` on. */
  hold: 'effect' | { model: number } | { modelAfter: string } | undefined;
  /** What the tool with `verify()` is told. Default: the truth. */
  verify?: string;
  /** Whether its page has come to where it stops. */
  stopped = false;
  /** How often a count was begun, and how often the rest was not wanted. */
  readonly counting = { begun: 0, stopped: 0 };
  readonly goOn = { done: false, wake: (): void => undefined };
  pages = 0;
  /** Pages that stand still. */
  readonly frozen: (() => void)[] = [];
  readonly held: (() => void)[] = [];
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** How long a page that is being left is kept from going on, in milliseconds; WebKit does not begin to leave it before. */
const FREEZE = 400;

async function openShop() {
  const visits = new Map<string, Visit>();
  const visit = (session: string): Visit => {
    const known = visits.get(session) ?? new Visit();
    visits.set(session, known);
    return known;
  };

  function page(session: string, query: URLSearchParams): string {
    const here = visit(session);
    for (const letGo of here.frozen.splice(0)) letGo();
    const nth = (here.pages += 1);
    const { stop, undecided, forgetful, ...rest } = here.plan;
    const pays = query.get('pays');
    const now = { session, nth, way: 'reload', ...rest, ...(nth === 1 && { stop, undecided, forgetful }), ...(pays && { pays }) };
    const attributes = {
      ...{ endpoint: `/shop/model/${session}`, wire: 'openai', storage: 'indexeddb', 'session-id': session },
      // What is held is held until the test goes on.
      ...Object.fromEntries(['tool', 'request', 'block'].map((name) => [`${name}-timeout`, '600000'])),
      ...{ heartbeat: '600000', ...here.plan.attributes },
    };
    const written = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
    return html(
      'Shop',
      `<script>((__name) => (${String(setUpShop)})(${JSON.stringify(now)}))((fn) => fn)</script>
<script type="module" src="/dist/tool-chat.js"></script><tool-chat ${written.join(' ')} style="block-size: 800px"></tool-chat>`,
    );
  }

  async function model(session: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const here = visit(session);
    const { messages } = (await json(request)) as { messages: Asked };
    here.asked.push(messages);
    const { hold } = here;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (typeof hold === 'object' && 'model' in hold && here.asked.length >= hold.model) return;
    const text = answer(messages.findLast(({ role }) => role === 'user')?.content ?? '', here.said);
    response.write(frame(text));
    if (typeof hold === 'object' && 'modelAfter' in hold && text.includes(hold.modelAfter)) return;
    response.end(LAST_FRAMES);
  }

  /** Only what is counted comes by the relay: it alone can give the rest of an answer. */
  const relay = createRelay({
    logger: false,
    resumeWindow: 120_000,
    async upstream(request, signal) {
      const { messages } = (await request.clone().json()) as { messages: Asked };
      const here = visit(/^Count (\S+)$/.exec(messages.at(-1)?.content ?? '')?.[1] ?? '');
      here.counting.begun += 1;
      signal.addEventListener('abort', () => (here.counting.stopped += 1));
      const body = new ReadableStream<string>({
        async start(controller) {
          controller.enqueue(frame('One, two, '));
          if (!here.goOn.done) await new Promise<void>((resolve) => (here.goOn.wake = resolve));
          if (signal.aborted) return;
          controller.enqueue(frame('three.') + LAST_FRAMES);
          controller.close();
        },
      });
      return new Response(body.pipeThrough(new TextEncoderStream()), { headers: { 'content-type': 'text/event-stream' } });
    },
  });

  const server = await listen((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
      const [, shop, what = '', session = ''] = pathname.split('/');
      if (pathname.startsWith('/api/ai/')) return getRequestListener(relay)(request, response);
      if (shop !== 'shop')
        return pathname === '/favicon.ico' ? response.writeHead(204).end() : sendBuilt(pathname.replace(/^\/dist\//, '/'), response);
      const here = visit(session);
      switch (what) {
        case 'page':
          return response.setHeader('content-type', 'text/html; charset=utf-8').end(page(session, searchParams));
        case 'model':
          return model(session, request, response);
        case 'stopped':
          here.stopped = true;
          return response.end();
        case 'frozen':
          if (here.plan.way === 'kill') return;
          here.frozen.push(() => response.end());
          return setTimeout(() => response.end(), FREEZE);
        case 'effect':
          here.effects.push({ id: String(request.headers['idempotency-key']), tool: searchParams.get('tool') ?? '' });
          if (here.hold === 'effect') await new Promise<void>((resolve) => here.held.push(resolve));
          return response.end(`${searchParams.get('tool') ?? ''} is done`);
        case 'verify':
          return response.end(here.verify ?? (here.effects.some(({ id }) => id === searchParams.get('id')) ? 'done' : 'not-done'));
        default:
          return response.writeHead(404).end();
      }
    })();
  });
  const { port } = new URL(originOf(server));

  return {
    /** Every one of `apart` is a site of its own, with a process of its own. */
    url: (session: string, { apart = false, pays }: { apart?: boolean; pays?: NonNullable<Plan['pays']> } = {}) =>
      `http://${apart ? `${session}.localhost` : '127.0.0.1'}:${port}/shop/page/${session}${pays ? `?pays=${pays}` : ''}`,
    visit,
    /** Ids of the calls whose effect arrived, in order. */
    effects: (session: string, tool?: string) =>
      visit(session).effects.flatMap((one) => (tool === undefined || one.tool === tool ? [one.id] : [])),
    letGo(session: string) {
      const here = visit(session);
      here.hold = undefined;
      for (const answer of here.held.splice(0)) answer();
    },
    /** `Count SESSION` is answered by our relay: `One, two, ` at once, and ` three.` when this is called. */
    goOnCounting(session: string) {
      const { goOn } = visit(session);
      goOn.done = true;
      goOn.wake();
    },
    close: () => closeServer(server),
  };
}

/** `Please pay` asks for `pay`, once; several names ask for several calls in one reply. */
function answer(said: string, before: Set<string>): string {
  const wanted = (/^Please ([a-z_ ]+)$/.exec(said)?.[1] ?? '').split(' ').filter((name) => name && !before.has(name));
  for (const name of wanted) before.add(name);
  if (wanted.length > 0)
    return wanted
      .map((name) => `<tool_use>\n<invoke name="${name}">\n<parameter name="amount">5</parameter>\n</invoke>\n</tool_use>\n`)
      .join('');
  return said.startsWith('Are you') ? 'Here I am.' : 'Noted.';
}

export function useShop(): { browsers: Browsers; shop: Shop } {
  const [browsers, shop] = [{} as Browsers, {} as Shop];
  before(async () => {
    Object.assign(browsers, await openBrowsers());
    Object.assign(shop, await openShop());
  });
  after(async () => {
    await browsers.close();
    await shop.close();
  });
  return { browsers, shop };
}
