import { expect } from 'chai';
import { createRelay, type RelayOptions } from '../../src/relay/index.js';
import { createFaultServer, type FaultServer } from '../helpers/fault-server/fault-server.mjs';
import { ask, hello, memoryLogger, readEvents } from './ask.js';
import { answered } from './fake-upstream.js';
import { until } from './listen.js';
import faults from '../fixtures/relay/faults.json' with { type: 'json' };

// The fault server writes this key and a probe for script injection into its error bodies: here it is the relay's own key as well.
const KEY = 'sk-SECRET-123';

/** Query of the fault server (its README), and what the client gets to hear; the status is that of the response, while nothing had been sent. */
const cases: { title: string; query: string; status: number; code: string; retryable: boolean }[] = faults;

describe('relay, before a model that takes no temperature but its own', () => {
  const error = { message: "Unsupported value: 'temperature' does not support 0 with this model.", type: 'invalid_request_error' };
  for (const [more, sent, status] of [
    [{ param: 'temperature', code: 'unsupported_value' }, [0, undefined, undefined], 200],
    [{ message: 'Wrong.', param: 'temperature', code: 'invalid_value' }, [0, 0], 502],
  ] as const)
    it(`${status === 200 ? 'asks once more without it, remembers and says it once' : 'takes no other complaint for that'}`, async () => {
      const logger = memoryLogger();
      const asked: unknown[] = [];
      const upstream: RelayOptions['upstream'] = async (request) => {
        const { temperature } = (await request.json()) as { temperature?: number };
        asked.push(temperature);
        if (temperature !== undefined) return Response.json({ error: { ...error, ...more } }, { status: 400 });
        return answered('ok');
      };
      const relay = createRelay({ upstream, model: 'o4', logger });
      const statuses: number[] = [];
      for (const path of ['/api/ai/chat/stream', '/api/ai/chat']) {
        const response = await relay(ask({ ...hello(), temperature: 0 }, { path }));
        statuses.push(response.status);
        await response.text();
      }
      expect([asked, statuses]).to.deep.equal([sent, [status, status]]);
      expect(logger.lines.filter((line) => line.includes('takes no `temperature`'))).to.have.lengthOf(status === 200 ? 1 : 0);
    });
});

describe('relay, when its upstream fails', () => {
  let server: FaultServer;
  let port: number;

  before(async () => {
    server = createFaultServer();
    ({ port } = await server.listen());
  });
  after(() => server.close());

  const relayTo = (query: string, options: RelayOptions = {}) =>
    createRelay({
      baseUrl: `http://127.0.0.1:${port}/v1?text=${encodeURIComponent('Some words that take a while to say, '.repeat(20))}&gap=0&${query}`,
      apiKey: KEY,
      model: 'm',
      // Where nothing hangs nothing may be taken for a hang; and where the answer has begun it has to have arrived before that.
      timeout: !query.includes('hang') ? 20_000 : query === 'hang=connect' ? 250 : 1_500,
      logger: false,
      ...options,
    });

  for (const { title, query, ...expected } of cases) {
    it(`tells the client of ${title}, and nothing else`, async () => {
      const logger = memoryLogger();
      const relay = relayTo(query, { logger });
      const [response, atOnce] = await Promise.all([relay(ask()), relayTo(query)(ask(hello(), { path: '/api/ai/chat' }))]);
      const body = await response.text();
      const events = readEvents(body);
      const last = events.at(-1)!;

      expect(last.event).to.equal('error');
      expect(last.data).to.deep.include({ type: 'error', code: expected.code, retryable: expected.retryable });
      expect(last.data['message']).to.match(/^[A-Z][^<>{}]{10,100}\.$/);
      expect(events.filter(({ event }) => event !== 'message')).to.have.lengthOf(1);
      expect(response.status).to.equal(expected.status);
      if (query.includes('retryafter')) expect(response.headers.get('retry-after')).to.equal('7');
      expect(response.headers.get('x-should-retry')).to.equal(!expected.retryable && expected.status >= 500 ? 'false' : null);

      expect(logger.lines).to.have.lengthOf(1);
      expect(logger.lines[0]).to.include(last.data['message']).and.to.not.include(KEY);

      const whole = (await atOnce.json()) as Record<string, unknown>;
      expect(atOnce.status).to.be.at.least(400);
      expect(whole).to.deep.include({ type: 'error', code: expected.code, retryable: expected.retryable });
    });
  }

  it('hangs up on an upstream that is silent', async () => {
    const since = server.log.length;
    await (await relayTo('hang=first', { timeout: 250 })(ask())).text();
    const request = server.log[since]!;
    await until(() => request.clientClosed !== null);
    expect(request.finished).to.equal(false);
  });

  it('names an upstream that cannot be reached only in the log', async () => {
    const logger = memoryLogger();
    const relay = createRelay({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: KEY, logger });
    const response = await relay(ask());
    const body = await response.text();
    expect(response.status).to.equal(502);
    expect(readEvents(body)[0]!.data).to.deep.include({ code: 'upstream_unreachable', retryable: true });
    expect(body).to.not.include('127.0.0.1').and.to.not.include('fetch');
    expect(logger.lines[0]).to.match(/ECONNREFUSED|bad port/);
  });

  it('survives a logger that throws', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const relay = relayTo('', { logger: { debug: fail, info: fail, warn: fail, error: fail } });
    expect(readEvents(await (await relay(ask())).text()).at(-1)!.event).to.equal('done');
  });
});
