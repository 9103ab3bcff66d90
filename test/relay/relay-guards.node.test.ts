import { getRequestListener } from '@hono/node-server';
import { expect } from 'chai';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { createRelay, relayOptionsFromEnv, type RelayOptions } from '../../src/relay/index.js';
import { createScrubber } from '../../src/relay/relay-log.js';
import { closeServer, listen, originOf } from '../helpers/http-server.js';
import { ask, hello, ORIGIN } from './ask.js';
import { answered } from './fake-upstream.js';
import addresses from '../fixtures/relay/addresses.json' with { type: 'json' };
import unanswered from '../fixtures/relay/unanswered-addresses.json' with { type: 'json' };

function guarded(options: RelayOptions = {}) {
  const asked: unknown[] = [];
  const relay = createRelay({
    model: 'm',
    logger: false,
    upstream: async (request) => {
      asked.push(await request.json());
      return answered('ok');
    },
    ...options,
  });
  return { relay, asked };
}

describe('relay, origins', () => {
  const allowedOrigins = ['https://shop.example', 'http://localhost:8080'];
  const stranger = 'https://shop.example.evil.test';
  for (const origin of [undefined, ORIGIN, ...allowedOrigins, stranger]) {
    const allowed = origin !== stranger;
    const acao = origin && allowedOrigins.includes(origin) ? origin : null;
    it(`${allowed ? 'answers' : 'refuses'} ${origin ?? 'a request without an origin'}`, async () => {
      const { relay, asked } = guarded({ allowedOrigins, publicOrigin: ORIGIN });
      const headers: Record<string, string> = origin === undefined ? {} : { origin };
      const response = await relay(ask(hello(), { headers }));
      expect(response.status).to.equal(allowed ? 200 : 403);
      expect(response.headers.get('access-control-allow-origin')).to.equal(acao);
      expect(response.headers.get('vary')).to.match(/\bOrigin\b/);
      if (!allowed)
        expect(await response.json()).to.deep.include({
          type: 'error',
          code: 'forbidden',
          message: `This service does not allow the origin "${stranger}". Add it to \`allowedOrigins\` (ALLOWED_ORIGINS).`,
        });
      else await response.text();
      expect(asked).to.have.lengthOf(allowed ? 1 : 0);

      const preflight = await relay(new Request(`${ORIGIN}/api/ai/chat/stream`, { method: 'OPTIONS', headers }));
      expect(preflight.status).to.equal(allowed ? 204 : 403);
      expect(preflight.headers.get('access-control-allow-origin')).to.equal(acao);
      if (acao) expect(preflight.headers.get('access-control-allow-headers')).to.include('content-type');
    });
  }

  it('refuses those that only look like one on the list, and none where one is required', async () => {
    const { relay, asked } = guarded({ allowedOrigins, requireOrigin: true });
    const [ours] = allowedOrigins as [string];
    const alike = ['ashop.example', 'a.shop.example', 'shop.exampl', 'shop.example0', 'shop.example/', 'SHOP.EXAMPLE'];
    const others = [
      `${ours}@evil.test`,
      `https://evil.test#${ours}`,
      `${ours}, https://evil.test`,
      'http://shop.example',
      'null',
      '*',
      'file://',
    ];
    for (const origin of [...alike.map((host) => `https://${host}`), ...others, undefined]) {
      const response = await relay(ask(hello(), { headers: origin === undefined ? {} : { origin } }));
      expect([response.status, response.headers.get('access-control-allow-origin')], origin).to.deep.equal([403, null]);
    }
    const response = await relay(ask(hello(), { headers: { origin: ours } }));
    expect([response.status, response.headers.get('access-control-allow-credentials')]).to.deep.equal([200, null]);
    expect(asked).to.have.lengthOf(1);
  });

  it('names the origin on refusals of its own too, so that the page can read them', async () => {
    const { relay } = guarded({ allowedOrigins });
    const response = await relay(ask('{', { headers: { origin: 'https://shop.example' } }));
    expect(response.status).to.equal(400);
    expect(response.headers.get('access-control-allow-origin')).to.equal('https://shop.example');
    expect(response.headers.get('access-control-expose-headers')).to.include('Retry-After');
  });
});

