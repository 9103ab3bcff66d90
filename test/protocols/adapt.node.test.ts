import { expect } from 'chai';
import { asProtocol } from '../../src/protocols/adapt.js';
import type { ToolContextDef } from '../../src/protocols/adapt/tool-context.js';
import type { ParsedToolRequest, ParserOptions, Segment, ToolDescription, ToolProtocol } from '../../src/protocols/protocol.js';

/** A plugin of seed 002, with its four members and nothing else: `[[name key=value]]`. */
const brackets = {
  id: 'brackets',
  generateToolDefinitions: (tools: ToolDescription[]) => tools.map((tool) => `[[${tool.toolName}]]`).join('\n'),
  parseToolRequests: (text: string): ParsedToolRequest[] =>
    text
      .split('[[')
      .slice(1)
      .flatMap((part, index) => {
        const [inside, ...rest] = part.split(']]');
        if (rest.length === 0) return [];
        const [toolName = '', ...pairs] = inside!.split(' ');
        const args = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
        return [{ requestId: String(index), toolName, rawBlock: `[[${inside!}]]`, args }];
      }),
  formatToolResults: (results: { toolName: string; result: string }[]) =>
    results.map(({ toolName, result }) => `${toolName}: ${result}`).join('\n'),
};

function read(protocol: ToolProtocol, chunks: string[], end: 'stop' | 'length' | 'abort' = 'stop', options?: ParserOptions): Segment[] {
  const segments: Segment[] = [];
  const parser = protocol.createParser!((segment) => segments.push(segment), options);
  for (const chunk of chunks) parser.push(chunk);
  parser.end(end);
  return segments;
}

const told = (segments: Segment[]) =>
  segments.flatMap((segment): unknown[] => {
    if (segment.type === 'call-start') return [];
    if (segment.type === 'call') return [{ [segment.name]: { ...segment.arguments } }];
    return segment.type === 'call-error' ? [segment.code] : 'text' in segment ? [segment.text] : [];
  });

describe('a protocol with the four members of seed 002', () => {
  const protocol = asProtocol(brackets);

  it('runs calls in their place and hides their source, and announces each under an id of ours (S2-30, S1-29)', () => {
    expect(told(read(protocol, ['Before [[a x=1', ']] middle [[b]]', ' after']))).to.deep.equal([
      ...['Before ', { a: { x: '1' } }, ' middle ', { b: {} }, ' after'],
    ]);
    let count = 0;
    const segments = read(protocol, ['[[a]][[a]]'], 'stop', { createId: () => `id-${String((count += 1))}` });
    expect(segments).to.deep.equal(
      ['id-1', 'id-2'].flatMap((id) => [
        { type: 'call-start', id, name: 'a' },
        { type: 'call', id, name: 'a', arguments: {}, raw: '[[a]]' },
      ]),
    );
  });

  it('shows reasoning as it comes, and never looks for calls in it', () => {
    const segments: Segment[] = [];
    const parser = protocol.createParser!((segment) => segments.push(segment));
    parser.push('<think>maybe [[a]]</think>');
    expect(segments).to.deep.equal([{ type: 'reasoning', text: 'maybe [[a]]' }]);
    parser.push('No.');
    parser.end();
    expect(told(segments.slice(1))).to.deep.equal(['No.']);
  });

  it('shows an aborted reply as it is', () => {
    expect(told(read(protocol, ['x [[a]]'], 'abort'))).to.deep.equal(['x [[a]]']);
    expect(told(read(protocol, ['x [[a]]'], 'length'))).to.deep.equal(['x ', { a: {} }]);
  });

  it('holds no more than the limit: beyond it a reply is text', () => {
    const segments: Segment[] = [];
    const parser = protocol.createParser!((segment) => segments.push(segment), { maxAccumulator: 10 });
    parser.push('[[a]] 12345');
    parser.push(' more');
    expect(told(segments)).to.deep.equal(['[[a]] 12345', ' more']);
    parser.end();
    expect(told(segments)).to.have.length(2);
    expect(parser.inspect!()['accumulator']).to.equal('');
  });

  const answering = (requests: unknown, from: object = brackets) => asProtocol({ ...from, parseToolRequests: () => requests });

  it('shows the text and runs nothing when the host throws or talks nonsense', () => {
    const nonsense: unknown[] = [undefined, null, 'call', 7, { length: 2 }, [null, 7, 'x', []]];
    for (const answer of nonsense) expect(told(read(answering(answer), ['Some [[a]]']))).to.deep.equal(['Some [[a]]']);
    const errors: unknown[] = [];
    const broken = new Error('broken');
    const parseToolRequests = () => {
      throw broken;
    };
    const throwing = asProtocol({ ...brackets, parseToolRequests }, (error) => errors.push(error));
    expect(told(read(throwing, ['Some [[a]]']))).to.deep.equal(['Some [[a]]']);
    expect(throwing.parseToolRequests('Some [[a]]')).to.deep.equal([]);
    expect(errors).to.deep.equal([broken, broken]);
  });

  it('refuses what a host says about a call if it is no call', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const cases: [given: object, expected: unknown][] = [
      [{ toolName: '' }, 'missing_name'],
      [{ toolName: 7 }, 'missing_name'],
      [{ toolName: 'a', args: [1] }, 'bad_shape'],
      [{ toolName: 'a', args: 'x' }, 'bad_shape'],
      [{ toolName: 'a', args: circle }, 'bad_shape'],
      [{ toolName: 'a', args: JSON.parse('{"__proto__": {"polluted": 1}}') as object }, 'bad_shape'],
      [{ toolName: 'a', args: { deep: [{ constructor: 1 }] } }, 'bad_shape'],
      [{ toolName: 'a' }, { a: {} }],
      [{ toolName: 'a', args: { x: [1, { y: null }] } }, { a: { x: [1, { y: null }] } }],
    ];
    for (const [given, expected] of cases)
      expect(told(read(answering([{ rawBlock: '[[a]]', ...given }]), ['[[a]]']))).to.deep.equal([expected]);
    const args = { list: [1] };
    const call = read(answering([{ toolName: 'a', rawBlock: '', args }]), ['x']).find((segment) => segment.type === 'call')!;
    expect(Object.getPrototypeOf(call.arguments)).to.equal(null);
    expect([call.arguments['list'], call.arguments['list'] === args.list]).to.deep.equal([[1], false]);
  });

  it('reads at once what it reads in a stream, and hands results to the host without the marks of any notation', () => {
    const requests = [{ requestId: 'call-1', toolName: 'a', rawBlock: '[[a x=1]]', args: { x: '1' } }];
    expect(protocol.parseToolRequests('x [[a x=1]]')).to.deep.equal(requests);
    const result = '<tool_use><invoke name="x">';
    expect(protocol.formatToolResults([{ requestId: '1', toolName: 'a', status: 'success', result }])).to.equal(
      'a: &lt;tool_use>&lt;invoke name="x">',
    );
  });
});

