import { expect } from 'chai';
import fc from 'fast-check';
import type { ParserOptions, ProtocolParser, Segment, ToolProtocol } from '../../src/protocols/protocol.js';
import { writeCall, xmlInvoke } from '../../src/protocols/xml-invoke.js';
import { checkText, protocolChecks } from '../../src/testing/protocol-conformance.js';
import { conformsToOwn } from './conformance.js';
import { fragments, markup, samples } from '../fixtures/protocols/xml-invoke.js';
import { rounds } from '../helpers/effort.js';

conformsToOwn(xmlInvoke, samples, { write: writeCall, markup, fragments });

function start(options?: ParserOptions): { parser: ProtocolParser; segments: Segment[] } {
  const segments: Segment[] = [];
  return { parser: xmlInvoke.createParser!((segment) => segments.push(segment), options), segments };
}

describe('xml-invoke while it streams', () => {
  const pieces = ['<tool_use>', '\n<invoke name="create_task">'];
  for (const name of ['title', 'date', 'area']) pieces.push(`\n<parameter name="${name}">`, 'some value', '</parameter>');
  pieces.push('\n</invoke>', '\n</tool_use>');

  it('runs through the states of the seed (S0-23)', () => {
    const { parser } = start();
    const states = [parser.inspect!().state];
    for (const piece of pieces) {
      parser.push(piece);
      states.push(parser.inspect!().state);
    }
    expect(states.join()).to.equal('0,1,2,3,4,5,3,4,5,3,4,5,6,0');
  });

  it('runs through the same states character by character', () => {
    const { parser } = start();
    const states: (number | string)[] = [0];
    for (const char of pieces.join('')) {
      parser.push(char);
      const { state } = parser.inspect!();
      if (state !== states.at(-1)) states.push(state);
    }
    expect(states.join()).to.equal('0,1,2,3,4,5,3,4,5,3,4,5,6,0');
  });

  it('shows its fields in the middle of a parameter (S0-25, S0-27)', () => {
    const { parser } = start();
    parser.push('Hi <tool_use><invoke name="a"><parameter name="x">1</parameter><parameter name="y">2');
    expect(parser.inspect!()).to.deep.equal({
      state: 4,
      accumulator: '<invoke name="a"><parameter name="x">1</parameter><parameter name="y">2',
      currentToolUse: { type: 'tool_use', name: 'a', params: { x: '1', y: '2' }, partial: true },
      currentParamName: 'y',
      currentParamValueStartIndex: 70,
    });
  });

  it('reads the chunks of the seed (S0-28)', () => {
    const { parser, segments } = start();
    for (const chunk of [
      '好的，我来创建任务<tool_',
      'use><invoke name="cre',
      'ate_task"><parameter name="title">报告</parameter></invoke></tool_use>',
    ])
      parser.push(chunk);
    expect(segments.map((segment) => segment.type)).to.deep.equal(['text', 'call-start', 'arguments', 'call']);
    expect(segments.at(-1)).to.include({ type: 'call', name: 'create_task' });
  });

  it('announces a call as soon as its name is complete and emits it at </invoke> (S0-33)', () => {
    const { parser, segments } = start();
    parser.push('<tool_use><invoke name="a"');
    expect(segments).to.deep.equal([]);
    parser.push('>');
    expect(segments).to.deep.equal([{ type: 'call-start', id: 'call-1', name: 'a' }]);
    parser.push('<parameter name="x">hello');
    expect(segments.at(-1)).to.deep.equal({ type: 'arguments', id: 'call-1', key: 'x', text: 'hello' });
    parser.push(' you\n  </parameter></invoke');
    expect(segments.at(-1)).to.deep.equal({ type: 'arguments', id: 'call-1', key: 'x', text: ' you' });
    parser.push('>');
    expect(segments.at(-1)).to.deep.include({ type: 'call', id: 'call-1', arguments: { x: 'hello you' } });
  });

  it('never shows a beginning of its markup (S0-42)', () => {
    const { parser, segments } = start();
    for (const char of `Hello\n${pieces.join('')}`) {
      parser.push(char);
      const shown = segments.map((segment) => (segment.type === 'text' ? segment.text : '')).join('');
      expect(shown).not.to.match(/</);
    }
  });

  it('shows prose at once, up to what is undecided', () => {
    const { parser, segments } = start();
    parser.push('1 < 2 and <to');
    expect(segments).to.deep.equal([{ type: 'text', text: '1 < 2 and ' }]);
    parser.push('p>');
    expect(segments.at(-1)).to.deep.equal({ type: 'text', text: '<top>' });
  });

  it('keeps surrogate pairs together', () => {
    const { parser, segments } = start();
    for (const unit of '😀a😀'.split('')) parser.push(unit);
    expect(segments.map((segment) => 'text' in segment && segment.text)).to.deep.equal(['😀', 'a', '😀']);
    const reasoning = start();
    for (const unit of '<think>😀</think>'.split('')) reasoning.parser.push(unit);
    expect(reasoning.segments).to.deep.equal([{ type: 'reasoning', text: '😀' }]);
  });

  it('mints ids by the host and gives each call its own', () => {
    let count = 0;
    const { parser, segments } = start({ createId: () => `id-${(count += 1)}` });
    parser.push('<tool_use><invoke name="a"></invoke><invoke name="a"></invoke></tool_use>');
    expect(segments.flatMap((segment) => (segment.type === 'call' ? [segment.id] : []))).to.deep.equal(['id-1', 'id-2']);
  });

  it('gives arguments that inherit nothing', () => {
    const { parser, segments } = start();
    parser.push('<tool_use><invoke name="a"></invoke>');
    const call = segments.at(-1)!;
    expect(call.type === 'call' && Object.getPrototypeOf(call.arguments)).to.equal(null);
  });

  it('ignores what comes after the end', () => {
    const { parser, segments } = start();
    parser.end();
    parser.push('more');
    parser.end();
    expect(segments).to.deep.equal([]);
  });

  it('holds a call within the limit in memory and nothing of one over it', () => {
    const { parser } = start({ maxAccumulator: 10_000 });
    parser.push('<tool_use><invoke name="a"><parameter name="x">');
    for (let chunk = 0; chunk < 1000; chunk += 1) parser.push('x'.repeat(1000));
    expect(String(parser.inspect!()['accumulator'])).to.have.length.below(2000);
  });

  it('returns finished calls for plugins that read at once, but no quoted ones', () => {
    const fenced = '```\n<tool_use><invoke name="b"></invoke></tool_use>\n```';
    expect(xmlInvoke.parseToolRequests(fenced)).to.deep.equal([]);
    expect(xmlInvoke.parseToolRequests(`x ${writeCall('a', { x: '1' })}`)).to.deep.equal([
      { requestId: 'call-1', toolName: 'a', rawBlock: '<invoke name="a">\n<parameter name="x">1</parameter>\n</invoke>', args: { x: '1' } },
    ]);
  });
});

