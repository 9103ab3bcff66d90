// engines: storage
/** The stores that come with it: in memory, in the session, in the database. S4-33. */
import { expect } from 'chai';
import type { MemoryItem, MemoryStore } from '../../src/model/memory.js';
import { inMemoryStore, lastingMemoryStore, sessionMemoryStore } from '../../src/memory/stores.js';
import { memoryDatabase, memoryTable } from '../../src/storage/memory-table.js';

const item = (id: string, text: string, more: Partial<MemoryItem> = {}): MemoryItem => ({
  ...{ id, kind: 'fact', text, createdAt: 1, usedAt: 1 },
  ...more,
});
const ids = async (store: MemoryStore) => (await store.list()).map(({ id }) => id).sort();
let owners = 0;
const newOwner = () => `tester ${String((owners += 1))} ${String(Math.random())}`;

const lasting = { 'in the session': sessionMemoryStore, 'in the database': lastingMemoryStore };
for (const [name, make] of Object.entries({ 'in memory': inMemoryStore as typeof sessionMemoryStore, ...lasting }))
  describe(`a memory store ${name}`, () => {
    it('keeps, replaces, finds and deletes', async () => {
      const store = make(newOwner());
      await store.put(item('a', '用户叫小明', { vector: [1, 0] }));
      await store.put(item('b', 'likes tea'));
      await store.put(item('b', 'likes coffee'));
      expect(await ids(store)).to.deep.equal(['a', 'b']);
      expect((await store.search({ text: 'coffee', limit: 5 })).map(({ id }) => id)).to.deep.equal(['b']);
      expect((await store.search({ text: 'tea', limit: 5 })).length).to.equal(0);
      expect(await store.search({ vector: [1, 0], limit: 1 })).to.deep.equal([item('a', '用户叫小明', { vector: [1, 0] })]);
      await store.delete('a');
      await store.delete('a');
      expect(await ids(store)).to.deep.equal(['b']);
      await store.clear();
      expect(await store.list()).to.deep.equal([]);
    });

    if (name in lasting)
      it('is there for the next page, for its owner only, without what is no item', async () => {
        const owner = newOwner();
        await make(owner).put(item('a', 'mine'));
        await make(`${owner}x`).put(item('b', 'somebody else’s'));
        await memoryTable(owner).put('x', { id: 'x', kind: 'evil', text: 'no' });
        await memoryTable(owner).put('y', 'text');
        expect([await ids(make(owner)), await ids(make(newOwner()))]).to.deep.equal([['a'], []]);
        await make(owner).clear();
        expect(await ids(make(`${owner}x`))).to.deep.equal(['b']);
        await make(`${owner}x`).clear();
        await memoryTable(owner).clear();
        sessionStorage.setItem(`tool-chat:memory:${owner}`, '{"broken');
        expect(await ids(make(owner))).to.deep.equal([]);
      });
  });

describe('memory that lasts', () => {
  it('has a database of its own, so that the journal’s never has to change for it', async () => {
    const database = memoryDatabase();
    await database.transact('memory', 'readonly', (table) => table.count());
    expect(database.connection()?.name).to.equal('tool-chat-memory');
    expect([...database.connection()!.objectStoreNames]).to.deep.equal(['memory']);
    database.close();
  });
});
