/** What is kept in memory and what has to go, finding what fits, in languages with and without blanks, and vectors from a relay: S4-33 … S4-35. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { MemoryItem, MemoryKind } from '../../src/model/memory.js';
import { toEvict } from '../../src/memory/limits.js';
import { cosine, createSearcher, splitPlainly, words } from '../../src/memory/search.js';
import { relayEmbed } from '../../src/memory/relay-embed.js';
import given from '../fixtures/memory/search.json' with { type: 'json' };

const kept = (id: string, kind: MemoryKind, usedAt: number, createdAt = usedAt): MemoryItem => ({ id, kind, text: id, usedAt, createdAt });
const idsOf = (items: readonly MemoryItem[]) => items.map(({ id }) => id);

describe('limits of long-term memory', () => {
  const three = [kept('a', 'fact', 30), kept('b', 'fact', 10), kept('c', 'preference', 20)];
  const kinds = [kept('name', 'entity', 1), kept('fact', 'fact', 50), kept('summary', 'summary', 90)];
  const aged = [kept('old', 'entity', 10), kept('young', 'fact', 95), kept('used', 'fact', 95, 1)];
  for (const [what, items, limits, expected] of [
    ['what was not used for the longest time', three, { items: 2 }, ['b']],
    ['so in this order', three, { items: 1 }, ['b', 'c']],
    ['nothing where there is room', three, { items: 3 }, []],
    ['old summaries before facts, and names last', kinds, { items: 1 }, ['summary', 'fact']],
    ['what nobody used for too long, however much room there is', aged, { items: 99, ageMs: 20 }, ['old']],
  ] as const)
    it(`evict ${what}`, () => {
      expect(idsOf(toEvict(items, { ageMs: Infinity, ...limits }, 100))).to.deep.equal(expected);
    });

  it('never evict a slot, and are kept the limits (any items)', () => {
    const kinds = fc.constantFrom<MemoryKind>('fact', 'preference', 'entity', 'slot', 'summary');
    const items = fc.array(fc.record({ kind: kinds, usedAt: fc.nat(1000), createdAt: fc.nat(1000) }), { maxLength: 60 });
    fc.assert(
      fc.property(items, fc.nat(30), fc.nat(1000), (rows, most, ageMs) => {
        const all = rows.map((row, at): MemoryItem => ({ ...row, id: String(at), text: 'x' }));
        const gone = new Set(idsOf(toEvict(all, { items: most, ageMs }, 1000)));
        const left = all.filter(({ id }) => !gone.has(id));
        expect(all.filter(({ kind, id }) => kind === 'slot' && gone.has(id))).to.deep.equal([]);
        expect(left.filter(({ kind }) => kind !== 'slot').length).to.be.at.most(most);
        for (const { kind, usedAt, createdAt } of left)
          if (kind !== 'slot') expect(1000 - Math.max(usedAt, createdAt)).to.be.at.most(ageMs);
      }),
    );
  });
});

let clock = 0;
const item = (id: string, text: string, vector?: number[]): MemoryItem => ({
  ...{ id, kind: 'fact', text, createdAt: (clock += 1), usedAt: clock },
  ...(vector && { vector }),
});

describe('search in what is remembered', () => {
  const items = given.items.map(([id = '', text = '']) => item(id, text));
  const { search } = createSearcher();
  const found = async (text: string, among: readonly MemoryItem[] = items, more: object = {}) =>
    (await search(among, { text, limit: 5, ...more })).map(({ id }) => id);

  for (const [what, text, expected] of given.searches as [string, string, string[]][])
    it(`finds ${what}`, async () => {
      expect((await found(text)).slice(0, expected.length || undefined)).to.deep.equal(expected);
    });

  it('follows items that are added, changed and removed between two searches', async () => {
    expect(await found('coffee')).to.deep.equal(['tea']);
    const changed = items.map((one) => (one.id === 'tea' ? { ...one, text: 'Drinks water' } : one));
    expect(await found('coffee', changed)).to.deep.equal([]);
    expect(await found('coffee', [...changed, item('new', 'likes coffee')])).to.deep.equal(['new']);
    expect(await found('coffee water likes', items.slice(0, 2))).to.deep.equal([]);
  });

  it('ranks an item that words and vectors both find before one that only one of them finds', async () => {
    const some = [
      item('words', 'red paint', [0, 1]),
      item('vector', 'an automobile', [1, 0]),
      item('both', 'red car', [0.9, 0.1]),
      item('none', 'something else', [0, 1]),
    ];
    const ids = await found('red', some, { vector: [1, 0] });
    expect(ids[0]).to.equal('both');
    expect(ids).to.have.members(['both', 'words', 'vector']);
  });

  it('takes vectors that cannot be compared for unlike', () => {
    expect(cosine([1, 0], [1, 0])).to.equal(1);
    const unlike = [cosine([1, 0], [0, 1]), cosine([1, 0], [1, 0, 0]), cosine([0, 0], [1, 0]), cosine([], [])];
    expect(unlike).to.deep.equal([0, 0, 0, 0]);
  });

  it('splits texts also without a segmenter', () => {
    expect(splitPlainly('hello 世界 2024年')).to.deep.equal(['hello', '世', '界', '2024', '年']);
    expect(words('Ｈｅｌｌｏ, WORLD!')).to.deep.equal(['hello', 'world']);
  });
});

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
    for (const expected of ['500', 'no vector', 'no vector'])
      expect(String(await embed('a').catch((error: unknown) => error))).to.include(expected);
    expect(await embed('a')).to.deep.equal([3]);
  });
});
