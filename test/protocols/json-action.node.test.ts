import { expect } from 'chai';
import { jsonAction } from '../../src/protocols/json-action.js';
import type { ParserOptions, ProtocolParser, Segment, ToolProtocol } from '../../src/protocols/protocol.js';
import { protocolChecks } from '../../src/testing/protocol-conformance.js';
import { conformsToOwn } from './conformance.js';
import { fragments, markup, samples } from '../fixtures/protocols/json-action.js';
import { cpuTime } from '../helpers/cpu-time.js';

conformsToOwn(jsonAction, samples, { write: jsonAction.writeCall!, markup, fragments });

function start(options?: ParserOptions): { parser: ProtocolParser; segments: Segment[] } {
  const segments: Segment[] = [];
  return { parser: jsonAction.createParser!((segment) => segments.push(segment), options), segments };
}

function read(text: string): Segment[] {
  const { parser, segments } = start();
  parser.push(text);
  parser.end();
  return segments.filter(({ type }) => type === 'call' || type === 'call-error');
}

const visible = (segments: readonly Segment[]) => segments.map((segment) => (segment.type === 'text' ? segment.text : '')).join('');
const fence = (source: string) => `\`\`\`json\n${source}\n\`\`\``;

describe('json-action by the rows of its seed', () => {
  it('runs a call in a json fence and keeps the types of its arguments (S1-04)', () => {
    const [call] = read(fence('{"action":"tool_call","name":"a","arguments":{"n":1,"b":true,"o":{"x":[null]}}}'));
    expect(call).to.deep.include({ type: 'call', name: 'a' });
    expect(JSON.stringify(call)).to.contain('{"n":1,"b":true,"o":{"x":[null]}}');
  });

  it('survives a comment line and a trailing comma (S1-05)', () => {
    const [call] = read(fence('{\n  // create it\n  "action": "tool_call",\n  "name": "a",\n  "arguments": {"x": 1,},\n}'));
    expect(call).to.deep.include({ type: 'call', name: 'a' });
  });

  it('shows any other JSON block as code and runs nothing (S1-06)', () => {
    const text = `Look:\n${fence('{"a":1}')}\n${fence('[{"action":"tool_result"}]')}\nSo.`;
    const { parser, segments } = start();
    parser.push(text);
    parser.end();
    expect(segments.every(({ type }) => type === 'text')).to.equal(true);
    expect(visible(segments)).to.equal(text);
  });

  it('keeps the text around a call (S1-10)', () => {
    const { parser, segments } = start();
    parser.push(`before\n${fence('{"action":"tool_call","name":"a"}')}\nafter`);
    parser.end();
    expect(visible(segments)).to.equal('before\n\nafter');
  });

  it('reads every prefix without a throw, and no call before it is complete (S1-11, S3-25)', () => {
    const text = `Hi\n${fence('{"action":"tool_call","name":"a","arguments":{"x":"1"}}')}\n`;
    const complete = text.indexOf('}}') + 2;
    for (let length = 0; length <= text.length; length += 1)
      expect(
        read(text.slice(0, length)).filter(({ type }) => type === 'call'),
        `${length}`,
      ).to.have.length(length < complete ? 0 : 1);
  });

  it('never flashes raw JSON, one character at a time (S1-14)', () => {
    const { parser, segments } = start();
    for (const char of `Hi\n${fence('{"action":"tool_call","name":"a","arguments":{"x":"1"}}')}`) {
      parser.push(char);
      expect(visible(segments)).to.be.oneOf(['', 'H', 'Hi', 'Hi\n']);
    }
  });

  it('finds the end by the JSON, not by the first fence (S1-15)', () => {
    const content = 'A fence:\n```json\n{"a": "}"}\n```\n';
    expect(read(jsonAction.writeCall!('write_file', { content }))).to.have.nested.property('[0].arguments.content', content);
  });
});

