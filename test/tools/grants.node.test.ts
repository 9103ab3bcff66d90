import { expect } from 'chai';
import type { Grant } from '../../src/model/grants.js';
import { isObject } from '../../src/base/objects.js';
import { covers, createGrants, GRANTS_MAX, type NewGrant } from '../../src/tools/grant-rules.js';
import { OTHERS } from '../../src/tools/suggest-grants.js';
import { hostile } from './hostile.js';

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
  const cases: [name: string, where: Grant['where'], args: Record<string, unknown>, met: boolean][] = [
    ['no condition', {}, { a: 1 }, true],
    ['the same text', { a: { equals: 'x' } }, { a: 'x' }, true],
    ['another text', { a: { equals: 'x' } }, { a: 'y' }, false],
    ['a text for a number', { a: { equals: '1' } }, { a: 1 }, false],
    ['a number for a text', { a: { equals: 1 } }, { a: '1' }, false],
    ['true for 1', { a: { equals: 1 } }, { a: true }, false],
    ['null for nothing', { a: { equals: null } }, {}, false],
    ['null', { a: { equals: null } }, { a: null }, true],
    ['NaN for null', { a: { equals: null } }, { a: NaN }, false],
    ['minus zero', { a: { equals: 0 } }, { a: -0 }, true],
    ['an object in another order', { a: { equals: { b: 1, c: [2] } } }, { a: { c: [2], b: 1 } }, true],
    ['an object with more', { a: { equals: { b: 1 } } }, { a: { b: 1, c: 2 } }, false],
    ['an object inside that differs', { a: { equals: { b: { c: 1 } } } }, { a: { b: { c: 2 } } }, false],
    ['a list in another order', { a: { equals: [1, 2] } }, { a: [2, 1] }, false],
    ['one of some', { a: { oneOf: ['x', { y: 1 }] } }, { a: { y: 1 } }, true],
    ['none of some', { a: { oneOf: ['x', 'y'] } }, { a: ['x'] }, false],
    ['one of none', { a: { oneOf: [] } }, { a: 1 }, false],
    ['up to', { a: { max: 50 } }, { a: 50 }, true],
    ['just above', { a: { max: 50 } }, { a: 50.000001 }, false],
    ['a text below', { a: { max: 50 } }, { a: '10' }, false],
    ['null below', { a: { max: 50 } }, { a: null }, false],
    ['a list below', { a: { max: 50 } }, { a: [10] }, false],
    ['false below', { a: { max: 50 } }, { a: false }, false],
    ['NaN below', { a: { max: 50 } }, { a: NaN }, false],
    ['far below', { a: { max: 50 } }, { a: -1e12 }, true],
    ['a number that JSON cannot hold exactly', { a: { max: 50 } }, { a: -1e300 }, false],
    ['between', { a: { min: 0, max: 50 } }, { a: 0 }, true],
    ['below both', { a: { min: 0, max: 50 } }, { a: -1 }, false],
    ['between the wrong way round', { a: { min: 50, max: 0 } }, { a: 25 }, false],
    ['two conditions of which one fails', { a: { equals: 60, max: 50 } }, { a: 60 }, false],
    ['anything, but there', { a: {} }, { a: null }, true],
    ['anything, but not there', { a: {} }, { b: 1 }, false],
    ['an argument that is missing', { a: { equals: 1 }, b: { max: 2 } }, { a: 1 }, false],
    ['an argument more', { a: { equals: 1 } }, { a: 1, force: true }, true],
    ['an argument more where there are no others', { a: { equals: 1 }, [OTHERS]: { oneOf: [] } }, { a: 1, force: true }, false],
    ['no argument more', { a: { equals: 1 }, [OTHERS]: { oneOf: [] } }, { a: 1 }, true],
    ['an argument named like all others', { [OTHERS]: { oneOf: [] } }, { [OTHERS]: 1 }, false],
    ['no argument at all', { [OTHERS]: { oneOf: [] } }, {}, true],
    ['what every object inherits', { toString: {} }, {}, false],
    ['what every object is built by', { constructor: { equals: 1 } }, JSON.parse('{"constructor":1}') as never, false],
    ['a name that reaches for the prototype', {}, JSON.parse('{"__proto__":{"a":1}}') as never, false],
  ];
  for (const [name, where, args, met] of cases) {
    it(`are ${met ? 'met' : 'not met'} by ${name}`, () => {
      expect(covers(where, args)).to.equal(met);
    });
  }

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

  it('give the one that is not used up first', () => {
    const { grants, ids } = store();
    const counted = grants.add(grant({ left: 3, where: { a: { max: 5 } } }));
    const free = grants.add(grant());
    expect(ids({ a: 1 })).to.deep.equal([free.id, counted.id]);
  });

  it('allow no more once revoked', () => {
    const { grants, covers: covered } = store();
    const { id } = grants.add(grant());
    expect([grants.revoke(id), grants.revoke(id), grants.revoke('another')]).to.deep.equal([true, false, false]);
    expect([covered({}), grants.use(id)]).to.deep.equal([false, false]);
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

  it('tell of every change and of nothing else', () => {
    const { grants } = store();
    let told = 0;
    const stop = grants.subscribe(() => void (told += 1));
    const { id } = grants.add(grant({ left: 2 }));
    const steps: [() => unknown, number][] = [
      [() => grants.matching(pay(), 'f1'), 1],
      [() => grants.list(), 1],
      [() => grants.revoke('another'), 1],
      [() => grants.use(id), 2],
      [() => grants.revoke(id), 3],
      [() => (grants.load([]), stop(), stop()), 4],
      [() => grants.add(grant()), 4],
    ];
    for (const [step, expected] of steps) {
      step();
      expect(told, String(step)).to.equal(expected);
    }
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

  const damagedFields: Record<string, object> = {
    'no id': { id: undefined },
    'an id that is a number': { id: 7 },
    'no tool': { toolName: '' },
    'no fingerprint': { fingerprint: undefined },
    'an endless fingerprint': { fingerprint: 'f'.repeat(1000) },
    'no sentence': { sentence: null },
    'another scope': { scope: 'everybody' },
    'no conditions': { where: undefined },
    'conditions that are a list': { where: [] },
    'nothing left': { left: 0 },
    'less than nothing left': { left: -1 },
    'half a call left': { left: 1.5 },
    'a count that is text': { left: '5' },
    'a date for a moment': { expiresAt: '2099-01-01' },
    'a moment after all time': { expiresAt: 1e300 },
  };
  const damagedConditions: Record<string, unknown> = {
    'a condition that is null': null,
    'a condition of tomorrow': { below: 50 },
    'a condition of today and one of tomorrow': { max: 50, currency: 'EUR' },
    'a limit that is text': { max: '50' },
    'a limit that is null': { max: null },
    'a limit that is no number': { max: NaN },
    'a limit without end': { max: Infinity },
    'a condition that lost its word': { max: undefined },
    'a condition that is gone': undefined,
    'one of what is no list': { oneOf: 'EUR' },
    'a value that is no data': { equals: () => 1 },
    'one level too many': { equals: Array.from({ length: 100 }).reduce((inner) => [inner], 1) },
  };
  const damaged: [name: string, fields: object][] = [
    ...Object.entries(damagedFields),
    ...Object.entries(damagedConditions).map(([name, price]): [string, object] => [name, { where: { price } }]),
    ['a condition for all others', { where: { [OTHERS]: { max: 1 } } }],
    ['anything for all others', { where: { [OTHERS]: {} } }],
    ['a name that reaches for the prototype', { where: JSON.parse('{"__proto__":{"max":1}}') as object }],
  ];
  for (const [name, fields] of damaged) {
    it(`are dropped with a warning when they have ${name}`, () => {
      const { grants, warnings } = store();
      grants.load([
        { ...stored, ...fields },
        { ...stored, id: 'g2' },
      ]);
      expect(grants.list().map(({ id }) => id)).to.deep.equal(['g2']);
      expect(warnings).to.deep.equal([{ code: 'grants.dropped', dropped: 1 }]);
    });
  }

  it('are refused by `add` with the shape that is asked for', () => {
    const { grants } = store();
    for (const where of [{ price: { max: undefined } }, { price: { below: 1 } }, { [OTHERS]: {} }, undefined])
      expect(() => grants.add(grant({ where: where as never }))).to.throw(TypeError, 'A grant is {');
    expect(() => grants.add(grant({ left: 0 }))).to.throw(TypeError);
    expect(grants.list()).to.deep.equal([]);
  });

  it('count once for an id, and lose only the fields that no grant has', () => {
    const { grants, warnings } = store();
    grants.load([
      { ...stored, allowsEverything: true },
      { ...stored, where: {} },
    ]);
    expect(grants.list()).to.deep.equal([stored]);
    expect(warnings).to.have.length(1);
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
    const trap = Object.defineProperty([stored], 0, {
      get() {
        throw new Error('no');
      },
    });
    const { grants, warnings } = store();
    grants.load(trap);
    expect([grants.list(), warnings.length]).to.deep.equal([[], 1]);
  });
});
