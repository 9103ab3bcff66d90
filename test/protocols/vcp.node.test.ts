import { expect } from 'chai';
import fc from 'fast-check';
import type { ParserOptions, ProtocolParser, Segment, ToolProtocol } from '../../src/protocols/protocol.js';
import { vcp } from '../../src/protocols/vcp.js';
import { checkText, protocolChecks } from '../../src/testing/protocol-conformance.js';
import { conformsToOwn } from './conformance.js';
import { END, fragments, markup, samples, START } from '../fixtures/protocols/vcp.js';
import { rounds } from '../helpers/effort.js';

const writeCall = vcp.writeCall!;

conformsToOwn(vcp, samples, { write: writeCall, markup, fragments });

function start(options?: ParserOptions): { parser: ProtocolParser; segments: Segment[] } {
  const segments: Segment[] = [];
  return { parser: vcp.createParser!((segment) => segments.push(segment), options), segments };
}

describe('vcp while it streams', () => {
  it('announces a call as soon as its name is complete and emits it at the end mark', () => {
    const { parser, segments } = start();
    parser.push(`${START}\ntool_name:「始」 a `);
    expect(segments).to.deep.equal([]);
    parser.push('「末」');
    expect(segments).to.deep.equal([{ type: 'call-start', id: 'call-1', name: 'a' }]);
    parser.push('\nx: 「始」\n  hello');
    expect(segments.at(-1)).to.deep.equal({ type: 'arguments', id: 'call-1', key: 'x', text: 'hello' });
    parser.push('「末」\n<<<[END_TOOL_REQUEST]>>');
    expect(segments).to.have.length(2);
    parser.push('>');
    expect(segments.at(-1)).to.deep.include({ type: 'call', id: 'call-1', name: 'a', arguments: { x: 'hello' } });
  });

  it('never tells blanks that the end of the value may still remove', () => {
    const { parser, segments } = start();
    parser.push(`${START}tool_name:「始」a「末」x:「始」`);
    const told = () => segments.flatMap((segment) => (segment.type === 'arguments' ? [segment.text] : []));
    for (let count = 0; count < 2000; count += 1) parser.push(' ');
    parser.push('a');
    for (let count = 0; count < 2000; count += 1) parser.push('\n');
    expect(told()).to.deep.equal(['a']);
    parser.push('b  ');
    expect(told()).to.deep.equal(['a', `${'\n'.repeat(2000)}b`]);
    parser.push(`「末」${END}`);
    expect(segments.at(-1)).to.deep.include({ type: 'call', arguments: { x: `a${'\n'.repeat(2000)}b` } });
  });

  it('tells escaped marks as what they stand for', () => {
    const { parser, segments } = start();
    parser.push(`${START}tool_name:「始」a「末」x:「始ESCAPE」1 <<<[TOOL_REQUEST_ESC`);
    expect(segments.at(-1)).to.include({ text: '1' });
    parser.push('APE]>>>');
    expect(segments.at(-1)).to.include({ text: ` ${START}` });
  });

  it('never shows a beginning of its markup', () => {
    const { parser, segments } = start();
    for (const char of `Hello\n${writeCall('a', { x: 'some value', y: '「末」' })}`) {
      parser.push(char);
      const shown = segments.map((segment) => (segment.type === 'text' ? segment.text : '')).join('');
      expect(shown).not.to.match(/</);
    }
  });

  it('shows its fields in the middle of a value', () => {
    const { parser } = start();
    parser.push(`${START}tool_name:「始」a「末」x:「始」1「末」y:「始」2`);
    expect(parser.inspect!()).to.deep.equal({
      state: 'value',
      accumulator: `${START}tool_name:「始」a「末」x:「始」1「末」y:「始」2`,
      currentParamName: 'y',
    });
  });

  it('gives arguments that inherit nothing', () => {
    const { parser, segments } = start();
    parser.push(writeCall('a', {}));
    const call = segments.at(-1)!;
    expect(call.type === 'call' && Object.getPrototypeOf(call.arguments)).to.equal(null);
  });

  it('keeps nothing of a block over the limit', () => {
    const { parser } = start({ maxAccumulator: 10_000 });
    parser.push(`${START}tool_name:「始」a「末」`);
    for (let round = 0; round < 500; round += 1) parser.push(`x${String(round)}:「始」${' '.repeat(500)}「末」${'k'.repeat(500)}`);
    expect(String(parser.inspect!()['accumulator'])).to.have.length.below(2000);
  });

  it('returns finished calls for those who read at once (S2-26, S2-41)', () => {
    const block = writeCall('a', { x: '1' });
    expect(vcp.parseToolRequests(`x ${block} y`)).to.deep.equal([
      { requestId: 'call-1', toolName: 'a', rawBlock: block, args: { x: '1' } },
    ]);
  });

  it('finds nothing in a thousand random texts, and never throws (S2-39)', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80, unit: 'binary' }), (text) => {
        expect(vcp.parseToolRequests(text)).to.deep.equal([]);
      }),
      { numRuns: rounds(1000) },
    );
  });
});

