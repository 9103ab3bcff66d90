import { expect } from 'chai';
import fc from 'fast-check';
import { loadMissingPatterns, patternLimit } from '../../src/base/patterns.js';
import { en } from '../../src/i18n/en.js';
import { exampleArguments } from '../../src/protocols/example.js';
import type { JsonSchema } from '../../src/protocols/protocol.js';
import { renderMethod } from '../../src/protocols/render-tool-docs.js';
import { foreignSchema } from '../../src/toolkits/foreign-schema.js';
import { openApiTools } from '../../src/toolkits/index.js';
import { coerceArguments } from '../../src/tools/coerce.js';
import { parametersOf } from '../../src/tools/schema.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { validateArguments } from '../../src/tools/validate.js';
import { rounds } from '../helpers/effort.js';
import examples from '../fixtures/protocols/examples.json' with { type: 'json' };

describe('example arguments', () => {
  const example = (parameters: JsonSchema, lang = 'en') => exampleArguments({ parameters }, { lang, today: '2026-11-30' });

  before(async () => {
    example({ properties: { code: { pattern: '^x$' } } });
    await loadMissingPatterns();
  });

  it('come from the method, if it has an example', () => {
    expect(exampleArguments({ example: { a: 1 }, parameters: { properties: { b: {} } } })).to.deep.equal({ a: 1 });
  });

  const string = { type: 'string' };
  const all = (properties: Record<string, object>) => ({ type: 'object', properties, required: Object.keys(properties) });
  const node = all({ value: { anyOf: [{ type: 'integer' }, string] }, next: { $ref: '#/$defs/node' } });
  for (const [title, ...cases] of examples as unknown as [string, ...[JsonSchema, object, string?][]][])
    it(title, () => {
      for (const [parameters, expected, lang] of cases) expect(example(parameters, lang)).to.deep.equal(expected);
      const recursive = example({ $ref: '#/$defs/node', $defs: { node } });
      expect(recursive).to.deep.include({ value: 1 });
      expect(JSON.stringify(recursive)).to.have.length.below(300);
    });

  it('are near today and short: models copy them', () => {
    const formats = ['date', 'date-time', 'uuid', 'email'];
    const text = JSON.stringify(example(all(Object.fromEntries(formats.map((format) => [format, { ...string, format }])))));
    expect(text).to.match(/^(?=.*2026-12-01)(?!.*(2024|123e4567))/);
  });

  it('count the days of the host’s own from today', () => {
    const own = { on: '{today}', list: ['daily::{today+2}', '{today-1}'], '{today}': '{tomorrow}' };
    expect(exampleArguments({ example: own }, { today: '2026-11-30' })).to.deep.equal({
      on: '2026-11-30',
      list: ['daily::2026-12-02', '2026-11-29'],
      '{today}': '{tomorrow}',
    });
    expect(own.on).to.equal('{today}');
  });

  it('own what they hold, whatever a parameter is called', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__","toString"]}') as JsonSchema;
    const values = example(schema);
    expect(Object.keys(values)).to.deep.equal(['__proto__']);
    expect(Object.getPrototypeOf(values)).to.equal(Object.prototype);
  });

  /** As services write them. */
  const patterns = fc.letrec<{ atom: string; part: string }>((tie) => ({
    atom: fc.oneof(
      fc.constantFrom(...String.raw`[A-Z] [a-z0-9_-] \d \w [^\s/] \p{L} . x / \. \- 中 [一-鿿] (?:red|green) (0[1-9]|1[0-2])`.split(' ')),
      tie('part').map((inside) => `(?:${inside})`),
    ),
    part: fc
      .array(fc.tuple(tie('atom'), fc.constantFrom('', '', '?', '{2}', '{2,3}', '*', '+')), { minLength: 1, maxLength: 3 })
      .map((all) => all.map((one) => one.join('')).join('')),
  })).part;
  const pattern = fc
    .tuple(fc.constantFrom('', '^'), fc.constantFrom('', '(?!-)', '(?=.)'), patterns, fc.constantFrom('', '$'))
    .map((all) => all.join(''));

  /** Schemas that some value meets, as services and pages write them. */
  const meetable = fc.letrec<{ schema: JsonSchema }>((tie) => {
    const one = tie('schema');
    const object = (properties: Record<string, JsonSchema>) => ({ ...all(properties), additionalProperties: false });
    const fields = fc.dictionary(fc.constantFrom('name', 'id', 'list', 'more'), one, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
    const branch = (kind: string) => fields.map((more) => object({ ...more, kind: { const: kind } }));
    return {
      schema: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        fc.constantFrom<JsonSchema>(
          ...[string, { type: 'integer', format: 'int64' }, { type: 'integer', minimum: 3, maximum: 9 }, { type: 'number' }],
          ...[{ type: 'boolean' }, { enum: ['a', 'b', null] }, { type: ['string', 'null'], maxLength: 5 }, { ...string, format: 'date' }],
          ...[{ ...string, minLength: 3 }, { ...string, nullable: true }, { const: 7 }, { type: 'integer', multipleOf: 41 }],
          ...[
            { type: ['integer', 'string'], maxLength: 43, maximum: 47 },
            { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
          ],
        ),
        pattern.filter((source) => (patternLimit(source) ?? 0) > 200).map((source) => ({ ...string, pattern: source })),
        fields.map(object),
        fc.tuple(one, fc.constantFrom(1, 5)).map(([items, minItems]) => ({ type: 'array', items, minItems, maxItems: 53 })),
        fc.tuple(one, one).map((prefixItems) => ({ type: 'array', prefixItems, minItems: 2, maxItems: 2 })),
        one.map((more) => ({ type: 'object', additionalProperties: more })),
        fc
          .constantFrom<JsonSchema>(string, { enum: ['a', 'b', 'c'] }, { type: 'integer' })
          .map((items) => ({ type: 'array', items, minItems: 3, uniqueItems: true })),
        one.map((more) => ({ type: 'object', propertyNames: { pattern: '^x-[a-z]+$' }, additionalProperties: more })),
        one.map((more) => ({ type: 'object', patternProperties: { '^y-[a-z]+$': more }, additionalProperties: false })),
        fc.tuple(branch('x'), branch('y')).map((oneOf) => ({ oneOf, discriminator: { propertyName: 'kind' } })),
        fc.tuple(one).map(([schema]) => ({ anyOf: [schema, { type: 'null' }] })),
      ),
    };
  }).schema;

  /** What the check of a schema enforces besides types and names. */
  const limitsIn = (node: unknown): string[] =>
    Object.entries(Object(node) as object).flatMap(([key, value]) => {
      if (key === 'patternProperties') return [...Object.keys(value as object), ...limitsIn(value)];
      const isLimit = /^(?:m(?:in|ax)\w+|exclusive\w+|multipleOf|pattern|format)$/.test(key) && value !== 'int64';
      return isLimit ? [String(value)] : typeof value === 'object' ? limitsIn(value) : [];
    });

  it('are accepted for what is told of host tools, MCP servers and OpenAPI documents, whatever their schema, and each means the same', async () => {
    const quiet = { debug() {}, info() {}, warn() {}, error() {} };
    const named = (parameters: JsonSchema): ToolDefinition => ({ name: 'a', description: 'A', parameters, execute: () => 1 });
    const accepts = async (tool: ToolDefinition, args: Record<string, unknown>) => {
      const checked = await validateArguments(tool, coerceArguments(args, parametersOf(tool), 'schema'), en);
      return checked.ok ? 'ok' : checked.message;
    };
    await fc.assert(
      fc.asyncProperty(meetable, async (schema) => {
        const whole = { ...all({ value: schema }), additionalProperties: false };
        const body = { requestBody: { content: { 'application/json': { schema: whole } } } };
        const document = { openapi: '3.0.3', servers: [{ url: 'https://a.test' }], paths: { '/a': { post: body } } };
        const tools = [named(whole), named(foreignSchema(whole)), ...(await openApiTools(document, { logger: quiet }))];
        expect(tools).to.have.length(3);
        for (const from of tools) {
          const parameters = parametersOf(from)!;
          const told = renderMethod({ name: 'a', description: 'A', parameters }, 'en', () => '');
          for (const limit of limitsIn(parameters)) expect(told, 'tells every limit').to.include(limit);
          const args = example(parameters);
          // What is deep is told to a model without its limits, which a service checks itself.
          for (const tool of from === tools[0] ? tools : [from]) expect(await accepts(tool, args), JSON.stringify(args)).to.equal('ok');
          expect(await accepts(from, {}), 'without what is required').to.not.equal('ok');
          expect(await accepts(from, { ...args, strange: 1 }), 'with what nobody knows').to.not.equal('ok');
        }
      }),
      { numRuns: rounds(1000) },
    );
  });
});
