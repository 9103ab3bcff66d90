import { expect } from 'chai';
import fc from 'fast-check';
import { anyParser, anyReader, createAnyReader } from '../../src/protocols/any.js';
import { protocols } from '../../src/protocols/index.js';
import type { ProtocolReader, Segment, ToolProtocol } from '../../src/protocols/protocol.js';
import { readWhole } from '../../src/protocols/text-mode.js';
import { vcpNotation } from '../../src/protocols/vcp/parser.js';
import { xmlInvokeNotation } from '../../src/protocols/xml-invoke/parser.js';
import { checkText } from '../../src/testing/protocol-conformance.js';
import { samples as vcpSamples } from '../fixtures/protocols/vcp.js';
import { samples as xmlSamples } from '../fixtures/protocols/xml-invoke.js';
import { cpuTime } from '../helpers/cpu-time.js';

const ids = Object.keys(protocols);
const call = (id: string, name = 'save', values: Record<string, unknown> = { path: '/a' }) => protocols[id]!.writeCall!(name, values);
const asWhole = (reader: ProtocolReader): ToolProtocol => ({ ...protocols['vcp']!, ...reader });

function found(reader: ProtocolReader, text: string): string[] {
  return readWhole((emit) => reader.createParser!(emit), text).flatMap((segment) => {
    if (segment.type === 'call') return [`${segment.protocol ?? ''}:${segment.name}${segment.flags?.includes('quoted') ? '?' : ''}`];
    return segment.type === 'call-error' ? [segment.code] : [];
  });
}

const shown = (segments: readonly Segment[]) => segments.map((segment) => (segment.type === 'text' ? segment.text : '')).join('');

