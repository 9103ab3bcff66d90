import { expect } from 'chai';
import fc from 'fast-check';
import { containsToolCall, extractJSONBlock, parseResponse, protocols } from '../../src/protocols/index.js';
import type { ToolProtocol } from '../../src/protocols/protocol.js';
import { cpuTime } from '../helpers/cpu-time.js';

const json =
  '{\n  "action": "tool_call",\n  "name": "write_file",\n  "arguments": {"path": "/a", "content": "```json\\n{\\"a\\": 1}\\n```\\n}"}\n}';
const block = `\`\`\`json\n${json}\n\`\`\``;
const written = { name: 'write_file', arguments: { path: '/a', content: '```json\n{"a": 1}\n```\n}' } };
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('parseResponse', () => {
  it('tells text, a call, and both (S1-09, S1-10)', () => {
    expect(plain(parseResponse('Just words.'))).to.deep.equal({ type: 'text', toolCalls: [], text: 'Just words.' });
    expect(plain(parseResponse(block))).to.deep.equal({ type: 'tool_call', toolCall: written, toolCalls: [written], text: '' });
    expect(plain(parseResponse(`Before\n${block}\nafter`))).to.deep.equal({
      type: 'mixed',
      toolCall: written,
      toolCalls: [written],
      text: 'Before\n\nafter',
    });
  });

  it('reads every prefix of a reply, and finds the call when it is complete (S1-11, S1-14, S3-25)', () => {
    const reply = `Before\n${block}\nafter`;
    const complete = reply.indexOf(json) + json.length;
    for (let length = 0; length <= reply.length; length += 1) {
      const { type, text, toolCalls } = parseResponse(reply.slice(0, length));
      expect(text).not.to.include('"tool_call"');
      if (length >= complete) expect('Before\n\nafter'.startsWith(text), text).to.equal(true);
      expect(toolCalls.length).to.equal(length < complete ? 0 : 1);
      expect(type).to.equal(length < complete ? 'text' : 'mixed');
    }
  });

  it('never throws, whatever the text and the protocol', () => {
    const piece = fc.oneof(
      fc.constantFrom(block, '```json\n', '{', '}', '"', '\\', '"action": "tool_call"', '<tool_use>', '「始」', '\n'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        for (const protocol of [undefined, ...Object.values(protocols)]) {
          const { type, toolCall, toolCalls } = parseResponse(pieces.join(''), protocol);
          expect(toolCall).to.equal(toolCalls[0]);
          expect(type === 'text').to.equal(toolCalls.length === 0);
        }
      }),
    );
  });

  it('reads any protocol that is given', () => {
    for (const protocol of Object.values(protocols)) {
      const text = `Two:\n${protocol.writeCall!('a', { x: '1' })}\n${protocol.writeCall!('b', {})}`;
      const parsed = parseResponse(text, protocol);
      expect(plain(parsed.toolCalls), protocol.id).to.deep.equal([
        { name: 'a', arguments: { x: '1' } },
        { name: 'b', arguments: {} },
      ]);
      expect(parsed.type).to.equal('mixed');
    }
  });

  it('reads one of a host with no more than four members, or with a parser that needs its object', () => {
    const four: ToolProtocol = {
      id: 'four',
      generateToolDefinitions: () => '',
      parseToolRequests: (text) => (text.includes('!go') ? [{ requestId: '1', toolName: 'go', rawBlock: '!go', args: {} }] : []),
      formatToolResults: () => '',
    };
    expect(plain(parseResponse('Well, !go', four))).to.include({ type: 'mixed', text: 'Well, ' });
    class Own {
      id = 'own';
      #shown = 'x';
      createParser: NonNullable<ToolProtocol['createParser']> = function (this: Own, emit) {
        return { push: () => emit({ type: 'text', text: this.#shown }), end: () => undefined };
      };
    }
    expect(parseResponse('a', new Own()).text).to.equal('x');
  });

  it('does not count a call that is only an example', () => {
    const fenced = `\`\`\`\`\n${protocols['vcp']!.writeCall!('a', {})}\n\`\`\`\``;
    expect(parseResponse(fenced, protocols['vcp'])).to.deep.equal({ type: 'text', toolCalls: [], text: fenced });
    expect(parseResponse('```json\n{"a": 1}\n```').type).to.equal('text');
  });
});

describe('containsToolCall', () => {
  it('is true once a call is complete, and not before (S1-12)', () => {
    expect(containsToolCall(block)).to.equal(true);
    expect(containsToolCall(block.slice(0, -6))).to.equal(false);
    expect(containsToolCall('A "tool_call" is an "action".')).to.equal(false);
    expect(containsToolCall('```json\n{"action": "other"}\n```')).to.equal(false);
    expect(containsToolCall('<tool_use><invoke name="a"></invoke>', protocols['xml-invoke'])).to.equal(true);
  });
});

describe('extractJSONBlock', () => {
  it('is null until the JSON is complete, and from then on its exact text (S1-13, S1-15)', () => {
    const reply = `Before \`\`\` and\n${block}\nafter`;
    const complete = reply.indexOf(json) + json.length;
    for (let length = 0; length <= reply.length; length += 1) {
      expect(extractJSONBlock(reply.slice(0, length))).to.equal(length < complete ? null : json);
    }
  });

  it('finds the block of any spelling, and the JSON behind comments', () => {
    expect(extractJSONBlock('~~~JSON5\n // why\n  [1, {a: 2}] \n~~~')).to.equal('[1, {a: 2}]');
    expect(extractJSONBlock('```jsonc title\r\n{"a": 1 /* } */}\r\n```')).to.equal('{"a": 1 /* } */}');
  });

  it('takes a message that is nothing but JSON', () => {
    expect(extractJSONBlock(`\n${json}\n`)).to.equal(json);
    expect(extractJSONBlock(json.slice(0, -1))).to.equal(null);
  });

  it('passes over what is no JSON block', () => {
    for (const text of [
      '',
      'words',
      '```js\n{"a": 1}\n```',
      '`{"a": 1}`',
      'see ```json {"a": 1}```',
      '[link](x) {"a": 1}',
      '```json\nnot this\n```',
    ])
      expect(extractJSONBlock(text), text).to.equal(null);
    expect(extractJSONBlock('```json\nnot this\n```\nbut\n```json\n{"a": 1}\n```')).to.equal('{"a": 1}');
    expect(extractJSONBlock('````md\n```json\n{"a": 1}\n```\n````\n```json\n{"b": 2}\n```')).to.equal('{"b": 2}');
  });

  it('takes linear time for blocks that break at their very end', () => {
    const text = `${'```json\n{"a": /*\n```\n'.repeat(20_000)}*/ !`;
    const start = cpuTime();
    expect(extractJSONBlock(text)).to.equal(null);
    expect(cpuTime() - start).to.be.below(1000);
  });
});
