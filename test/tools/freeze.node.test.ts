import { expect } from 'chai';
import * as fc from 'fast-check';
import { copyData, copyJson, DEPTH_LIMIT } from '../../src/tools/freeze.js';

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

describe('copying JSON data', () => {
  it('copies all that JSON can hold exactly', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = copyJson(value);
        if (copy.ok) expect(JSON.stringify(copy.value)).to.equal(JSON.stringify(value));
        else expect(copy.problem).to.be.oneOf(['value', 'name']);
      }),
    );
  });

  it('refuses nesting beyond the limit, cycles, references that multiply and 100,000 nested lists without a stack error', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    let shared: unknown = 'x';
    for (let level = 0; level < 60; level++) shared = [shared, shared];
    expect(copyJson(nested(DEPTH_LIMIT)).ok).to.equal(true);
    expect(copyJson(shared).ok).to.equal(false);
    for (const value of [nested(DEPTH_LIMIT + 1), nested(100_000), cycle])
      expect(copyJson(value)).to.include({ ok: false, problem: 'depth' });
  });

  it('refuses what JSON cannot hold, and numbers it cannot hold exactly', () => {
    const proxy = new Proxy({}, { ownKeys: () => 1 as never });
    const values = [NaN, Infinity, 2 ** 53, 1n, Symbol('s'), () => 1, new Date(), new Map(), new (class Point {})(), proxy];
    for (const value of values) expect(copyJson({ value }).ok, Object.prototype.toString.call(value)).to.equal(false);
  });
});

describe('copies for a tool', () => {
  it('are its own down to dates, while instances of other classes are shared', () => {
    const money = new (class Money {
      amount = 1;
    })();
    const data = { list: [{ a: 1 }], at: new Date(5), money };
    const copy = copyData(data) as typeof data;
    expect(copy).to.deep.equal(data);
    copy.list[0]!.a = 2;
    copy.at.setTime(9);
    expect(data).to.deep.include({ list: [{ a: 1 }], at: new Date(5) });
    expect(copy.money).to.equal(money);
  });
});
