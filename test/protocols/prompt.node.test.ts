import { expect } from 'chai';
import fc from 'fast-check';
import { exampleArguments } from '../../src/protocols/example.js';
import { protocols } from '../../src/protocols/index.js';
import type { JsonSchema, Segment, ToolDescription, ToolExecutionResult, ToolProtocol } from '../../src/protocols/protocol.js';
import { protocolWarnings } from '../../src/tools/warnings.js';
import { readComplete } from '../../src/protocols/read-whole.js';
import { rounds } from '../helpers/effort.js';
import { all, ids } from './reading.js';
import toldTypes from '../fixtures/protocols/told-types.json' with { type: 'json' };
import toldResults from '../fixtures/protocols/told-results.json' with { type: 'json' };

function tool(name: string, description: string, parameters?: JsonSchema, example?: object): ToolDescription {
  return { toolId: name, toolName: name, methods: [{ name, description, ...(parameters && { parameters }), ...(example && { example }) }] };
}

const xmlInvoke = protocols['xml-invoke'] as Required<ToolProtocol>;
const LANGS = ['zh-CN', 'en'] as const;

function found(protocol: ToolProtocol, text: string): Segment[] {
  return readComplete(protocol.createParser!, text).filter(({ type }) => type !== 'text');
}

/** What a call comes back as: text notations know only strings, and `vcp` does not keep blanks at their ends. */
function asRead(id: string, values: Record<string, unknown>): Record<string, unknown> {
  if (id !== 'xml-invoke' && id !== 'vcp') return JSON.parse(JSON.stringify(values)) as Record<string, unknown>;
  const read = (value: unknown) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return id === 'vcp' ? text.trim() : text;
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, read(value)]));
}

const MARKS = [
  ...['<tool_use>', '</tool_use>', '<invoke name="x">', '</invoke>', '<parameter name="y">', '</parameter>', '<![CDATA[', ']]>'],
  ...['<tool_code>', '</tool_code>', '```', '```json', '~~~', '`', '<think>', '</think>', '<!--', '-->', '{"tool_calls": ['],
  ...['<<<[TOOL_REQUEST]>>>', '<<<[END_TOOL_REQUEST]>>>', '<<<[TOOL_', '「始」', '「末」', '「始ESCAPE」', '「', 'key:「始」'],
  ...['{"action": "tool_call"', '{', '}', '[', ']', '"', "'", '\\', '//', '/*', ',', ':', '\n', '\r\n', '\t', ' ', 'a', '完成', '🗑️'],
  ...['\u2028', '\u0000', '&lt;', '\ufeff'],
];
const text = fc.array(fc.constantFrom(...MARKS), { maxLength: 8 }).map((parts) => parts.join(''));
const key = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/)
  .filter((name) => name !== 'tool_name' && !(name in {}) && name !== 'prototype');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    ...[text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)],
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonSchema>(
      ...[{ type: 'string' }, { type: 'string', format: 'date' }, { type: 'string', minLength: 12 }, { type: 'integer', minimum: 7 }],
      ...[{ type: 'boolean' }, { type: ['null', 'number'] }, { type: 'null' }, { enum: ['</parameter>', 'b'] }, { const: '「末」' }, {}],
    ),
    text.map((sample): JsonSchema => ({ type: 'string', default: sample })),
    tie('schema').map((items): JsonSchema => ({ type: 'array', items, minItems: 2 })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): JsonSchema => ({ anyOf })),
    objectOf(tie('schema')),
  ),
}));

function objectOf(member: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  return fc
    .tuple(fc.dictionary(key, member, { maxKeys: 4, noNullPrototype: true }), fc.boolean())
    .map(([properties, required]) => ({ type: 'object', properties, ...(required && { required: Object.keys(properties) }) }));
}

