/**
 * The relay under attack, over real sockets on both sides. What is drawn at random is drawn from a seed that the title names; what a fault of the
 * model's server leads to, and that the key never gets out by it, is in `test/relay/relay-faults.node.test.ts`.
 */
import { expect } from 'chai';
import { createRelay, type RelayOptions } from '../../src/relay/index.js';
import { follow, hello } from '../relay/ask.js';
import { startUpstream, type Play } from '../relay/fake-upstream.js';
import { listen, until, type Listening } from '../relay/listen.js';
import { rawPost, sendRaw, statusOf } from '../relay/raw-http.js';
import { drawnTimes } from './probe.js';

const STREAM = '/api/ai/chat/stream';
const KEY = 'sk-SECRET-123';
const BODY = JSON.stringify(hello());

const echo: Play = (answer, { body }) => {
  const { content } = (body['messages'] as { content: string }[]).at(-1)!;
  answer.open();
  answer.chunk(content);
  answer.end();
};

describe('faults of the relay', function () {
  this.timeout(60_000);
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  const closing: (() => unknown)[] = [];

  beforeEach(async () => {
    upstream = await startUpstream(echo);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await upstream.close();
  });

  async function start(options: RelayOptions = {}): Promise<Listening> {
    const relay = createRelay({ baseUrl: upstream.baseUrl, apiKey: KEY, model: 'm', logger: false, ...options });
    const listening = await listen(relay);
    closing.push(
      () => relay.close({ graceMs: 0 }),
      () => listening.close(),
    );
    return listening;
  }

  const post = (url: string, body: unknown = hello(), init: RequestInit = {}) =>
    fetch(url + STREAM, {
      ...init,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
      body: JSON.stringify(body),
    });

  drawnTimes('is no open proxy: one address, one shape, whatever is asked', async ({ below, one }) => {
    const { url } = await start({ models: ['m2'], maxTokens: 500 });
    const elsewhere = [
      'GET http://evil.test/ HTTP/1.1',
      'POST http://evil.test/v1/chat/completions HTTP/1.1',
      'CONNECT evil.test:443 HTTP/1.1',
      'GET /v1/models HTTP/1.1',
      'POST /v1/chat/completions HTTP/1.1',
      'POST //evil.test/api/ai/chat/stream HTTP/1.1',
      'POST /api/ai/chat/stream/../../../v1/models HTTP/1.1',
      'POST /api/ai/chat/stream%2f..%2f..%2fv1 HTTP/1.1',
      'PUT /api/ai/chat/stream HTTP/1.1',
      'PATCH /api/ai/chat HTTP/1.1',
      'TRACE /api/ai/chat/stream HTTP/1.1',
      'POST /api/ai/embeddings HTTP/1.1',
    ];
    for (const line of elsewhere) {
      const rest = ['Host: evil.test', 'Content-Type: application/json', 'Content-Length: 2', 'Connection: close', '', '{}'];
      const heard = await sendRaw(url, [line, ...rest].join('\r\n'), 400);
      // Refused, or hung up on.
      expect(statusOf(heard) === 0 || statusOf(heard) >= 400, `${line}: ${heard.slice(0, 80)}`).to.equal(true);
    }
    expect(upstream.requests).to.have.lengthOf(0);

    const extras: Record<string, unknown> = {
      ...{ tools: [{ type: 'function', function: { name: 'x' } }], functions: [{}], response_format: { type: 'json_object' } },
      ...{ n: below(1000), best_of: 100, logit_bias: { 1: 100 }, stop: 'x', user: 'x', stream: false, stream_options: {} },
      ...{ baseUrl: 'http://evil.test', endpoint: 'http://evil.test', apiKey: 'other' },
      ...{ ['__proto__x']: { polluted: true }, ['x'.repeat(below(50) + 1)]: below(1000) },
    };
    for (let turn = 0; turn < 20; turn++) {
      const chosen = Object.entries(extras).filter(() => below(2) === 0);
      const max_tokens = one([1e9, Number.MAX_SAFE_INTEGER, -1, 0, 3.7, 100, undefined]);
      const body = { ...hello(), ...Object.fromEntries(chosen), max_tokens };
      const since = upstream.requests.length;
      expect((await post(url, body)).status).to.equal(200);
      const sent = upstream.requests[since]!;
      expect(sent.url).to.equal('/v1/chat/completions');
      expect(sent.body).to.have.all.keys('model', 'messages', 'max_tokens', 'stream', 'stream_options');
      expect(sent.body['max_tokens']).to.be.within(1, 500);
      expect(sent.body).to.include({ model: 'm', stream: true });
    }
    const before = upstream.requests.length;
    for (const model of ['gpt-dear', 'M', 'm ', '', '../m', 'm\u0000', 'x'.repeat(201)])
      expect((await post(url, { ...hello(), model })).status, model).to.equal(400);
    for (const role of ['system', 'developer', 'function', '', '__proto__'])
      expect((await post(url, { messages: [{ role, text: 'x' }] })).status, role).to.equal(400);
    expect(upstream.requests).to.have.lengthOf(before);
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  drawnTimes('answers the origins on its list and no others', async ({ below, one }) => {
    const allowed = ['https://shop.example', 'http://localhost:8080'];
    const { url } = await start({ allowedOrigins: allowed, requireOrigin: true });
    const letter = () => String.fromCharCode(97 + below(26));
    const alike = (origin: string): string => {
      const [scheme, host] = origin.split('//') as [string, string];
      return one([
        () => `${origin}.${letter()}${letter()}.test`,
        () => `${scheme}//${letter()}${host}`,
        () => `${scheme}//${letter()}.${host}`,
        () => origin.slice(0, -1),
        () => `${origin}${below(10)}`,
        () => `${origin}/`,
        () => origin.replace(/^https?/, (name) => (name === 'https' ? 'http' : 'https')),
        () => origin.toUpperCase(),
        () => `${origin}@evil.test`,
        () => `https://evil.test#${origin}`,
        () => `${origin}, https://evil.test`,
        () => ` ${origin}\t.`,
        () => 'null',
        () => '*',
        () => 'file://',
      ])();
    };
    const acao = (answer: string) => /^access-control-allow-origin: (.*)\r$/im.exec(answer)?.[1];
    for (let n = 0; n < 20; n++) {
      const origin = alike(one(allowed));
      const answer = await sendRaw(url, rawPost(STREAM, BODY, [`Origin: ${origin}`]));
      expect(statusOf(answer), origin).to.equal(403);
      expect(acao(answer), origin).to.equal(undefined);
    }
    const nobody = await sendRaw(url, rawPost(STREAM, BODY));
    expect([statusOf(nobody), acao(nobody)]).to.deep.equal([403, undefined]);
    expect(upstream.requests).to.have.lengthOf(0);
    for (const origin of allowed) {
      const answer = await sendRaw(url, rawPost(STREAM, BODY, [`Origin: ${origin}`]));
      expect([statusOf(answer), acao(answer)]).to.deep.equal([200, origin]);
      expect(answer).to.not.match(/access-control-allow-credentials/i);
      expect(answer).to.match(/^vary: .*origin/im);
    }
    // Where programs may ask, what names no origin is allowed nothing beyond that.
    const open = await start({ allowedOrigins: allowed });
    expect(acao(await sendRaw(open.url, rawPost(STREAM, BODY)))).to.equal(undefined);
  });

  drawnTimes('forwards nothing of a request but what it names', async ({ below, one }) => {
    const { url } = await start();
    const length = `Content-Length: ${BODY.length}`;
    const send = (lines: string[], body = BODY) =>
      [`POST ${STREAM} HTTP/1.1`, 'Host: relay.test', 'Content-Type: application/json', 'Connection: close', ...lines, '', body].join(
        '\r\n',
      );
    const smuggled = 'POST /v1/chat/completions HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 0\r\n\r\n';
    const many = Array.from({ length: 1000 }, (_, n) => `X-${n}: ${'a'.repeat(100)}`);
    const bad: [title: string, bytes: string][] = [
      ['NUL', send([length, `X-A: a\0b${below(9)}`])],
      ['a lone CR', send([length, 'X-A: a\rX-B: b'])],
      ['a name with a blank', send([length, 'X A: a'])],
      ['a name with a line break', send([length, 'X-\nA: a'])],
      ['64 KB in one header', send([length, `X-A: ${one(['a', 'b', 'c']).repeat(65_536)}`])],
      ['a thousand long headers', send([length, ...many])],
      ['two ways to say how long', send([length, 'Transfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`)],
      ['two lengths', send([length, `Content-Length: ${below(BODY.length)}`])],
      ['a length that is none', send(['Content-Length: +1e1'])],
      ['a chunk size that is none', send(['Transfer-Encoding: chunked'], `zz\r\n${BODY}\r\n0\r\n\r\n`)],
      ['an encoding that is none', send(['Transfer-Encoding: xchunked'])],
    ];
    for (const [what, bytes] of bad) {
      const heard = await sendRaw(url, bytes, 600);
      expect(statusOf(heard), what).to.be.oneOf([400, 413, 431]);
      expect(heard.match(/^HTTP\/1\.1 /gm), what).to.have.lengthOf(1);
    }
    expect(upstream.requests).to.have.lengthOf(0);

    const own = 'Authorization Cookie X-Api-Key Proxy-Authorization X-Forwarded-For TE Upgrade Origin-Trial Referer'.split(' ');
    const secret = own.map((name) => `${name}: of-the-client`);
    const answer = await sendRaw(url, rawPost(STREAM, BODY, secret));
    expect(statusOf(answer)).to.equal(200);
    const { headers } = upstream.requests[0]!;
    expect(JSON.stringify(headers)).to.not.include('of-the-client');
    expect(headers.authorization).to.equal(`Bearer ${KEY}`);
    // A text with line breaks stays a text.
    const text = `a\r\nX-Evil: 1\r\n\r\n${'\0'}${smuggled}`;
    expect(statusOf(await sendRaw(url, rawPost(STREAM, JSON.stringify(hello(text)))))).to.equal(200);
    expect((upstream.requests[1]!.body['messages'] as { content: string }[])[1]!.content).to.equal(text);
    expect(upstream.requests[1]!.headers).to.not.have.property('x-evil');
  });

  it('shows the first piece of an answer while the model writes on, and compresses what is no stream (S0-149)', async () => {
    let goOn = () => {};
    upstream.play(async ({ open, chunk, end }) => {
      open();
      chunk('word '.repeat(2_000));
      await new Promise<void>((resolve) => (goOn = resolve));
      end();
    });
    const { url } = await start();
    const stream = follow(await post(url, hello(), { headers: { 'accept-encoding': 'gzip' } }));
    await stream.until('event: message');
    goOn();
    await stream.until('event: done');
    upstream.play(echo);
    const whole = await sendRaw(url, rawPost('/api/ai/chat', JSON.stringify(hello('word '.repeat(2_000))), ['Accept-Encoding: gzip']));
    expect(whole).to.match(/^content-encoding: gzip\r$/im);
  });

  it('asks the model over the same two sockets at most, turn after turn (S0-148)', async () => {
    const { url } = await start();
    for (let turn = 0; turn < 5; turn++) expect((await post(url)).status).to.equal(200);
    for (let turn = 0; turn < 5; turn++) await (await post(url)).text();
    await until(() => upstream.requests.length === 10);
    expect(upstream.sockets()).to.be.at.most(2);
  });
});
