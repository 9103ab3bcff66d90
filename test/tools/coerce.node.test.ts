import { expect } from 'chai';
import * as fc from 'fast-check';
import { coerceArguments, type Coercion } from '../../src/tools/coerce.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { isObject } from '../../src/base/objects.js';
import { cpuTime } from '../helpers/cpu-time.js';

function bySchema(property: JsonSchema, text: unknown, defs: JsonSchema = {}): unknown {
  return coerceArguments({ x: text }, { type: 'object', properties: { x: property }, ...defs }, 'schema')['x'];
}

function byPattern(text: string): unknown {
  return coerceArguments({ x: text }, undefined, 'pattern')['x'];
}

const $defs = {
  count: { type: 'integer' },
  place: { type: 'object', properties: { lat: { type: 'number' }, name: { type: 'string' } }, required: ['name'] },
  tree: { type: 'object', properties: { n: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
};

describe('coercion by schema', () => {
  const cases: [string, JsonSchema, unknown, unknown][] = [
    ['keeps text that looks like a number', { type: 'string' }, '2024', '2024'],
    ['keeps text that looks like a boolean', { type: 'string' }, 'true', 'true'],
    ['keeps the blanks of a text', { type: 'string' }, '  a ', '  a '],
    ['keeps a date', { type: 'string', format: 'date' }, '2024-01-15', '2024-01-15'],
    ['reads true', { type: 'boolean' }, ' true\n', true],
    ['reads False', { type: 'boolean' }, 'False', false],
    ['leaves yes alone', { type: 'boolean' }, 'yes', 'yes'],
    ['reads an integer', { type: 'integer' }, ' 3 ', 3],
    ['reads a negative integer', { type: 'integer' }, '-3', -3],
    ['reads 3.0 as an integer', { type: 'integer' }, '3.0', 3],
    ['leaves 3.5 alone where an integer is due', { type: 'integer' }, '3.5', '3.5'],
    ['reads a number', { type: 'number' }, '3.5', 3.5],
    ['reads an exponent', { type: 'number' }, '1e3', 1000],
    ['turns -0 into 0', { type: 'number' }, '-0', 0],
    ['leaves 2^53+1 alone', { type: 'integer' }, '9007199254740993', '9007199254740993'],
    ['leaves 1e400 alone', { type: 'number' }, '1e400', '1e400'],
    ['leaves NaN alone', { type: 'number' }, 'NaN', 'NaN'],
    ['leaves hexadecimal alone', { type: 'number' }, '0x10', '0x10'],
    ['leaves an empty text alone', { type: 'number' }, '', ''],
    ['reads null', { type: ['integer', 'null'] }, 'null', null],
    ['keeps the word null in free text', { type: ['string', 'null'] }, 'null', 'null'],
    ['reads null where only dates are texts', { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] }, 'null', null],
    ['trims to an enum value', { type: 'string', enum: ['low', 'high'] }, ' high\n', 'high'],
    ['reads a number of an enum', { enum: [1, 2] }, '2', 2],
    ['reads a constant', { const: true }, 'true', true],
    ['leaves what is not in an enum alone', { type: 'string', enum: ['low'] }, 'Low', 'Low'],
    ['reads a list', { type: 'array', items: { type: 'integer' } }, '[1, 2]', [1, 2]],
    ['reads an object', { type: 'object' }, '{"a": "1"}', { a: '1' }],
    ['leaves broken JSON alone', { type: 'array' }, '[1, 2', '[1, 2'],
    ['leaves an object alone where a list is due', { type: 'array' }, '{}', '{}'],
    ['prefers text in a union', { type: ['number', 'string'] }, '3', '3'],
    ['reads the fitting member of a union', { anyOf: [{ type: 'boolean' }, { type: 'integer' }] }, '3', 3],
    ['follows a reference', { $ref: '#/$defs/count' }, '3', 3],
    ['leaves a value that is not text alone', { type: 'integer' }, true, true],
    ['leaves a parameter without a type alone', {}, '3', '3'],
    // Numbers
    ['reads digits with leading zeros where a number is declared', { type: 'integer' }, '007', 7],
    ['keeps the leading zeros of a text', { type: 'string' }, '007', '007'],
    ['leaves a number with a unit alone', { type: 'number' }, '3 kg', '3 kg'],
    ['leaves a number with thousands separators alone', { type: 'integer' }, '1,000', '1,000'],
    ['leaves blanks alone where a number is due', { type: 'number' }, '  ', '  '],
    ['leaves Infinity alone', { type: 'number' }, 'Infinity', 'Infinity'],
    ['does not take 1 for true', { type: 'boolean' }, '1', '1'],
    ['does not turn a number into text', { type: 'string' }, 3, 3],
    ['does not turn a boolean into a number', { type: 'integer' }, false, false],
    // Dates and ids
    ['keeps a UUID', { type: 'string', format: 'uuid' }, '550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
    ['keeps a time', { type: 'string', format: 'date-time' }, '2024-01-15T10:00:00Z', '2024-01-15T10:00:00Z'],
    // Null
    ['reads null beside a list', { type: ['array', 'null'] }, ' null ', null],
    ['reads null of an enum', { enum: ['low', null] }, 'null', null],
    ['prefers the word in an enum', { enum: ['null', null] }, 'null', 'null'],
    ['reads null where OpenAPI says nullable', { type: 'integer', nullable: true }, 'null', null],
    ['leaves null alone where it is not allowed', { type: 'integer' }, 'null', 'null'],
    ['leaves Null alone', { type: ['integer', 'null'] }, 'Null', 'Null'],
    ['leaves an empty text alone where null is allowed', { type: ['integer', 'null'] }, '', ''],
    // Enums and constants
    ['prefers a text of an enum to a number', { enum: [1, '1'] }, ' 1 ', '1'],
    ['reads a boolean of an enum', { enum: [false] }, ' false', false],
    ['reads a number that an enum writes otherwise', { type: 'number', enum: [2] }, '2.0', 2],
    ['reads a constant of a union', { anyOf: [{ const: 1 }, { const: 2 }] }, '2', 2],
    ['trims to a constant', { type: 'string', oneOf: [{ const: 'a' }, { const: 'b' }] }, 'b\n', 'b'],
    ['keeps blanks where any text is allowed beside constants', { anyOf: [{ const: 'a' }, { type: 'string' }] }, ' a ', ' a '],
    ['keeps a number as text where any text is allowed beside numbers', { anyOf: [{ enum: [1] }, { type: 'string' }] }, '1', '1'],
    // Unions
    ['reads a number beside one word', { anyOf: [{ const: 'auto' }, { type: 'integer' }] }, '3', 3],
    ['keeps the one word beside numbers', { anyOf: [{ const: 'auto' }, { type: 'integer' }] }, 'auto', 'auto'],
    ['reads a number beside dates', { anyOf: [{ type: 'string', format: 'date' }, { type: 'integer' }] }, '1700000000', 1700000000],
    ['keeps a date beside numbers', { anyOf: [{ type: 'string', format: 'date' }, { type: 'integer' }] }, '2024-01-15', '2024-01-15'],
    [
      'keeps what fits a pattern beside numbers',
      { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\d{5}$' }] },
      '12345',
      '12345',
    ],
    ['reads what fits no pattern beside numbers', { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^#' }] }, '12', 12],
    ['does without a pattern that is none', { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '(' }] }, '12', 12],
    ['keeps JSON as text where texts are allowed', { anyOf: [{ type: 'array' }, { type: 'string' }] }, '["a"]', '["a"]'],
    ['reads what is beside anything at all (arktype)', { anyOf: [{ type: 'number' }, {}] }, '3', 3],
    ['reads what allOf declares', { allOf: [{ type: 'integer' }, { minimum: 1 }] }, '3', 3],
    ['follows a reference in a union', { anyOf: [{ $ref: '#/$defs/count' }, { type: 'null' }] }, '3', 3],
    ['does not follow a reference elsewhere', { $ref: 'https://example.com/count' }, '3', '3'],
    // Lists
    ['reads the texts of a list', { type: 'array', items: { type: 'integer' } }, '["1", 2, "x"]', [1, 2, 'x']],
    ['reads a list that is one already', { type: 'array', items: { type: 'boolean' } }, ['true', false], [true, false]],
    ['makes no list of one value', { type: 'array', items: { type: 'string' } }, 'a', 'a'],
    ['makes no list of a line with commas', { type: 'array', items: { type: 'string' } }, 'a, b', 'a, b'],
    ['reads JSON with blanks around', { type: 'array' }, ' \n[1]\n ', [1]],
    ['reads an empty list', { type: 'array' }, '[]', []],
    ['leaves lenient JSON alone', { type: 'array' }, "['a',]", "['a',]"],
    ['reads a list without a type', { items: { type: 'integer' } }, '["1"]', [1]],
    [
      'reads a tuple by places',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: { type: 'boolean' } },
      '["1", "1", "true", "x"]',
      ['1', 1, true, 'x'],
    ],
    ['reads a tuple of an older draft', { type: 'array', items: [{ type: 'integer' }] }, ['1', '1'], [1, '1']],
    ['reads a list of lists', { type: 'array', items: { type: 'array', items: { type: 'number' } } }, '[["1.5"], "[2]"]', [[1.5], [2]]],
    // Objects
    [
      'reads the texts of an object',
      { type: 'object', properties: { n: { type: 'integer' }, s: { type: 'string' } } },
      '{"n":"1","s":"1","other":"1"}',
      { n: 1, s: '1', other: '1' },
    ],
    ['reads an object that is one already', { type: 'object', properties: { n: { type: 'integer' } } }, { n: '1' }, { n: 1 }],
    ['reads an object without a type', { properties: { n: { type: 'integer' } } }, '{"n":"1"}', { n: 1 }],
    ['reads the values of a record', { type: 'object', additionalProperties: { type: 'integer' } }, '{"a":"1","b":"x"}', { a: 1, b: 'x' }],
    [
      'reads by patterns of names',
      { type: 'object', patternProperties: { '^s_': { type: 'string' } }, additionalProperties: { type: 'integer' } },
      '{"s_a":"1","a":"1"}',
      { s_a: '1', a: 1 },
    ],
    [
      'reads JSON in JSON',
      { type: 'object', properties: { l: { type: 'array', items: { type: 'integer' } } } },
      '{"l":"[\\"1\\"]"}',
      { l: [1] },
    ],
    ['leaves a list alone where an object is due', { type: 'object' }, '[]', '[]'],
    [
      'reads the member of a union that a constant names',
      {
        oneOf: [
          { type: 'object', properties: { kind: { const: 'n' }, v: { type: 'integer' } }, required: ['kind', 'v'] },
          { type: 'object', properties: { kind: { const: 's' }, v: { type: 'string' } }, required: ['kind', 'v'] },
        ],
      },
      '[{"kind":"n","v":"1"}]'.slice(1, -1),
      { kind: 'n', v: 1 },
    ],
    [
      'reads the member of a union that has all its names',
      {
        anyOf: [
          { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'integer' } }, required: ['x', 'y'] },
          { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
        ],
      },
      { x: '1', y: '2' },
      { x: '1', y: 2 },
    ],
    ['reads what is left of an object that lacks a name', { $ref: '#/$defs/place' }, { lat: '1.5' }, { lat: 1.5 }],
    [
      'reads a tree',
      { $ref: '#/$defs/tree' },
      '{"n":"1","children":[{"n":"2","children":[]}]}',
      { n: 1, children: [{ n: 2, children: [] }] },
    ],
  ];
  for (const [title, property, given, wanted] of cases) {
    it(title, () => {
      expect(bySchema(property, given, { $defs })).to.deep.equal(wanted);
    });
  }

  it('reads the example of the seed (S0-54)', () => {
    const schema = {
      type: 'object',
      properties: { title: { type: 'string' }, completed: { type: 'boolean' }, priority: { type: 'integer' } },
    };
    const args = { title: '完成报告', completed: 'true', priority: '3' };
    const wanted = { title: '完成报告', completed: true, priority: 3 };
    expect(coerceArguments(args, schema, 'schema')).to.deep.equal(wanted);
    expect(coerceArguments(args, schema, 'pattern')).to.deep.equal(wanted);
    expect(coerceArguments(args, undefined, 'schema')).to.deep.equal(wanted);
    expect(coerceArguments(args, schema, 'none')).to.deep.equal(args);
  });

  it('reads by the member of a union at the root', () => {
    const schema = {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'n' }, v: { type: 'integer' } } },
        { type: 'object', properties: { kind: { const: 's' }, v: { type: 'string' } } },
      ],
    };
    expect(coerceArguments({ kind: 'n', v: '1' }, schema, 'schema')).to.deep.equal({ kind: 'n', v: 1 });
    expect(coerceArguments({ kind: 's', v: '1' }, schema, 'schema')).to.deep.equal({ kind: 's', v: '1' });
  });

  it('leaves absent parameters absent (S0-53)', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' }, b: { type: ['string', 'null'], default: null } } };
    expect(coerceArguments({ a: '1' }, schema, 'schema')).to.deep.equal({ a: 1 });
  });

  it('touches no prototype', () => {
    const record = { type: 'object', additionalProperties: { type: 'integer' } };
    const read = bySchema(record, '{"__proto__":{"polluted":"1"},"constructor":"1"}') as object;
    expect(Object.keys(read)).to.deep.equal(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(read)).to.equal(Object.prototype);
    expect({}).not.to.have.property('polluted');
    // Names that objects inherit are not declared.
    expect(bySchema({ type: 'object', properties: {} }, '{"toString":"1","valueOf":"true"}')).to.deep.equal({
      toString: '1',
      valueOf: 'true',
    });
    const union = { oneOf: [{ properties: { k: { const: 'a' }, v: { type: 'integer' } } }, { properties: { k: { const: 'b' } } }] };
    expect(bySchema(union, '{"k":{"toString":1},"v":"1"}')).to.deep.equal({ k: { toString: 1 }, v: 1 });
  });

  it('goes no deeper than arguments may be nested', () => {
    const depth = 100_000;
    const tree = { $ref: '#/$defs/list' };
    const list = { anyOf: [{ type: 'array', items: tree }, { type: 'integer' }] };
    const read = bySchema(tree, '['.repeat(depth) + '"1"' + ']'.repeat(depth), { $defs: { list } });
    expect(read).to.be.an('array');
    expect(bySchema(tree, '[[["1"]]]', { $defs: { list } })).to.deep.equal([[[1]]]);
  });

  it('survives a schema that refers to itself', () => {
    const schema = {
      type: 'object',
      properties: { x: { $ref: '#/$defs/a' } },
      $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'integer' }] } },
    };
    expect(coerceArguments({ x: '3' }, schema, 'schema')).to.deep.equal({ x: 3 });
  });
});

