/** The relay under attack, over real sockets on both sides. What a fault of the model's server leads to: `test/relay/relay-faults.node.test.ts`. */
import { expect } from 'chai';
import type { RelayOptions } from '../../src/relay/index.js';
import { follow, hello } from '../relay/ask.js';
import type { Play } from '../relay/fake-upstream.js';
import { listen, until, type Listening } from '../relay/listen.js';
import { rawPost, sendRaw, statusOf } from '../relay/raw-http.js';
import { STREAM, useRelays } from '../relay/use-relays.js';
import noProxy from '../fixtures/relay/no-proxy.json' with { type: 'json' };

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
  const relays = useRelays({ apiKey: KEY });
  beforeEach(() => relays.upstream.play(echo));

  async function start(options: RelayOptions = {}): Promise<Listening> {
    const listening = await listen(relays.relayTo(undefined, options));
    relays.later(() => listening.close());
    return listening;
  }

  const post = (url: string, body: unknown = hello(), init: RequestInit = {}) =>
    fetch(url + STREAM, {
      ...init,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
      body: JSON.stringify(body),
    });

  it('is no open proxy: one address, one shape, whatever is asked', async () => {
    const { url } = await start({ models: ['m2'], maxTokens: 500 });
    for (const line of noProxy.elsewhere) {
      const rest = ['Host: evil.test', 'Content-Type: application/json', 'Content-Length: 2', 'Connection: close', '', '{}'];
      const heard = await sendRaw(url, [line, ...rest].join('\r\n'), 400);
      // Refused, or hung up on.
      expect(statusOf(heard) === 0 || statusOf(heard) >= 400, `${line}: ${heard.slice(0, 80)}`).to.equal(true);
    }
    expect(relays.upstream.requests).to.have.lengthOf(0);

    for (const [at, max_tokens] of [1e9, Number.MAX_SAFE_INTEGER, -1, 0, 3.7, 100, undefined].entries()) {
      expect((await post(url, { ...hello(), ...noProxy.extras, max_tokens })).status).to.equal(200);
      const sent = relays.upstream.requests[at]!;
      expect(sent.url).to.equal('/v1/chat/completions');
      expect(sent.body).to.have.all.keys('model', 'messages', 'max_tokens', 'stream', 'stream_options');
      expect(sent.body['max_tokens']).to.be.within(1, 500);
      expect(sent.body).to.include({ model: 'm', stream: true });
    }
    const before = relays.upstream.requests.length;
    for (const model of ['gpt-dear', 'M', 'm ', '', '../m', 'm\u0000', 'x'.repeat(201)])
      expect((await post(url, { ...hello(), model })).status, model).to.equal(400);
    for (const role of ['system', 'developer', 'function', '', '__proto__'])
      expect((await post(url, { messages: [{ role, text: 'x' }] })).status, role).to.equal(400);
    expect(relays.upstream.requests).to.have.lengthOf(before);
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  it('forwards nothing of a request but what it names', async () => {
    const { url } = await start();
    const own = 'Authorization Cookie X-Api-Key Proxy-Authorization X-Forwarded-For TE Upgrade Origin-Trial Referer'.split(' ');
    const secret = own.map((name) => `${name}: of-the-client`);
    const answer = await sendRaw(url, rawPost(STREAM, BODY, secret));
    expect(statusOf(answer)).to.equal(200);
    const { headers } = relays.upstream.requests[0]!;
    expect(JSON.stringify(headers)).to.not.include('of-the-client');
    expect(headers.authorization).to.equal(`Bearer ${KEY}`);
    // A text with line breaks stays a text.
    const text = `a\r\nX-Evil: 1\r\n\r\n${'\0'}POST /v1/chat/completions HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 0\r\n\r\n`;
    expect(statusOf(await sendRaw(url, rawPost(STREAM, JSON.stringify(hello(text)))))).to.equal(200);
    expect((relays.upstream.requests[1]!.body['messages'] as { content: string }[])[1]!.content).to.equal(text);
    expect(relays.upstream.requests[1]!.headers).to.not.have.property('x-evil');
  });

  it('shows the first piece of an answer while the model writes on, and compresses what is no stream (S0-149)', async () => {
    let goOn = () => {};
    relays.upstream.play(async ({ open, chunk, end }) => {
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
    relays.upstream.play(echo);
    const whole = await sendRaw(url, rawPost('/api/ai/chat', JSON.stringify(hello('word '.repeat(2_000))), ['Accept-Encoding: gzip']));
    expect(whole).to.match(/^content-encoding: gzip\r$/im);
  });

  it('asks the model over the same two sockets at most, turn after turn (S0-148)', async () => {
    const { url } = await start();
    for (let turn = 0; turn < 5; turn++) expect((await post(url)).status).to.equal(200);
    for (let turn = 0; turn < 5; turn++) await (await post(url)).text();
    await until(() => relays.upstream.requests.length === 10);
    expect(relays.upstream.sockets()).to.be.at.most(2);
  });
});
