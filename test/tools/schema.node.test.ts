import { type } from 'arktype';
import { expect } from 'chai';
import * as v from 'valibot';
import * as z from 'zod';
import { prepareCall } from '../../src/tools/prepare.js';
import { createRegistry } from '../../src/tools/registry.js';
import { isStandardSchema, parametersOf, withJsonSchema } from '../../src/tools/schema.js';
import { setUp, tool } from './helpers.js';

const inJson = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1 },
    done: { type: 'boolean' },
    priority: { type: 'integer', minimum: 1, maximum: 5 },
    day: { type: 'string', format: 'date' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { city: { type: 'string' }, floor: { type: 'integer' } }, required: ['city'] },
    until: { anyOf: [{ type: 'integer' }, { const: 'never' }] },
    estimate: { anyOf: [{ type: 'number' }, { type: 'null' }] },
  },
  required: ['title'],
};

const inZod = z.object({
  title: z.string().min(1),
  done: z.boolean().optional(),
  priority: z.int().min(1).max(5).optional(),
  day: z.iso.date().optional(),
  tags: z.array(z.string()).optional(),
  place: z.object({ city: z.string(), floor: z.int().optional() }).optional(),
  until: z.union([z.int(), z.literal('never')]).optional(),
  estimate: z.number().nullable().optional(),
});

const inValibot = withJsonSchema(
  v.objectAsync({
    title: v.pipe(v.string(), v.minLength(1)),
    done: v.optional(v.boolean()),
    priority: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5))),
    day: v.optional(v.pipe(v.string(), v.isoDate())),
    tags: v.optional(v.array(v.string())),
    place: v.optional(v.object({ city: v.string(), floor: v.optional(v.pipe(v.number(), v.integer())) })),
    until: v.optional(v.union([v.pipe(v.number(), v.integer()), v.literal('never')])),
    estimate: v.optional(v.nullable(v.number())),
  }),
  inJson,
);

const inArktype = type({
  title: 'string > 0',
  'done?': 'boolean',
  'priority?': '1 <= number.integer <= 5',
  'day?': /^\d{4}-\d{2}-\d{2}$/,
  'tags?': 'string[]',
  'place?': { city: 'string', 'floor?': 'number.integer' },
  'until?': "number.integer | 'never'",
  'estimate?': 'number | null',
});

/** A schema that says what it takes, and leaves the checking to others. */
const describing = { '~standard': { version: 1, vendor: 'tiny', jsonSchema: { input: () => inJson, output: () => inJson } } };

const kinds: [string, unknown][] = [
  ['JSON Schema', inJson],
  ['zod', inZod],
  ['valibot with JSON Schema', inValibot],
  ['arktype', inArktype],
  ['Standard JSON Schema alone', describing],
];

for (const [kind, parameters] of kinds) {
  describe(`a tool with parameters of ${kind}`, () => {
    const setup = setUp([tool({ parameters: parameters as never })]);
    const prepare = (args: Record<string, unknown>) => prepareCall({ requestId: 'c', toolName: 'echo', args }, setup);
    const refusal = async (args: Record<string, unknown>) => {
      const prepared = await prepare(args);
      return prepared.type === 'refused' ? prepared.result.result : '';
    };

    it('gets typed arguments from texts', async () => {
      const prepared = await prepare({
        ...{ title: '2024', done: 'true', priority: '3', day: '2024-01-15', tags: '["1","true"]' },
        ...{ place: '{"city":"12","floor":"3"}', until: '5', estimate: 'null' },
      });
      if (prepared.type === 'refused') throw new Error(prepared.result.result);
      expect(prepared.argsForTool()).to.deep.equal({
        ...{ title: '2024', done: true, priority: 3, day: '2024-01-15', tags: ['1', 'true'] },
        ...{ place: { city: '12', floor: 3 }, until: 5, estimate: null },
      });
      expect(prepared.call.args).to.deep.equal(prepared.argsForTool());
    });

    it('gets typed arguments as they are', async () => {
      const args = { title: 'T', done: false, priority: 1, tags: [], place: { city: 'X' }, until: 'never', estimate: 1.5 };
      const prepared = await prepare(args);
      expect(prepared.type === 'checked' && prepared.argsForTool()).to.deep.equal(args);
    });

    it('never gets an absent parameter (S0-53)', async () => {
      const prepared = await prepare({ title: 'T' });
      expect(prepared.type === 'checked' && Object.keys(prepared.argsForTool() as object)).to.deep.equal(['title']);
    });

    it('refuses what does not fit, by the path and with what was expected', async () => {
      const expected: [Record<string, unknown>, RegExp][] = [
        [{}, /^MISSING_PARAMETER: Missing parameter: title$/],
        [{ title: 'T', place: '{"floor":1}' }, /^MISSING_PARAMETER: Missing parameter: place\.city$/],
        [{ title: 'T', done: 'yes' }, /^INVALID_PARAMETER: Invalid parameter done: expected true or false/],
        [{ title: 'T', priority: 'high' }, /^INVALID_PARAMETER: Invalid parameter priority: expected a (whole )?number/],
        [{ title: 'T', priority: '9' }, /^INVALID_PARAMETER: Invalid parameter priority/],
        [{ title: 'T', day: 'tomorrow' }, /^INVALID_PARAMETER: Invalid parameter day: expected text in the form/],
        [{ title: 'T', tags: 'a, b' }, /^INVALID_PARAMETER: Invalid parameter tags: expected a list, as JSON/],
        [{ title: 'T', tags: '[1]' }, /^INVALID_PARAMETER: Invalid parameter tags\.0: expected text/],
        [
          { title: 'T', place: '{"city":"X","floor":"low"}' },
          /^INVALID_PARAMETER: Invalid parameter place\.floor: expected a (whole )?number/,
        ],
        [{ title: 'T', until: 'soon' }, /^INVALID_PARAMETER: Invalid parameter until: expected/],
        [{ title: 5 }, /^INVALID_PARAMETER: Invalid parameter title: expected text/],
        [{ title: 'T', extra: '1' }, /^INVALID_PARAMETER: Unknown parameter: extra$/],
      ];
      for (const [args, message] of expected) expect(await refusal(args), JSON.stringify(args)).to.match(message);
    });
  });
}