describe('vcp for any input', () => {
  const pieces = fc.oneof(
    fc.constantFrom(...fragments.filter((fragment) => fragment.length < 60)),
    fc.string({ maxLength: 4, unit: 'binary' }),
    fc.constantFrom('`', '```', '\n', '<', '> '),
  );

  it('keeps the promises of a parser', () => {
    const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => void checkText(vcp, text, { markup })),
      { numRuns: rounds(300) },
    );
  });

  it('keeps them inside a block', () => {
    const inner = fc.array(fc.constantFrom(...fragments.filter((fragment) => fragment.length < 40)), { maxLength: 7 });
    const texts = inner.map((parts) => `${START}tool_name:「始」a「末」${parts.join('')}`);
    fc.assert(
      fc.property(texts, (text) => void checkText(vcp, text, { markup })),
      { numRuns: rounds(100) },
    );
  });

  it('reads back any call it writes, trimmed', () => {
    const value = fc
      .oneof(
        fc.string({ maxLength: 20, unit: 'binary' }),
        fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join('')),
      )
      .filter((text) => !/「末ESCAPE」|_ESCAPE\]>>>/.test(text));
    const key = fc
      .stringMatching(/^[a-z_][a-z0-9_-]{0,8}$/)
      .filter((name) => !['__proto__', 'constructor', 'prototype', 'tool_name'].includes(name));
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (values) => {
        const calls = vcp.parseToolRequests(`Text ${writeCall('save', values)} more`);
        const trimmed = Object.entries(values).map(([name, text]) => [name, text.trim()]);
        expect(calls.map((call) => ({ ...call.args }))).to.deep.equal([Object.fromEntries(trimmed)]);
      }),
      { numRuns: rounds(500) },
    );
  });
});

/** What the peers do wrong in this notation must not pass. */
describe('the samples of vcp', () => {
  function failures(createParser: NonNullable<ToolProtocol['createParser']>): string[] {
    return protocolChecks({ ...vcp, createParser }, samples, { markup, seed: 7 }).flatMap((check) => {
      if (!check.title.startsWith('reads')) return [];
      try {
        check.run();
        return [];
      } catch {
        return [check.title];
      }
    });
  }

  it('pass the real parser', () => {
    expect(failures(vcp.createParser!)).to.deep.equal([]);
  });

  it('fail one that ends a block at the first end mark, escaped or not', () => {
    const naive = failures((emit, options) => {
      const parser = vcp.createParser!(emit, options);
      let all = '';
      return {
        push: (chunk) => void (all += chunk),
        end: (reason) => {
          parser.push(all.replaceAll('ESCAPE」', '」'));
          parser.end(reason);
        },
      };
    });
    expect(naive).to.include('reads an escaped value with all marks in it');
  });

  it('fail one that runs a block whose value was never closed', () => {
    const rescuing = failures((emit, options) =>
      vcp.createParser!((segment) => {
        if (segment.type !== 'call-error' || !segment.id || segment.code !== 'malformed') return emit(segment);
        emit({ type: 'call', id: segment.id, name: segment.name ?? '', arguments: {}, raw: segment.raw });
      }, options),
    );
    expect(rescuing).to.include('reads a missing 「末」 before the end of the block');
  });
});