describe('coercion by pattern', () => {
  it('reads booleans and plain digits', () => {
    expect([byPattern('true'), byPattern('false'), byPattern('0'), byPattern('2024')]).to.deep.equal([true, false, 0, 2024]);
  });

  it('keeps what would change: leading zeros, phone numbers beyond 2^53, signs, dates, ids', () => {
    for (const text of [
      '007',
      '00',
      '9007199254740993',
      '-3',
      '3.5',
      '2024-01-15',
      '550e8400-e29b-41d4-a716-446655440000',
      '',
      ' 3',
      'True',
    ]) {
      expect(byPattern(text)).to.equal(text);
    }
  });
});

/**
 * A schema and a value that fits it. Left out is what no text can tell: texts that look like another type where both are allowed, and
 * "null" in a free text.
 */
const declared: fc.Arbitrary<[JsonSchema, unknown]> = fc.letrec<{ any: [JsonSchema, unknown] }>((tie) => {
  const number = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => (Number.isInteger(value) && !Number.isSafeInteger(value) ? 0.5 : value + 0));
  const integer = fc.maxSafeInteger().map((value) => value + 0);
  const plain: fc.Arbitrary<[JsonSchema, unknown]> = fc.oneof(
    fc.tuple(fc.constant({ type: 'string' }), fc.string()),
    fc.tuple(fc.constant({ type: 'string', format: 'date' }), fc.constantFrom('2024-01-15', '1999-12-31')),
    fc.tuple(
      fc.constantFrom({ type: 'integer' }, { $ref: '#/$defs/count' }, { type: ['integer', 'null'] }, { allOf: [{ type: 'integer' }] }),
      integer,
    ),
    fc.tuple(
      fc.constantFrom({ type: 'number' }, { anyOf: [{ type: 'number' }, { type: 'boolean' }] }, { type: ['null', 'number'] }),
      number,
    ),
    fc.tuple(fc.constantFrom({ type: 'boolean' }, { anyOf: [{ type: 'integer' }, { type: 'boolean' }] }), fc.boolean()),
    fc.tuple(
      fc.constantFrom({ type: ['integer', 'null'] }, { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] }),
      fc.constant(null),
    ),
    fc
      .array(fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom('low', 'high', 'a b')), { minLength: 1 })
      .chain((values) => fc.tuple(fc.constant({ enum: values }), fc.constantFrom(...values))),
  );
  const list = fc
    .array(tie('any'), { maxLength: 4 })
    .map((members): [JsonSchema, unknown] => [
      { type: 'array', prefixItems: members.map(([schema]) => schema) },
      members.map(([, value]) => value),
    ]);
  const alike = plain.chain(([schema, value]) =>
    fc.nat(3).map((length): [JsonSchema, unknown] => [{ type: 'array', items: schema }, Array.from({ length }, () => value)]),
  );
  const object = fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }).map((fields): [JsonSchema, unknown] => {
    const entries = Object.entries(fields);
    const properties = Object.fromEntries(entries.map(([name, [schema]]) => [name, schema]));
    return [
      { type: 'object', properties, required: Object.keys(properties) },
      Object.fromEntries(entries.map(([name, [, value]]) => [name, value])),
    ];
  });
  const record = plain.chain(([schema, value]) =>
    fc
      .uniqueArray(fc.string(), { maxLength: 3 })
      .map((names): [JsonSchema, unknown] => [
        { type: 'object', additionalProperties: schema },
        Object.fromEntries(names.map((name) => [name, value])),
      ]),
  );
  return { any: fc.oneof({ maxDepth: 3 }, plain, list, alike, object, record) };
}).any;

