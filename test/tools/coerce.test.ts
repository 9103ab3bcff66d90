import { expect } from 'chai';
import * as fc from 'fast-check';
import { coerceArguments, type Coercion } from '../../src/tools/coerce.js';
import type { JsonSchema } from '../../src/json-schema.js';

function bySchema(property: JsonSchema, text: unknown, defs: JsonSchema = {}): unknown {
  return coerceArguments({ x: text }, { type: 'object', properties: { x: property }, ...defs }, 'schema')['x'];
}

function byPattern(text: string): unknown {
  return coerceArguments({ x: text }, undefined, 'pattern')['x'];
}

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
  ];
  for (const [title, property, given, wanted] of cases) {
    it(title, () => {
      expect(bySchema(property, given, { $defs: { count: { type: 'integer' } } })).to.deep.equal(wanted);
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

  it('takes linear time for digits without end', () => {
    const digits = '1'.repeat(1_000_000);
    const start = performance.now();
    bySchema({ type: 'integer' }, digits);
    byPattern(digits);
    expect(performance.now() - start).to.be.below(100);
  });
});
