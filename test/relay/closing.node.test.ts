/** A relay that is told to go (fault 145); as a process of its own: `program.node.test.ts`. */
import { expect } from 'chai';
import { ask, follow, hello, ORIGIN, readEvents } from './ask.js';
import { get, remove, STREAM, useRelays } from './use-relays.js';

describe('a relay that is told to go', () => {
  const relays = useRelays();
  const { begun } = relays;

  for (const [title, patience] of [
    ['after its grace', [{ graceMs: 50 }]],
    ['at once, when it is told so again', [{ graceMs: 600_000 }, { graceMs: 0 }]],
  ] as const)
    it(`tells the readers of answers that do not end, ${title}`, async () => {
      const { relay, stream, say, closed } = await begun();
      await say(stream, 'Hi');
      const reading = stream.until('event: error');
      const gone = patience.map((options) => relay.close(options));
      expect(readEvents(await reading).at(-1)!.data).to.include({ type: 'error', code: 'closing', retryable: true });
      await Promise.all([closed, ...gone]);
    });

  it('lets no late request through to the model', async () => {
    const { relay, stream, say } = await begun({ embeddingsModel: 'e' });
    const id = await say(stream, 'Hi');
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
    expect(relays.upstream.requests).to.have.lengthOf(1);
    const resumed = follow(await relay(get(id, `${id}.0`)));
    await resumed.until('Hi');
    expect((await relay(remove(id))).status).to.equal(204);
    await Promise.all([resumed.until('"stopped"'), stream.cancel()]);
    await closed;
  });
});
