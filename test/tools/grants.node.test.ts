import { expect } from 'chai';
import type { Grant } from '../../src/model/grants.js';
import { isObject } from '../../src/base/objects.js';
import { covers, createGrants, GRANTS_MAX, type NewGrant } from '../../src/tools/grant-rules.js';
import { OTHERS } from '../../src/tools/suggest-grants.js';
import { hostile } from './hostile.js';
import given from '../fixtures/tools/grant-conditions.json' with { type: 'json' };

function grant(more: Partial<NewGrant> = {}): NewGrant {
  return { toolName: 'pay', fingerprint: 'f1', sentence: 'Pay', scope: 'session', where: {}, ...more };
}

const pay = (args: object = {}) => ({ toolName: 'pay', args: args as Record<string, unknown> });

/** A clock that stands still until it is set. */
const time = { at: 1000 };

function store(more: Parameters<typeof createGrants>[0] = {}) {
  time.at = 1000;
  const warnings: object[] = [];
  const log = { warn: (code: string, _message: string, context: unknown) => void warnings.push({ code, ...(context as object) }) };
  const grants = createGrants({ now: () => time.at, log, ...more });
  const ids = (args: object, fingerprint = 'f1') => grants.matching(pay(args), fingerprint).map(({ id }) => id);
  return { grants, warnings, ids, covers: (args: object) => ids(args).length > 0 };
}

describe('conditions of a grant', () => {
  const parsed = (text: string) => JSON.parse(text) as Record<string, unknown>;
  const alone = { [OTHERS]: { oneOf: [] } };
  const cases: [where: Grant['where'], met: Record<string, unknown>[], unmet: Record<string, unknown>[]][] = [
    [{}, [{ a: 1 }], [parsed('{"__proto__":{"a":1}}')]],
    ...(given as never[]),
    [{ a: { equals: null } }, [{ a: null }], [{}, { a: NaN }]],
    [{ a: { equals: 0 } }, [{ a: -0 }], []],
    // The last is a number that JSON cannot hold exactly.
    [{ a: { max: 50 } }, [], [NaN, -1e300].map((a) => ({ a }))],
    [{ a: { equals: 1 }, ...alone }, [{ a: 1 }], [{ a: 1, force: true }]],
    [alone, [{}], [{ [OTHERS]: 1 }]],
    // What every object inherits, and is built by.
    [{ toString: {} }, [], [{}]],
    [{ constructor: { equals: 1 } } as never, [], [parsed('{"constructor":1}')]],
  ];
  for (const [where, met, unmet] of cases)
    it(`${JSON.stringify(where)} are met by what they say and by nothing else`, () => {
      for (const args of met) expect(covers(where, args), JSON.stringify(args)).to.equal(true);
      for (const args of unmet) expect(covers(where, args), JSON.stringify(args)).to.equal(false);
    });

  it('are not met by what a prototype lends', () => {
    expect(covers({ a: { equals: 1 } }, Object.create({ a: 1 }) as object)).to.equal(false);
    const polluted = Object.prototype as { max?: number };
    polluted.max = 0;
    try {
      expect(covers({ a: { equals: 7 } }, { a: 7 })).to.equal(true);
    } finally {
      delete polluted.max;
    }
  });

  it('are met by no arguments that are not JSON data, and never throw', () => {
    const data = ['null', 'minus zero', 'empty text', 'a million entries', '50 MB of text', 'an object without prototype', 'undefined'];
    for (const [name, make] of Object.entries(hostile).filter(([each]) => !data.includes(each))) {
      expect(covers({ a: {} }, { a: make() }), name).to.equal(false);
      expect(covers({ a: {} }, make()), name).to.equal(false);
    }
  });
});

