/** "Check configuration" against real servers; what browsers refuse: `check-endpoint.browser.test.ts`. */
import { expect } from 'chai';
import { checkEndpoint } from '../../src/transports/check-endpoint.js';
import { errorsEn } from '../../src/i18n/error-texts.js';
import { createRelay } from '../../src/relay/index.js';
import { listen, type Listening } from '../relay/listen.js';

type Answer = (request: Request) => Response | Promise<Response>;

const respond = (status: number, headers: Record<string, string> = {}, body?: string) => new Response(body ?? null, { status, headers });

describe('check configuration', () => {
  let answer: Answer;
  let server: Listening;
  const asked: { method: string; headers: Headers; body: string }[] = [];
  before(async () => {
    server = await listen(async (request) => {
      asked.push({ method: request.method, headers: request.headers, body: await request.text() });
      return answer(request);
    });
  });
  after(() => server.close());
  beforeEach(() => {
    asked.length = 0;
    answer = () => respond(405);
  });

  const plain: typeof globalThis.fetch = (input, init) => fetch(input, init);
  const check = (more: Partial<Parameters<typeof checkEndpoint>[0]> = {}) =>
    checkEndpoint({ endpoint: `${server.url}/api/ai/chat/stream?key=sk-secret`, fetch: plain, page: `${server.url}/page`, ...more });

  it('asks nothing where there is no address, or none that can be asked', async () => {
    const findings = {
      '': 'no-endpoint',
      'http://': 'bad-url',
      'ftp://here/x': 'bad-url',
      'prompt-api:': 'on-device',
      'wllama:/a.gguf': 'on-device',
    };
    for (const [endpoint, finding] of Object.entries(findings)) expect((await check({ endpoint })).finding, endpoint).to.equal(finding);
    expect(asked).to.have.length(0);
  });

  it('never sends a message, and never tells a key of the address', async () => {
    const report = await check({ headers: () => Promise.resolve({ authorization: 'Bearer t' }) });
    expect(report.endpoint).to.equal(`${server.url}/api/ai/chat/stream`);
    expect(JSON.stringify(report)).to.not.include('sk-secret');
    expect(asked.map(({ method, body }) => `${method} ${body}`)).to.deep.equal(['GET ', 'POST {}']);
    expect(asked.every(({ headers }) => headers.get('authorization') === 'Bearer t')).to.equal(true);
  });

  const plainly =
    (status: number): Answer =>
    ({ method }) =>
      respond(method === 'POST' || status === 401 ? status : 405);
  const says =
    (message: string): Answer =>
    ({ method }) =>
      method === 'POST' ? respond(500, {}, JSON.stringify({ error: { message } })) : respond(404);
  for (const [what, given, finding, status] of [
    ['a request that is refused for holding no message', plainly(400), 'ok', 400],
    ['a request that is refused for its form', plainly(422), 'ok', 422],
    ['who is not let in', plainly(401), 'auth', 401],
    ['a site or a user that is not let in', () => respond(403), 'forbidden', 403],
    ['a path that is none', plainly(404), 'not-found', 404],
    ['a path that takes no messages', plainly(405), 'not-found', 405],
    ['too many requests', plainly(429), 'rate-limit', 429],
    ['a server that fails', plainly(503), 'server', 503],
    ['a healthy server that calls a missing field its own fault', says("'messages' is required"), 'ok'],
    ['a server that fails for another reason', says('model failed to load'), 'server'],
    ['a server that knows the path only by its method', ({ method }) => respond(method === 'GET' ? 404 : 400), 'ok'],
    ['a web page', () => respond(200, { 'content-type': 'text/html' }, '<p>Sign in'), 'wrong-answer', 200],
  ] as [string, Answer, string, number?][])
    it(`tells ${what}`, async () => {
      answer = given;
      expect(await check()).to.include({ finding, ...(status !== undefined && { status }) });
    });

  it('does not send a second request where the first has proved it, and does not follow where it is sent on', async () => {
    answer = () => respond(401);
    await check();
    expect(asked).to.have.length(1);
    answer = () => respond(307, { location: `${server.url}/elsewhere` });
    expect(await check()).to.include({ finding: 'redirect' });
    expect(asked.map(({ method }) => method)).to.deep.equal(['GET', 'GET', 'POST']);
  });

  it('finds our relay in order, or not open to this origin, and runs no model for it', async () => {
    let runs = 0;
    let origin = 'https://shop.example';
    const relay = createRelay({
      allowedOrigins: ['https://shop.example'],
      baseUrl: 'http://upstream.example/v1',
      apiKey: 'k',
      fetch: () => {
        runs += 1;
        return Promise.resolve(new Response('{}'));
      },
    } as never);
    const { url: at, close } = await listen((request) => {
      request.headers.set('origin', origin);
      return relay(request);
    });
    try {
      expect(await checkEndpoint({ endpoint: `${at}/api/ai/chat/stream`, fetch: plain, page: `${at}/` })).to.include({ finding: 'ok' });
      expect(await checkEndpoint({ endpoint: `${at}/api/ai/chats`, fetch: plain, page: `${at}/` })).to.include({ finding: 'not-found' });
      origin = 'https://another.example';
      const report = await checkEndpoint({ endpoint: `${at}/api/ai/chat/stream`, fetch: plain, page: `${at}/` });
      // The words tell the owner which origin to allow, by the relay's own name for the option.
      expect(report).to.include({ finding: 'forbidden', status: 403, origin: at });
      expect(errorsEn.findings.forbidden(report).join(' '))
        .to.include(`add ${at} to`)
        .and.include('ALLOWED_ORIGINS')
        .and.not.include('key');
    } finally {
      close();
    }
    expect(runs).to.equal(0);
  });

  it('tells what does not answer at all from what answers too late', async () => {
    expect((await check({ endpoint: 'http://127.0.0.1:9/' })).finding).to.equal('unreachable');
    answer = () => new Promise(() => {});
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
