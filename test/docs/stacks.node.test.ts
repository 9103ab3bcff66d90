/** The pages of docs/stacks: each server sample is started as it is written there, and answers from a model. `test/consumers.node.test.ts` compiles the components. */
import { expect } from 'chai';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { after, before } from 'mocha';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { closeSamples, fetchOf, load, openSamples, withGlobals } from './pages.js';

/** What a sample exports, in any of the stacks. */
interface Routes {
  POST(event: object): Promise<Response>;
  default: { fetch(request: Request, env: object): Promise<Response> };
}

const ask = (url: string) =>
  new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', text: 'Hello' }], stream: true }),
  });

async function addressOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, 'listening');
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

describe('docs/stacks', () => {
  const set = { MODEL_BASE_URL: '', MODEL_NAME: 'scripted', MODEL_API_KEY: 'key', MODEL_PORT: '0', PORT: '0' };
  const was = Object.fromEntries(Object.keys(set).map((name) => [name, process.env[name]]));
  let model: Server;

  before(async () => {
    await openSamples();
    Object.assign(process.env, set);
    ({ server: model } = await load<{ server: Server }>('stacks/index', 'model'));
    process.env.MODEL_BASE_URL = `${await addressOf(model)}/v1`;
  });
  after(async () => {
    model.close();
    for (const [name, value] of Object.entries(was))
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    await closeSamples();
  });

  const servers = { express: 'express', hono: 'hono' };
  for (const [page, sample] of Object.entries(servers))
    it(`has a server in ${page}.md that answers, and has what the tool of html.md asks for`, async () => {
      const { server } = await load<{ server: Server }>(`stacks/${page}`, sample);
      const address = await addressOf(server);
      const response = await fetch(ask(`${address}/api/ai/chat/stream`));
      expect(await response.text(), String(response.status)).to.match(/"type":"done"/);
      expect(await (await fetch(`${address}/api/products?name=tea`)).json()).to.deep.equal(['Green tea', 'Black tea']);
      server.close();
    });

  const handlers: Record<string, [sample: string, answer: (routes: Routes, request: Request) => Promise<Response>]> = {
    nextjs: ['route', ({ POST }, request) => POST(request)],
    svelte: ['kit', ({ POST }, request) => POST({ request })],
    workers: ['worker', ({ default: worker }, request) => worker.fetch(request, process.env)],
  };
  for (const [page, [sample, answer]] of Object.entries(handlers))
    it(`has a handler in ${page}.md that answers`, async () => {
      const response = await answer(await load<Routes>(`stacks/${page}`, sample), ask('http://localhost:3000/api/ai/chat/stream'));
      expect(await response.text(), String(response.status)).to.match(/"type":"done"/);
    });

  it('has a tool in html.md that runs, and one that fails as the service does', async () => {
    const window: { toolChat?: ((chat: object) => void)[] } = {};
    await withGlobals({ window }, () => load('stacks/html', 'tools'));
    let tool: ToolDefinition | undefined;
    window.toolChat?.[0]?.({ registerTool: (given: ToolDefinition) => (tool = given) });
    const products = fetchOf('/api/products', (url) =>
      url.endsWith('=tea') ? Response.json(['Green tea']) : new Response('', { status: 500 }),
    );
    const run = (name: string) => withGlobals({ fetch: products }, () => tool?.execute({ name }, {} as never));
    expect(await run('tea')).to.deep.equal(['Green tea']);
    expect(await Promise.resolve(run('jam')).catch((error: Response) => error.status)).to.equal(500);
  });
});
