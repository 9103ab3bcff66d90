import { expect } from 'chai';
import fc from 'fast-check';
import { builtIn } from '../../src/protocols/built-in-protocols.js';
import { exampleArguments } from '../../src/protocols/example.js';
import { protocols } from '../../src/protocols/index.js';
import { escapeAttribute, neutralise } from '../../src/protocols/neutralise.js';
import type { JsonSchema, Segment, ToolDescription, ToolExecutionResult, ToolProtocol } from '../../src/protocols/protocol.js';
import { protocolWarnings } from '../../src/tools/warnings.js';
import { readWhole } from '../../src/protocols/text-mode.js';
import { rounds } from '../helpers/effort.js';

function tool(name: string, description: string, parameters?: JsonSchema, example?: object): ToolDescription {
  return { toolId: name, toolName: name, methods: [{ name, description, ...(parameters && { parameters }), ...(example && { example }) }] };
}

const all = Object.values(protocols) as Required<ToolProtocol>[];
const xmlInvoke = protocols['xml-invoke'] as Required<ToolProtocol>;

/** Every segment but prose, by the parser of this protocol. */
function found(protocol: ToolProtocol, text: string): Segment[] {
  return readWhole(protocol.createParser!, text).filter(({ type }) => type !== 'text');
}

const createTask = tool('create_task', '创建任务', {
  type: 'object',
  properties: {
    title: { type: 'string', description: '任务标题', examples: ['完成项目报告'] },
    priority: { enum: ['low', 'high'], description: '优先级' },
    done: { type: 'boolean' },
  },
  required: ['title'],
});

