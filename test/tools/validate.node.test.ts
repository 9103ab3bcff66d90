import { expect } from 'chai';
import * as z from 'zod';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { readArguments, validateArguments } from '../../src/tools/validate.js';
import { tool } from './helpers.js';

/** Longer than anybody reads. */
const days = `^(?:${Array.from({ length: 20 }, (_, n) => `day${String(n)}`).join('|')})$`;

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 20 },
    scheduled_date: { type: 'string', format: 'date', description: 'The day' },
    priority: { enum: ['low', 'high'] },
    count: { type: 'integer', minimum: 1, maximum: 5 },
    code: { type: 'string', pattern: '^[A-Z]{3}$' },
    view: { type: 'string', pattern: days, description: 'A day' },
    done: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { $ref: '#/$defs/place' },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  },
  required: ['title'],
  $defs: { place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
};

const inZod = z.object({
  title: z.string().min(1).max(20),
  scheduled_date: z.iso.date().describe('The day').optional(),
  priority: z.enum(['low', 'high']).optional(),
  count: z.int().min(1).max(5).optional(),
  code: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  view: z.string().regex(new RegExp(days)).describe('A day').optional(),
  done: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  place: z.object({ city: z.string() }).optional(),
  maybe: z.int().nullable().optional(),
});

for (const [kind, parameters] of [
  ['JSON Schema', schema],
  ['a Standard Schema', inZod],
] as const) {
  const check = (args: Record<string, unknown>) => validateArguments(tool({ parameters: parameters as JsonSchema }), args, en);
  const message = async (args: Record<string, unknown>) => {
    const result = await check({ title: 'T', ...args });
    return result.ok ? '' : `${result.code} ${result.message}`;
  };

  describe(`validation by ${kind}`, () => {
    it('lets what fits pass', async () => {
      const args = {
        title: 'T',
        scheduled_date: '2024-01-15',
        priority: 'low',
        count: 3,
        code: 'ABC',
        done: true,
        tags: ['a'],
        place: { city: 'X' },
        maybe: null,
      };
      expect(await check(args)).to.deep.equal({ ok: true, output: args });
    });

    it('names a parameter that is missing, at any depth (S0-57)', async () => {
      expect(await check({})).to.deep.equal({
        ok: false,
        code: 'MISSING_PARAMETER',
        message: 'Missing parameter: title',
        parameter: 'title',
      });
      expect(await message({ place: {} })).to.equal('MISSING_PARAMETER Missing parameter: place.city');
    });

    it('says the expected form in words (S0-58)', async () => {
      const expected: [Record<string, unknown>, RegExp][] = [
        [{ scheduled_date: 'tomorrow' }, /scheduled_date: expected text in the form YYYY-MM-DD \(The day\)/],
        [{ priority: 'urgent' }, /priority: expected one of "low", "high"/],
        [{ count: 'three' }, /count: expected a whole number, ≥ 1, ≤ 5/],
        [{ count: 6 }, /count: expected a whole number/],
        [{ count: 1.5 }, /count: expected a whole number/],
        [{ code: 'abc' }, /code: expected text in the form \^\[A-Z\]\{3\}\$/],
        [{ view: 'x' }, /view: expected text \(A day\)/], // a long pattern tells people nothing
        [{ done: 'yes' }, /done: expected true or false/],
        [{ tags: 'a' }, /tags: expected a list, as JSON/],
        [{ tags: [1] }, /tags\.0: expected text/],
        [{ place: { city: 1 } }, /place\.city: expected text|place: expected an object/],
        [{ maybe: 'x' }, /maybe: expected a whole number or null/],
        [{ title: '' }, /title: expected text, ≥ 1, ≤ 20 characters/],
      ];
      for (const [args, pattern] of expected) {
        expect(await message(args), JSON.stringify(args))
          .to.match(pattern)
          .and.match(/^INVALID_PARAMETER/);
      }
    });

    it('refuses parameters that the schema does not know', async () => {
      expect(await message({ extra: 1 })).to.equal('INVALID_PARAMETER Unknown parameter: extra');
      expect(await message({ toString: 1 })).to.equal('INVALID_PARAMETER Unknown parameter: toString');
    });
  });
}

