/** Finding what fits, in languages with and without blanks: S4-33. */
import { expect } from 'chai';
import type { MemoryItem } from '../../src/model/memory.js';
import { cosine, createSearcher } from '../../src/memory/search.js';
import { splitPlainly, words } from '../../src/memory/words.js';

let clock = 0;
const item = (id: string, text: string, vector?: number[]): MemoryItem => ({
  ...{ id, kind: 'fact', text, createdAt: (clock += 1), usedAt: clock },
  ...(vector && { vector }),
});

describe('search in what is remembered', () => {
  const items = [
    item('name', '用户叫小明'),
    item('city', '用户住在杭州，喜欢爬山'),
    item('deploy', 'The deployment of Apollo runs on Fridays'),
    item('tea', 'Drinks green tea, no coffee'),
    item('ja', '明日は会議があります'),
    item('th', 'ฉันชอบกินข้าวผัด'),
  ];
  const { search } = createSearcher();
  const found = async (text: string, among: readonly MemoryItem[] = items, more: object = {}) =>
    (await search(among, { text, limit: 5, ...more })).map(({ id }) => id);

  for (const [what, text, expected] of [
    ['words', 'coffee', ['tea']],
    ['beginnings of words', 'When do we deploy?', ['deploy']],
    ['words with a typing error', 'deploymant', ['deploy']],
    ['Chinese among other characters', '杭州天气怎么样？', ['city']],
    ['a Chinese name', '小明', ['name']],
    ['Japanese', '会議', ['ja']],
    ['Thai', 'ข้าวผัด', ['th']],
    ['nothing in common as nothing', 'zebra', []],
    ['nothing at all as nothing', ' ', []],
  ] as const)
    it(`finds ${what}`, async () => {
      expect((await found(text)).slice(0, expected.length || undefined)).to.deep.equal(expected);
    });

  it('finds nothing in nothing, and no more than is wanted', async () => {
    expect([await found('tea', []), await found('tea', items, { limit: 0 })]).to.deep.equal([[], []]);
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
