/** The model of schemas: what it makes of each way to write one, that it always ends, and that it says the same of itself. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { schemaModel } from '../../src/model/schema-model.js';
import { oneObject, promptSchema } from '../../src/model/prompt-schema.js';
import { rounds } from '../helpers/effort.js';
import resolved from '../fixtures/protocols/resolved-schemas.json' with { type: 'json' };

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
  const cases: [what: string, schema: JsonSchema, wanted: object][] = resolved as never;
  for (const [what, schema, wanted] of cases)
    it(`resolves ${what}`, () => {
      const told = promptSchema({ type: 'object', properties: { x: schema }, $defs });
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
        const told = promptSchema(whole);
        expect(JSON.stringify(whole)).to.equal(before);
        const all = parts(told);
        expect(all.length).to.be.below(10_000);
        for (const node of all) {
          expect(Object.keys(node).filter((key) => GONE.includes(key) && typeof node['type'] !== 'undefined')).to.deep.equal([]);
          if (Array.isArray(node['anyOf'])) expect(node['anyOf'].length).to.be.above(1);
        }
        const again = promptSchema(JSON.parse(JSON.stringify(told)) as JsonSchema);
        expect(again, before).to.deep.equal(told);
      }),
      { numRuns: rounds(3000) },
    );
  });

  it('of a union of objects can be one object', () => {
    const union = {
      anyOf: [
        object({ kind: { const: 'a' }, x: integer }, { required: ['kind', 'x'] }),
        object({ kind: { const: 'b' } }, { required: ['kind'] }),
      ],
    };
    expect(oneObject(promptSchema(union))).to.deep.equal({ properties: { kind: { enum: ['a', 'b'] }, x: integer }, required: ['kind'] });
  });
});