describe('accepting any notation', () => {
  for (const id of ids) {
    it(`finds a call of ${id} whatever is active, and names it (X-09)`, () => {
      for (const active of ids) {
        expect(found(createAnyReader(active), `Text\n${call(id)}\nmore`), active).to.deep.equal([`${id}:save`]);
        expect(createAnyReader(active).id).to.equal(active);
      }
    });
  }

  it('finds calls of all notations in one reply, in their order, and shows none of them', () => {
    const text = ids.map((id) => `Before ${id}:\n${call(id, 'a', {})}\n`).join('');
    const segments = checkText(asWhole(createAnyReader('vcp')), text);
    expect(segments.flatMap((segment) => (segment.type === 'call' ? [segment.protocol] : []))).to.deep.equal(ids);
    expect(shown(segments).replace(/\n+/g, '\n')).to.equal(ids.map((id) => `Before ${id}:\n`).join(''));
  });

  it('reads the marks of the others inside a call as its content', () => {
    for (const outer of ids) {
      for (const inner of ids) {
        const value = `a\n${call(inner, 'evil')}\nb`;
        const parsed = readWhole(createAnyReader('xml-invoke').createParser, call(outer, 'save', { content: value }));
        const calls = parsed.flatMap((segment) => (segment.type === 'call' ? [[segment.name, segment.arguments['content']]] : []));
        expect(calls, `${inner} in ${outer}`).to.deep.equal([['save', value]]);
      }
    }
  });

  it('lets the next notation read a fence that the first gives back', () => {
    const list = '```json\n{"tool_calls": [{"name": "save", "arguments": {"x": 1}}]}\n```';
    const thought = '```json\n{"thought": "hm", "name": "x", "tool_calls": [{"name": "save", "arguments": {}}]}\n```\n';
    for (const active of ids) {
      expect(found(createAnyReader(active), `So:\n${list}\n`), active).to.deep.equal(['json-tool-calls:save']);
      expect(found(createAnyReader(active), `${thought}${list}\n.`), active).to.deep.equal([
        'json-tool-calls:save',
        'json-tool-calls:save',
      ]);
    }
    checkText(asWhole(createAnyReader('json-action')), `So:\n${list}\n`);
  });

  it('shows ordinary code and prose as any protocol does', () => {
    const text = '```json\n{"a": 1}\n```\n`<tool_use>` and {"tool_calls": 1} <<<[X]>>> ```x``` 1 < 2\n~~~json\n[]\n~~~\n';
    expect(shown(checkText(asWhole(createAnyReader('xml-invoke')), text))).to.equal(text);
  });

  it('neither runs a fenced call nor one in reasoning', () => {
    for (const id of ids) {
      const fenced = `\`\`\`\`text\n${call(id)}\n\`\`\`\``;
      expect(found(createAnyReader('xml-invoke'), `${fenced}\nSo.`), id).to.deep.equal([]);
      expect(found(createAnyReader('xml-invoke'), fenced), id).to.deep.equal([`${id}:save?`]);
      expect(found(createAnyReader('xml-invoke'), `<think>\n${call(id)}\n</think>`), id).to.deep.equal([]);
    }
  });

  it('reads whatever the active protocol alone would read, as long as nothing of another is there', () => {
    const foreign = /tool_code|tool_calls|json|action|TOOL_REQUEST|tool_use/;
    for (const [id, samples, own] of [
      ['xml-invoke', xmlSamples, /tool_use|json/g],
      ['vcp', vcpSamples, /TOOL_REQUEST/g],
    ] as const) {
      const reader = createAnyReader(id);
      for (const { text, options, end } of samples) {
        if (foreign.test(text.replace(own, ''))) continue;
        const read = (createParser: NonNullable<ProtocolReader['createParser']>) => {
          const segments: Segment[] = [];
          const parser = createParser(
            (segment) => segments.push(segment.type === 'call' ? { ...segment, protocol: id } : segment),
            options,
          );
          parser.push(text);
          parser.end(end);
          return segments.filter(({ type }) => type !== 'text');
        };
        expect(read(reader.createParser), text).to.deep.equal(read(protocols[id]!.createParser!));
      }
    }
  });

  it('keeps the promises of a parser in any disorder', () => {
    const piece = fc.oneof(
      fc.constantFrom(...ids.map((id) => call(id, 'a', {}))),
      fc.constantFrom(
        '```json\n',
        '```\n',
        '\n',
        '{',
        '{"tool_calls"',
        '{"tool_calls": [',
        '"action": "tool_call"',
        '<tool_code>',
        '<tool_use>',
        '<invoke name="a">',
      ),
      fc.constantFrom(
        '<<<[TOOL_REQUEST]>>>',
        '<<<[END_TOOL_REQUEST]>>>',
        'x:「始」',
        '「末」',
        '`',
        '<think>',
        '</think>',
        '}',
        ']',
        '"',
        'text ',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom(...ids), (pieces, active) => {
        checkText(asWhole(createAnyReader(active)), pieces.join(''));
      }),
      { numRuns: 20 },
    );
  });

  it('is linear also where every block is given back by everyone', () => {
    const time = (count: number) => {
      const text = '```json\n{"a": 1}\n```\n<tool_use>\n{"tool_calls": 1}\n'.repeat(count);
      const start = cpuTime();
      readWhole(createAnyReader('xml-invoke').createParser, text);
      return cpuTime() - start;
    };
    time(100);
    const isLinear = () => {
      const short = Math.min(time(500), time(500));
      return Math.min(time(2000), time(2000)) < 10 * Math.max(short, 20);
    };
    expect(isLinear() || isLinear() || isLinear()).to.equal(true);
  });

  it('takes any choice of notations, and only those', () => {
    const reader = anyReader([
      { id: 'x', create: xmlInvokeNotation },
      { id: 'v', create: vcpNotation },
    ]);
    expect(reader.id).to.equal('x');
    expect(found(reader, ids.map((id) => call(id)).join('\n'))).to.deep.equal(['x:save', 'v:save']);
  });
});

describe('accepting any notation beside one of the host', () => {
  /** `@name@` is a call. */
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
    const segments = readWhole(anyParser(host), text);
    const calls = segments.filter((segment) => segment.type === 'call');
    expect(calls.map(({ name, protocol }) => [name, protocol])).to.deep.equal([
      ['a', undefined],
      ['b', 'vcp'],
      ['c', undefined],
      ['d', 'xml-invoke'],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).to.equal(4);
    expect(shown(segments)).to.equal('1  2  3 < ');
    expect(segments.findIndex((segment) => segment.type === 'text' && segment.text.endsWith('<'))).to.be.below(segments.indexOf(calls[2]!));
  });

  it('is the reader of all notations for a built-in protocol, or one without a parser', () => {
    expect(found({ id: 'vcp', createParser: anyParser(protocols['vcp']!) }, call('tool-code'))).to.deep.equal(['tool-code:save']);
    expect(found({ id: 'none', createParser: anyParser({ id: 'none' }) }, call('tool-code'))).to.deep.equal(['tool-code:save']);
  });
});
