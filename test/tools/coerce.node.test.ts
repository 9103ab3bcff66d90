import { expect } from 'chai';
import * as fc from 'fast-check';
import { coerceArguments, type Coercion } from '../../src/tools/coerce.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
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

const string = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const boolean = { type: 'boolean' };
const date = { type: 'string', format: 'date' };
const list = (items: JsonSchema) => ({ type: 'array', items });
const object = (properties: JsonSchema, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const any = (...anyOf: JsonSchema[]) => ({ anyOf });

describe('coercion by schema (S0-50 … S0-54)', () => {
  const byKind = [object({ kind: { const: 'n' }, v: integer }), object({ kind: { const: 's' }, v: string })];
  const nullable = { type: ['integer', 'null'] };
  const left: [schema: JsonSchema, ...values: unknown[]][] = [
    [string, '2024', 'true', '  a ', '007', 3],
    [date, '2024-01-15'],
    [boolean, 'yes', '1'],
    [integer, '3.5', '9007199254740993', '1,000', 'null', true, false],
    [number, '1e400', 'NaN', '0x10', '', '  ', '3 kg', 'Infinity'],
    [nullable, 'Null', ''],
    [{ type: ['string', 'null'] }, 'null'],
    [{ type: ['number', 'string'] }, '3'],
    [{ type: 'string', enum: ['low'] }, 'Low'],
    [{ enum: ['null', null] }, 'null'],
    [any({ const: 'a' }, string), ' a '],
    [any({ enum: [1] }, string), '1'],
    [any({ const: 'auto' }, integer), 'auto'],
    [any(integer, { type: 'string', pattern: '^\\d{5}$' }), '12345'],
    [any({ type: 'array' }, string), '["a"]'],
    [{ type: 'array' }, '[1, 2', '{}', "['a',]"],
    [list(string), 'a', 'a, b'],
    [{ type: 'object' }, '[]'],
    [{ $ref: 'https://example.com/count' }, '3'],
    [{}, '3'],
  ];
  for (const [schema, ...values] of left)
    it(`leaves alone where ${JSON.stringify(schema)} is declared: ${JSON.stringify(values)}`, () => {
      for (const value of values) expect(bySchema(schema, value, { $defs })).to.deep.equal(value);
    });

  const tuple = { type: 'array', prefixItems: [string, integer], items: boolean };
  const byPatterns = { type: 'object', patternProperties: { '^s_': string }, additionalProperties: integer };
  const unionByNames = any(object({ x: integer, y: integer }), object({ x: string }));
  const read: [schema: JsonSchema, given: unknown, wanted: unknown][] = [
    [boolean, ' true\n', true],
    [boolean, 'False', false],
    [integer, ' 3 ', 3],
    [integer, '3.0', 3],
    [integer, '007', 7],
    [number, '1e3', 1000],
    [number, '-0', 0],
    // Null
    [nullable, 'null', null],
    [any(date, { type: 'null' }), 'null', null],
    [{ type: ['array', 'null'] }, ' null ', null],
    [{ enum: ['low', null] }, 'null', null],
    [{ type: 'integer', nullable: true }, 'null', null],
    // Enums and constants
    [{ type: 'string', enum: ['low', 'high'] }, ' high\n', 'high'],
    [{ enum: [1, 2] }, '2', 2],
    [{ enum: [1, '1'] }, ' 1 ', '1'],
    [{ type: 'number', enum: [2] }, '2.0', 2],
    [{ const: true }, 'true', true],
    [any({ const: 1 }, { const: 2 }), '2', 2],
    [{ type: 'string', oneOf: [{ const: 'a' }, { const: 'b' }] }, 'b\n', 'b'],
    // Unions and references
    [any(boolean, integer), '3', 3],
    [any({ const: 'auto' }, integer), '3', 3],
    [any(date, integer), '1700000000', 1700000000],
    [any(integer, { type: 'string', pattern: '^#' }), '12', 12],
    [any(integer, { type: 'string', pattern: '(' }), '12', 12],
    [any(number, {}), '3', 3], // as arktype writes it
    [{ allOf: [integer, { minimum: 1 }] }, '3', 3],
    [{ $ref: '#/$defs/count' }, '3', 3],
    [
      {
        allOf: [
          { if: {}, then: object({ n: integer }) },
          { if: {}, else: object({ b: boolean }) },
        ],
      },
      { n: '3', b: 'true' },
      { n: 3, b: true },
    ],
    // Lists
    [list(integer), '["1", 2, "x"]', [1, 2, 'x']],
    [{ type: 'array' }, ' \n[1]\n ', [1]],
    [{ items: integer }, '["1"]', [1]],
    [tuple, '["1", "1", "true", "x"]', ['1', 1, true, 'x']],
    [{ type: 'array', items: [integer] }, ['1', '1'], [1, '1']],
    // Objects
    [object({ n: integer, s: string }, []), '{"n":"1","s":"1","other":"1"}', { n: 1, s: '1', other: '1' }],
    [{ properties: { n: integer } }, '{"n":"1"}', { n: 1 }],
    [{ type: 'object', additionalProperties: integer }, '{"a":"1","b":"x"}', { a: 1, b: 'x' }],
    [byPatterns, '{"s_a":"1","a":"1"}', { s_a: '1', a: 1 }],
    [object({ l: list(integer) }, []), '{"l":"[\\"1\\"]"}', { l: [1] }],
    [{ oneOf: byKind }, '{"kind":"n","v":"1"}', { kind: 'n', v: 1 }],
    [unionByNames, { x: '1', y: '2' }, { x: '1', y: 2 }],
    [{ $ref: '#/$defs/tree' }, '{"n":"1","children":[{"n":"2"}]}', { n: 1, children: [{ n: 2 }] }],
  ];
  for (const [schema, given, wanted] of read)
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

  it('visits what several members of a union say alike once', () => {
    const self = object({ x: { $ref: '#/$defs/self' }, n: integer }, []);
    const wrap = (inner: object, levels: number): object => (levels === 0 ? inner : wrap({ x: inner }, levels - 1));
    const read = bySchema({ $ref: '#/$defs/self' }, wrap({ n: '1' }, 25), { $defs: { self: any(self, { ...self }) } });
    expect(read).to.deep.equal(wrap({ n: 1 }, 25));
  });

  it('takes linear time for digits without end', () => {
    const time = (length: number) => {
      const digits = '1'.repeat(length);
      const start = cpuTime();
      bySchema(integer, digits);
      byPattern(digits);
      return cpuTime() - start;
    };
    time(10_000);
    expect(time(1_000_000)).to.be.below(10 * time(250_000) + 100);
  });
});