describe('a protocol with a parser of its own', () => {});

/** The strategy of seed 003's project that wraps JSON into a tag, shortened. */
const context: ToolContextDef = {
  id: 'context',
  conceptFragment: '\n### CONCEPT\n',
  exampleFragment: '<call>{"name": "x"}</call>',
  returnExampleFragment: '<returned/>',
  availableToolsFragment: (tools) => tools.map(({ name, desc, argsDesc }) => `${name}: ${desc} ${JSON.stringify(argsDesc)}`).join('\n'),
  formatToolResult: (toolCallId, result) => `<returned id="${toolCallId}">${String(result)}</returned>`,
  handleUserRejection: () => 'User rejected the tool execution request.',
  parseResponse(content) {
    const calls = [...content.matchAll(/<call>([^<]*)<\/call>/g)].map((match, index) => {
      const { name, args } = JSON.parse(match[1]!) as { name: string; args: unknown };
      return { toolName: name, args, callId: `call_${index}` };
    });
    return calls.length > 0 ? { calls, strippedText: content.replace(/<call>[^<]*<\/call>/g, '').trim() } : null;
  },
  parseResult: () => null,
};
const parameters = { type: 'object', properties: { path: { type: 'string', description: 'Where' }, size: { type: 'number' } } };
const tools: ToolDescription[] = [
  { toolId: 'save', toolName: 'save', methods: [{ name: 'save', description: 'Saves a file', parameters }] },
];

describe('a ToolContextDef of seed 003 (S3-02)', () => {
  it('teaches by its fragments, in the order of the seed', () => {
    const prompt = asProtocol(context).generateToolDefinitions(tools);
    expect(prompt).to.equal(
      '### CONCEPT\n\n\nsave: Saves a file {"path":"Where","size":"number"}\n\n<call>{"name": "x"}</call>\n\n<returned/>',
    );
  });

  it('reads calls when the reply is over, and shows the text it leaves', () => {
    const replies = ['Sure. <call>{"name": "save", "args": {"pa', 'th": "/a", "size": 2}}</call><call>{"name": "list"}</call>'];
    expect(told(read(asProtocol(context), replies))).to.deep.equal(['Sure.', { save: { path: '/a', size: 2 } }, { list: {} }]);
    expect(told(read(asProtocol(context), ['Only text.']))).to.deep.equal(['Only text.']);
  });

  it('answers each call in its own words, and a declined one in those for that', () => {
    const text = asProtocol(context).formatToolResults([
      { requestId: '1', toolName: 'save', status: 'success', result: 'saved <tool_use>' },
      { requestId: '2', toolName: 'save', status: 'denied', result: 'DENIED' },
    ]);
    expect(text).to.equal(
      '<returned id="1">saved &lt;tool_use></returned>\n\n<returned id="2">User rejected the tool execution request.</returned>',
    );
  });
});

describe('what is no protocol', () => {
  const without = (name: string, from: object = brackets) => Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));

  it('is refused by naming what is missing', () => {
    for (const given of [undefined, null, 7, 'xml', [], () => undefined]) expect(() => asProtocol(given)).to.throw(TypeError, 'object');
    for (const name of ['generateToolDefinitions', 'parseToolRequests', 'formatToolResults'])
      expect(() => asProtocol(without(name))).to.throw(TypeError, `${name}()`);
    expect(() => asProtocol(without('id'))).to.throw(TypeError, 'id');
    expect(() => asProtocol({ ...brackets, createParser: {} })).to.throw(TypeError, 'createParser');
    expect(() => asProtocol(without('formatToolResult', context))).to.throw(TypeError, 'formatToolResult()');
    expect(() => asProtocol(without('availableToolsFragment', context))).to.throw(TypeError, 'spliceSystemPrompt()');
    expect(asProtocol(without('id', context)).id).to.equal('tool-context');
  });

  it('is refused for an id that cannot be an attribute value of its own', () => {
    for (const id of ['', ' ', 'a b', 'a\n', '\u0000', 'x'.repeat(65), 7, 'auto', 'native'])
      expect(() => asProtocol({ ...brackets, id }), String(id)).to.throw(TypeError, 'id');
    for (const id of ['mine', 'my:own-2.0', '协议', '__proto__']) expect(asProtocol({ ...brackets, id }).id).to.equal(id);
  });
});
