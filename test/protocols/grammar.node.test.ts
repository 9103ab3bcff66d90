/** Grammars of the notations: what a model may write is what our parsers read, and nothing like it. */
import { expect } from 'chai';
import fc from 'fast-check';
import { protocols } from '../../src/protocols/index.js';
import { patternRule, writeCallSchema, writeGrammar } from '../../src/protocols/grammar.js';
import type { ToolDescription } from '../../src/protocols/protocol.js';
import { rounds } from '../helpers/effort.js';
import { accepts, parseGbnf } from './gbnf.js';
import { ids } from './reading.js';
import given from '../fixtures/protocols/grammar.json' with { type: 'json' };

const tool = (name: string, properties: object, required: string[] = []): ToolDescription => ({
  toolId: name,
  toolName: name,
  methods: [{ name, description: `Does ${name}.`, parameters: { type: 'object', properties, required } }],
});
const text = { type: 'string' };
const tools = [
  tool('create_task', { title: text, area: text, date: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' } }, ['title']),
  tool('read', { view: { type: 'string', pattern: '^(?:daily::\\d{4}-\\d{2}-\\d{2}|staging)$' } }, ['view']),
  tool('set', { kind: { enum: ['a', 'b c'] }, on: { type: 'boolean' }, count: { type: 'integer' }, share: { type: 'number' } }),
  tool('deep', { list: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer' }, y: text } } }, any: {} }),
  tool('nothing', {}),
];
const grammarOf = (id: string, more: Partial<Parameters<typeof writeGrammar>[2]> = {}) =>
  parseGbnf(writeGrammar(id, tools, { callsPerTurn: 'many', ...more })!);
const write = (id: string, name: string, args: object) => protocols[id]!.writeCall!(name, { ...args });

type Calls = [name: string, args: object][];
const good = given.taken as Calls;

describe('the grammar of a notation', () => {
  for (const id of ids) {
    describe(id, () => {
      const grammar = grammarOf(id);

      it('takes every call as it is taught', () => {
        for (const [name, args] of good) expect(accepts(grammar, write(id, name, args)), `${name} ${JSON.stringify(args)}`).to.equal(true);
      });

      it('takes prose, prose before a call, and calls one after another', () => {
        const [one, other] = [write(id, 'nothing', {}), write(id, 'read', { view: 'staging' })];
        for (const said of ['Hello! 1 < 2, and `code`.', '你好。\n\n- a\n- b', `I will look.\n${one}`])
          expect(accepts(grammar, said), said).to.equal(true);
        const both =
          id === 'json-tool-calls' ? `{"tool_calls": [${[one, other].map((each) => each.slice(16, -2)).join(', ')}]}` : `${one}\n${other}`;
        expect(accepts(grammar, both)).to.equal(true);
        expect(accepts(grammarOf(id, { callsPerTurn: 'one' }), both)).to.equal(false);
      });

      it('refuses tools and parameters that there are not, and values that cannot be', () => {
        for (const [name, args] of given.refused as Calls)
          expect(accepts(grammar, write(id, name, args)), `${name} ${JSON.stringify(args)}`).to.equal(false);
      });

      it('refuses a call that is broken, or stands in a fence', () => {
        const call = write(id, 'create_task', { title: 'buy milk' });
        for (let length = 1; length < call.length; length += 1) {
          // Up to its first mark it could be prose.
          const piece = call.slice(0, length);
          if (accepts(grammar, piece)) expect(accepts(grammar, `${piece}x`) && /[<{`]/.test(piece), piece).to.equal(false);
        }
        expect(accepts(grammar, `${call}x`)).to.equal(false);
        expect(accepts(grammar, `\`\`\`xml\n${call}\n\`\`\``)).to.equal(false);
      });

      it('lets only what our parser reads through, whatever the values', () => {
        fc.assert(
          fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (title) => {
            const call = write(id, 'create_task', { title });
            if (!accepts(grammar, call)) return;
            const [read] = protocols[id]!.parseToolRequests(call);
            expect(read).to.deep.include({ toolName: 'create_task' });
            expect(String(read!.args['title']).trim()).to.equal(title.trim());
          }),
          { numRuns: rounds(300) },
        );
      });

      it('is one call of the chosen tool where that is certain', () => {
        const certain = grammarOf(id, { certain: 'read' });
        expect(accepts(certain, write(id, 'read', { view: 'staging' }))).to.equal(true);
        for (const other of ['Hello', write(id, 'nothing', {})]) expect(accepts(certain, other)).to.equal(false);
      });
    });
  }

  it('is none where there is nothing to call, or the notation is a host’s own', () => {
    expect(writeGrammar('xml-invoke', [], { callsPerTurn: 'many' })).to.equal(undefined);
    for (const id of ['house', 'constructor']) expect(writeGrammar(id, tools, { callsPerTurn: 'many' })).to.equal(undefined);
    expect(writeGrammar('xml-invoke', tools, { callsPerTurn: 'many', certain: 'other' })).to.equal(undefined);
  });

  const behind = given.behind as [what: string, schema: object, good: unknown[], bad: unknown[]][];
  for (const [what, schema, yes, no] of behind)
    it(`takes what stands behind ${what}, and nothing else`, () => {
      const parameters = { type: 'object', properties: { x: schema }, required: ['x'], $defs: given.$defs };
      const method = { name: 'behind', description: 'Does it.', parameters };
      const grammar = parseGbnf(writeGrammar('json-action', [{ toolId: 'b', toolName: 'b', methods: [method] }], { callsPerTurn: 'one' })!);
      const takes = (x: unknown) => accepts(grammar, write('json-action', 'behind', { x }));
      expect([yes.map(takes), no.map(takes)]).to.deep.equal([yes.map(() => true), no.map(() => false)]);
    });

  it('names nothing that could end a literal', () => {
    const odd = [tool('odd', { 'a"b\\c\nd': { enum: ['"', '\\', '\n'] } })];
    for (const id of ids) expect(() => parseGbnf(writeGrammar(id, odd, { callsPerTurn: 'many' })!), id).to.not.throw();
  });
});

describe('a pattern in a grammar', () => {
  const fits = (pattern: string, value: string) => {
    const rule = patternRule(pattern, undefined, 'json');
    return rule === undefined ? undefined : accepts(parseGbnf(`root ::= ${rule}`), value);
  };

  it('says what the pattern says', () => {
    for (const [pattern, yes, no] of [
      ['^[a-z]{2,3}-\\d+$', 'ab-12', 'a-1'],
      ['^(?:a|bc)*x?$', 'abcx', 'abx'],
      ['^\\w+\\.txt$', 'a_1.txt', 'a-1.txt'],
    ] as const)
      expect([fits(pattern, yes), fits(pattern, no)], pattern).to.deep.equal([true, false]);
  });

  it('is left to the validation where the two languages differ', () => {
    for (const pattern of ['abc', '^a|b$', '^(?=x)y$', '^.*$', '^[^a]$', '^a*?$', '^"$', '^a{1,999}$', `^${'a'.repeat(400)}$`, '^(a$', 7])
      expect(patternRule(pattern, undefined, 'json'), String(pattern)).to.equal(undefined);
    expect(patternRule(undefined, 'date', 'json')).to.be.a('string');
  });
});

describe('the schema of a call that has to come', () => {
  it('is there for the notation that is JSON and nothing else', () => {
    expect(writeCallSchema('json-tool-calls', tools, 'read')).to.have.nested.property(
      'properties.tool_calls.items.properties.function.properties.name.enum[0]',
      'read',
    );
    expect(writeCallSchema('xml-invoke', tools, 'read')).to.equal(undefined);
    expect(writeCallSchema('json-tool-calls', tools, 'other')).to.equal(undefined);
  });
});
