/** Finding what fits, in languages with and without blanks: S4-33. */
import { expect } from 'chai';
import type { MemoryItem } from '../../src/model/memory.js';
import { cosine, createSearcher } from '../../src/memory/search.js';
import { splitPlainly, words } from '../../src/memory/words.js';

let clock = 0;
const item = (id: string, text: string, more: Partial<MemoryItem> = {}): MemoryItem => ({
  ...{ id, kind: 'fact', text, createdAt: (clock += 1), usedAt: clock },
  ...more,
});
const idsOf = (items: readonly MemoryItem[]) => items.map(({ id }) => id);

describe('search in what is remembered', () => {
  const items = [
    item('name', '用户叫小明'),
    item('city', '用户住在杭州，喜欢爬山'),
    item('deploy', 'The deployment of Apollo runs on Fridays'),
    item('tea', 'Drinks green tea, no coffee'),
    item('ja', '明日は会議があります'),
    item('th', 'ฉันชอบกินข้าวผัด'),
  ];

  it('finds words, beginnings of words, and words with a typing error', async () => {
    const { search } = createSearcher();
    expect(idsOf(await search(items, { text: 'When do we deploy?', limit: 5 }))[0]).to.equal('deploy');
    expect(idsOf(await search(items, { text: 'coffee', limit: 5 }))).to.deep.equal(['tea']);
    expect(idsOf(await search(items, { text: 'deploymant', limit: 5 }))).to.deep.equal(['deploy']);
  });

  it('finds words where no blank stands between them', async () => {
    const { search } = createSearcher();
    expect(idsOf(await search(items, { text: '杭州天气怎么样？', limit: 5 }))).to.include('city');
    expect(idsOf(await search(items, { text: '小明', limit: 5 }))).to.include('name');
    expect(idsOf(await search(items, { text: '会議', limit: 5 }))).to.include('ja');
    expect(idsOf(await search(items, { text: 'ข้าวผัด', limit: 5 }))).to.include('th');
  });

  it('leaves out what has nothing in common, and finds nothing in nothing', async () => {
    const { search } = createSearcher();
    expect(await search(items, { text: 'zebra', limit: 5 })).to.deep.equal([]);
    expect(await search(items, { text: ' ', limit: 5 })).to.deep.equal([]);
    expect(await search([], { text: 'tea', limit: 5 })).to.deep.equal([]);
    expect(await search(items, { text: 'tea', limit: 0 })).to.deep.equal([]);
  });

  it('follows items that are added, changed and taken away between two searches', async () => {
    const { search } = createSearcher();
    expect(idsOf(await search(items, { text: 'coffee', limit: 5 }))).to.deep.equal(['tea']);
    const changed = items.map((one) => (one.id === 'tea' ? { ...one, text: 'Drinks water' } : one));
    expect(await search(changed, { text: 'coffee', limit: 5 })).to.deep.equal([]);
    expect(idsOf(await search([...changed, item('new', 'likes coffee')], { text: 'coffee', limit: 5 }))).to.deep.equal(['new']);
    expect(idsOf(await search(items.slice(0, 2), { text: 'coffee water likes', limit: 5 }))).to.deep.equal([]);
  });

  it('ranks what words and vectors both find before what only one of them finds', async () => {
    const { search } = createSearcher();
    const some = [
      item('words', 'red paint', { vector: [0, 1] }),
      item('vector', 'an automobile', { vector: [1, 0] }),
      item('both', 'red car', { vector: [0.9, 0.1] }),
      item('none', 'something else', { vector: [0, 1] }),
    ];
    const found = idsOf(await search(some, { text: 'red', vector: [1, 0], limit: 5 }));
    expect(found[0]).to.equal('both');
    expect(found).to.have.members(['both', 'words', 'vector']);
  });

  it('takes vectors that cannot be compared for unlike', () => {
    expect(cosine([1, 0], [1, 0])).to.equal(1);
    expect(cosine([1, 0], [0, 1])).to.equal(0);
    expect(cosine([1, 0], [1, 0, 0])).to.equal(0);
    expect(cosine([0, 0], [1, 0])).to.equal(0);
    expect(cosine([], [])).to.equal(0);
  });

  it('splits texts also without a segmenter', () => {
    expect(splitPlainly('hello 世界 2024年')).to.deep.equal(['hello', '世', '界', '2024', '年']);
    expect(words('Ｈｅｌｌｏ, WORLD!')).to.deep.equal(['hello', 'world']);
  });
});
