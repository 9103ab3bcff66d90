/** The stores that come with it. Those of a browser run in browsers. S4-33. */
import { expect } from 'chai';
import type { MemoryItem, MemoryStore } from '../../src/model/memory.js';
import { inMemoryStore, lastingMemoryStore, sessionMemoryStore } from '../../src/memory/stores.js';
import { memoryDatabase, memoryTable } from '../../src/storage/memory-table.js';

const item = (id: string, text: string, more: Partial<MemoryItem> = {}): MemoryItem => ({
  id,
  kind: 'fact',
  text,
  createdAt: 1,
  usedAt: 1,
  ...more,
});
const sorted = async (store: MemoryStore) => (await store.list()).map(({ id }) => id).sort();
let owners = 0;
const newOwner = () => `tester ${String((owners += 1))} ${String(Math.random())}`;

const makers: [string, ((owner: string) => MemoryStore) | undefined][] = [
  ['in memory', () => inMemoryStore()],
  ['in the session', 'sessionStorage' in globalThis ? (owner) => sessionMemoryStore(owner) : undefined],
  ['in the database', 'indexedDB' in globalThis ? (owner) => lastingMemoryStore(owner) : undefined],
];

for (const [name, make] of makers)
  (make ? describe : describe.skip)(`a memory store ${name}`, () => {
    it('keeps, replaces, finds and deletes', async () => {
      const store = make!(newOwner());
      await store.put(item('a', '用户叫小明', { vector: [1, 0] }));
      await store.put(item('b', 'likes tea'));
      await store.put(item('b', 'likes coffee'));
      expect(await sorted(store)).to.deep.equal(['a', 'b']);
      expect((await store.search({ text: 'coffee', limit: 5 })).map(({ id }) => id)).to.deep.equal(['b']);
      expect((await store.search({ text: 'tea', limit: 5 })).length).to.equal(0);
      expect(await store.search({ vector: [1, 0], limit: 1 })).to.deep.equal([item('a', '用户叫小明', { vector: [1, 0] })]);
      await store.delete('a');
      await store.delete('a');
      expect(await sorted(store)).to.deep.equal(['b']);
      await store.clear();
      expect(await store.list()).to.deep.equal([]);
    });

    it('gives copies', async () => {
      const store = make!(newOwner());
      const mine = item('a', 'one');
      await store.put(mine);
      mine.text = 'changed';
      (await store.list())[0]!.text = 'changed, too';
      expect((await store.list())[0]?.text).to.equal('one');
      await store.clear();
    });
  });

('indexedDB' in globalThis ? describe : describe.skip)('memory that lasts', () => {
  it('is there for the next page, and for its owner only', async () => {
    const [mine, yours] = [newOwner(), newOwner()];
    for (const make of [lastingMemoryStore, (owner: string) => sessionMemoryStore(owner)]) {
      await make(mine).put(item('a', 'mine'));
      await make(`${mine}x`).put(item('b', 'somebody else’s'));
      expect(await sorted(make(mine))).to.deep.equal(['a']);
      expect(await sorted(make(yours))).to.deep.equal([]);
      await make(mine).clear();
      expect(await sorted(make(`${mine}x`))).to.deep.equal(['b']);
      await make(`${mine}x`).clear();
    }
  });

  it('leaves out what is no item, whoever wrote it', async () => {
    const owner = newOwner();
    const table = memoryTable(owner);
    await table.put('x', { id: 'x', kind: 'evil', text: 'no' });
    await table.put('y', 'text');
    await lastingMemoryStore(owner).put(item('a', 'good'));
    expect(await sorted(lastingMemoryStore(owner))).to.deep.equal(['a']);
    sessionStorage.setItem(`tool-chat:memory:${owner}`, '{"broken');
    expect(await sorted(sessionMemoryStore(owner))).to.deep.equal([]);
    await table.clear();
  });

  it('has a database of its own, so that the journal’s never has to change for it', async () => {
    const database = memoryDatabase();
    await database.transact('memory', 'readonly', (table) => table.count());
    expect(database.connection()?.name).to.equal('tool-chat-memory');
    expect([...database.connection()!.objectStoreNames]).to.deep.equal(['memory']);
    database.close();
  });
});
