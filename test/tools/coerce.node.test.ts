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
  const cases: [string, JsonSchema, unknown, unknown][] = [
    ['keeps text that looks like a number', string, '2024', '2024'],
    ['keeps text that looks like a boolean', string, 'true', 'true'],
    ['keeps the blanks of a text', string, '  a ', '  a '],
    ['keeps a date', date, '2024-01-15', '2024-01-15'],
    ['reads true', boolean, ' true\n', true],
    ['reads False', boolean, 'False', false],
    ['leaves yes alone', boolean, 'yes', 'yes'],
    ['reads an integer', integer, ' 3 ', 3],
    ['reads a negative integer', integer, '-3', -3],
    ['reads 3.0 as an integer', integer, '3.0', 3],
    ['leaves 3.5 alone where an integer is due', integer, '3.5', '3.5'],
    ['reads a number', number, '3.5', 3.5],
    ['reads an exponent', number, '1e3', 1000],
    ['turns -0 into 0', number, '-0', 0],
    ['leaves 2^53+1 alone', integer, '9007199254740993', '9007199254740993'],
    ['leaves 1e400 alone', number, '1e400', '1e400'],
    ['leaves NaN alone', number, 'NaN', 'NaN'],
    ['leaves hexadecimal alone', number, '0x10', '0x10'],
    ['leaves an empty text alone', number, '', ''],
    ['reads null', { type: ['integer', 'null'] }, 'null', null],
    ['keeps the word null in free text', { type: ['string', 'null'] }, 'null', 'null'],
    ['reads null where only dates are texts', any(date, { type: 'null' }), 'null', null],
    ['trims to an enum value', { type: 'string', enum: ['low', 'high'] }, ' high\n', 'high'],
    ['reads a number of an enum', { enum: [1, 2] }, '2', 2],
    ['reads a constant', { const: true }, 'true', true],
    ['leaves what is not in an enum alone', { type: 'string', enum: ['low'] }, 'Low', 'Low'],
    ['reads a list', list(integer), '[1, 2]', [1, 2]],
    ['reads an object', { type: 'object' }, '{"a": "1"}', { a: '1' }],
    ['leaves broken JSON alone', { type: 'array' }, '[1, 2', '[1, 2'],
    ['leaves an object alone where a list is due', { type: 'array' }, '{}', '{}'],
    ['prefers text in a union', { type: ['number', 'string'] }, '3', '3'],
    ['reads the fitting member of a union', any(boolean, integer), '3', 3],
    ['follows a reference', { $ref: '#/$defs/count' }, '3', 3],
    ['leaves a value that is not text alone', integer, true, true],
    ['leaves a parameter without a type alone', {}, '3', '3'],
    // Numbers
    ['reads digits with leading zeros where a number is declared', integer, '007', 7],
    ['keeps the leading zeros of a text', string, '007', '007'],
    ['leaves a number with a unit alone', number, '3 kg', '3 kg'],
    ['leaves a number with thousands separators alone', integer, '1,000', '1,000'],
    ['leaves blanks alone where a number is due', number, '  ', '  '],
    ['leaves Infinity alone', number, 'Infinity', 'Infinity'],
    ['does not take 1 for true', boolean, '1', '1'],
    ['does not turn a number into text', string, 3, 3],
    ['does not turn a boolean into a number', integer, false, false],
    // Dates and ids
    ['keeps a UUID', { type: 'string', format: 'uuid' }, '550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
    ['keeps a time', { type: 'string', format: 'date-time' }, '2024-01-15T10:00:00Z', '2024-01-15T10:00:00Z'],
    // Null
    ['reads null beside a list', { type: ['array', 'null'] }, ' null ', null],
    ['reads null of an enum', { enum: ['low', null] }, 'null', null],
    ['prefers the word in an enum', { enum: ['null', null] }, 'null', 'null'],
    ['reads null where OpenAPI says nullable', { type: 'integer', nullable: true }, 'null', null],
    ['leaves null alone where it is not allowed', integer, 'null', 'null'],
    ['leaves Null alone', { type: ['integer', 'null'] }, 'Null', 'Null'],
    ['leaves an empty text alone where null is allowed', { type: ['integer', 'null'] }, '', ''],
    // Enums and constants
    ['prefers a text of an enum to a number', { enum: [1, '1'] }, ' 1 ', '1'],
    ['reads a boolean of an enum', { enum: [false] }, ' false', false],
    ['reads a number that an enum writes otherwise', { type: 'number', enum: [2] }, '2.0', 2],
    ['reads a constant of a union', any({ const: 1 }, { const: 2 }), '2', 2],
    ['trims to a constant', { type: 'string', oneOf: [{ const: 'a' }, { const: 'b' }] }, 'b\n', 'b'],
    ['keeps blanks where any text is allowed beside constants', any({ const: 'a' }, string), ' a ', ' a '],
    ['keeps a number as text where any text is allowed beside numbers', any({ enum: [1] }, string), '1', '1'],
    // Unions
    ['reads a number beside one word', any({ const: 'auto' }, integer), '3', 3],
    ['keeps the one word beside numbers', any({ const: 'auto' }, integer), 'auto', 'auto'],
    ['reads a number beside dates', any(date, integer), '1700000000', 1700000000],
    ['keeps a date beside numbers', any(date, integer), '2024-01-15', '2024-01-15'],
    ['keeps what fits a pattern beside numbers', any(integer, { type: 'string', pattern: '^\\d{5}$' }), '12345', '12345'],
    ['reads what fits no pattern beside numbers', any(integer, { type: 'string', pattern: '^#' }), '12', 12],
    ['does without a pattern that is none', any(integer, { type: 'string', pattern: '(' }), '12', 12],
    ['keeps JSON as text where texts are allowed', any({ type: 'array' }, string), '["a"]', '["a"]'],
    ['reads what is beside anything at all (arktype)', any(number, {}), '3', 3],
    ['reads what allOf declares', { allOf: [integer, { minimum: 1 }] }, '3', 3],
    ['follows a reference in a union', any({ $ref: '#/$defs/count' }, { type: 'null' }), '3', 3],
    ['does not follow a reference elsewhere', { $ref: 'https://example.com/count' }, '3', '3'],
    // Lists
    ['reads the texts of a list', list(integer), '["1", 2, "x"]', [1, 2, 'x']],
    ['reads a list that is one already', list(boolean), ['true', false], [true, false]],
    ['makes no list of one value', list(string), 'a', 'a'],
    ['makes no list of a line with commas', list(string), 'a, b', 'a, b'],
    ['reads JSON with blanks around', { type: 'array' }, ' \n[1]\n ', [1]],
    ['reads an empty list', { type: 'array' }, '[]', []],
    ['leaves lenient JSON alone', { type: 'array' }, "['a',]", "['a',]"],
    ['reads a list without a type', { items: integer }, '["1"]', [1]],
    [
      'reads a tuple by places',
      { type: 'array', prefixItems: [string, integer], items: boolean },
      '["1", "1", "true", "x"]',
      ['1', 1, true, 'x'],
    ],
    ['reads a tuple of an older draft', { type: 'array', items: [integer] }, ['1', '1'], [1, '1']],
    ['reads a list of lists', list(list(number)), '[["1.5"], "[2]"]', [[1.5], [2]]],
    // Objects
    ['reads the texts of an object', object({ n: integer, s: string }, []), '{"n":"1","s":"1","other":"1"}', { n: 1, s: '1', other: '1' }],
    ['reads an object that is one already', object({ n: integer }, []), { n: '1' }, { n: 1 }],
    ['reads an object without a type', { properties: { n: integer } }, '{"n":"1"}', { n: 1 }],
    ['reads the values of a record', { type: 'object', additionalProperties: integer }, '{"a":"1","b":"x"}', { a: 1, b: 'x' }],
    [
      'reads by patterns of names',
      { type: 'object', patternProperties: { '^s_': string }, additionalProperties: integer },
      '{"s_a":"1","a":"1"}',
      { s_a: '1', a: 1 },
    ],
    ['reads JSON in JSON', object({ l: list(integer) }, []), '{"l":"[\\"1\\"]"}', { l: [1] }],
    ['leaves a list alone where an object is due', { type: 'object' }, '[]', '[]'],
    ['reads the member of a union that a constant names', { oneOf: byKind }, '{"kind":"n","v":"1"}', { kind: 'n', v: 1 }],
    [
      'reads the member of a union that has all its names',
      any(object({ x: integer, y: integer }), object({ x: string })),
      { x: '1', y: '2' },
      { x: '1', y: 2 },
    ],
    ['reads what is left of an object that lacks a name', { $ref: '#/$defs/place' }, { lat: '1.5' }, { lat: 1.5 }],
    ['reads a tree', { $ref: '#/$defs/tree' }, '{"n":"1","children":[{"n":"2"}]}', { n: 1, children: [{ n: 2 }] }],
  ];
  for (const [title, property, given, wanted] of cases) {
    it(title, () => {
      expect(bySchema(property, given, { $defs })).to.deep.equal(wanted);
    });
  }

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
    const read = (kind: string) => coerceArguments({ kind, v: '1' }, { oneOf: byKind }, 'schema')['v'];
    expect([read('n'), read('s')]).to.deep.equal([1, '1']);
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
  it('reads booleans and plain digits', () => {
    expect(['true', 'false', '0', '2024'].map(byPattern)).to.deep.equal([true, false, 0, 2024]);
  });

  it('keeps what would change: leading zeros, phone numbers beyond 2^53, signs, dates, ids', () => {
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
