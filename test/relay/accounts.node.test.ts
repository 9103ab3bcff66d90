/** Who may ask on whose account, what is counted, and models that are asked in another way. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createRelay, type AnswerRecord, type RelayOptions, type Upstream } from '../../src/relay/index.js';
import { ask, hello, memoryLogger, readEvents } from './ask.js';
import { chunkFrame } from './fake-upstream.js';
import metrics from '../fixtures/relay/metrics.json' with { type: 'json' };

const whole = { path: '/api/ai/chat' };

function hears() {
  const requests: { url: string; headers: Headers; body: Record<string, unknown> }[] = [];
  const upstream: Upstream = async (request) => {
    requests.push({ url: request.url, headers: request.headers, body: (await request.json()) as Record<string, unknown> });
    const usage = { model: 'fake-1', choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } };
    const frames = [chunkFrame({ content: 'Hello' }), chunkFrame({}, 'stop'), `data: ${JSON.stringify(usage)}\n\n`, 'data: [DONE]\n\n'];
    return new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } });
  };
  return { requests, upstream };
}

describe('a relay with accounts', () => {
  const tenants: RelayOptions['authorise'] = (request) => {
    const token = request.headers.get('authorization');
    if (token === 'Bearer blue') return { id: 'blue', apiKey: 'sk-blue-key-000000', model: 'blue-1', maxTokens: 50 };
    if (token === 'Bearer red') return { id: 'red', rateLimit: { requests: 1, perMs: 60_000 } };
    return undefined;
  };
  const as = (name: string, path = whole.path, headers: Record<string, string> = {}) =>
    ask(hello(), { path, headers: { authorization: `Bearer ${name}`, ...headers } });
  const relayWith = (options: RelayOptions = {}) => {
    const { upstream, requests } = hears();
    return { relay: createRelay({ upstream, logger: false, authorise: tenants, ...options }), requests };
  };

  it('asks with the key, the model and the limits of who asks', async () => {
    const { relay, requests } = relayWith({ apiKey: 'sk-own-key-0000000', model: 'own-1' });
    await relay(as('blue'));
    await relay(as('red'));
    expect(requests.map(({ headers, body }) => [headers.get('authorization'), body['model'], body['max_tokens']])).to.deep.equal([
      ['Bearer sk-blue-key-000000', 'blue-1', 50],
      ['Bearer sk-own-key-0000000', 'own-1', 100],
    ]);
  });

  it('writes no key of an account into the log, not even one that no header can hold', async () => {
    const lines: string[] = [];
    const line = (data: object, message: string) => void lines.push(JSON.stringify(data) + message);
    const logger = { debug: line, info: line, warn: line, error: line };
    const { relay } = relayWith({ logger, authorise: () => ({ id: 'blue', apiKey: 'own key\0of blue' }) });
    expect((await relay(as('blue'))).status).to.equal(500);
    expect(lines.join()).to.include('[hidden]').and.not.to.include('own key');
  });

  it('counts the requests of one account together, and no other for it', async () => {
    const { relay } = relayWith({ clientAddress: (request) => request.headers.get('x-at') ?? undefined });
    const from = (address: string) => as('red', whole.path, { 'x-at': address });
    expect((await relay(from('10.0.0.1'))).status).to.equal(200);
    expect((await relay(from('10.0.0.2'))).status).to.equal(429);
    expect((await relay(as('blue'))).status).to.equal(200);
    const long = (request: Request) => ({ id: 'x'.repeat(300) + request.headers.get('x-at'), rateLimit: { requests: 1, perMs: 60_000 } });
    const other = relayWith({ authorise: long }).relay;
    for (const status of [200, 429])
      for (const at of 'ab') expect((await other(as('', whole.path, { 'x-at': at }))).status).to.equal(status);
  });

  it('asks `authorise` for one address at most as often as others still can', async () => {
    const asked: string[] = [];
    let go = () => {};
    const all = new Promise<void>((resolve) => (go = resolve));
    const at = (request: Request) => request.headers.get('x-at') ?? '';
    const authorise = (request: Request) => all.then(() => ({ id: `${at(request)} ${asked.push(at(request))}` }));
    const { relay } = relayWith({ maxStreams: 8, clientAddress: at, authorise });
    const from = ['a', 'a', 'a', 'a', 'a', 'a', 'b'].map((address) => relay(as('', whole.path, { 'x-at': address })));
    setImmediate(go);
    expect((await Promise.all(from)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 429, 429, 200]);
    expect(asked).to.deep.equal(['a', 'a', 'a', 'a', 'b']);
  });

  const failing = {
    throw() {
      throw new Error('the bill failed');
    },
    reject: () => Promise.reject(new Error('the bill failed')),
  };
  for (const [how, fail] of Object.entries<() => unknown>(failing))
    it(`tells the host of each answer, and its log, and nothing of what was said, and goes on if both ${how}`, async () => {
      const told: AnswerRecord[] = [];
      const { lines, ...levels } = memoryLogger();
      const info = (...line: Parameters<typeof levels.info>) => (levels.info(...line), fail());
      const { relay } = relayWith({ logger: { ...levels, info }, onAnswer: (record) => (told.push(record), fail() as undefined) });
      const answer = await relay(as('blue'));
      expect(answer.status).to.equal(200);
      expect(told).to.have.lengthOf(1);
      expect(told[0]).to.include({ tenant: 'blue', route: 'whole', outcome: 'done', model: 'fake-1', messages: 1 });
      expect(told[0]!.tokens).to.deep.equal({ input: 9, output: 2 });
      expect(lines.join()).to.include('"outcome":"done"').and.to.include('fake-1').and.to.include('the bill failed');
      expect(JSON.stringify([told, lines])).to.not.match(/Hello|Hi|Be kind/);
    });
});

describe('figures of a relay', () => {
  const figures = async (relay: ReturnType<typeof createRelay>) => (await relay(new Request('http://relay.test/metrics'))).text();

  it('are there only where they were asked for, and count answers, tokens, faults, refusals and times, as Prometheus reads them', async () => {
    let fails = false;
    const { upstream } = hears();
    expect((await createRelay({ upstream, logger: false })(new Request('http://relay.test/metrics'))).status).to.equal(404);
    const relay = createRelay({
      upstream: (request, signal) => (fails ? Promise.resolve(new Response('', { status: 503 })) : upstream(request, signal)),
      logger: false,
      metrics: true,
    });
    await relay(ask(hello(), whole));
    await (await relay(ask())).text();
    fails = true;
    await (await relay(ask())).text();
    await relay(ask('{}', whole));
    const text = await figures(relay);
    for (const line of metrics) expect(text).to.contain(`${line}\n`);
    // Each line is a comment, or a name, its labels, and a number.
    for (const line of text.trimEnd().split('\n'))
      expect(line).to.match(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?\d+(\.\d+)?)$/);
    const buckets = [...text.matchAll(/answer_seconds_bucket\{le="[^"]+"\} (\d+)/g)].map(([, count]) => Number(count));
    expect(buckets).to.deep.equal(buckets.toSorted((a, b) => a - b));
    expect(buckets.at(-1)).to.equal(3);
  });
});

describe('a model behind a relay', () => {
  const body = (wire: string, file: string) => readFileSync(new URL(`../fixtures/wires/${wire}/${file}`, import.meta.url), 'utf8');
  const sse = 'text/event-stream';
  const kinds = [
    ['anthropic', 'https://api.anthropic.test/v1', '/messages', 'x-api-key', sse, body('anthropic', 'plain.sse')],
    ['ollama', 'http://localhost:11434', '/api/chat', 'authorization', 'application/x-ndjson', body('ollama', 'plain.ndjson')],
    [
      'gemini',
      'https://gemini.test/v1beta',
      '/models/m-1:streamGenerateContent?alt=sse',
      'x-goog-api-key',
      sse,
      body('gemini', 'plain.sse'),
    ],
  ] as const;
  for (const [api, baseUrl, path, key, type, reply] of kinds)
    it(`is asked as ${api} wants it, and answers like any other`, async () => {
      const asked: { url: string; headers: Headers; body: string }[] = [];
      const relay = createRelay({
        ...{ api, baseUrl, model: 'm-1', apiKey: 'secret-key-1', logger: false },
        upstream: async (request) => {
          asked.push({ url: request.url, headers: request.headers, body: await request.text() });
          return new Response(reply, { headers: { 'content-type': type } });
        },
      });
      const events = readEvents(await (await relay(ask())).text()).map(({ data }) => data);
      expect(events.map(({ content }) => content ?? '').join('')).to.match(/^Sure\. The task "Water the plants"/);
      expect(events.at(-1)).to.include({ type: 'done', finish_reason: 'stop' });
      expect(asked).to.have.lengthOf(1);
      expect(asked[0]!.url).to.equal(baseUrl + path);
      expect(asked[0]!.headers.get(key)).to.contain('secret-key-1');
      expect(asked[0]!.body).to.contain('Hi').and.to.contain('Be kind.').and.to.not.contain('secret-key-1');
    });

  it('is not asked in a way that there is none of', () => {
    const make = (options: object) => () => createRelay({ baseUrl: 'https://host/v1', ...options });
    expect(make({ api: 'constructor' })).to.throw(TypeError, 'MODEL_API');
    expect(make({ api: 'gemini' })).to.throw(TypeError, 'MODEL_NAME');
    expect(make({ api: 'ollama', embeddingsModel: 'e' })).to.throw(TypeError, 'MODEL_EMBEDDINGS');
  });
});
