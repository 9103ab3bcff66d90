/** Vectors from a relay: S4-33. */
import { expect } from 'chai';
import { relayEmbed } from '../../src/memory/relay-embed.js';

function relay(answer: () => Response) {
  const asked: { url: string; body: unknown; headers: Record<string, string> }[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    const { body, headers } = init as { body: string; headers: Record<string, string> };
    asked.push({ url: String(url), body: JSON.parse(body) as unknown, headers });
    return Promise.resolve(answer());
  };
  return { asked, fetch };
}

describe('embedding by the relay', () => {
  it('asks the route beside the chat, once for the same text', async () => {
    const { asked, fetch } = relay(() => Response.json({ embeddings: [[1, 2]], model: 'm' }));
    const embed = relayEmbed('https://example.org/api/ai/chat/stream', { fetch, headers: async () => ({ authorization: 'Bearer x' }) });
    expect(await embed('a text')).to.deep.equal([1, 2]);
    await embed('a text');
    expect([asked.length, asked[0]?.url]).to.deep.equal([1, 'https://example.org/api/ai/embeddings']);
    expect([asked[0]?.body, asked[0]?.headers['authorization']]).to.deep.equal([{ input: 'a text' }, 'Bearer x']);
  });

  it('rejects without a vector, and asks again the next time', async () => {
    const answers = [
      () => new Response('', { status: 500 }),
      () => Response.json({ embeddings: [['x']] }),
      () => Response.json({}),
      () => Response.json({ embeddings: [[3]] }),
    ];
    const { fetch } = relay(() => answers.shift()!());
    const embed = relayEmbed('/api/ai/embeddings', { fetch });
    for (const expected of ['500', 'no vector', 'no vector']) {
      expect(String(await embed('a').catch((error: unknown) => error))).to.include(expected);
    }
    expect(await embed('a')).to.deep.equal([3]);
  });
});