describe('coercion of anything', () => {
  const policies: Coercion[] = ['schema', 'pattern', 'none'];
  const types = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object');
  const schemas = fc
    .dictionary(fc.string(), fc.record({ type: fc.oneof(types, fc.array(types)) }))
    .map((properties) => ({ type: 'object', properties }));

  it('neither invents nor drops a name, and leaves the original alone', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.jsonValue())),
        schemas,
        fc.constantFrom(...policies),
        (args, schema, policy) => {
          const before = JSON.stringify(args);
          const result = coerceArguments(args, schema, policy);
          expect(Object.keys(result)).to.deep.equal(Object.keys(args));
          expect(JSON.stringify(args)).to.equal(before);
          expect(Object.values(result)).not.to.include(undefined);
        },
      ),
    );
  });

  it('reads back every number and boolean that JSON can hold', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.boolean()), (value) => {
        const type = typeof value === 'boolean' ? 'boolean' : 'integer';
        expect(bySchema({ type }, String(value))).to.equal(Object.is(value, -0) ? 0 : value);
      }),
    );
  });

  it('never touches a parameter that is declared as text', () => {
    fc.assert(fc.property(fc.string(), (text) => bySchema({ type: 'string' }, text) === text));
  });

  it('reads back what the notation writes, whatever the schema (S0-50 … S0-54)', () => {
    const write = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    let typed = 0;
    fc.assert(
      fc.property(declared, ([schema, value]) => {
        if (typeof value !== 'string') typed += 1;
        expect(bySchema(schema, write(value), { $defs })).to.deep.equal(value);
        // Nested texts, as a model writes them that knows texts alone.
        if (isObject(value))
          expect(
            bySchema(schema, Object.fromEntries(Object.entries(value).map(([key, item]) => [key, write(item)])), { $defs }),
          ).to.deep.equal(value);
        if (Array.isArray(value)) expect(bySchema(schema, value.map(write), { $defs })).to.deep.equal(value);
      }),
      { numRuns: 500 },
    );
    expect(typed).to.be.above(100);
  });

  it('leaves what has its type already as it is, under every policy', () => {
    fc.assert(
      fc.property(declared, fc.constantFrom(...policies), ([schema, value], policy) => {
        if (typeof value === 'string') return;
        expect(coerceArguments({ x: value }, { type: 'object', properties: { x: schema }, $defs }, policy)).to.deep.equal({ x: value });
      }),
    );
  });

  it('takes linear time for large JSON', () => {
    const time = (rows: number) => {
      const text = JSON.stringify(Array.from({ length: rows }, (_, n) => ({ n: String(n), name: 'x', children: [] })));
      const schema = { type: 'array', items: { anyOf: [{ $ref: '#/$defs/place' }, { $ref: '#/$defs/tree' }] } };
      let best = Infinity;
      for (let run = 0; run < 3; run++) {
        const start = cpuTime();
        const read = bySchema(schema, text, { $defs }) as { n: number }[];
        best = Math.min(best, cpuTime() - start);
        expect(read.at(-1)!.n).to.equal(rows - 1);
      }
      return best;
    };
    // Twenty times as much: 400 times as long if it were quadratic, whatever the engine and its load.
    expect(time(10_000)).to.be.below(120 * Math.max(time(500), 1));
  });

  it('takes linear time for digits without end', () => {
    const digits = '1'.repeat(1_000_000);
    const start = cpuTime();
    bySchema({ type: 'integer' }, digits);
    byPattern(digits);
    expect(cpuTime() - start).to.be.below(100);
  });
});