describe('grants', () => {
  it('cover the same tool with the same fingerprint only', () => {
    const { grants, ids } = store();
    const { id } = grants.add(grant());
    expect(ids({ a: 1 })).to.deep.equal([id]);
    expect(ids({ a: 1 }, 'f2')).to.deep.equal([]);
    expect(grants.matching({ toolName: 'play', args: {} }, 'f1')).to.deep.equal([]);
  });

  it('end when their time is over, to the millisecond, and do not come back when the clock is set back (D78)', () => {
    const { grants, covers: covered } = store();
    const { id } = grants.add(grant({ expiresAt: 2000 }));
    time.at = 1999;
    expect([covered({}), grants.list().length]).to.deep.equal([true, 1]);
    time.at = 2000;
    expect([covered({}), grants.list().length, grants.use(id)]).to.deep.equal([false, 0, false]);
    time.at = 1000;
    expect(covered({})).to.equal(false);
  });

  it('are counted down, and gone after the last; without a count they stay', () => {
    const { grants, covers: covered } = store();
    const { id } = grants.add(grant({ left: 2 }));
    const uncounted = grants.add(grant({ where: { a: {} } }));
    expect([grants.use(id), grants.list()[0]?.left, grants.use(id)]).to.deep.equal([true, 1, true]);
    expect([covered({}), grants.use(id)]).to.deep.equal([false, false]);
    for (let times = 0; times < 10; times += 1) expect(grants.use(uncounted.id)).to.equal(true);
    expect(grants.list()).to.deep.equal([uncounted]);
  });

  it('allow no more once revoked', () => {
    const { grants, covers: covered } = store();
    const { id } = grants.add(grant());
    expect([grants.revoke(id), grants.revoke(id), grants.revoke('another')]).to.deep.equal([true, false, false]);
    expect([covered({}), grants.use(id)]).to.deep.equal([false, false]);
  });

  it('hold for a call that has used them until they are revoked, replaced, over or forgotten, also when it was the last', () => {
    for (const left of [1, 2])
      for (const [away, change] of Object.entries<(grants: ReturnType<typeof store>['grants'], id: string) => unknown>({
        nothing: () => undefined,
        revoked: (grants, id) => grants.revoke(id),
        replaced: (grants) => grants.add(grant({ left: 5, expiresAt: 2000 })),
        over: () => (time.at = 2000),
        forgotten: (grants) => grants.load([]),
      })) {
        const { grants } = store();
        const { id } = grants.add(grant({ left, expiresAt: 2000 }));
        expect([grants.use(id), grants.holds(id), grants.holds('another')]).to.deep.equal([true, true, false]);
        change(grants, id);
        // A grant that is used up is not listed any more: there is nothing to revoke or replace.
        const holds = away === 'nothing' || (left === 1 && (away === 'revoked' || away === 'replaced'));
        expect(grants.holds(id), `${away}, ${String(left)} left`).to.equal(holds);
      }
  });

  it('are not doubled: saying the same again sets how often and until when', () => {
    const { grants } = store();
    const first = grants.add(grant({ where: { a: { equals: 1 }, b: {} }, left: 1 }));
    const second = grants.add(grant({ where: { b: {}, a: { equals: 1 } }, left: 5 }));
    expect(grants.list().map(({ id, left }) => [id, left])).to.deep.equal([[second.id, 5]]);
    expect(second.id).not.to.equal(first.id);
    grants.add(grant({ where: { a: { equals: 1 }, b: {} }, scope: 'always' }));
    grants.add(grant({ where: { a: { equals: 1 }, b: {} }, fingerprint: 'f2' }));
    expect(grants.list()).to.have.length(3);
  });

  it('are frozen copies of plain data', () => {
    const { grants, covers: covered } = store();
    const where = { a: { oneOf: [{ b: 1 }] } };
    const added = grants.add(grant({ where }));
    (where.a.oneOf[0] as { b: number }).b = 2;
    expect([covered({ a: { b: 1 } }), covered({ a: { b: 2 } })]).to.deep.equal([true, false]);
    for (const object of [added, added.where, added.where['a'], added.where['a']?.oneOf?.[0]])
      expect(Object.isFrozen(object)).to.equal(true);
    grants.list().pop();
    expect(grants.list()).to.have.length(1);
    expect(structuredClone(grants.list())).to.deep.equal(grants.list());
  });

  it('are forgotten, the oldest first, when there are more than anyone reads', () => {
    const { grants } = store();
    for (let at = 0; at < GRANTS_MAX + 3; at += 1) grants.add(grant({ where: { a: { equals: at } } }));
    expect(grants.list()).to.have.length(GRANTS_MAX);
    expect(grants.list()[0]?.where).to.deep.equal({ a: { equals: 3 } });
  });

  it('are put into words anew when they are added, used and loaded', () => {
    const { grants } = store({ say: ({ left }) => `left: ${String(left)}` });
    const added = grants.add(grant({ left: 3, sentence: 'anything at all' }));
    grants.use(added.id);
    expect([added.sentence, grants.list()[0]?.sentence]).to.deep.equal(['left: 3', 'left: 2']);
    grants.load([{ ...added, sentence: 'Only reads the weather' }]);
    expect(grants.list()[0]?.sentence).to.equal('left: 3');
  });
});

