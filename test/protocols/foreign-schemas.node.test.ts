/** Schemas that grow without end where they are read: what they cost, counted in characters and nodes, and what the relay says to them. */
import { expect } from 'chai';
import { createRelay } from '../../src/relay/index.js';
import { allowanceOfTool, createAllowance } from '../../src/base/allowance.js';
import { renderParameters, promptWordsFor } from '../../src/protocols/render-tool-docs.js';
import { exampleArguments } from '../../src/protocols/example.js';
import { writeGrammar } from '../../src/protocols/grammar.js';
import { protocols } from '../../src/protocols/index.js';
import { nativeTools } from '../../src/protocols/native.js';
import { promptSchema } from '../../src/model/prompt-schema.js';
import { toolList } from '../../src/prompts/tool-section.js';
import type { JsonSchema, ToolDescription } from '../../src/protocols/protocol.js';
import { ask, hello } from '../relay/ask.js';

const many = (count: number, schema: (at: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema(at)]));
const object = (properties: object): JsonSchema => ({ type: 'object', properties, required: Object.keys(properties) });
const nest = (levels: number, wrap: (inner: object) => object): JsonSchema => {
  let found: object = { type: 'string' };
  for (let level = 0; level < levels; level += 1) found = wrap(found);
  return object({ deep: found });
};

const families: Record<string, (n: number) => JsonSchema> = {
  'a reference to itself': (n) => ({
    ...object(many(n, () => ({ $ref: '#/$defs/a' }))),
    $defs: { a: object(many(n, () => ({ $ref: '#/$defs/a' }))) },
  }),
  'many properties': (n) => object(many(n * 10, () => ({ type: 'string' }))),
  'deep objects': (n) => nest(Math.min(n, 90), (inner) => object({ in: inner })),
  'wide and recursive': (n) => ({
    ...object(many(n, () => ({ anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] }))),
    $defs: {
      a: object(many(n, () => ({ $ref: '#/$defs/b' }))),
      b: { allOf: [{ $ref: '#/$defs/c' }, object(many(n, () => ({ $ref: '#/$defs/a' })))] },
      c: {},
    },
  }),
  'all of all of them': (n) => ({
    ...object({ first: { $ref: '#/$defs/p0' } }),
    $defs: many(n, (at) => ({ allOf: [{ $ref: `#/$defs/p${at + 1}` }, { $ref: `#/$defs/p${at + 1}` }, object(many(n, () => ({})))] })),
  }),
  'unions of unions': (n) => ({
    ...object({ first: { $ref: '#/$defs/p0' } }),
    $defs: many(n, (at) => ({ anyOf: [{ $ref: `#/$defs/p${at + 1}` }, { $ref: `#/$defs/p${at + 2}` }, { const: at }] })),
  }),
  'a chain of references': (n) => ({
    ...object({ first: { $ref: '#/$defs/p0' } }),
    $defs: many(n * 20, (at) => ({ $ref: `#/$defs/p${at + 1}` })),
  }),
  'lists of lists that repeat': (n) => nest(Math.min(n, 90), (items) => ({ type: 'array', minItems: 3, items })),
  'many patterns': (n) => object(many(n, (at) => ({ type: 'string', pattern: `^(a${'a?'.repeat(at % 40)})+$` }))),
  'a long text in many places': (n) => ({
    ...object(many(n * 5, () => ({ $ref: '#/$defs/a' }))),
    $defs: { a: { enum: Array.from({ length: n * 5 }, (_, at) => `value ${at}`), description: 'd'.repeat(n * 20) } },
  }),
};

const described = (parameters: JsonSchema): ToolDescription[] => [
  { toolId: 't', toolName: 't', methods: [{ name: 'a_tool', description: 'Does it.', parameters, agentCallable: true }] },
];

async function cost(parameters: JsonSchema): Promise<number> {
  const tools = described(parameters);
  const lists = await Promise.all(
    Object.values(protocols).map(async (protocol) => (await toolList({ protocol, tools, lang: 'en' })).length),
  );
  return [
    ...lists,
    JSON.stringify(exampleArguments({ parameters })).length,
    JSON.stringify(nativeTools(tools)).length,
    writeGrammar('json-action', tools, { callsPerTurn: 'many' })!.length,
  ].reduce((sum, one) => sum + one, 0);
}

describe('schemas of foreign tools', function () {
  this.timeout(60_000);

  for (const [name, family] of Object.entries(families))
    it(`cost no more than in proportion: ${name}`, async () => {
      const sizes = [20, 40, 80].map((n) => JSON.stringify(family(n)).length);
      const costs = await Promise.all([20, 40, 80].map((n) => cost(family(n))));
      costs.forEach((one, at) => {
        // In proportion to what was sent, or within what one tool may have in each of these texts.
        const previous = costs[at - 1];
        expect(
          previous === undefined || one <= previous * 2.6 * (sizes[at]! / sizes[at - 1]! / 2) || one < 1_500_000,
          costs.join(),
        ).to.equal(true);
      });
    });

  it('are told by fewer than 1,000 nodes where they come in less than a kilobyte', () => {
    const fans = [
      [5, 8],
      [6, 6],
      [8, 4],
      [12, 2],
    ].map(([levels = 0, wide = 0]) => ({
      $defs: many(levels, (at) => (at < levels - 1 ? { properties: many(wide, () => ({ $ref: `#/$defs/p${at + 1}` })) } : {})),
      $ref: '#/$defs/p0',
    }));
    for (const parameters of [...fans, families['unions of unions']!(8), families['all of all of them']!(4)]) {
      expect(JSON.stringify(parameters).length).to.be.below(1_000);
      const whole = createAllowance();
      const { nodes } = whole;
      promptSchema(parameters, whole);
      expect(nodes - whole.nodes).to.be.below(1_000);
    }
    // What is told of an honest one is all of it.
    const honest = object(many(12, (at) => ({ $ref: '#/$defs/a', title: `${at}` })));
    const told = promptSchema({ ...honest, $defs: { a: object(many(10, () => ({ type: 'string' }))) } });
    expect(JSON.stringify(told).match(/"string"/g)).to.have.lengthOf(120);
  });

  it('share one allowance, of which each tool has a part', () => {
    const left = allowanceOfTool();
    const { nodes } = left.whole!;
    renderParameters({ parameters: families['a reference to itself']!(80) }, promptWordsFor('en'), left.whole);
    expect(nodes - left.whole!.nodes).to.be.within(1, 2500);
  });

  it('say where they are told in part only, and what is small is told whole', () => {
    const lines = (parameters: JsonSchema) => renderParameters({ parameters }, promptWordsFor('en'));
    expect(lines(object(many(5000, () => ({ type: 'string' })))).at(-1)).to.match(/^- … \(\+\d+\)$/);
    expect(lines(object(many(200, () => ({ type: 'string' }))))).to.have.length(200);
  });

  it('are refused by the relay where they are too deep, and written where they are not', async () => {
    const relay = createRelay({ baseUrl: 'http://127.0.0.1:9', model: 'fake-1', logger: false });
    const status = async (parameters: JsonSchema) => {
      const tools = [{ toolId: 't', toolName: 't', methods: [{ name: 'a_tool', description: 'Does it.', parameters }] }];
      const response = await relay(ask({ ...hello(), config: { enabledTools: ['a_tool'], tools } }));
      await response.text();
      return response.status;
    };
    expect(await status(nest(2000, (inner) => object({ in: inner })))).to.equal(400);
    expect(await status(nest(4000, (items) => ({ type: 'array', items })))).to.equal(400);
    expect(await status(nest(20, (inner) => object({ in: inner })))).not.to.equal(400);
  });
});