describe('relay, addresses', () => {
  /** @returns 200 for an answer, and for health; 404 where no route is */
  async function statusOf(path: string, basePath?: string): Promise<number> {
    const { relay } = guarded({ metrics: true, publicOrigin: ORIGIN, ...(basePath !== undefined && { basePath }) });
    const response = await relay(path.includes('chat') ? ask(hello(), { path }) : new Request(ORIGIN + path));
    await response.text();
    return response.status;
  }
  for (const { path, basePath, status } of addresses as { path: string; basePath?: string; status: number }[])
    it(`answers ${String(status)} at ${path}${basePath === undefined ? '' : `, with the base path ${basePath}`}`, async () => {
      expect(await statusOf(path, basePath)).to.equal(status);
    });

  it('names the address to ask where there is none', async () => {
    const { relay } = guarded({ basePath: '/ai' });
    const refusal = (await (await relay(ask())).json()) as { message: string };
    expect(refusal.message).to.include(' /ai/chat/stream');
    expect(() => createRelay({ baseUrl: 'https://model.example/v1', basePath: '/ai?x' })).to.throw(TypeError, 'basePath');
  });
});

describe('relay, requests', () => {
  const refusals: [title: string, body: unknown, status: number][] = [
    ['no JSON', 'hello', 400],
    ['an array', [], 400],
    ['no messages', { messages: [] }, 400],
    ['a text that is no string', { messages: [{ role: 'user', text: { $ne: 1 } }] }, 400],
    ['a system prompt that is no string', { ...hello(), system: ['x'] }, 400],
    ['more messages than any conversation has', { messages: Array(2_001).fill({ role: 'user', text: 'x' }) }, 400],
    ['a temperature that is no number', { ...hello(), temperature: 'hot' }, 400],
    ['more of a grammar than any page would write', { ...hello(), grammar: 'x'.repeat(100_001) }, 400],
    ['a body over the limit', hello('x'.repeat(20_000)), 413],
  ];
  for (const [title, body, status] of refusals) {
    it(`refuses ${title}`, async () => {
      const { relay, asked } = guarded({ maxBodyBytes: title.startsWith('more') ? 1_000_000 : 10_000 });
      const response = await relay(ask(body));
      expect(response.status).to.equal(status);
      const answer = (await response.json()) as Record<string, unknown>;
      expect(answer).to.include({ type: 'error', retryable: false });
      expect(answer['message']).to.be.a('string').with.length.below(200);
      expect(asked).to.have.lengthOf(0);
    });
  }

  it('counts the bytes of a body that does not say how long it is', async () => {
    const { relay, asked } = guarded({ maxBodyBytes: 10_000 });
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(1_000).fill(32));
      },
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' } as RequestInit;
    expect((await relay(new Request(`${ORIGIN}/api/ai/chat`, init))).status).to.equal(413);
    expect(pulled).to.be.below(20);
    expect(asked).to.have.lengthOf(0);
  });

  describe('behind something that reads the body first', () => {
    type Next = (error?: unknown) => void;
    type Handler = (request: IncomingMessage & { body?: unknown }, response: ServerResponse, next: Next) => void;
    type Parser = (options: object) => Handler;
    // A dependency of a tool of ours, so it is not named among the imports.
    const express = createRequire(import.meta.url)(['express'].join('')) as Record<'json' | 'text' | 'raw', Parser>;
    const all = { type: () => true };
    const eat: Handler = (request, _response, next) => void request.on('end', () => next()).resume();

    async function post(parser: Handler, text: string, headers: Record<string, string> = {}) {
      const { relay, asked } = guarded({ maxBodyBytes: 10_000 });
      const answer = getRequestListener(relay);
      const server = await listen((request, response) => parser(request, response, () => void answer(request, response)));
      try {
        const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text };
        const response = await fetch(`${originOf(server)}/api/ai/chat`, init);
        return { status: response.status, message: ((await response.json()) as { message?: string }).message, asked };
      } finally {
        await closeServer(server);
      }
    }

    for (const [name, parser] of Object.entries({ json: express.json(all), text: express.text(all), raw: express.raw(all) }))
      it(`uses what express.${name}() has read, within its own limits`, async () => {
        const { status, asked } = await post(parser, JSON.stringify(hello('Grüße')));
        expect(status).to.equal(200);
        expect(JSON.stringify(asked)).to.include('Grüße');
        expect((await post(parser, JSON.stringify(hello('x'.repeat(20_000))))).status).to.equal(413);
        expect((await post(parser, JSON.stringify({ ...hello(), messages: [] }))).status).to.equal(400);
        expect((await post(parser, JSON.stringify(hello()), { 'content-type': 'text/plain' })).status).to.equal(415);
      });

    it('says what to do where nothing is left of it', async () => {
      const { status, message, asked } = await post(eat, JSON.stringify(hello()));
      expect([status, asked.length]).to.deep.equal([400, 0]);
      expect(message).to.match(/empty or not JSON.*Mount the relay before/);
      expect((await post((_request, _response, next) => next(), '{')).message).to.equal(message);
    });
  });

  it('refuses what a form could send', async () => {
    const { relay } = guarded();
    expect((await relay(ask(hello(), { headers: { 'content-type': 'text/plain' } }))).status).to.equal(415);
    expect((await relay(ask(hello(), { headers: { 'content-type': 'application/json; charset=utf-8' } }))).status).to.equal(200);
  });

  const settings: [field: string, ...cases: [asked: unknown, sent: unknown][]][] = [
    ['max_tokens', [undefined, 2000], [1e9, 8192], [300, 300], [0, 1], [-5, 1], [10.9, 10]],
    ['temperature', [undefined, undefined], [0, 0], [0.4, 0.4], [-3, 0], [50, 2]],
    ['grammar', [undefined, undefined], ['root ::= "a"', 'root ::= "a"']],
  ];
  for (const [field, ...cases] of settings)
    it(`asks for a ${field} within its bounds`, async () => {
      for (const [value, sent] of cases) {
        const { relay, asked } = guarded();
        await (await relay(ask({ ...hello(), [field]: value }))).text();
        expect((asked[0] as Record<string, unknown>)[field], String(value)).to.equal(sent);
      }
    });

  it('answers nothing but its own addresses and methods', async () => {
    const { relay, asked } = guarded();
    for (const [method, path, status] of unanswered as [string, string, number][]) {
      const response = await relay(new Request(ORIGIN + path, { method }));
      expect(response.status, `${method} ${path}`).to.equal(status);
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(response.headers.get('allow')).to.equal(status === 405 ? 'POST, OPTIONS' : null);
    }
    expect(asked).to.have.lengthOf(0);
  });
});

