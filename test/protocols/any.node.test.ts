import { expect } from 'chai';
import { anyParser, createAnyReader } from '../../src/protocols/any-protocol.js';
import { protocols } from '../../src/protocols/index.js';
import type { ProtocolReader, ToolProtocol } from '../../src/protocols/protocol.js';
import { readComplete } from '../../src/protocols/read-whole.js';
import { textOfSegments } from '../../src/testing/chunks.js';
import { checkText } from '../../src/testing/protocol-conformance.js';
import { ids } from './reading.js';

const call = (id: string, name = 'save', values: Record<string, unknown> = { path: '/a' }) => protocols[id]!.writeCall!(name, values);
const asWhole = (reader: ProtocolReader): ToolProtocol => ({ ...protocols['vcp']!, ...reader });

function found(reader: ProtocolReader, text: string): string[] {
  return readComplete((emit) => reader.createParser!(emit), text).flatMap((segment) => {
    if (segment.type === 'call') return [`${segment.protocol ?? ''}:${segment.name}${segment.flags?.includes('quoted') ? '?' : ''}`];
    return segment.type === 'call-error' ? [segment.code] : [];
  });
}

describe('accepting any notation', () => {
  it('finds a call of any, whatever is active, and names its notation (X-09)', () => {
    for (const active of ids) {
      expect(createAnyReader(active).id).to.equal(active);
      for (const id of ids) expect(found(createAnyReader(active), `Text\n${call(id)}\nmore`), active).to.deep.equal([`${id}:save`]);
    }
  });

  it('finds calls of all notations in one reply, in their order, and shows none of them', () => {
    const text = ids.map((id) => `Before ${id}:\n${call(id, 'a', {})}\n`).join('');
    const segments = checkText(asWhole(createAnyReader('vcp')), text);
    expect(segments.flatMap((segment) => (segment.type === 'call' ? [segment.protocol] : []))).to.deep.equal(ids);
    expect(textOfSegments(segments).replace(/\n+/g, '\n')).to.equal(ids.map((id) => `Before ${id}:\n`).join(''));
  });

  it('reads the marks of the others inside a call as its content', () => {
    for (const outer of ids)
      for (const inner of ids) {
        const value = `a\n${call(inner, 'evil')}\nb`;
        const parsed = readComplete(createAnyReader('xml-invoke').createParser, call(outer, 'save', { content: value }));
        const calls = parsed.flatMap((segment) => (segment.type === 'call' ? [[segment.name, segment.arguments['content']]] : []));
        expect(calls, `${inner} in ${outer}`).to.deep.equal([['save', value]]);
      }
  });

  it('lets the next notation read a fence that the first gives back', () => {
    const list = '```json\n{"tool_calls": [{"name": "save", "arguments": {"x": 1}}]}\n```';
    const thought = '```json\n{"thought": "hm", "name": "x", "tool_calls": [{"name": "save", "arguments": {}}]}\n```\n';
    for (const active of ids) {
      expect(found(createAnyReader(active), `So:\n${list}\n`), active).to.deep.equal(['json-tool-calls:save']);
      const both = ['json-tool-calls:save', 'json-tool-calls:save'];
      expect(found(createAnyReader(active), `${thought}${list}\n.`), active).to.deep.equal(both);
    }
    checkText(asWhole(createAnyReader('json-action')), `So:\n${list}\n`);
  });
});

describe('accepting any notation beside one of the host', () => {
  const host: ProtocolReader = {
    id: 'at',
    createParser: (emit, options) => {
      let all = '';
      return {
        push: (chunk) => void (all += chunk),
        end: () => {
          all.split('@').forEach((part, index) => {
            if (index % 2 === 0) return emit({ type: 'text', text: part });
            const id = options!.createId!();
            emit({ type: 'call-start', id, name: part });
            emit({ type: 'call', id, name: part, arguments: {}, raw: `@${part}@` });
          });
        },
      };
    },
  };

  it('reads its calls and all others, in their order and with ids of their own', () => {
    const text = `1 @a@ 2 ${call('vcp', 'b')} 3 <@c@ ${call('xml-invoke', 'd')}`;
    const segments = readComplete(anyParser(host), text);
    const calls = segments.filter((segment) => segment.type === 'call');
    expect(calls.map(({ name, protocol }) => [name, protocol])).to.deep.equal([
      ['a', undefined],
      ['b', 'vcp'],
      ['c', undefined],
      ['d', 'xml-invoke'],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).to.equal(4);
    expect(textOfSegments(segments)).to.equal('1  2  3 < ');
    expect(segments.findIndex((segment) => segment.type === 'text' && segment.text.endsWith('<'))).to.be.below(segments.indexOf(calls[2]!));
  });
});
