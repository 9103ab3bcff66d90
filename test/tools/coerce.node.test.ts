import { expect } from 'chai';
import * as fc from 'fast-check';
import { loadMissingPatterns } from '../../src/base/patterns.js';
import { coerceArguments, type Coercion } from '../../src/tools/coerce.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { isLinear } from '../helpers/cost.js';
import leftAlone from '../fixtures/tools/left-alone.json' with { type: 'json' };
import coerced from '../fixtures/tools/coerced.json' with { type: 'json' };

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

const string = { type: 'string' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const list = (items: JsonSchema) => ({ type: 'array', items });
const object = (properties: JsonSchema, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const any = (...anyOf: JsonSchema[]) => ({ anyOf });

describe('coercion by schema (S0-50 … S0-54)', () => {
  before(async () => {
    bySchema({ ...string, pattern: '^a$' }, 'a');
    await loadMissingPatterns();
  });

  const byKind = [object({ kind: { const: 'n' }, v: integer }), object({ kind: { const: 's' }, v: string })];
  for (const [schema, ...values] of leftAlone as [schema: JsonSchema, ...values: unknown[]][])
    it(`leaves alone where ${JSON.stringify(schema)} is declared: ${JSON.stringify(values)}`, () => {
      for (const value of values) expect(bySchema(schema, value, { $defs })).to.deep.equal(value);
    });

  for (const [schema, given, wanted] of coerced as [schema: JsonSchema, given: unknown, wanted: unknown][])
    it(`reads ${JSON.stringify(given)} as ${JSON.stringify(wanted)} where ${JSON.stringify(schema)} is declared`, () => {
      expect(bySchema(schema, given, { $defs })).to.deep.equal(wanted);
    });

  it('reads the example of the seed (S0-54), and leaves absent parameters absent (S0-53)', () => {
    const schema = object({ title: string, completed: boolean, priority: integer, absent: { type: ['string', 'null'], default: null } });
    const args = { title: '完成报告', completed: 'true', priority: '3' };
    const wanted = { title: '完成报告', completed: true, priority: 3 };
    expect(coerceArguments(args, schema, 'schema')).to.deep.equal(wanted);
    expect(coerceArguments(args, schema, 'pattern')).to.deep.equal(wanted);
    expect(coerceArguments(args, undefined, 'schema')).to.deep.equal(wanted);
    expect(coerceArguments(args, schema, 'none')).to.deep.equal(args);
  });

  it('reads by the member of a union at the root', () => {
    const valueOf = (kind: string) => coerceArguments({ kind, v: '1' }, { oneOf: byKind }, 'schema')['v'];
    expect([valueOf('n'), valueOf('s')]).to.deep.equal([1, '1']);
  });

  it('touches no prototype', () => {
    const record = { type: 'object', additionalProperties: integer };
    const read = bySchema(record, '{"__proto__":{"polluted":"1"},"constructor":"1"}') as object;
    expect(Object.keys(read)).to.deep.equal(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(read)).to.equal(Object.prototype);
    expect({}).not.to.have.property('polluted');
    // Names that objects inherit are not declared.
    const inherited = '{"toString":"1","valueOf":"true"}';
    expect(bySchema(object({}), inherited)).to.deep.equal(JSON.parse(inherited));
    const union = { oneOf: [{ properties: { k: { const: 'a' }, v: integer } }, { properties: { k: { const: 'b' } } }] };
    expect(bySchema(union, '{"k":{"toString":1},"v":"1"}')).to.deep.equal({ k: { toString: 1 }, v: 1 });
  });

  it('goes no deeper than arguments may be nested, and survives a schema that refers to itself', () => {
    const depth = 100_000;
    const tree = { $ref: '#/$defs/deep' };
    const defs = { $defs: { deep: any(list(tree), integer), self: any({ $ref: '#/$defs/self' }, integer) } };
    expect(bySchema(tree, '['.repeat(depth) + '"1"' + ']'.repeat(depth), defs)).to.be.an('array');
    expect(bySchema(tree, '[[["1"]]]', defs)).to.deep.equal([[[1]]]);
    expect(bySchema({ $ref: '#/$defs/self' }, '3', defs)).to.equal(3);
  });
});

describe('coercion by pattern', () => {
  it('reads booleans and plain digits, and keeps what would change: zeros in front, phone numbers beyond 2^53, signs, dates, ids', () => {
    expect(['true', 'false', '0', '2024'].map(byPattern)).to.deep.equal([true, false, 0, 2024]);
    const texts = ['007', '00', '9007199254740993', '-3', '3.5', '2024-01-15', '550e8400-e29b-41d4-a716-446655440000', '', ' 3', 'True'];
    expect(texts.map(byPattern)).to.deep.equal(texts);
  });
});

describe('coercion of anything', () => {
  const policies: Coercion[] = ['schema', 'pattern', 'none'];
  const types = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object');
  const schemas = fc.dictionary(fc.string(), fc.record({ type: fc.oneof(types, fc.array(types)) })).map((each) => object(each, []));

  it('neither invents nor drops a name, and leaves the original alone', () => {
    const given = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(given, schemas, fc.constantFrom(...policies), (args, schema, policy) => {
        const before = JSON.stringify(args);
        const result = coerceArguments(args, schema, policy);
        expect(Object.keys(result)).to.deep.equal(Object.keys(args));
        expect(JSON.stringify(args)).to.equal(before);
        expect(Object.values(result)).not.to.include(undefined);
      }),
    );
  });

  it('takes linear time for large JSON', async () => {
    const prepare = (rows: number) => {
      const text = JSON.stringify(Array.from({ length: rows }, (_, n) => ({ n: String(n), name: 'x', children: [] })));
      const schema = { type: 'array', items: { anyOf: [{ $ref: '#/$defs/place' }, { $ref: '#/$defs/tree' }] } };
      return () => expect((bySchema(schema, text, { $defs }) as { n: number }[]).at(-1)!.n).to.equal(rows - 1);
    };
    expect(await isLinear(prepare, 2_500)).to.equal(true);
  });

  it('visits what several members of a union say alike once', () => {
    const self = object({ x: { $ref: '#/$defs/self' }, n: integer }, []);
    const wrap = (inner: object, levels: number): object => (levels === 0 ? inner : wrap({ x: inner }, levels - 1));
    const read = bySchema({ $ref: '#/$defs/self' }, wrap({ n: '1' }, 25), { $defs: { self: any(self, { ...self }) } });
    expect(read).to.deep.equal(wrap({ n: 1 }, 25));
  });
});
