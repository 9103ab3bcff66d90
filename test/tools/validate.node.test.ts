import { type } from 'arktype';
import { expect } from 'chai';
import * as v from 'valibot';
import * as z from 'zod';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { prepareCall } from '../../src/tools/prepare.js';
import { createRegistry } from '../../src/tools/registry.js';
import { withJsonSchema } from '../../src/tools/schema.js';
import { validateArguments } from '../../src/tools/validate.js';
import { checkedCall, setUp, tool } from './helpers.js';
import inJson from '../fixtures/tools/parameters.json' with { type: 'json' };
import refusedArguments from '../fixtures/tools/refused-arguments.json' with { type: 'json' };

/** Longer than anybody reads. */
const days = inJson.properties.view.pattern;

const withReference = {
  ...inJson,
  properties: { ...inJson.properties, place: { $ref: '#/$defs/place' } },
  $defs: { place: inJson.properties.place },
};

const inZod = z.object({
  title: z.string().min(1).max(20),
  done: z.boolean().optional(),
  priority: z.int().min(1).max(5).optional(),
  day: z.iso.date().describe('The day').optional(),
  level: z.enum(['low', 'high']).optional(),
  code: z.string().regex(/^[A-Z]{3}$/).optional(), // prettier-ignore
  view: z.string().regex(new RegExp(days)).describe('A day').optional(),
  tags: z.array(z.string()).optional(),
  place: z.object({ city: z.string(), floor: z.int().optional() }).optional(),
  until: z.union([z.int(), z.literal('never')]).optional(),
  estimate: z.number().nullable().optional(),
});

const inArktype = type({
  title: '0 < string <= 20',
  'done?': 'boolean',
  'priority?': '1 <= number.integer <= 5',
  'day?': /^\d{4}-\d{2}-\d{2}$/,
  'level?': "'low' | 'high'",
  'code?': /^[A-Z]{3}$/,
  'view?': new RegExp(days),
  'tags?': 'string[]',
  'place?': { city: 'string', 'floor?': 'number.integer' },
  'until?': "number.integer | 'never'",
  'estimate?': 'number | null',
});

/** A schema that says what it takes, and leaves the checking to others. */
const describing = { '~standard': { version: 1, vendor: 'tiny', jsonSchema: { input: () => inJson, output: () => inJson } } };

const kinds: [string, unknown][] = [
  ['JSON Schema', inJson],
  ['JSON Schema with references', withReference],
  ['zod', inZod],
  ['arktype', inArktype],
  ['Standard JSON Schema alone', describing],
];
const withParameters = (parameters: unknown) => tool({ parameters: parameters as JsonSchema });

for (const [kind, parameters] of kinds) {
  describe(`a tool with parameters of ${kind}`, () => {
    const setup = setUp([withParameters(parameters)]);
    const given = async (args: Record<string, unknown>) => (await checkedCall(setup, args)).argsForTool();

    it('gets typed arguments from texts, and as they are', async () => {
      const texts = {
        ...{ title: '2024', done: 'true', priority: '3', day: '2024-01-15', level: 'low', code: 'ABC', tags: '["1","true"]' },
        ...{ place: '{"city":"12","floor":"3"}', until: '5', estimate: 'null' },
      };
      const typed = {
        ...{ title: '2024', done: true, priority: 3, day: '2024-01-15', level: 'low', code: 'ABC', tags: ['1', 'true'] },
        ...{ place: { city: '12', floor: 3 }, until: 5, estimate: null },
      };
      expect(await given(texts)).to.deep.equal(typed);
      expect((await checkedCall(setup, texts)).call.args).to.deep.equal(typed);
      const args = { title: 'T', done: false, priority: 1, tags: [], place: { city: 'X' }, until: 'never', estimate: 1.5 };
      expect(await given(args)).to.deep.equal(args);
    });

    it('never gets an absent parameter (S0-53)', async () => {
      expect(Object.keys((await given({ title: 'T' })) as object)).to.deep.equal(['title']);
    });

    it('refuses what does not fit, by the path and with what was expected (S0-57, S0-58)', async () => {
      // A long pattern tells people nothing.
      const cases: [args: object, message: string][] = [[{ title: undefined }, '^MISSING_PARAMETER: Missing parameter: title$']];
      for (const [args, message] of [...cases, ...(refusedArguments as never as typeof cases)]) {
        const prepared = await prepareCall({ requestId: 'c', toolName: 'echo', args: { title: 'T', ...args } }, setup);
        expect(prepared.type === 'refused' && prepared.result.result, JSON.stringify(args)).to.match(new RegExp(message));
      }
    });
  });
}

