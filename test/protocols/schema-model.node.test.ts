/** The model of schemas: what it makes of each way to write one, that it always ends, and that it says the same of itself. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { schemaModel } from '../../src/model/schema-model.js';
import { oneObject, toldSchema } from '../../src/model/told-schema.js';
import { rounds } from '../helpers/effort.js';

const string = { type: 'string' };
const integer = { type: 'integer' };
const object = (properties: object, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more });
const $defs = {
  n: integer,
  list: { type: 'array', items: { $ref: '#/$defs/n' } },
  tree: object({ name: string, children: { type: 'array', items: { $ref: '#/$defs/tree' } } }),
  loop: { $ref: '#/$defs/loop' },
  'a/b': { const: 1 },
};

/** Any keyword, well or badly written: a few of them in each schema. */
const schemas: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown }>((tie) => {
  const one = tie('schema');
  const some = fc.array(one, { maxLength: 3 });
  const byName = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'toString'), one, { maxKeys: 3, noNullPrototype: true });
  const type = fc.constantFrom('string', 'integer', 'number', 'object', 'array', 'null', 'boolean', 7);
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    ...{ type: fc.oneof(type, fc.array(type, { maxLength: 3 })), nullable: fc.boolean(), description: fc.string(), title: fc.string() },
    ...{ enum: fc.array(fc.constantFrom(null, 'a', 1, true)), const: fc.constantFrom(null, 'a', 1), pattern: fc.constantFrom('^a', 3) },
    ...{
      $ref: fc.constantFrom('#', '#/$defs/one', '#/$defs/two', '#/nowhere', 'http://x/y'),
      minimum: fc.integer(),
      maximum: fc.integer(),
    },
    ...{ exclusiveMinimum: fc.oneof(fc.boolean(), fc.integer()), allOf: some, anyOf: some, oneOf: some, items: fc.oneof(one, some) },
    ...{ properties: byName, required: fc.array(fc.constantFrom('a', 'b', 'c')), prefixItems: some, additionalProperties: one },
  };
  const pairs = Object.entries(keywords).map(([keyword, value]) => fc.tuple(fc.constant(keyword), value));
  const records = fc.array(fc.oneof(...pairs), { minLength: 1, maxLength: 4 }).map((list) => Object.fromEntries(list) as unknown);
  return { schema: fc.oneof({ maxDepth: 5, depthSize: 'small' }, fc.constantFrom<unknown>(true, false, null, [], 'x', {}), records) };
}).schema;

/** Keywords that a model resolves. */
const GONE = ['$ref', 'allOf', 'oneOf', 'const'];

function parts(node: unknown): Record<string, unknown>[] {
  if (typeof node !== 'object' || node === null) return [];
  const { enum: _, default: __, examples: ___, ...rest } = node as Record<string, unknown>;
  return [rest, ...Object.values(rest).flatMap((child) => (Array.isArray(child) ? child : [child]).flatMap(parts))];
}

