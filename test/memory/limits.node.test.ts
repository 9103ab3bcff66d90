/** What has to go, and in which order: S4-34, S4-35. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { MemoryItem, MemoryKind } from '../../src/model/memory.js';
import { memoryLimits, toEvict } from '../../src/memory/limits.js';

const item = (id: string, kind: MemoryKind, usedAt: number, createdAt = usedAt): MemoryItem => ({ id, kind, text: id, usedAt, createdAt });
const idsOf = (items: readonly MemoryItem[]) => items.map(({ id }) => id);

describe('limits of long-term memory', () => {
  const three = [item('a', 'fact', 30), item('b', 'fact', 10), item('c', 'preference', 20)];
  const kinds = [item('name', 'entity', 1), item('fact', 'fact', 50), item('summary', 'summary', 90)];
  const aged = [item('old', 'entity', 10), item('young', 'fact', 95), item('used', 'fact', 95, 1)];
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

  it('are the defaults where they are no numbers', () => {
    expect(memoryLimits({})).to.deep.equal({ items: 500, tokens: 1000, ageMs: 31_536_000_000 });
    expect(memoryLimits({ limits: { items: -1, tokens: NaN } })).to.deep.equal(memoryLimits({}));
    expect(memoryLimits({ limits: { items: 0 } }).items).to.equal(0);
  });
});
