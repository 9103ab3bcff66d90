/** "Check configuration" against real servers; what browsers refuse: `check-endpoint.browser.test.ts`. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { checkEndpoint } from '../../src/transports/check-endpoint.js';
import { createRelay } from '../../src/relay/index.js';
import { listen } from '../relay/listen.js';

interface Asked {
  method: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}
type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

describe('check configuration', () => {
  let answer: Answer;
  let origin = '';
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push({ method: request.method ?? '', headers: request.headers, body });
      answer(request, response);
    });
  });
  before((done) => {
    server.listen(0, '127.0.0.1', () => {
      origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
      done();
    });
  });
  after(() => void server.close());
  beforeEach(() => {
    asked.length = 0;
    answer = (_, response) => void response.writeHead(405).end();
  });

  const plain: typeof globalThis.fetch = (input, init) => fetch(input, init);
  const check = (more: Partial<Parameters<typeof checkEndpoint>[0]> = {}) =>
    checkEndpoint({ endpoint: `${origin}/api/ai/chat/stream?key=sk-secret`, fetch: plain, page: `${origin}/page`, ...more });

  it('asks nothing where there is no address, or none that can be asked', async () => {
    expect(await check({ endpoint: '' })).to.deep.equal({ finding: 'no-endpoint', endpoint: '' });
    expect((await check({ endpoint: 'http://' })).finding).to.equal('bad-url');
    expect((await check({ endpoint: 'ftp://here/x' })).finding).to.equal('bad-url');
    expect((await check({ endpoint: 'prompt-api:' })).finding).to.equal('on-device');
    expect((await check({ endpoint: 'wllama:/models/small.gguf' })).finding).to.equal('on-device');
    expect(asked).to.have.length(0);
  });

  it('never sends a message, and never tells a key of the address', async () => {
    const report = await check({ headers: () => Promise.resolve({ authorization: 'Bearer t' }) });
    expect(report.endpoint).to.equal(`${origin}/api/ai/chat/stream`);
    expect(JSON.stringify(report)).to.not.include('sk-secret');
    expect(asked.map(({ method, body }) => `${method} ${body}`)).to.deep.equal(['GET ', 'POST {}']);
    expect(asked.every(({ headers }) => headers['authorization'] === 'Bearer t')).to.equal(true);
  });

  for (const [what, status, finding] of [
    ['a request that is refused for holding no message', 400, 'ok'],
    ['a request that is refused for its form', 422, 'ok'],
    ['who is not let in', 401, 'auth'],
    ['what is forbidden', 403, 'auth'],
    ['a path that is none', 404, 'not-found'],
    ['a path that takes no messages', 405, 'not-found'],
    ['too many requests', 429, 'rate-limit'],
    ['a server that fails', 503, 'server'],
  ] as const)
    it(`tells ${what} (${String(status)})`, async () => {
      answer = ({ method }, response) => void response.writeHead(method === 'POST' || status === 401 ? status : 405).end();
      expect(await check()).to.include({ finding, status });
    });

  it('takes a server that calls a missing field its own fault for a healthy one', async () => {
    for (const [message, finding] of [
      ["'messages' is required", 'ok'],
      ['missing field `messages` at line 1 column 2', 'ok'],
      ['model failed to load', 'server'],
    ] as const) {
      answer = ({ method }, response) =>
        void response.writeHead(method === 'POST' ? 500 : 404).end(method === 'POST' ? JSON.stringify({ error: { message } }) : '');
      expect((await check()).finding, message).to.equal(finding);
    }
    // One that knows the path only by its method.
    answer = ({ method }, response) => void response.writeHead(method === 'GET' ? 404 : 400).end();
    expect((await check()).finding).to.equal('ok');
  });

  it('does not send a second request where the first has proved it, and does not follow where it is sent on', async () => {
    answer = (_, response) => void response.writeHead(401).end();
    await check();
    expect(asked).to.have.length(1);
    answer = (_, response) => void response.writeHead(307, { location: `${origin}/elsewhere` }).end();
    expect(await check()).to.include({ finding: 'redirect' });
    expect(asked.map(({ method }) => method)).to.deep.equal(['GET', 'GET', 'POST']);
  });

  it('finds our relay in order, and runs no model for it', async () => {
    let runs = 0;
    const relay = createRelay({
      baseUrl: 'http://upstream.example/v1',
      apiKey: 'k',
      fetch: () => {
        runs += 1;
        return Promise.resolve(new Response('{}'));
      },
    } as never);
    const { url: at, close } = await listen(relay as never);
    try {
      expect(await checkEndpoint({ endpoint: `${at}/api/ai/chat/stream`, fetch: plain, page: `${at}/` })).to.include({ finding: 'ok' });
      expect(await checkEndpoint({ endpoint: `${at}/api/ai/chats`, fetch: plain, page: `${at}/` })).to.include({ finding: 'not-found' });
    } finally {
      close();
    }
    expect(runs).to.equal(0);
  });

  it('tells a web page from an endpoint', async () => {
    answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in');
    expect(await check()).to.include({ finding: 'wrong-answer', status: 200 });
  });

  it('tells what does not answer at all from what answers too late', async () => {
    expect((await check({ endpoint: 'http://127.0.0.1:9/' })).finding).to.equal('unreachable');
    answer = () => {};
    expect((await check({ timeout: 50 })).finding).to.equal('timeout');
  });

  it('tells what a browser may not ask, where it indeed may not', async () => {
    const refused: typeof globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
    const opaque: typeof globalThis.fetch = (_, { mode } = {}) =>
      mode === 'no-cors' ? Promise.resolve(Object.defineProperty(new Response(null), 'type', { value: 'opaque' })) : refused('');
    for (const [endpoint, answered, finding] of [
      ['http://api.example/x', refused, 'mixed-content'],
      ['https://api.example/x', refused, 'unreachable'],
      ['http://192.168.0.7/x', refused, 'mixed-content'],
      ['http://localhost/x', refused, 'local-network'],
      ['https://api.example/x', opaque, 'cors'],
    ] as const)
      expect((await check({ endpoint, fetch: answered, page: 'https://shop.example/' })).finding).to.equal(finding);
  });

  it('tells that the host’s own headers cannot be had', async () => {
    expect((await check({ headers: () => Promise.reject(new Error('no token')) })).finding).to.equal('headers');
    expect(asked).to.have.length(0);
  });
});