describe('the model of a schema', () => {
  const cases: [what: string, schema: JsonSchema, wanted: object][] = [
    ['a reference', { $ref: '#/$defs/n' }, integer],
    ['a reference with words of its own', { $ref: '#/$defs/n', description: 'N' }, { ...integer, description: 'N' }],
    ['an escaped reference', { $ref: '#/$defs/a~1b' }, { enum: [1] }],
    ['a percent-encoded reference', { $ref: '#/%24defs/n' }, integer],
    ['a reference to nowhere', { $ref: '#/$defs/gone', description: 'D' }, { description: 'D' }],
    ['a reference to itself alone', { $ref: '#/$defs/loop' }, {}],
    ['several types', { type: ['integer', 'string'], description: 'D' }, { description: 'D', anyOf: [integer, string] }],
    ['a type and null', { type: ['integer', 'null'] }, { type: 'integer', nullable: true }],
    ['a type that is said twice', { type: ['integer', 'integer'] }, integer],
    ['null beside a union', { anyOf: [integer, string, { type: 'null' }] }, { anyOf: [integer, string], nullable: true }],
    [
      'a union of one and null',
      { oneOf: [{ $ref: '#/$defs/n' }, { const: null }], title: 'T' },
      { ...integer, title: 'T', nullable: true },
    ],
    ['nullable of OpenAPI', { type: 'string', nullable: true }, { ...string, nullable: true }],
    ['null among values', { enum: ['low', null] }, { enum: ['low'], nullable: true }],
    ['a constant', { const: 'a' }, { enum: ['a'] }],
    ['values that do not fit the type', { type: 'integer', enum: [1, 'a'] }, { type: 'integer', enum: [1] }],
    ['null alone', { const: null }, { type: 'null' }],
    ['a list behind a reference', { $ref: '#/$defs/list', minItems: 1 }, { type: 'array', items: integer, minItems: 1 }],
    ['a list behind allOf', { allOf: [{ $ref: '#/$defs/list' }, { maxItems: 3 }] }, { type: 'array', items: integer, maxItems: 3 }],
    ['a list that does not say so', { items: integer }, { type: 'array', items: integer }],
    ['first items of older drafts', { items: [integer, string] }, { type: 'array', prefixItems: [integer, string] }],
    [
      'a bound of OpenAPI 3.0',
      { minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      { exclusiveMinimum: 1, maximum: 9 },
    ],
    [
      'all of several objects',
      { allOf: [object({ a: {} }, { required: ['a'] }), object({ a: integer, b: string }, { required: ['b'] })] },
      object({ a: integer, b: string }, { required: ['a', 'b'] }),
    ],
    ['conditions', { allOf: [{ if: {}, then: integer }, { else: string }], type: 'integer', branches: 1 }, integer],
    ['a tree', { $ref: '#/$defs/tree' }, object({ name: string, children: { type: 'array', items: { type: 'object' } } })],
  ];
  for (const [what, schema, wanted] of cases)
    it(`resolves ${what}`, () => {
      const told = toldSchema({ type: 'object', properties: { x: schema }, $defs });
      expect(told.properties?.['x']).to.deep.equal(wanted);
      // Without a limit it says the same, level by level.
      expect(schemaModel({ type: 'object', properties: { x: schema }, $defs }).properties?.['x']?.type).to.equal(
        (wanted as JsonSchema)['type'],
      );
    });

  it('ends, resolves everything, and says of itself what it says', () => {
    fc.assert(
      fc.property(schemas, schemas, schemas, (root, one, two) => {
        if (typeof root !== 'object' || root === null || Array.isArray(root)) return;
        const whole = { ...root, $defs: { one, two } } as JsonSchema;
        const before = JSON.stringify(whole);
        const told = toldSchema(whole);
        expect(JSON.stringify(whole)).to.equal(before);
        const all = parts(told);
        expect(all.length).to.be.below(10_000);
        for (const node of all) {
          expect(Object.keys(node).filter((key) => GONE.includes(key) && typeof node['type'] !== 'undefined')).to.deep.equal([]);
          if (Array.isArray(node['anyOf'])) expect(node['anyOf'].length).to.be.above(1);
        }
        const again = toldSchema(JSON.parse(JSON.stringify(told)) as JsonSchema);
        expect(again, before).to.deep.equal(told);
      }),
      { numRuns: rounds(3000) },
    );
  });

  it('tells each parameter something before it tells more of one', () => {
    const wide = object(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}`, { $ref: '#/$defs/node' }])));
    const fields = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}`, { $ref: `#/$defs/${at % 2 ? 'node' : 'other'}` }]));
    const told = toldSchema({ ...wide, $defs: { node: object(fields), other: object(fields) } });
    expect(Object.values(told.properties ?? {}).map(({ properties = {} }) => Object.keys(properties).length)).to.deep.equal(
      new Array(40).fill(12),
    );
  });

  it('of a union of objects can be one object', () => {
    const union = {
      anyOf: [
        object({ kind: { const: 'a' }, x: integer }, { required: ['kind', 'x'] }),
        object({ kind: { const: 'b' } }, { required: ['kind'] }),
      ],
    };
    expect(oneObject(toldSchema(union))).to.deep.equal({ properties: { kind: { enum: ['a', 'b'] }, x: integer }, required: ['kind'] });
  });
});