describe('an address that is written in another way', () => {
  it('has nothing, as it was sent: a proxy that goes by the bytes would let it pass', async () => {
    const relay = createRelay({ ...{ upstream: () => Promise.reject(new Error('not asked')), model: 'm', logger: false }, metrics: true });
    const status = async (url: string) => (await relay(new Request(`${ORIGIN}/metrics`), { incoming: { url } })).status;
    for (const url of ['/%6Detrics', '/%6detrics?a', '/x/../metrics', '/./metrics', '//metrics', '/x/%2e%2e/metrics', '/x\\..\\metrics'])
      expect(await status(url), url).to.equal(404);
    for (const url of ['/metrics', '/metrics?a=%6D/../x', 'http://relay.test/metrics']) expect(await status(url), url).to.equal(200);
    expect((await relay(new Request(`${ORIGIN}/%6Detrics`))).status).to.equal(404);
    expect((await relay(new Request(`${ORIGIN}/metrics`))).status).to.equal(200);
  });
});

describe('relay options', () => {
  it('come from the environment (S0-117)', () => {
    const env = {
      ...{ MODEL_BASE_URL: 'https://host/v1', MODEL_API_KEY: ' k ', MODEL_NAME: 'm', MODEL_NAMES: 'n o', MODEL_TIMEOUT_MS: '1000' },
      ...{ ALLOWED_ORIGINS: 'https://a.example, https://b.example', RATE_LIMIT: '60/60000', PUBLIC_ORIGIN: 'https://chat.example' },
      ...{ TRUST_PROXY: '2', MAX_STREAMS: '50', MODEL_MAX_DURATION_MS: '60000', BODY_TIMEOUT_MS: '5000', PING_INTERVAL_MS: '4000' },
      ...{ MAX_BODY_BYTES: '', PATH: '/bin' },
    };
    expect(relayOptionsFromEnv(env)).to.deep.equal({
      ...{ baseUrl: 'https://host/v1', apiKey: 'k', model: 'm', models: ['n', 'o'], timeout: 1000 },
      ...{ allowedOrigins: ['https://a.example', 'https://b.example'], rateLimit: { requests: 60, perMs: 60000 } },
      ...{ publicOrigin: 'https://chat.example', trustProxy: 2, maxStreams: 50, maxDuration: 60_000, bodyTimeout: 5_000 },
      pingInterval: 4_000,
    });
    expect(relayOptionsFromEnv({})).to.deep.equal({});
  });

  for (const [make, name] of [
    [() => createRelay({}), 'baseUrl'],
    [() => createRelay({ baseUrl: 'file:///etc/passwd' }), 'MODEL_BASE_URL'],
    [() => createRelay({ baseUrl: 'https://user:pw@host/v1' }), 'MODEL_BASE_URL'],
    [() => guarded({ allowedOrigins: ['*'] }), 'ALLOWED_ORIGINS'],
    [() => guarded({ allowedOrigins: ['https://a.example/path'] }), 'ALLOWED_ORIGINS'],
    [() => guarded({ publicOrigin: 'chat.example' }), 'PUBLIC_ORIGIN'],
    [() => guarded({ trustProxy: 1.5 }), 'trustProxy'],
    [() => guarded({ apiKey: '…' }), 'MODEL_API_KEY'],
    [() => guarded({ timeout: Number.NaN }), 'timeout'],
    [() => guarded({ rateLimit: { requests: 0, perMs: 1 } }), 'rateLimit.requests'],
    [() => relayOptionsFromEnv({ RATE_LIMIT: 'lots' }), 'RATE_LIMIT'],
    [() => relayOptionsFromEnv({ MODEL_TIMEOUT_MS: '1 minute' }), 'MODEL_TIMEOUT_MS'],
  ] as const)
    it(`are refused at once when they cannot be meant: ${name} in ${String(make).slice(6)}`, () => expect(make).to.throw(TypeError, name));

  it('append the path before a query', async () => {
    let url = '';
    const fetch = async (request: unknown) => ((url = (request as Request).url), new Response('', { status: 500 }));
    await (await createRelay({ baseUrl: 'https://host/v1/?api-version=1', logger: false, fetch })(ask())).text();
    expect(url).to.equal('https://host/v1/chat/completions?api-version=1');
  });
});

describe('relay log', () => {
  it('loses secrets wherever they stand', () => {
    const scrub = createScrubber(() => ['my-own-key']);
    const cause = new Error('with my-own-key');
    const clean = JSON.stringify(
      scrub({
        deep: [{ text: 'a my-own-key b' }],
        headers: { Authorization: 'Basic abc', 'x-api-key': 'abc', accept: '*/*' },
        other: 'Bearer abcdefghijk and sk-proj-abcdefgh',
        error: new Error('failed', { cause }),
      }),
    );
    expect(clean).to.not.match(/my-own-key|Basic|"abc"|abcdefgh/);
    expect(clean).to.include('*/*').and.to.include('failed').and.to.include('with [hidden]');
  });
});
