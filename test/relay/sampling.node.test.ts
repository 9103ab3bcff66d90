/** What a page may say of how the model is to choose its words. */
import { expect } from 'chai';
import { createRelay } from '../../src/relay/index.js';
import { ask, hello } from './ask.js';

describe('how the model chooses its words', () => {
  async function sentFor(more: object): Promise<Record<string, unknown> | number> {
    let sent: unknown;
    const relay = createRelay({
      ...{ baseUrl: 'http://upstream.example/v1', apiKey: 'k', model: 'm', logger: false },
      fetch: async (request: Request) => {
        sent = await request.json();
        return new Response('data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n', {
          headers: { 'content-type': 'text/event-stream' },
        });
      },
    } as never);
    const response = await relay(ask({ ...hello(), ...more }));
    await response.text();
    return (sent as Record<string, unknown> | undefined) ?? response.status;
  }

  it('goes upstream as a temperature within 0 and 2, and not at all where the page says nothing', async () => {
    for (const [temperature, to] of [
      [0, 0],
      [0.4, 0.4],
      [-3, 0],
      [50, 2],
    ] as const)
      expect(await sentFor({ temperature })).to.include({ temperature: to });
    expect(await sentFor({})).to.not.have.property('temperature');
    expect(await sentFor({ temperature: 'hot' })).to.equal(400);
  });

  it('goes upstream as a grammar of a size that a page would write', async () => {
    expect(await sentFor({ grammar: 'root ::= "a"' })).to.include({ grammar: 'root ::= "a"' });
    expect(await sentFor({})).to.not.have.property('grammar');
    expect(await sentFor({ grammar: 'x'.repeat(100_001) })).to.equal(400);
  });
});