describe('validation', () => {
  it('lets unknown parameters pass where the schema is open', async () => {
    const open: unknown[] = [
      { type: 'object', additionalProperties: true },
      { type: 'object', patternProperties: { '^x': {} } },
      { anyOf: [{ type: 'object', additionalProperties: { type: 'integer' } }] },
      z.looseObject({}),
      z.record(z.string(), z.number()),
    ];
    for (const parameters of open)
      expect(await validateArguments(tool({ parameters: parameters as JsonSchema }), { x: 1 }, en)).to.include({ ok: true });
  });

  it('lets everything pass where a tool has no parameters', async () => {
    expect(await validateArguments(tool(), { x: 1 }, en)).to.deep.equal({ ok: true, output: { x: 1 } });
  });

  it('gives the output of transforms and defaults, and keeps the arguments', async () => {
    const parameters = z.object({ day: z.string().transform(async (text) => text.length), more: z.string().default('d') });
    const args = { day: 'abc' };
    expect(await validateArguments(tool({ parameters: parameters as never }), args, en)).to.deep.equal({
      ok: true,
      output: { day: 3, more: 'd' },
    });
    expect(args).to.deep.equal({ day: 'abc' });
  });

  it('tells what only the schema itself knows', async () => {
    const parameters = z.object({ a: z.int(), b: z.int() }).refine(({ a, b }) => a < b, { message: 'a comes before b', path: ['a'] });
    expect(await validateArguments(tool({ parameters: parameters as never }), { a: 2, b: 1 }, en)).to.have.property(
      'message',
      'Invalid parameter a: expected a whole number. a comes before b',
    );
  });

  it('says what was expected inside of tuples, records and unions', async () => {
    const parameters = {
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
        counts: { type: 'object', additionalProperties: { type: 'integer' } },
        either: {
          anyOf: [
            { type: 'object', properties: { at: { type: 'integer' } } },
            { type: 'object', properties: { at: { type: 'boolean' } } },
          ],
        },
      },
    };
    const message = async (args: Record<string, unknown>) => {
      const result = await validateArguments(tool({ parameters }), args, en);
      return result.ok ? '' : result.message;
    };
    expect(await message({ pair: ['a', 'b'] })).to.equal('Invalid parameter pair.1: expected a whole number');
    expect(await message({ counts: { a: 'x' } })).to.equal('Invalid parameter counts.a: expected a whole number');
    expect(await message({ either: { at: 'x' } })).to.equal('Invalid parameter either.at: expected a whole number or true or false');
  });

  it('speaks Chinese', async () => {
    const result = await validateArguments(tool({ parameters: schema }), { title: 'T', scheduled_date: '明天' }, zhCN);
    expect(result).to.have.property('message', '参数 scheduled_date 无效：应为 格式为 YYYY-MM-DD 的文本 (The day)');
  });

  it('leaves the host’s schema as it was', async () => {
    const parameters = Object.freeze({ type: 'object', properties: Object.freeze({ a: Object.freeze({ type: 'string' }) }) });
    const before = JSON.stringify(parameters);
    expect(await validateArguments(tool({ parameters }), { a: 1 }, en)).to.include({ ok: false });
    expect(JSON.stringify(parameters)).to.equal(before);
  });
});

describe('reading arguments', () => {
  it('says why what is no plain data is refused', () => {
    const deep = JSON.parse('{"a":'.repeat(70) + '1' + '}'.repeat(70)) as unknown;
    const messages = [deep, JSON.parse('{"a":{"__proto__":1}}'), { a: 2 ** 53 }, { f: () => 1 }, [], null].map((args) => {
      const result = readArguments(args, en);
      return result.ok ? 'ok' : result.message;
    });
    expect(messages[0]).to.match(/expected at most 64 levels of nesting$/);
    expect(messages.slice(1)).to.deep.equal([
      'Unknown parameter: a.__proto__',
      'Invalid parameter a: expected a value this tool accepts',
      'Invalid parameter f: expected a value this tool accepts',
      'Invalid parameter *: expected an object, as JSON',
      'Invalid parameter *: expected an object, as JSON',
    ]);
  });
});