describe('xml-invoke for any input', () => {
  const pieces = fc.oneof(
    fc.constantFrom(...fragments.filter((fragment) => fragment.length < 60)),
    fc.string({ maxLength: 4, unit: 'binary' }),
    fc.constantFrom('`', '```', '\n', '<', '> '),
  );

  it('keeps the promises of a parser', () => {
    const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => void checkText(xmlInvoke, text, { markup })),
      { numRuns: rounds(300) },
    );
  });

  it('reads back any call it writes', () => {
    const value = fc.oneof(
      fc.string({ maxLength: 20, unit: 'binary' }),
      fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join('')),
    );
    const key = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/).filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name));
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (values) => {
        const calls = xmlInvoke.parseToolRequests(`Text ${writeCall('save', values)} more`);
        expect(calls.map((call) => ({ ...call.args }))).to.deep.equal([{ ...values }]);
      }),
      { numRuns: rounds(500) },
    );
  });
});

/** The suite has to fail for parsers with the faults that real ones had. */
describe('the conformance suite', () => {
  function variant(change: (emit: (segment: Segment) => void, options?: ParserOptions) => ProtocolParser): ToolProtocol {
    return { ...xmlInvoke, createParser: change };
  }
  const TIME = 'takes at most 2.6 times the time for twice as many "a < b "';
  const DISORDER = 'keeps its promises for markup in any disorder';
  function failures(protocol: ToolProtocol, checkTime = false): string[] {
    const short = samples.filter((sample) => sample.text.length < 90);
    return protocolChecks(protocol, short, { write: writeCall, markup, seed: 7 }).flatMap((check) => {
      // The samples are enough to notice: disorder costs more than all of them.
      if (checkTime ? check.title !== TIME : check.title.startsWith('takes') || check.title.startsWith(DISORDER)) return [];
      try {
        check.run();
        return [];
      } catch {
        return [check.title];
      }
    });
  }

  it('passes the real parser', () => {
    expect(failures(xmlInvoke)).to.deep.equal([]);
  });

  it('fails a parser that forgets what it held at the seam of two chunks', () => {
    const forgetful = variant((emit, options) => {
      let parser = xmlInvoke.createParser!(emit, options);
      return {
        push(chunk) {
          parser.push(chunk);
          if (parser.inspect!()['accumulator'] === '<') parser = xmlInvoke.createParser!(emit, options);
        },
        end: (reason) => parser.end(reason),
      };
    });
    expect(failures(forgetful)).to.have.length.above(20);
  });

  it('fails a parser that shows markup and takes it back', () => {
    const flashing = variant((emit, options) => {
      const parser = xmlInvoke.createParser!(emit, options);
      return {
        push(chunk) {
          parser.push(chunk);
          if (chunk.endsWith('<')) emit({ type: 'text', text: '<' });
        },
        end: (reason) => parser.end(reason),
      };
    });
    expect(failures(flashing)).to.have.length.above(20);
  });

  it('fails a parser that runs a call that was cut', () => {
    const guessing = variant((emit, options) =>
      xmlInvoke.createParser!((segment) => {
        if (segment.type !== 'call-error' || segment.code !== 'unclosed') return emit(segment);
        emit({ type: 'call', id: segment.id ?? '', name: segment.name ?? '', arguments: {}, raw: segment.raw });
      }, options),
    );
    expect(failures(guessing)).to.include('reads an end behind a parameter');
  });

  it('fails a parser that loses text', () => {
    const losing = variant((emit, options) =>
      xmlInvoke.createParser!((segment) => segment.type !== 'call-error' && emit(segment), options),
    );
    expect(failures(losing)).to.include('reads words in a call');
  });

  it('fails a parser that searches all it holds for every chunk', () => {
    const quadratic = variant((emit, options) => {
      const parser = xmlInvoke.createParser!(emit, options);
      let all = '';
      let chunks = 0;
      return {
        push(chunk) {
          all += chunk;
          chunks += 1;
          // By hand: a search of the engine's own may be too clever, or too fast, to be told from a linear one.
          if (chunks % 16 === 0) for (let at = 0; at < all.length; at += 1) if (all.charCodeAt(at) === 0) all = '';
          parser.push(chunk);
        },
        end: (reason) => parser.end(reason),
      };
    });
    // A busy machine can hide a square, for it makes the short run long; it cannot invent one three times.
    const found = () => failures(quadratic, true);
    const tries = [found()];
    while (tries.at(-1)?.length === 0 && tries.length < 3) tries.push(found());
    expect(tries.at(-1)).to.deep.equal([TIME]);
  });

  it('fails a parser that writes into prototypes or keeps what is too large', () => {
    const careless = variant((emit, options) => {
      const parser = xmlInvoke.createParser!(
        (segment) => {
          if (segment.type === 'call-error' && segment.code === 'bad_shape')
            emit({ type: 'call', id: segment.id!, name: 'x', arguments: {}, raw: segment.raw });
          else emit(segment);
        },
        { ...options, maxAccumulator: 2_000_000 },
      );
      return parser;
    });
    expect(failures(careless)).to.include.members([
      'refuses arguments that reach for a prototype',
      'refuses a call of 1.2 MB as too large and reads the next one',
    ]);
  });
});
