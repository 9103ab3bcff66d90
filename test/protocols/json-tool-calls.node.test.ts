import { expect } from 'chai';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import type { ProtocolParser, Segment } from '../../src/protocols/protocol.js';
import { protocolChecks } from '../../src/testing/protocol-conformance.js';
import { conformsToOwn } from './conformance.js';
import { fragments, markup, samples } from '../fixtures/protocols/json-tool-calls.js';

conformsToOwn(jsonToolCalls, samples, { write: jsonToolCalls.writeCall!, markup, fragments });

function start(): { parser: ProtocolParser; segments: Segment[] } {
  const segments: Segment[] = [];
  return { parser: jsonToolCalls.createParser!((segment) => segments.push(segment)), segments };
}

function calls(text: string): unknown[] {
  return jsonToolCalls.parseToolRequests(text).map(({ toolName, args }) => [toolName, JSON.parse(JSON.stringify(args))]);
}

const OPENAI = '{"tool_calls":[{"id":"call_123","type":"function","function":{"name":"read_file","arguments":"{\\"path\\":\\"/a\\"}"}}]}';

describe('json-tool-calls by the rows of its seed', () => {
  it('runs the object of seed 003, arguments as an object, and flat entries (S3-06)', () => {
    const expected = [['read_file', { path: '/a' }]];
    expect(calls(OPENAI)).to.deep.equal(expected);
    expect(calls('{"tool_calls":[{"function":{"name":"read_file","arguments":{"path":"/a"}}}]}')).to.deep.equal(expected);
    expect(calls('{"tool_calls":[{"name":"read_file","arguments":{"path":"/a"}}]}')).to.deep.equal(expected);
    expect(calls('{"tool_calls":[{"name":"read_file","parameters":{"path":"/a"}}]}')).to.deep.equal(expected);
  });

  it('finds the same call in prose, in a fence and bare; the word alone triggers nothing (S3-07)', () => {
    const layouts = [`I read it.\n${OPENAI}\nWait.`, `I read it.\n\`\`\`json\n${OPENAI}\n\`\`\`\nWait.`, OPENAI];
    for (const layout of layouts) expect(calls(layout), layout).to.deep.equal([['read_file', { path: '/a' }]]);
    expect(calls('The list "tool_calls" holds tool_calls: {"tool_calls"} or { "tool_calls": … }')).to.deep.equal([]);
  });

  it('gives each entry an id of its own (S3-08)', () => {
    const requests = jsonToolCalls.parseToolRequests('{"tool_calls":[{"id":"x","name":"a"},{"id":"x","name":"a"}]}');
    expect(requests.map(({ requestId }) => requestId)).to.deep.equal(['call-1', 'call-2']);
  });

  it('runs nothing of a list that was cut', () => {
    const text = '{"tool_calls":[{"name":"a"},{"name":"b"}]}';
    for (let length = 0; length < text.length; length += 1) expect(calls(text.slice(0, length)), `${length}`).to.deep.equal([]);
    expect(calls(text)).to.have.length(2);
  });
});

describe('json-tool-calls while it streams', () => {
  it('announces the first entry at its name, shows its arguments as they grow, and runs all when the object is complete', () => {
    const { parser, segments } = start();
    parser.push('{"tool_calls":[{"id":"1","function":{"name":"a"');
    expect(segments).to.deep.equal([{ type: 'call-start', id: 'call-1', name: 'a' }]);
    parser.push(',"arguments":"{\\"x\\":');
    expect(segments.at(-1)).to.deep.equal({ type: 'arguments', id: 'call-1', text: '{"x":' });
    parser.push('1}"}},{"name":"b","arguments":{"y":2}}]');
    expect(segments.at(-1)!.type).to.equal('arguments');
    parser.push('}');
    expect(segments.slice(2).map(({ type }) => type)).to.deep.equal(['arguments', 'call', 'call-start', 'call']);
  });

  it('holds back no more than the beginning of its opener', () => {
    const { parser, segments } = start();
    parser.push('{ "tool_cal');
    expect(segments).to.deep.equal([]);
    parser.push('c');
    expect(segments).to.deep.equal([{ type: 'text', text: '{ "tool_calc' }]);
  });

  it('shows a list in a fence at once, for it holds no object', () => {
    const { parser, segments } = start();
    parser.push('```json\n[');
    expect(segments.map((segment) => 'text' in segment && segment.text).join('')).to.equal('```json\n[');
  });
});

describe('the samples of json-tool-calls', () => {
  it('fail a parser that runs the entries it has of a list that was cut', () => {
    const hasty = {
      ...jsonToolCalls,
      createParser: (emit: (segment: Segment) => void) =>
        jsonToolCalls.createParser!((segment) =>
          segment.type === 'call-error' && segment.id
            ? emit({ type: 'call', id: segment.id, name: segment.name!, arguments: {}, raw: segment.raw })
            : emit(segment),
        ),
    };
    const failed = protocolChecks(hasty, samples, { seed: 1 }).filter((check) => {
      if (!check.title.startsWith('reads')) return false;
      try {
        check.run();
        return false;
      } catch {
        return true;
      }
    });
    expect(failed).to.have.length.above(3);
  });
});