describe('the output of a schema', () => {
  const outputs: [string, unknown][] = [
    [
      'zod',
      z
        .object({ day: z.string().transform((text) => text.length), note: z.string().default('none') })
        .refine(async ({ day }) => (await Promise.resolve(day)) < 20, { message: 'too long', path: ['day'] }),
    ],
    [
      'valibot',
      withJsonSchema(
        v.pipeAsync(
          v.objectAsync({
            day: v.pipe(
              v.string(),
              v.transform((text) => text.length),
            ),
            note: v.optional(v.string(), 'none'),
          }),
          v.forwardAsync(
            v.checkAsync(async ({ day }) => (await Promise.resolve(day)) < 20, 'too long'),
            ['day'],
          ),
        ),
        { type: 'object', properties: { day: { type: 'string' }, note: { type: 'string' } }, required: ['day'] },
      ),
    ],
    ['arktype', type({ day: type('string < 20').pipe((text) => text.length), note: "string = 'none'" })],
  ];
  for (const [kind, parameters] of outputs) {
    it(`of ${kind} is what the tool gets, and the arguments are what is shown`, async () => {
      const setup = setUp([tool({ parameters: parameters as never })]);
      const prepare = (day: string) => prepareCall({ requestId: 'c', toolName: 'echo', args: { day } }, setup);
      const prepared = await prepare('2024-01-15');
      if (prepared.type === 'refused') throw new Error(prepared.result.result);
      expect(prepared.argsForTool()).to.deep.equal({ day: 10, note: 'none' });
      expect(prepared.call.args).to.deep.equal({ day: '2024-01-15' });
      const refused = await prepare('x'.repeat(20));
      expect(refused.type === 'refused' && refused.result.message).to.match(/^Invalid parameter day: expected text/);
    });
  }
});

describe('the JSON Schema of parameters', () => {
  it('is that of the input, without the mark of its draft', () => {
    for (const [kind, parameters] of kinds) {
      const schema = parametersOf(tool({ parameters: parameters as never }));
      expect(schema, kind).to.include({ type: 'object' }).and.not.to.have.any.keys('$schema', '~standard');
      expect(Object.keys(schema!['properties'] as object), kind).to.have.members(Object.keys(inJson.properties));
      expect(schema!['required'], kind).to.deep.equal(['title']);
    }
    expect(parametersOf(tool())).to.equal(undefined);
  });

  it('is made once, and is a copy of our own', () => {
    const parameters = structuredClone(inJson);
    const one = tool({ parameters });
    const schema = parametersOf(one);
    parameters.required.push('done');
    expect(parametersOf(one)).to.equal(schema);
    expect(schema).to.have.property('required').that.deep.equals(['title']);
  });

  it('is asked for where a schema has none, and the remedy is named', () => {
    const register = (parameters: unknown) => () => createRegistry().register(tool({ parameters: parameters as never }));
    expect(register(v.object({ a: v.string() }))).to.throw(
      TypeError,
      /The valibot schema has no JSON Schema.*tool "echo".*`withJsonSchema` adds it/,
    );
    expect(register(z.object({ at: z.date() }))).to.throw(TypeError, /The zod schema cannot be written as JSON Schema.*`withJsonSchema`/);
    expect(register({ '~standard': { version: 1, vendor: 'tiny' } })).to.throw(TypeError, /The tiny schema has no JSON Schema/);
    expect(register(z.string())).to.throw(TypeError, /always an object/);
  });

  it('can be given beside a schema that has none', async () => {
    const parameters = withJsonSchema(z.object({ at: z.coerce.date() }), {
      type: 'object',
      properties: { at: { type: 'string', format: 'date' } },
    });
    expect(isStandardSchema(parameters)).to.equal(true);
    const setup = setUp([tool({ parameters: parameters as never })]);
    const prepared = await prepareCall({ requestId: 'c', toolName: 'echo', args: { at: '2024-01-15' } }, setup);
    expect(prepared.type === 'checked' && prepared.argsForTool()).to.deep.equal({ at: new Date('2024-01-15') });
  });
});