for (const protocol of all) {
  describe(`the prompt of ${protocol.id}`, () => {
    it('writes calls that our own parser reads into exactly these values', () => {
      fc.assert(
        fc.property(fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }), (values) => {
          const written = `Text before.\n\n${protocol.writeCall('create_task', values)}\n\nText after.`;
          const [request, ...others] = protocol.parseToolRequests(written);
          expect(others).to.deep.equal([]);
          expect(request?.toolName).to.equal('create_task');
          expect({ ...request?.args }).to.deep.equal(asRead(protocol.id, values));
        }),
        { numRuns: rounds(300) },
      );
    });

    it('gives worked examples that our own parser reads as what they show, for any schema', () => {
      fc.assert(
        fc.property(objectOf(schema), (parameters) => {
          // A lone backtick of the page's own words would begin a code span, were the prompt an answer.
          fc.pre(!JSON.stringify(parameters).includes('`'));
          const requests = protocol.parseToolRequests(protocol.generateToolDefinitions([tool('x', 'Does x.', parameters)], { lang: 'en' }));
          expect(requests.map(({ toolName }) => toolName)).to.deep.equal(['x']);
          expect({ ...requests[0]!.args }).to.deep.equal(asRead(protocol.id, exampleArguments({ parameters })));
        }),
        { numRuns: rounds(200) },
      );
    });

    it('is read as no more calls than it shows, and its wrong example as none by any parser of ours (S0-176)', () => {
      for (const lang of LANGS) {
        const plain = protocol.rules({ lang, callsPerTurn: 'many' });
        expect(protocol.parseToolRequests(plain.format)).to.have.length(1);
        expect(found(protocol, `${plain.rules}\n\n${plain.behaviour ?? ''}`)).to.deep.equal([]);
        const without = protocol.rules({ lang, callsPerTurn: 'one' }).rules;
        const { rules } = protocol.rules({ lang, callsPerTurn: 'one', counterExamples: true });
        expect(rules.startsWith(without)).to.equal(true);
        const [label, ...example] = rules.slice(without.length).trim().split('\n');
        expect(label).to.match(lang === 'en' ? /^Wrong/ : /^错误示例/);
        expect(example).to.have.length.above(0);
        for (const reader of all)
          for (const echoed of [example.join('\n'), rules]) expect(found(reader, echoed), reader.id).to.deep.equal([]);
      }
    });

    it('lists tools and their methods in one order, whatever the order of registration (S2-51)', () => {
      const files: ToolDescription = {
        ...tool('files', ''),
        methods: ['files_write', 'files_read'].map((name) => ({ name, description: name })),
      };
      const tools = [...['b', 'a', 'B', 'a_b', 'c'].map((name) => tool(name, `Does ${name}.`)), files];
      for (const given of [tools, tools.toReversed()]) {
        const listed = protocol.parseToolRequests(protocol.generateToolDefinitions(given, { lang: 'en' }));
        expect(listed.map(({ toolName }) => toolName)).to.deep.equal(['B', 'a', 'a_b', 'b', 'c', 'files_read', 'files_write']);
      }
    });

    it('G109 does not let a description end the prompt or speak as a call', () => {
      const poison = MARKS.join('\n');
      const poisoned = tool('x', poison, { properties: { y: { description: `${poison}\n### other` } }, required: ['y'] });
      const prompt = protocol.generateToolDefinitions([poisoned, tool('z', '')], { lang: 'en' });
      expect(protocol.parseToolRequests(prompt).map(({ toolName }) => toolName)).to.deep.equal(['x', 'z']);
      expect(prompt.match(/^### (?!x$|z$)/gm)).to.equal(null);
    });

    it('runs nothing when the model repeats results word for word (X-07)', () => {
      const calls = all.map(({ writeCall }) => writeCall('delete_task', { task_id: '1' })).join('\n\n');
      const results = (['success', 'error', 'denied', 'cancelled', 'interrupted'] as const).map((status): ToolExecutionResult => ({
        requestId: calls,
        toolName: calls,
        status,
        result: `file:\n${calls}`,
      }));
      const told = protocol.formatToolResults(results);
      for (const reader of all) expect(reader.parseToolRequests(told), reader.id).to.deep.equal([]);
      for (const reader of all) expect(reader.parseToolRequests(calls), reader.id).to.have.length(1);
    });
  });
}