describe('json-action while it streams', () => {
  it('announces a call as soon as action and name are known, in any order, and tells its arguments as they grow', () => {
    const { parser, segments } = start();
    parser.push('```json\n{"name":"a",');
    expect(segments).to.deep.equal([]);
    parser.push('"action":"tool_call"');
    expect(segments).to.deep.equal([{ type: 'call-start', id: 'call-1', name: 'a' }]);
    parser.push(',"arguments":{"x":"one\\n');
    expect(segments.at(-1)).to.deep.equal({ type: 'arguments', id: 'call-1', key: 'x', text: 'one\n' });
    parser.push('t\\u0077o","n":[1,2]');
    expect(segments.slice(-2)).to.deep.equal([
      { type: 'arguments', id: 'call-1', key: 'x', text: 'two' },
      { type: 'arguments', id: 'call-1', key: 'n', text: '[1,2]' },
    ]);
    parser.push('}}\n``');
    expect(segments.at(-1)!.type).to.equal('arguments');
    parser.push('`\n');
    expect(segments.filter(({ type }) => type === 'call')).to.have.length(1);
  });

  it('shows ordinary code at the first key that shows it', () => {
    const { parser, segments } = start();
    parser.push('```json\n{"name": "a", ');
    expect(visible(segments)).to.equal('');
    parser.push('"version"');
    expect(visible(segments)).to.equal('```json\n{"name": "a", "version"');
    parser.push(': 1}\n<tool_code>\n```\n');
    expect(visible(segments)).to.equal('```json\n{"name": "a", "version": 1}\n<tool_code>\n```\n');
  });

  it('shows a broken call no longer than to the end of its fence', () => {
    const { parser, segments } = start();
    parser.push('```json\n{"action":"tool_call","name":"a" oops}\n```\nwords');
    expect(segments.map(({ type }) => type)).to.deep.equal(['call-start', 'call-error', 'text']);
  });

  it('gives arguments that inherit nothing, and ids by the host', () => {
    let count = 0;
    const { parser, segments } = start({ createId: () => `id-${(count += 1)}` });
    parser.push(fence('[{"action":"tool_call","name":"a"},{"action":"tool_call","name":"a"}]\n'));
    parser.end();
    const calls = segments.filter((segment) => segment.type === 'call');
    expect(calls.map(({ id }) => id)).to.deep.equal(['id-1', 'id-2']);
    for (const call of calls) expect(Object.getPrototypeOf(call.arguments)).to.equal(null);
  });

  it('holds a call within the limit in memory and nothing of one over it', () => {
    const { parser, segments } = start({ maxAccumulator: 10_000 });
    parser.push('```json\n{"action":"tool_call","name":"a","arguments":{"x":"');
    for (let chunk = 0; chunk < 1000; chunk += 1) parser.push('x'.repeat(1000));
    expect(String(parser.inspect!()['accumulator'])).to.have.length.below(2000);
    expect(segments.filter(({ type }) => type === 'call-error')).to.have.length(1);
    parser.push('"}}\n```\nok');
    parser.end();
    expect(visible(segments)).to.equal('\nok');
  });

  it('reads a call of one megabyte in at most fifteen times the time of 100 KB, in chunks of four', () => {
    const time = (length: number) => {
      const text = jsonAction.writeCall!('a', { x: 'line "one"\n'.repeat(length / 11) });
      const begin = cpuTime();
      const { parser, segments } = start({ maxAccumulator: 4_000_000 });
      for (let at = 0; at < text.length; at += 4) parser.push(text.slice(at, at + 4));
      parser.end();
      expect(segments.at(-1)!.type).to.equal('call');
      return cpuTime() - begin;
    };
    let [short, long] = [time(100_000), time(1_000_000)];
    // A busy machine decides about what is short; whatever is quadratic takes seconds.
    for (let round = 0; long > 150 && long > 15 * short && round < 5; round += 1) {
      short = Math.min(short, time(100_000));
      long = Math.min(long, time(1_000_000));
    }
    expect(long <= 150 || long <= 15 * short, `${Math.round(long)} ms for 1 MB, ${Math.round(short)} ms for 100 KB`).to.equal(true);
  });
});

/** The suite has to fail for parsers with the faults that real ones had. */
describe('the samples of json-action', () => {
  function failures(createParser: NonNullable<ToolProtocol['createParser']>): string[] {
    return protocolChecks({ ...jsonAction, createParser }, samples, { markup, seed: 7 })
      .filter(({ title }) => title.startsWith('reads'))
      .filter((check) => {
        try {
          check.run();
          return false;
        } catch {
          return true;
        }
      })
      .map(({ title }) => title);
  }

  it('fail a parser that ends a block at the first three backticks', () => {
    const cutting: NonNullable<ToolProtocol['createParser']> = (emit, options) => {
      let text = '';
      return {
        push: (chunk) => void (text += chunk),
        end(reason) {
          const cut = text.replace(/(```json\n[^`]*)```/g, '$1\n```');
          const parser = jsonAction.createParser!(emit, options);
          parser.push(cut.endsWith('```') ? cut.slice(0, -3) : cut);
          parser.end(reason);
        },
      };
    };
    expect(failures(cutting)).to.have.length.above(5);
  });

  it('fail a parser that runs what was cut', () => {
    expect(
      failures((emit, options) =>
        jsonAction.createParser!((segment) => {
          if (segment.type !== 'call-error' || !segment.id) return emit(segment);
          emit({ type: 'call', id: segment.id, name: segment.name!, arguments: {}, raw: segment.raw });
        }, options),
      ),
    ).to.include('reads a string left open: the text behind its fence is shown');
  });
});
