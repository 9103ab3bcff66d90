import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Grant, GrantCondition } from '../../src/model/grants.js';
import { isObject } from '../../src/base/objects.js';
import { gate, type Approval, type GateInput } from '../../src/tools/gate.js';
import { covers, createGrants, GRANTS_MAX, type NewGrant } from '../../src/tools/grant-rules.js';
import { OTHERS } from '../../src/tools/suggest-grants.js';
import { hostile } from './hostile.js';

function grant(more: Partial<NewGrant> = {}): NewGrant {
  return { toolName: 'pay', fingerprint: 'f1', sentence: 'Pay', scope: 'session', where: {}, ...more };
}

const pay = (args: object = {}) => ({ toolName: 'pay', args: args as Record<string, unknown> });

/** A clock that stands still until it is set. */
function clock(at = 1000) {
  return { at, now: () => time.at };
}
let time = clock();

function store(more: Parameters<typeof createGrants>[0] = {}) {
  time = clock();
  const warnings: object[] = [];
  const log = { warn: (code: string, _message: string, context: unknown) => void warnings.push({ code, ...(context as object) }) };
  const grants = createGrants({ now: time.now, log, ...more });
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

  it('are met by exactly the calls that reading them one by one says', () => {
    let met = 0;
    fc.assert(
      fc.property(wheresAndCalls, ([where, args]) => {
        const expected = readOneByOne(where, args);
        met += Number(expected && Object.keys(where).length > 1);
        expect(covers(where, args)).to.equal(expected);
        const { grants } = store();
        grants.add(grant({ where }));
        expect(grants.matching(pay(args), 'f1')).to.have.length(Number(expected));
      }),
      { numRuns: 3000 },
    );
    expect(met, 'grants with conditions that covered something').to.be.above(20);
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

  it('end when their time is over, to the millisecond', () => {
    const { grants, covers: covered } = store();
    const { id } = grants.add(grant({ expiresAt: 2000 }));
    time.at = 1999;
    expect([covered({}), grants.list().length]).to.deep.equal([true, 1]);
    time.at = 2000;
    expect([covered({}), grants.list().length, grants.use(id)]).to.deep.equal([false, 0, false]);
  });

  it('D78 do not come back when the clock is set back', () => {
    const { grants, covers: covered } = store();
    grants.add(grant({ expiresAt: 2000 }));
    time.at = 2000;
    expect(grants.list()).to.deep.equal([]);
    time.at = 1000;
    expect(covered({})).to.equal(false);
  });

  it('are counted down, and gone after the last', () => {
    const { grants, covers: covered } = store();
    const { id } = grants.add(grant({ left: 2 }));
    expect(grants.use(id)).to.equal(true);
    expect(grants.list().map(({ left }) => left)).to.deep.equal([1]);
    expect(grants.use(id)).to.equal(true);
    expect([covered({}), grants.list().length, grants.use(id)]).to.deep.equal([false, 0, false]);
  });

  it('are used any number of times where nothing counts them', () => {
    const { grants } = store();
    const { id } = grants.add(grant());
    for (let times = 0; times < 10; times += 1) expect(grants.use(id)).to.equal(true);
    expect(grants.list()).to.have.length(1);
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
    const listener = () => void (told += 1);
    const stop = grants.subscribe(listener);
    const { id } = grants.add(grant({ left: 2 }));
    expect(told).to.equal(1);
    grants.matching(pay(), 'f1');
    grants.list();
    grants.revoke('another');
    expect(told).to.equal(1);
    grants.use(id);
    expect(told).to.equal(2);
    grants.revoke(id);
    expect(told).to.equal(3);
    grants.load([]);
    expect(told).to.equal(4);
    stop();
    stop();
    grants.add(grant());
    expect(told).to.equal(4);
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

  it('lose only the fields that no grant has', () => {
    const { grants } = store();
    grants.load([{ ...stored, allowsEverything: true }]);
    expect(grants.list()).to.deep.equal([stored]);
  });

  it('are nothing, and no news, where nothing was stored or their time is over', () => {
    const { grants, warnings } = store();
    grants.load(undefined);
    grants.load([]);
    grants.load([{ ...stored, expiresAt: 1000 }]);
    expect([grants.list(), warnings]).to.deep.equal([[], []]);
  });

  const damaged: Record<string, unknown> = {
    'no id': { ...stored, id: undefined },
    'an id that is a number': { ...stored, id: 7 },
    'no tool': { ...stored, toolName: '' },
    'no fingerprint': { ...stored, fingerprint: undefined },
    'an endless fingerprint': { ...stored, fingerprint: 'f'.repeat(1000) },
    'no sentence': { ...stored, sentence: null },
    'another scope': { ...stored, scope: 'everybody' },
    'no conditions': { ...stored, where: undefined },
    'conditions that are a list': { ...stored, where: [] },
    'a condition that is null': { ...stored, where: { price: null } },
    'a condition of tomorrow': { ...stored, where: { price: { below: 50 } } },
    'a condition of today and one of tomorrow': { ...stored, where: { price: { max: 50, currency: 'EUR' } } },
    'a limit that is text': { ...stored, where: { price: { max: '50' } } },
    'a limit that is null': { ...stored, where: { price: { max: null } } },
    'a limit that is no number': { ...stored, where: { price: { max: NaN } } },
    'a limit without end': { ...stored, where: { price: { max: Infinity } } },
    'a condition that lost its word': { ...stored, where: { price: { max: undefined } } },
    'a condition that is gone': { ...stored, where: { price: undefined } },
    'one of what is no list': { ...stored, where: { price: { oneOf: 'EUR' } } },
    'a condition for all others': { ...stored, where: { [OTHERS]: { max: 1 } } },
    'anything for all others': { ...stored, where: { [OTHERS]: {} } },
    'a name that reaches for the prototype': JSON.parse(
      `{"id":"g1","toolName":"pay","fingerprint":"f1","sentence":"","scope":"session","where":{"__proto__":{"max":1}}}`,
    ),
    'nothing left': { ...stored, left: 0 },
    'less than nothing left': { ...stored, left: -1 },
    'half a call left': { ...stored, left: 1.5 },
    'a count that is text': { ...stored, left: '5' },
    'a date for a moment': { ...stored, expiresAt: '2099-01-01' },
    'a moment after all time': { ...stored, expiresAt: 1e300 },
    'a value that is no data': { ...stored, where: { a: { equals: () => 1 } } },
    'one level too many': { ...stored, where: { a: { equals: Array.from({ length: 100 }).reduce((inner) => [inner], 1) } } },
  };
  for (const [name, value] of Object.entries(damaged)) {
    it(`are dropped with a warning when they have ${name}`, () => {
      const { grants, warnings } = store();
      grants.load([value, { ...stored, id: 'g2' }]);
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

  it('count once for an id', () => {
    const { grants, warnings } = store();
    grants.load([stored, { ...stored, where: {} }]);
    expect(grants.list()).to.deep.equal([stored]);
    expect(warnings).to.have.length(1);
  });

  it('never throw, whatever was stored', () => {
    for (const [name, make] of Object.entries(hostile)) {
      const { grants } = store();
      for (const foreign of [
        make(),
        [make()],
        [{ ...stored, where: make() }],
        [{ ...stored, where: { a: make() } }],
        [{ ...stored, where: { a: { equals: make() } } }],
      ]) {
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

  it('are kept whole or not at all', () => {
    const value = fc.oneof(
      values,
      fc.array(values),
      numbers,
      fc.constantFrom(undefined, NaN, -Infinity, () => 1),
    );
    const words = fc.dictionary(fc.constantFrom('equals', 'oneOf', 'min', 'max', 'below'), value, { maxKeys: 2 });
    let kept = 0;
    fc.assert(
      fc.property(wheres, names, fc.oneof(words, fc.anything()), (where, name, condition) => {
        const { grants } = store();
        const damagedWhere = { ...where, [name]: condition };
        grants.load([{ ...stored, where: damagedWhere }]);
        const [grantKept] = grants.list();
        kept += Number(grantKept !== undefined);
        if (grantKept) expect(same(grantKept.where, damagedWhere)).to.equal(true);
      }),
      { numRuns: 1000 },
    );
    expect(kept).to.be.above(10);
  });
});

describe('the gate and grants', () => {
  const approvals: Approval[] = ['auto', 'by-risk', 'always', 'user-run'];
  const risks = ['query', 'write', 'danger', 'undeclared'] as const;
  const inputs = approvals.flatMap((approval) =>
    risks.flatMap((risk) =>
      [[], ['repaired'], ['suspicious'], ['quoted'], ['unproved'], ['service'], ['of tomorrow']].flatMap((flags) =>
        (['proved', 'unproved'] as const).flatMap((proof) =>
          [undefined, { toolName: 'read_mail' }].flatMap((taintedBy) =>
            [false, true].flatMap((chained) =>
              ([undefined, 'allow', 'ask', 'deny'] as const).map((host): GateInput => ({
                call: { toolName: 'pay', risk, flags, proof },
                policy: { approval },
                taintedBy,
                chained,
                host,
              })),
            ),
          ),
        ),
      ),
    ),
  );

  it('let a grant change no answer but the policy’s question', () => {
    let changed = 0;
    for (const input of inputs) {
      const [without, granted] = [gate(input), gate({ ...input, grants: [grant()] })];
      if (granted.verdict === without.verdict && granted.reason === without.reason) continue;
      changed += 1;
      const { call, taintedBy, host, chained } = input;
      expect(granted).to.deep.equal({ verdict: 'allow', reason: 'grant', decidedBy: 'grant' });
      expect(['danger', 'undeclared', 'always']).to.include(without.reason);
      expect([host, chained]).to.deep.equal([undefined, false]);
      expect(call.flags).not.to.include.oneOf(['suspicious', 'quoted', 'service', 'of tomorrow']);
      // A query of a tainted or unproved reply may run: it changes nothing.
      if (taintedBy || call.proof === 'unproved' || call.flags?.length) expect(call.risk).to.equal('query');
    }
    expect(changed).to.be.above(5);
  });

  it('let a denial of host or policy beat every grant', () => {
    for (const input of inputs.filter(({ host }) => host === 'deny'))
      expect(gate({ ...input, grants: [grant()] }).verdict).to.equal('deny');
  });
});

// ---- another reading of the same conditions, as plain as can be

function readOneByOne(where: Grant['where'], args: Record<string, unknown>): boolean {
  for (const [name, condition] of Object.entries(where)) {
    if (name === OTHERS) {
      for (const given of Object.keys(args)) if (given === OTHERS || !Object.keys(where).includes(given)) return false;
    } else {
      if (!Object.keys(args).includes(name)) return false;
      const value = args[name];
      if ('equals' in condition && !same(condition.equals, value)) return false;
      if (condition.oneOf && !condition.oneOf.some((one) => same(one, value))) return false;
      if (condition.min !== undefined && !(typeof value === 'number' && value >= condition.min)) return false;
      if (condition.max !== undefined && !(typeof value === 'number' && value <= condition.max)) return false;
    }
  }
  return true;
}

function same(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => name in other && same((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]));
}

const names = fc.constantFrom('a', 'b', 'price', 'toString');
const values: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(0, 1, 50, 51, -1, 0.5, '', 'x', '1', '50', true, false, null),
  fc.constantFrom<unknown>([], [1], [1, 2], {}, { x: 1 }, { x: 1, y: [2] }, { y: [2], x: 1 }),
);
const numbers = fc.constantFrom(-1, 0, 0.5, 1, 50);
const conditions: fc.Arbitrary<GrantCondition> = fc.oneof(
  fc.record<GrantCondition>({ equals: values }),
  fc.record<GrantCondition>({ oneOf: fc.array(values, { maxLength: 4 }) }),
  fc.record<GrantCondition>({ min: numbers, max: numbers }, { requiredKeys: [] }),
  fc.record<GrantCondition>({ equals: values, oneOf: fc.array(values), min: numbers, max: numbers }, { requiredKeys: [] }),
);
const wheres = fc
  .tuple(fc.dictionary(names, conditions, { maxKeys: 3, noNullPrototype: true }), fc.boolean())
  .map(([where, closed]): Grant['where'] => (closed ? { ...where, [OTHERS]: { oneOf: [] } } : where));
const strangers = fc.dictionary(fc.oneof({ weight: 9, arbitrary: names }, { weight: 1, arbitrary: fc.constant(OTHERS) }), values, {
  maxKeys: 2,
  noNullPrototype: true,
});
/** Calls that are near what the conditions say. */
const wheresAndCalls = wheres.chain((where): fc.Arbitrary<[Grant['where'], Record<string, unknown>]> => {
  const near = ({ equals, oneOf = [] }: GrantCondition) => fc.oneof(values, fc.constantFrom(equals ?? 1, ...oneOf), numbers);
  const fitting = Object.entries(where).filter(([name]) => name !== OTHERS);
  const args = fc.record(Object.fromEntries(fitting.map(([name, condition]) => [name, near(condition)])));
  return fc.tuple(
    fc.constant(where),
    fc.tuple(args, fc.oneof(fc.constant({}), strangers)).map(([own, more]) => ({ ...more, ...own })),
  );
});