// ——— What all of them owe

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
  ...['<tool_code>', '</tool_code>', '```', '```json', '~~~', '`', '<think>', '</think>', '<!--', '-->'],
  ...['<<<[TOOL_REQUEST]>>>', '<<<[END_TOOL_REQUEST]>>>', '<<<[TOOL_', '「始」', '「末」', '「始ESCAPE」', '「', 'key:「始」'],
  ...['{"tool_calls": [', '{"action": "tool_call"', '{', '}', '[', ']', '"', "'", '\\', '//', '/*', ',', ':'],
  ...['\n', '\r\n', '\t', ' ', 'a', '完成', '🗑️', '\u2028', '\u0000', '&lt;', '\ufeff'],
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

    it('is read as no more calls than it shows', () => {
      for (const lang of ['zh-CN', 'en']) {
        const { format, rules, behaviour = '' } = protocol.rules({ lang, callsPerTurn: 'many' });
        expect(protocol.parseToolRequests(format)).to.have.length(1);
        expect(found(protocol, `${rules}\n\n${behaviour}`)).to.deep.equal([]);
      }
    });

    it('shows a wrong example that no parser of ours takes for a call when it is echoed (S0-176)', () => {
      for (const lang of ['zh-CN', 'en']) {
        const without = protocol.rules({ lang, callsPerTurn: 'one' }).rules;
        const { rules } = protocol.rules({ lang, callsPerTurn: 'one', counterExamples: true });
        expect(rules.startsWith(without)).to.equal(true);
        const [label, ...example] = rules.slice(without.length).trim().split('\n');
        expect(label).to.match(lang === 'en' ? /^Wrong/ : /^错误示例/);
        expect(example).to.have.length.above(0);
        for (const reader of all) expect(found(reader, example.join('\n')), reader.id).to.deep.equal([]);
        for (const reader of all) expect(found(reader, rules), reader.id).to.deep.equal([]);
      }
    });

    it('says how many calls a reply may hold (S0-77)', () => {
      for (const lang of ['zh-CN', 'en']) {
        const [one, many, chain] = (['one', 'many', 'confirm-chain'] as const).map(
          (callsPerTurn) => protocol.rules({ lang, callsPerTurn }).rules,
        );
        expect(one).to.match(lang === 'en' ? /^\d\. Call one tool at a time$/m : /^\d\. 每次只调用一个工具$/m);
        expect(many).not.to.match(/^\d\. (Call one tool at a time|每次只调用一个工具)$/m);
        expect(chain).to.equal(one);
        expect(many!.match(/^\d\. /gm)).to.have.length(one!.match(/^\d\. /gm)!.length);
      }
    });

    it('lists tools in one order, whatever the order of registration (S2-51)', () => {
      const tools = ['b', 'a', 'B', 'a_b', 'c'].map((name) => tool(name, `Does ${name}.`));
      const twin: ToolDescription = {
        ...tool('files', ''),
        methods: ['write', 'read'].map((name) => ({ name: `files_${name}`, description: name })),
      };
      const list = protocol.generateToolDefinitions([...tools, twin], { lang: 'en' });
      expect(protocol.generateToolDefinitions([twin, ...tools.toReversed()], { lang: 'en' })).to.equal(list);
      const names = protocol.parseToolRequests(list).map(({ toolName }) => toolName);
      expect(names).to.deep.equal(['B', 'a', 'a_b', 'b', 'c', 'files_read', 'files_write']);
    });

    it('tells of a tool its name, what it does, its parameters and an example (S2-50)', () => {
      for (const lang of ['zh-CN', 'en']) {
        const list = protocol.generateToolDefinitions([createTask], { lang });
        const required = lang === 'en' ? 'required' : '必填';
        expect(list).to.contain('create_task').and.to.contain('创建任务').and.to.contain(`- title (${required}): 任务标题`);
        expect(list).to.contain('low, high').and.to.contain('boolean').and.to.contain('完成项目报告');
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

// ——— What each says

describe('the words of xml-invoke', () => {
  it('describe a tool as the seed does (S0-79)', () => {
    expect(xmlInvoke.generateToolDefinitions([createTask], { lang: 'zh-CN' })).to.equal(
      [
        '### create_task',
        '描述：创建任务',
        '参数：',
        '- title (必填): 任务标题',
        '- priority (可选): 优先级（可选值：low, high）',
        '- done (可选): boolean',
        '示例：',
        '<tool_use>',
        '<invoke name="create_task">',
        '<parameter name="title">完成项目报告</parameter>',
        '</invoke>',
        '</tool_use>',
      ].join('\n'),
    );
  });

  it('teach the format and the rules of the seed (S0-76, S0-77)', () => {
    const { format, rules } = xmlInvoke.rules({ lang: 'zh-CN', callsPerTurn: 'one', wording: 'seed' });
    expect(format).to.equal(
      '当需要执行操作时，请使用以下XML格式：\n<tool_use>\n<invoke name="工具名称">\n<parameter name="参数名">参数值</parameter>\n</invoke>\n</tool_use>',
    );
    expect(rules.split('\n').slice(0, 5)).to.deep.equal([
      '重要规则：',
      '1. 每次只调用一个工具',
      '2. 所有参数都是字符串',
      '3. 布尔值用 "true"/"false"',
      '4. 严格按照XML格式',
    ]);
    expect(rules.match(/^\d+\. /gm)).to.have.length(4);
  });
});

describe('the words of json-action', () => {
  const jsonAction = protocols['json-action'] as Required<ToolProtocol>;

  it('are those of the seed, two of them Chinese (S1-17 … S1-20)', () => {
    const { format, rules, behaviour, order } = jsonAction.rules({ lang: 'zh-CN', callsPerTurn: 'one', wording: 'seed' });
    expect(order).to.deep.equal(['format', 'rules', 'tools', 'behaviour']);
    expect(format).to.equal(
      '## Tool Call Protocol\n\nWhen you need to use a tool, use this exact JSON format in a code block:\n' +
        '```json\n{\n  "action": "tool_call",\n  "name": "tool_name",\n  "arguments": {"arg1": "value1"}\n}\n```',
    );
    expect(rules.split('\n').slice(0, 7)).to.deep.equal([
      'Rules:',
      '1. Always use a code block with ```json',
      '2. Set "action" to "tool_call"',
      '3. "name" must be exactly one of the available tools',
      '4. "arguments" must be valid JSON matching the tool\'s parameters',
      '5. Do not add any other text outside the code block when making a tool call',
      '6. After receiving tool results, respond naturally to the user',
    ]);
    expect(rules).to.match(/\n7\. Call one tool at a time$/);
    expect(behaviour).to.equal(
      '## Tool Usage Rules\n1. Query operations: 直接执行\n2. Write operations: 直接执行\n3. Dangerous operations: 需要用户确认',
    );
    expect(jsonAction.generateToolDefinitions([createTask])).to.match(/^## Available Tools\n\n### create_task\n/);
  });

  it('are all English in English', () => {
    const { format, rules, behaviour } = jsonAction.rules({ lang: 'en', callsPerTurn: 'many', counterExamples: true });
    expect(format + rules + behaviour).not.to.match(/\p{Script=Han}/u);
  });
});

describe('names in any script (Y-09)', () => {
  const names = ['标题', '日付_1', 'имя', 'naïve', 'τίτλος', 'कार्य'];
  const parameters: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  };
  for (const protocol of all)
    it(`of parameters and of tools go out and come back under ${protocol.id}`, () => {
      for (const lang of ['zh-CN', 'en']) {
        const list = protocol.generateToolDefinitions([tool('创建任务', '创建', parameters)], { lang });
        const [request] = protocol.parseToolRequests(list);
        expect(request?.toolName).to.equal('创建任务');
        expect({ ...request?.args }).to.deep.equal(exampleArguments({ parameters }, { lang }));
        for (const name of names) expect(list).to.contain(`- ${name} (`);
      }
    });

  it('are warned of where a notation cannot carry them', () => {
    const warned = (name: string, id: string) =>
      protocolWarnings(
        { name: 'x', description: 'X', execute: () => 1, parameters: { type: 'object', properties: { [name]: { type: 'string' } } } },
        id,
      );
    for (const id of Object.keys(protocols)) for (const name of names) expect(warned(name, id), `${id} ${name}`).to.deep.equal([]);
    expect(warned('due date', 'vcp').join()).to.contain('"vcp" cannot carry (due date)');
    expect(warned('due date', 'xml-invoke')).to.deep.equal([]);
    expect(warned('a"b', 'xml-invoke').join()).to.contain('cannot carry (a"b)');
    expect(warned('a"b', 'tool-code')).to.deep.equal([]);
  });
});

describe('the words of every notation', () => {
  for (const protocol of all)
    it(`teach the format of ${protocol.id} with a tool that there is`, () => {
      for (const lang of ['zh-CN', 'en']) {
        const { format } = protocol.rules({ lang, callsPerTurn: 'many', example: { name: 'add_item', args: { item: 'milk' } } });
        const [request] = protocol.parseToolRequests(format);
        expect([request?.toolName, { ...request?.args }]).to.deep.equal(['add_item', { item: 'milk' }]);
        expect(format).not.to.match(/tool_name(?!:「始」add_item)|工具名称/);
      }
    });

  for (const protocol of all)
    it(`of ${protocol.id} say when to call, when not to, and what a result is; none speaks of escapes or against another`, () => {
      for (const callsPerTurn of ['one', 'many', 'confirm-chain'] as const) {
        const { rules, behaviour } = protocol.rules({ lang: 'en', callsPerTurn });
        expect(behaviour)
          .to.match(/Call a tool only when/)
          .and.to.match(/Results come from the system/)
          .and.to.match(/[Dd]anger/);
        expect(rules + behaviour).not.to.match(/CDATA|ESCAPE|All parameters are strings/);
        expect(/Call one tool at a time/.test(rules)).to.equal(callsPerTurn !== 'many');
        expect(protocol.rules({ lang: 'zh-CN', callsPerTurn }).behaviour).not.to.match(/[A-Za-z]{4,}/);
        const numbers = [...rules.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
        expect(numbers).to.deep.equal(numbers.map((_, at) => at + 1));
      }
    });

  it('of json-tool-calls are the standard object with id, type and function (Y-11)', () => {
    const { format } = protocols['json-tool-calls']!.rules!({ lang: 'en', callsPerTurn: 'one' });
    expect(JSON.parse(format.split('\n').at(-1)!)).to.deep.equal({
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'tool_name', arguments: { parameter_name: 'parameter value' } } }],
    });
  });

  it('of vcp tell tools in prose, and in blocks only where the words of the seed are asked for', () => {
    const vcp = protocols['vcp']!;
    expect(vcp.generateToolDefinitions([createTask], { lang: 'zh-CN' }))
      .to.match(/^### create_task\n/)
      .and.not.to.contain('TOOL_DEFINITION');
    const seed = vcp.generateToolDefinitions([createTask], { lang: 'zh-CN', wording: 'seed' });
    for (const field of ['tool_name:「始」create_task「末」', 'description:「始」创建任务', 'parameters:「始」', 'example:\n'])
      expect(seed).to.contain(field);
  });

  it('speak of lists only where a tool takes one', () => {
    for (const id of ['xml-invoke', 'vcp']) {
      const rules = (hasLists: boolean) => protocols[id]!.rules!({ lang: 'en', callsPerTurn: 'many', hasLists }).rules;
      expect(rules(true)).to.contain('lists and objects');
      expect(rules(false)).not.to.contain('lists');
    }
  });
});

describe('what a prompt says of types', () => {
  const line = (property: JsonSchema, root: JsonSchema = {}) =>
    xmlInvoke
      .generateToolDefinitions([tool('x', 'X', { ...root, properties: { p: property } })], { lang: 'en' })
      .split('\n')
      .find((each) => each.startsWith('- p'))!
      .replace('- p (optional):', '')
      .trim();

  it('is nothing for plain text, else the kind and the format', () => {
    expect(line({ type: 'string', description: 'A title' })).to.equal('A title');
    expect(line({ type: 'string', format: 'date', description: 'The day' })).to.equal('The day (date)');
    expect(line({ type: 'integer' })).to.equal('integer');
    expect(line({ title: 'Count', type: ['null', 'integer'] })).to.equal('Count (integer)');
  });

  it('tells what is enforced: bounds, lengths, patterns, and the default', () => {
    expect(line({ type: 'integer', minimum: 1, maximum: 5, default: 3 })).to.equal('integer, 1 to 5, default 3');
    expect(line({ type: 'number', exclusiveMinimum: 0 })).to.equal('number, above 0');
    expect(line({ type: 'number', maximum: 9 })).to.equal('number, at most 9');
    expect(line({ type: 'string', minLength: 3, description: 'A name' })).to.equal('A name (at least 3 characters)');
    expect(line({ type: 'string', pattern: '^[a-z]+$' })).to.equal('pattern ^[a-z]+$');
    expect(line({ enum: ['low', 'high'], default: 'low' })).to.equal('one of: low, high, default low');
    expect(line({ type: 'array', items: { type: 'string' }, maxItems: 4 })).to.equal('string[], at most 4 items');
    expect(line({ type: 'string', pattern: 'x'.repeat(500) })).to.equal('');
    const chinese = xmlInvoke.generateToolDefinitions(
      [tool('x', 'X', { properties: { p: { type: 'integer', minimum: 1, maximum: 5, default: 2 } } })],
      {
        lang: 'zh-CN',
      },
    );
    expect(chinese).to.contain('- p (可选): integer，1 到 5，默认 2');
  });

  it('shows what lists and objects hold', () => {
    expect(line({ type: 'array', items: { type: 'string' } })).to.equal('string[]');
    expect(line({ type: 'array' })).to.equal('array');
    expect(line({ type: 'array', items: { enum: ['a', 'b'] } })).to.equal('("a" | "b")[]');
    const point = { type: 'object', properties: { x: { type: 'number' }, 'y z': {} }, required: ['x'] };
    expect(line({ ...point, description: 'A place' })).to.equal('A place ({x: number, y z?: any})');
    expect(line({ anyOf: [{ type: 'integer' }, { type: 'array', items: point }, { type: 'integer' }] })).to.equal(
      'integer | {x: number, y z?: any}[]',
    );
  });

  it('follows references, and ends in recursive schemas', () => {
    const root = { $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, description: 'A node' } } };
    expect(line({ $ref: '#/$defs/node' }, root)).to.equal('A node ({next?: {next?: {next?: object}}})');
    expect(line({ $ref: '#/$defs/node', description: 'The first' }, root)).to.match(/^The first \(/);
  });
});

describe('results for the model', () => {
  const results = [
    { requestId: 'call-1', toolName: 'create_task', status: 'success' as const, result: '任务「完成报告」已创建' },
    { requestId: 'r"2<', toolName: 'x\n', status: 'denied' as const, result: 'DENIED: no\n```' },
  ];
  const told = (id: string) => protocols[id]!.formatToolResults(results);

  it('are wrapped as each notation has it (contract §7 E)', () => {
    expect(told('xml-invoke')).to.equal(
      '<tool_result name="create_task" id="call-1" status="success">任务「完成报告」已创建</tool_result>\n' +
        '<tool_result name="x " id="r&quot;2&lt;" status="denied">DENIED: no\n` ``</tool_result>',
    );
    expect(told('json-action')).to.equal(
      '```json\n{"action":"tool_result","name":"create_task","id":"call-1","status":"success","result":"任务「完成报告」已创建"}\n```\n' +
        '```json\n{"action":"tool_result","name":"x\\n","id":"r\\"2<","status":"denied","result":"DENIED: no\\n` ``"}\n```',
    );
    expect(told('vcp')).to.equal(
      '<<<[TOOL_RESULT]>>>\ntool_name:「始」create_task「末」\nrequest_id:「始」call-1「末」\nstatus:「始」success「末」\n' +
        'result:「始」任务「完成报告」已创建「末」\n<<<[END_TOOL_RESULT]>>>\n' +
        '<<<[TOOL_RESULT]>>>\ntool_name:「始」x「末」\nrequest_id:「始」r"2<「末」\nstatus:「始」denied「末」\n' +
        'result:「始」DENIED: no\n` ``「末」\n<<<[END_TOOL_RESULT]>>>',
    );
  });

  it('are seed 003’s envelope in its two notations (S3-19)', () => {
    const lines = told('json-tool-calls').split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).to.deep.equal([
      { tool_call_result: { toolCallId: 'call-1', result: '任务「完成报告」已创建' } },
      { tool_call_result: { toolCallId: 'r"2<', result: 'DENIED: no\n` ``' } },
    ]);
    expect(told('tool-code')).to.equal(told('json-tool-calls'));
  });

  it('hold no marker of any notation', () => {
    expect(neutralise('a < b <b> <toolbox> </p> 「好」 `x` ``y``')).to.equal('a < b <b> <toolbox> </p> 「好」 `x` ``y``');
    expect(neutralise('<tool_use></tool_use><INVOKE name="x"><parameter></parameter>')).to.equal(
      '&lt;tool_use>&lt;/tool_use>&lt;INVOKE name="x">&lt;parameter>&lt;/parameter>',
    );
    expect(neutralise('</tool_result><tool_code></think>')).to.equal('&lt;/tool_result>&lt;tool_code>&lt;/think>');
    expect(neutralise(`<${'antml'}:invoke>`)).to.equal(`&lt;${'antml'}:invoke>`);
    expect(neutralise('<<<[TOOL_REQUEST]>>>key:「始」v「末」「始ESCAPE」<<<[END_TOOL_REQUEST]>>>')).to.equal(
      '&lt;&lt;&lt;[TOOL_REQUEST]>>>key:『始」v『末」『始ESCAPE」&lt;&lt;&lt;[END_TOOL_REQUEST]>>>',
    );
    expect(neutralise('```json\n`````')).to.equal('` ``json\n` ` ` ``');
  });

  it('are the same when they are neutralised twice', () => {
    const part = fc.constantFrom('<', '/', 'tool_use', 'invoke', '`', '「', '始', '末', '<<<[TOOL_', 'a', ' ', '&lt;');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const once = neutralise(parts.join(''));
        expect(neutralise(once)).to.equal(once);
        expect(once).not.to.match(/```|「[始末]|<\/?(tool_use|invoke)\b/);
      }),
    );
  });

  it('escapes attributes', () => {
    expect(escapeAttribute('a"b&<c>\n')).to.equal('a&quot;b&amp;&lt;c&gt; ');
  });
});

describe('the built-in protocols', () => {
  it('are the same by both doors, each under its own id', async () => {
    expect(Object.keys(builtIn)).to.deep.equal(Object.keys(protocols));
    for (const [id, load] of Object.entries(builtIn)) {
      expect((await load()).id).to.equal(id);
      expect(protocols[id]!.id).to.equal(id);
    }
  });

  it('are found by listed ids only', () => {
    expect(protocols['constructor']).to.equal(undefined);
    expect(builtIn['toString']).to.equal(undefined);
  });
});