describe('the output of a schema', () => {
  const isShort = async ({ day }: { day: number; note: string }) => (await Promise.resolve(day)) < 20;
  const length = (text: string) => text.length;
  const dayAndNote = { type: 'object', properties: { day: { type: 'string' }, note: { type: 'string' } }, required: ['day'] };
  const inputs = v.objectAsync({ day: v.pipe(v.string(), v.transform(length)), note: v.optional(v.string(), 'none') });
  const short = { message: 'too long', path: ['day'] };
  const outputs: [string, unknown][] = [
    ['zod', z.object({ day: z.string().transform(length), note: z.string().default('none') }).refine(isShort, short)],
    ['valibot', withJsonSchema(v.pipeAsync(inputs, v.forwardAsync(v.checkAsync(isShort, 'too long'), ['day'])), dayAndNote)],
    ['arktype', type({ day: type('string < 20').pipe(length), note: "string = 'none'" })],
  ];
  for (const [kind, parameters] of outputs) {
    it(`of ${kind} is what the tool gets, and the arguments are what is shown`, async () => {
      const setup = setUp([withParameters(parameters)]);
      const prepared = await checkedCall(setup, { day: '2024-01-15' });
      expect(prepared.argsForTool()).to.deep.equal({ day: 10, note: 'none' });
      expect(prepared.call.args).to.deep.equal({ day: '2024-01-15' });
      const refused = await prepareCall({ requestId: 'c', toolName: 'echo', args: { day: 'x'.repeat(20) } }, setup);
      expect(refused.type === 'refused' && refused.result.message).to.match(/^Invalid parameter day: expected text/);
    });
  }
});

describe('the JSON Schema of parameters', () => {
  it('is asked for where a schema has none, and the remedy is named', () => {
    const cases: [unknown, RegExp][] = [
      [v.object({ a: v.string() }), /The valibot schema has no JSON Schema.*tool "echo".*`withJsonSchema` adds it/],
      [z.object({ at: z.date() }), /The zod schema cannot be written as JSON Schema(?=.*plain JSON Schema).*`withJsonSchema`/s],
      [{ '~standard': { version: 1, vendor: 'tiny' } }, /The tiny schema has no JSON Schema.*plain JSON Schema/s],
      [z.string(), /always an object/],
    ];
    for (const [parameters, message] of cases)
      expect(() => createRegistry().register(withParameters(parameters))).to.throw(TypeError, message);
  });
});

describe('validation', () => {
  const check = (parameters: unknown, args: Record<string, unknown>, texts = en) =>
    validateArguments(withParameters(parameters), args, texts);

  it('lets unknown parameters pass where the schema is open, and all where there is none', async () => {
    const open: unknown[] = [
      { type: 'object', additionalProperties: true },
      { type: 'object', patternProperties: { '^x': {} } },
      { anyOf: [{ type: 'object', additionalProperties: { type: 'integer' } }] },
      z.looseObject({}),
      z.record(z.string(), z.number()),
      undefined,
    ];
    for (const parameters of open) expect(await check(parameters, { x: 1 })).to.deep.equal({ ok: true, output: { x: 1 } });
  });

  it('says in full what was expected, also inside of tuples, records and unions, and what only the schema itself knows', async () => {
    const properties = {
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
      either: { anyOf: ['integer', 'boolean'].map((kind) => ({ type: 'object', properties: { at: { type: kind } } })) },
    };
    const inside = { type: 'object', properties };
    const ordered = z.object({ a: z.int(), b: z.int() }).refine(({ a, b }) => a < b, { message: 'a comes before b', path: ['a'] });
    const cases: [unknown, Record<string, unknown>, string, typeof en?][] = [
      [inside, { pair: ['a', 'b'] }, 'Invalid parameter pair.1: expected a whole number'],
      [inside, { counts: { a: 'x' } }, 'Invalid parameter counts.a: expected a whole number'],
      [inside, { either: { at: 'x' } }, 'Invalid parameter either.at: expected a whole number or true or false'],
      [ordered, { a: 2, b: 1 }, 'Invalid parameter a: expected a whole number. a comes before b'],
      [inJson, { title: '' }, 'Invalid parameter title: expected text, ≥ 1, ≤ 20 characters'],
      [inJson, { title: 'T', priority: 6 }, 'Invalid parameter priority: expected a whole number, ≥ 1, ≤ 5'],
      [inJson, { title: 'T', day: 'x' }, 'Invalid parameter day: expected text in the form YYYY-MM-DD (The day)'],
      [inJson, { title: 'T', view: 'x' }, 'Invalid parameter view: expected text (A day)'],
      [inJson, { title: 'T', day: '明天' }, '参数 day 无效：应为 格式为 YYYY-MM-DD 的文本 (The day)', zhCN],
    ];
    for (const [parameters, args, message, texts] of cases)
      expect(await check(parameters, args, texts)).to.deep.include({ ok: false, code: 'INVALID_PARAMETER', message });
    expect(await check(inJson, {})).to.deep.include({ ok: false, code: 'MISSING_PARAMETER', parameter: 'title' });
  });
});