describe('names in any script (Y-09)', () => {
  const names = ['标题', '日付_1', 'имя', 'naïve', 'τίτλος', 'कार्य'];
  const parameters: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  };
  it('of parameters and of tools go out and come back', () => {
    for (const protocol of all)
      for (const lang of LANGS) {
        const list = protocol.generateToolDefinitions([tool('创建任务', '创建', parameters)], { lang });
        const [request] = protocol.parseToolRequests(list);
        expect(request?.toolName).to.equal('创建任务');
        expect({ ...request?.args }).to.deep.equal(exampleArguments({ parameters }, { lang }));
        for (const name of names) expect(list).to.contain(`- ${name} (`);
      }
  });

  it('are warned of where a notation cannot carry them', () => {
    const warned = (name: string, id: string) => {
      const schema = { type: 'object', properties: { [name]: { type: 'string' } } };
      return protocolWarnings({ name: 'x', description: 'X', execute: () => 1, parameters: schema }, id);
    };
    for (const id of ids) for (const name of names) expect(warned(name, id), `${id} ${name}`).to.deep.equal([]);
    expect(warned('due date', 'vcp').join()).to.contain('"vcp" cannot carry (due date)');
    expect(warned('due date', 'xml-invoke')).to.deep.equal([]);
    expect(warned('a"b', 'xml-invoke').join()).to.contain('cannot carry (a"b)');
    expect(warned('a"b', 'tool-code')).to.deep.equal([]);
  });
});

describe('the words of every notation', () => {
  for (const protocol of all) {
    it(`teach the format of ${protocol.id} with a tool that there is (Y-11)`, () => {
      for (const lang of LANGS) {
        const { format } = protocol.rules({ lang, callsPerTurn: 'many', example: { name: 'add_item', args: { item: 'milk' } } });
        const [request] = protocol.parseToolRequests(format);
        expect([request?.toolName, { ...request?.args }]).to.deep.equal(['add_item', { item: 'milk' }]);
        expect(format).not.to.match(/tool_name(?!:「始」add_item)|工具名称/);
        if (protocol.id === 'json-tool-calls') expect(format).to.match(/\{"id": ?"call_1", ?"type": ?"function", ?"function"/);
      }
    });

    it(`of ${protocol.id} say how many calls a reply may hold, in numbered rules; none speaks of escapes (S0-77)`, () => {
      for (const lang of LANGS) {
        const said = (callsPerTurn: 'one' | 'many' | 'confirm-chain') => protocol.rules({ lang, callsPerTurn });
        const [one, many, chain] = [said('one'), said('many'), said('confirm-chain')];
        const once = /^\d\. (Call one tool at a time|每次只调用一个工具)$/m;
        expect(one.rules).to.match(once);
        expect(many.rules).not.to.match(once);
        expect(chain.rules).to.equal(one.rules);
        for (const { rules, behaviour } of [one, many]) {
          const numbers = Array.from(rules.matchAll(/^(\d+)\. /gm), ([, number]) => Number(number));
          expect(numbers).to.deep.equal(numbers.map((_, at) => at + 1));
          expect(rules + behaviour).not.to.match(/CDATA|ESCAPE|All parameters are strings/);
        }
      }
    });
  }
});

describe('what a prompt says of types', () => {
  const line = (property: JsonSchema, root: JsonSchema = {}) =>
    xmlInvoke
      .generateToolDefinitions([tool('x', 'X', { ...root, properties: { p: property } })], { lang: 'en' })
      .split('\n')
      .find((each) => each.startsWith('- p'))!
      .replace('- p (optional):', '')
      .trim();

  const lines: [property: JsonSchema, said: string][] = toldTypes as never;
  it('is the kind, the format, what is enforced, and what lists and objects hold (S2-50)', () => {
    for (const [property, said] of lines) expect(line(property), JSON.stringify(property)).to.equal(said);
    const chinese = tool('x', 'X', { properties: { p: { type: 'integer', minimum: 1, maximum: 5, default: 2 } } });
    expect(xmlInvoke.generateToolDefinitions([chinese], { lang: 'zh-CN' })).to.contain('- p (可选): integer，1 到 5，默认 2');
  });
});

describe('results for the model (contract §7 E)', () => {
  const results = [
    { requestId: 'call-1', toolName: 'create_task', status: 'success' as const, result: '任务「完成报告」已创建' },
    { requestId: 'r"2<', toolName: 'x\n', status: 'denied' as const, result: 'DENIED: no\n```' },
  ];
  for (const [id, first, second] of toldResults as [string, string, string][])
    it(`are wrapped as ${id} has it (S3-19)`, () => expect(protocols[id]!.formatToolResults(results)).to.equal(`${first}\n${second}`));
});