describe('grants from elsewhere', () => {
  const stored = { id: 'g1', toolName: 'pay', fingerprint: 'f1', sentence: 'Pay', scope: 'always', where: { price: { max: 50 } } };

  it('come back as they were, in the place of what there was', () => {
    const { grants, warnings, covers: covered } = store();
    const { id } = grants.add(grant());
    grants.load(JSON.parse(JSON.stringify([stored, { ...stored, id: 'g2', left: 2, expiresAt: 5000 }])));
    expect(grants.list()).to.deep.equal([stored, { ...stored, id: 'g2', left: 2, expiresAt: 5000 }]);
    expect([grants.use(id), covered({ price: 50 }), covered({ price: 51 })]).to.deep.equal([false, true, false]);
    expect(warnings).to.deep.equal([]);
  });

  it('are nothing, and no news, where nothing was stored or their time is over', () => {
    const { grants, warnings } = store();
    grants.load(undefined);
    grants.load([]);
    grants.load([{ ...stored, expiresAt: 1000 }]);
    expect([grants.list(), warnings]).to.deep.equal([[], []]);
  });

  const damagedFields: Record<string, unknown[]> = {
    id: [undefined, 7],
    toolName: [''],
    fingerprint: [undefined, 'f'.repeat(1000)],
    sentence: [null],
    scope: ['everybody'],
    left: [0, -1, 1.5, '5'],
    expiresAt: ['2099-01-01', 1e300],
    where: [undefined, [], { [OTHERS]: { max: 1 } }, { [OTHERS]: {} }, JSON.parse('{"__proto__":{"max":1}}')],
  };
  const damagedConditions = [
    ...[null, undefined, { below: 50 }, { max: 50, currency: 'EUR' }, { oneOf: 'EUR' }, { equals: () => 1 }],
    ...['50', null, NaN, Infinity, undefined].map((max) => ({ max })),
    { equals: Array.from({ length: 100 }).reduce((inner) => [inner], 1) }, // one level too many
  ];
  for (const [field, values] of [...Object.entries(damagedFields), ['where', damagedConditions.map((price) => ({ price }))] as const])
    it(`are dropped with a warning when their \`${field}\` is damaged: ${String(values.length)} ways`, () => {
      for (const value of values) {
        const { grants, warnings } = store();
        grants.load([
          { ...stored, [field]: value },
          { ...stored, id: 'g2' },
        ]);
        expect(grants.list().map(({ id }) => id)).to.deep.equal(['g2']);
        expect(warnings).to.deep.equal([{ code: 'grants.dropped', dropped: 1 }]);
      }
    });

  it('are refused by `add` with the shape that is asked for', () => {
    const { grants } = store();
    for (const where of [{ price: { max: undefined } }, { price: { below: 1 } }, { [OTHERS]: {} }, undefined])
      expect(() => grants.add(grant({ where: where as never }))).to.throw(TypeError, 'A permission is {');
    expect(() => grants.add(grant({ left: 0 }))).to.throw(TypeError);
    expect(grants.list()).to.deep.equal([]);
  });

  it('never throw, whatever was stored', () => {
    for (const [name, make] of Object.entries(hostile)) {
      const { grants } = store();
      const wheres = [make(), { a: make() }, { a: { equals: make() } }];
      for (const foreign of [make(), [make()], ...wheres.map((where) => [{ ...stored, where }])]) {
        expect(() => grants.load(foreign), name).not.to.throw();
        for (const { where } of grants.list()) expect(isObject(where), name).to.equal(true);
      }
    }
    const trap = Object.defineProperty([stored], 0, { get: () => expect.fail('no') });
    const { grants, warnings } = store();
    grants.load(trap);
    expect([grants.list(), warnings.length]).to.deep.equal([[], 1]);
  });
});
