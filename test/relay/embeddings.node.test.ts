/** `POST /api/ai/embeddings`: what goes up, what comes back, what is refused (contract §5). */
import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { createRelay, relayOptionsFromEnv, type RelayOptions } from '../../src/relay/index.js';
import { ask, memoryLogger, ORIGIN } from './ask.js';
import type { Received } from './fake-upstream.js';
import { until } from './listen.js';
import { useRelays } from './use-relays.js';

const PATH = '/api/ai/embeddings';
const KEY = 'sk-SECRET-123';

describe('relay, embeddings', () => {
  const relays = useRelays({ apiKey: KEY, embeddingsModel: 'e', timeout: 20_000 });
  type Answering = (response: ServerResponse, input: string[]) => void;
  // Out of order, as a service may.
  const inReverse: Answering = (response, input) =>
    void response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: [text.length, index] })).toReversed() }));
  const answer = (how: Answering) => relays.upstream.play(({ response }, { body }) => how(response, body['input'] as string[]));
  beforeEach(() => answer(inReverse));
  const { relayTo: relayBefore } = relays;
  const relayTo = (options: RelayOptions = {}) => relayBefore(undefined, options);
  const embed = (body: unknown, options?: RelayOptions, headers: Record<string, string> = {}) =>
    relayTo(options)(ask(body, { path: PATH, headers }));

  it('gives each text its vector, in the order of the texts', async () => {
    const body = { input: ['a', 'bbb'], encoding_format: 'base64', dimensions: 9, user: 'x' };
    const response = await embed(body, {}, { cookie: 'a=b', authorization: 'Bearer mine' });
    expect(response.status).to.equal(200);
    const pieces: string[] = [];
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) pieces.push(piece);
    // A vector is written at a time: between two, others have their turn.
    expect(pieces).to.deep.equal(['{"embeddings":[[1,0]', ',[3,1]', '],"model":"e"}']);
    const [request] = relays.upstream.requests as [Received];
    expect(request.url).to.equal('/v1/embeddings');
    expect(request.body).to.deep.equal({ model: 'e', input: ['a', 'bbb'], encoding_format: 'float' });
    expect(request.headers)
      .to.include({ authorization: `Bearer ${KEY}` })
      .and.to.not.have.any.keys('cookie', 'origin');
    expect(await (await embed({ input: 'four' })).json()).to.deep.include({ embeddings: [[4, 0]] });
  });

  it('takes the numbers of a vector as the numbers of JSON, which costs half as much as to keep their digits', async () => {
    answer((response) => void response.end('{"data":[{"embedding":[9007199254740993]}]}'));
    expect(await (await embed({ input: 'a' })).json()).to.deep.include({ embeddings: [[9007199254740992]] });
  });

  it('is not there where no model is named', async () => {
    const relay = createRelay({ baseUrl: relays.upstream.baseUrl, logger: false });
    expect((await relay(ask({ input: 'a' }, { path: PATH }))).status).to.equal(404);
    expect((await relayTo()(new Request(ORIGIN + PATH))).status).to.equal(405);
    expect(relayOptionsFromEnv({ MODEL_EMBEDDINGS: 'e' })).to.deep.equal({ embeddingsModel: 'e' });
  });

  const refusals: [title: string, body: unknown, status: number][] = [
    ['nothing', {}, 400],
    ['an empty text', { input: '' }, 400],
    ['too many texts', { input: Array(257).fill('x') }, 400],
    ['a text that is too long', { input: 'x'.repeat(32_769) }, 400],
    ['tokens instead of texts', { input: [[1, 2]] }, 400],
    ['a model that is not offered', { input: 'a', model: 'm' }, 400],
    ['a body over the limit', { input: Array(200).fill('x'.repeat(30_000)) }, 413],
  ];
  for (const [title, body, status] of refusals)
    it(`refuses ${title}`, async () => {
      const response = await embed(body);
      expect(response.status).to.equal(status);
      expect(await response.json()).to.include({ type: 'error', retryable: false });
      expect(relays.upstream.requests).to.have.lengthOf(0);
    });

  it('has the guards of the other routes: origins, rate limit, content type', async () => {
    expect((await embed({ input: 'a' }, {}, { origin: 'https://evil.test' })).status).to.equal(403);
    expect((await embed({ input: 'a' }, {}, { 'content-type': 'text/plain' })).status).to.equal(415);
    const relay = relayTo({ rateLimit: { requests: 1, perMs: 60_000 } });
    expect((await relay(ask({ input: 'a' }, { path: PATH }))).status).to.equal(200);
    const refused = await relay(ask({ input: 'a' }, { path: PATH }));
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
    expect(relays.upstream.requests).to.have.lengthOf(1);
  });

  it('counts among the requests at the model, and ends when the relay closes', async () => {
    answer(() => undefined);
    const clientAddress = (request: Request) => request.headers.get('x-test') ?? undefined;
    const relay = relayTo({ maxStreams: 4, clientAddress });
    const statuses: number[] = [];
    const send = async (client: string) => {
      const response = await relay(ask({ input: 'a' }, { path: PATH, headers: { 'x-test': client } }));
      statuses.push(response.status);
    };
    const greedy = ['a', 'a', 'a', 'a'].map(send);
    await until(() => statuses.length === 2 && relays.upstream.requests.length === 2);
    expect(statuses).to.deep.equal([429, 429]);
    const other = send('b');
    await until(() => relays.upstream.requests.length === 3);
    await Promise.all([relay.close({ graceMs: 1 }), other, ...greedy]);
    expect(statuses.slice(2)).to.deep.equal([503, 503, 503]);
  });

  it('asks for many in turns, and holds what came back against the memory of all until it is sent', async () => {
    const texts = Array.from({ length: 70 }, (_, at) => 'x'.repeat(at + 1));
    const many = (await (await embed({ input: texts })).json()) as { embeddings: number[][]; model: string };
    expect([many.embeddings.map(([length]) => length), many.model]).to.deep.equal([texts.map(({ length }) => length), 'e']);
    expect(relays.upstream.requests.map(({ body }) => (body['input'] as string[]).length)).to.deep.equal([...Array<number>(8).fill(8), 6]);
    answer((response, input) => void response.end(JSON.stringify({ data: input.map(() => ({ embedding: Array(10_000).fill(0.125) })) })));
    // 64 times the smallest body: room for a megabyte, half of it for one client.
    const relay = relayTo({ maxBodyBytes: 16_384, clientAddress: () => 'a' });
    const ask3 = () => relay(ask({ input: ['a', 'b', 'c'] }, { path: PATH }));
    const [first, second] = [await ask3(), await ask3()];
    expect([first.status, second.status, (await ask3()).status]).to.deep.equal([200, 200, 429]);
    await first.text();
    await second.body!.cancel();
    expect((await ask3()).status).to.equal(200);
    answer((response) => void response.end(`{"data":[{"embedding":[${'1,'.repeat(100_000)}1]}]}`));
    expect((await embed({ input: 'a' })).status, 'a vector longer than any').to.equal(502);
  });

  it('reads answers that come at the same time one after the other, between which it answers others', async () => {
    const data = Array.from({ length: 8 }, () => ({ embedding: Array(100).fill(0.125) }));
    let atModel = 0;
    let mostAtModel = 0;
    const relay = createRelay({
      ...{ baseUrl: relays.upstream.baseUrl, embeddingsModel: 'e', logger: false },
      clientAddress: (request) => request.headers.get('x-test') ?? 'a',
      async upstream() {
        mostAtModel = Math.max(mostAtModel, (atModel += 1));
        await new Promise((resolve) => setImmediate(resolve));
        atModel -= 1;
        return Response.json({ data });
      },
    });
    const order: string[] = [];
    let between = 0;
    let most = 0;
    const answers = Array.from({ length: 40 }, async () => {
      const { status } = await relay(ask({ input: Array(8).fill('a') }, { path: PATH }));
      order.push('a');
      if (between === 0) setImmediate(() => (between = 0));
      most = Math.max(most, (between += 1));
      return status;
    });
    const other = relay(ask({ input: Array(8).fill('b') }, { path: PATH, headers: { 'x-test': 'b' } })).then(() => order.push('b'));
    expect(await Promise.all(answers)).to.deep.equal(Array(40).fill(200));
    await other;
    expect(most).to.be.at.most(4);
    expect([mostAtModel, order.indexOf('b') < 20], order.join('')).to.deep.equal([9, true]);
  });

  type Failure = [title: string, answer: (response: ServerResponse) => void, status: number, code: string];
  const bad = (title: string, body: string): Failure => [title, (response) => response.end(body), 502, 'bad_reply'];
  const one = '{"index":0,"embedding":[1]}';
  const failures: Failure[] = [
    ['refuses the key', (response) => response.writeHead(401).end(`bad key ${KEY}`), 502, 'upstream_auth'],
    bad('answers with a page', '<html>'),
    bad('answers with too few', '{"data":[]}'),
    bad('answers with the same one twice', `{"data":[${one},${one}]}`),
    bad('answers with a place far off', `{"data":[${one},{"index":99999,"embedding":[1]}]}`),
    bad('answers with no numbers', '{"data":[{"embedding":["x"]},{"embedding":[1]}]}'),
    bad('answers with vectors of two lengths', '{"data":[{"embedding":[1,2]},{"embedding":[1]}]}'),
    ['sends elsewhere', (response) => response.writeHead(302, { location: 'http://evil.test/' }).end(), 502, 'upstream_not_found'],
    ['says nothing', () => undefined, 504, 'upstream_timeout'],
    ['breaks off', (response) => void response.write('{"data"', () => response.destroy()), 502, 'upstream_broken'],
  ];
  for (const [title, play, status, code] of failures) {
    it(`tells of an upstream that ${title}, and nothing else`, async () => {
      answer(play);
      const logger = memoryLogger();
      const response = await embed({ input: ['a', 'b'] }, { logger, ...(code === 'upstream_timeout' && { timeout: 200 }) });
      const body = await response.text();
      expect(response.status).to.equal(status);
      expect(JSON.parse(body)).to.include({ type: 'error', code });
      const heard = body + JSON.stringify([...response.headers]) + logger.lines.join('');
      expect(heard).to.not.include(KEY).and.to.not.include('evil.test');
      expect(body).to.not.include(new URL(relays.upstream.baseUrl).port);
    });
  }
});
