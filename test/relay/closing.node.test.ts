/** A relay that is told to go (fault 145). */
import { expect } from 'chai';
import { once } from 'node:events';
import { createRelay } from '../../src/relay/index.js';
import { ask, follow, hello, ORIGIN, readEvents } from './ask.js';
import { startUpstream, type Answer } from './fake-upstream.js';
import { until } from './listen.js';
import { spawnRelay } from './spawn-relay.js';

const STREAM = '/api/ai/chat/stream';

describe('a relay that is told to go', function () {
  this.timeout(30_000);
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let answers: Answer[];
  const closing: (() => unknown)[] = [];

  beforeEach(async () => {
    answers = [];
    upstream = await startUpstream(async (answer) => {
      answer.open();
      answer.chunk('Hi');
      answers.push(answer);
      await answer.closed;
    });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await upstream.close();
  });

  const post = (url: string) =>
    fetch(url + STREAM, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(hello()) });

  async function spawned(graceMs: number) {
    const relay = await spawnRelay({ MODEL_BASE_URL: upstream.baseUrl, MODEL_NAME: 'm', GRACE_MS: String(graceMs) });
    closing.push(() => relay.child.kill('SIGKILL'));
    return relay;
  }

  it('by SIGTERM lets its answers end, and then goes', async () => {
    const { url, child } = await spawned(20_000);
    const stream = follow(await post(url));
    await stream.until('Hi');
    const gone = once(child, 'exit') as Promise<[code: number | null]>;
    child.kill('SIGTERM');
    // It takes no new connections from then on.
    await until(() =>
      fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
        () => false,
        () => true,
      ),
    );
    answers[0]!.chunk('the rest');
    answers[0]!.end();
    expect(await stream.until('event: done')).to.include('the rest');
    expect((await gone)[0]).to.equal(0);
  });

  it('by SIGTERM tells the readers of answers that do not end, after its grace', async () => {
    const { url, child } = await spawned(300);
    const response = await post(url);
    await until(() => answers.length === 1);
    const gone = once(child, 'exit') as Promise<[code: number | null]>;
    child.kill('SIGTERM');
    expect(readEvents(await response.text()).at(-1)!.data).to.include({ type: 'error', code: 'closing', retryable: true });
    expect((await gone)[0]).to.equal(0);
  });

  it('lets no late request through to the model', async () => {
    const relay = createRelay({ baseUrl: upstream.baseUrl, model: 'm', embeddingsModel: 'e', logger: false });
    const stream = follow(await relay(ask()));
    const id = /^id: (\w+)\./m.exec(await stream.until('Hi'))![1]!;
    // One whose body is still on its way when the relay closes.
    let send!: () => void;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = () => {
          controller.enqueue(new TextEncoder().encode(JSON.stringify(hello())));
          controller.close();
        };
      },
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' } as RequestInit;
    const early = relay(new Request(ORIGIN + STREAM, init));
    const closed = relay.close();
    send();
    const late = [
      early,
      relay(ask()),
      relay(ask(hello(), { path: '/api/ai/chat' })),
      relay(ask({ input: 'a' }, { path: '/api/ai/embeddings' })),
    ];
    for (const response of await Promise.all(late)) {
      expect(response.status).to.equal(503);
      expect(Number(response.headers.get('retry-after'))).to.be.at.least(1);
      expect(await response.json()).to.include({ code: 'closing', retryable: true });
    }
    expect((await relay(new Request(`${ORIGIN}/healthz`))).status).to.equal(503);
    expect(upstream.requests).to.have.lengthOf(1);
    // What runs can still be taken up, and stopped.
    const resumed = follow(await relay(new Request(`${ORIGIN}${STREAM}/${id}`, { headers: { 'last-event-id': `${id}.0` } })));
    await resumed.until('Hi');
    expect((await relay(new Request(`${ORIGIN}${STREAM}/${id}`, { method: 'DELETE' }))).status).to.equal(204);
    await Promise.all([resumed.until('"stopped"'), stream.cancel()]);
    await closed;
  });

  it('goes at once when it is told so again', async () => {
    const relay = createRelay({ baseUrl: upstream.baseUrl, model: 'm', logger: false });
    const stream = follow(await relay(ask()));
    await stream.until('Hi');
    const reading = stream.until('closing');
    const [patient] = [relay.close(), relay.close({ graceMs: 0 })];
    await Promise.all([patient, reading]);
  });
});
