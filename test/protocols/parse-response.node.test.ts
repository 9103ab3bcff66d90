import { expect } from 'chai';
import { containsToolCall, extractJSONBlock, parseResponse, protocols } from '../../src/protocols/index.js';
import { all } from './reading.js';
import blocks from '../fixtures/protocols/json-blocks.json' with { type: 'json' };

const json =
  '{\n  "action": "tool_call",\n  "name": "write_file",\n  "arguments": {"path": "/a", "content": "```json\\n{\\"a\\": 1}\\n```\\n}"}\n}';
const block = `\`\`\`json\n${json}\n\`\`\``;
const written = { name: 'write_file', arguments: { path: '/a', content: '```json\n{"a": 1}\n```\n}' } };
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('parseResponse', () => {
  it('tells text, a call, and both (S1-09, S1-10)', () => {
    const call = { toolCall: written, toolCalls: [written] };
    expect(plain(parseResponse('Just words.'))).to.deep.equal({ type: 'text', toolCalls: [], text: 'Just words.' });
    expect(plain(parseResponse(block))).to.deep.equal({ type: 'tool_call', ...call, text: '' });
    expect(plain(parseResponse(`Before\n${block}\nafter`))).to.deep.equal({ type: 'mixed', ...call, text: 'Before\n\nafter' });
  });

  it('reads every prefix of a reply, and finds the call when it is complete (S1-11, S1-12, S1-13, S1-14, S1-15, S3-25)', () => {
    const reply = `Before\n${block}\nafter`;
    const complete = reply.indexOf(json) + json.length;
    for (let length = 0; length <= reply.length; length += 1) {
      const prefix = reply.slice(0, length);
      const { type, text, toolCalls } = parseResponse(prefix);
      expect(text).not.to.include('"tool_call"');
      if (length >= complete) expect('Before\n\nafter'.startsWith(text), text).to.equal(true);
      expect([type, toolCalls.length]).to.deep.equal(length < complete ? ['text', 0] : ['mixed', 1]);
      expect(containsToolCall(prefix)).to.equal(length >= complete);
      expect(extractJSONBlock(prefix)).to.equal(length < complete ? null : json);
    }
  });

  it('reads any protocol that is given, and no call that is only an example', () => {
    for (const protocol of all) {
      const parsed = parseResponse(`Two:\n${protocol.writeCall('a', { x: '1' })}\n${protocol.writeCall('b', {})}`, protocol);
      expect(plain(parsed.toolCalls), protocol.id).to.deep.equal([
        { name: 'a', arguments: { x: '1' } },
        { name: 'b', arguments: {} },
      ]);
      expect(parsed.type).to.equal('mixed');
      const fenced = `\`\`\`\`\n${protocol.writeCall('a', {})}\n\`\`\`\``;
      expect(parseResponse(fenced, protocol)).to.deep.equal({ type: 'text', toolCalls: [], text: fenced });
    }
    expect(parseResponse('```json\n{"a": 1}\n```').type).to.equal('text');
    expect(containsToolCall('<tool_use><invoke name="a"></invoke>', protocols['xml-invoke'])).to.equal(true);
    for (const text of ['A "tool_call" is an "action".', '```json\n{"action": "other"}\n```'])
      expect(containsToolCall(text)).to.equal(false);
  });
});

describe('extractJSONBlock', () => {
  for (const [what, text, found] of blocks as [string, string, string | null][])
    it(`${found ? 'finds' : 'passes over'} ${what}`, () => expect(extractJSONBlock(text)).to.equal(found));
});
