/**
 * What reading costs: proportional to the length for whatever is repeated, spread over the pieces that a text comes in, and bounded where
 * something is read again at the end.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createAnyReader, extractJSONBlock, protocols } from '../../src/protocols/index.js';
import { closeBrackets } from '../../src/protocols/json/brackets.js';
import { withDialects } from '../../src/protocols/dialects.js';
import { nativeReader } from '../../src/protocols/native-reader.js';
import { findNearMiss } from '../../src/protocols/near-miss.js';
import { neutralise } from '../../src/protocols/neutralize.js';
import type { ProtocolReader, Segment } from '../../src/protocols/protocol.js';
import { readComplete } from '../../src/protocols/read-whole.js';
import { cutEvery, parseChunks, textOfSegments } from '../../src/testing/chunks.js';
import { written, type WorstInput } from '../fixtures/worst/input.js';
import { costsAtMost, cpuTime, isLinear } from '../helpers/cost.js';
import { isFullEffort } from '../helpers/effort.js';
import { all } from './reading.js';
import dialectValues from '../fixtures/protocols/dialect-values.json' with { type: 'json' };

const known = JSON.parse(readFileSync(new URL('../fixtures/worst/known.json', import.meta.url), 'utf8')) as {
  readers: WorstInput[];
  atOnce: (WorstInput & { protocol: string })[];
};
const readers: Record<string, ProtocolReader> = { ...protocols, any: createAnyReader('xml-invoke') };
/** Of the shorter text; the longer one has four times as much. */
const LENGTH = isFullEffort ? 100_000 : 12_500;
const options = { maxAccumulator: 4_000_000, mayMend: () => true };

const repeated = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length));
const read = (reader: ProtocolReader) => (text: string) => void readComplete((emit) => reader.createParser!(emit), text);
const miss = (text: string) => findNearMiss(text, { active: 'xml-invoke', isTool: (name) => name === 'add' });

/** A value in each of the ways that dialects have to write one. */
const dialectCalls = dialectValues as [before: string, after: string][];
const dialects = withDialects(nativeReader.createParser, { isTool: (name) => name === 'look' || name === 'a_b' });
const readDialects = (text: string) => {
  const parser = dialects(() => undefined, options);
  for (const piece of cutEvery(text, 64)) parser.push(piece);
  parser.end('stop');
};

const repetitions: [what: string, run: (text: string) => unknown, pieces: string[]][] = [
  ...all.map((protocol): [string, (text: string) => unknown, string[]] => {
    const told = protocol.formatToolResults([{ requestId: 'call-1', toolName: 'look', status: 'success', result: 'x' }]);
    return [`results that never end under ${protocol.id}`, read(protocol), [`${told.slice(0, 30)}\n`]];
  }),
  ['blocks given back by everyone', read(readers['any']!), ['```json\n{"a": 1}\n```\n<tool_use>\n{"tool_calls": 1}\n']],
  ['closing brackets', (text) => closeBrackets(`{"a": ${text}`), ['{"a":[', '}]', '"\\"', '[', '{}']],
  ['JSON blocks that break at their very end', (text) => extractJSONBlock(`${text}*/ !`), ['```json\n{"a": /*\n```\n']],
  [
    'looking for a near miss',
    (text) => ['}', ')', '</function>'].map((end) => miss(text + end)),
    [
      ...['<tool_use><function_calls>{"tool_calls" ```json\n{', '{"tool_calls" ', '{"name":"add","arguments":{', '}', '\\', '"', '\\"'],
      ...['add(a=1,', ')', '<function=add>', '<parameter=a>', '[TOOL_CALLS]', '```json\n', "print('"],
    ],
  ],
  [
    'a value of a call in a native dialect',
    (text) => {
      for (const [before, after] of dialectCalls) readDialects(`${before}${text}${after}`);
    },
    ['x', '</b>', '<b>[', '[/', '{(', 'k]', "'", '\\n', ' \n', 'a, ', '</tool', '</parameter'],
  ],
  [
    'ends of a reply that more text follows',
    (text) => readDialects(`Hi. ${text}x`),
    ['</s>', '<eos> ', '<|im_end|>\n', '[e~[', '<|end|><|return|>'],
  ],
  [
    'text that may begin a call',
    readDialects,
    ['<tool_call>', '<a_b>', '<function=look>', '[TOOL_CALLS]', '>>>', 'Action: look\n', '<|start|>x'],
  ],
  [
    'making text neutral',
    neutralise,
    ['<', '{ ', '"action"   ', '`', '~', '「', '<<<[', '{\n\n\n"tool', 'action:', `{${' '.repeat(10_000)}`],
  ],
];

/** CPU time of each piece, and of the end. */
function steps({ createParser }: ProtocolReader, text: string, size: number): number[] {
  const reader = createParser!(() => undefined, options);
  const step = (work: () => void) => {
    const before = cpuTime();
    work();
    return cpuTime() - before;
  };
  return [...cutEvery(text, size).map((piece) => step(() => reader.push(piece))), step(() => reader.end('stop'))];
}

describe('what is read costs no more than its length', function () {
  this.timeout(180_000);
  for (const [what, run, pieces] of repetitions)
    it(`for ${what}`, async () => {
      for (const piece of pieces) {
        const prepare = (size: number) => () => run(repeated(piece, size));
        expect(await isLinear(prepare, LENGTH), JSON.stringify(piece)).to.equal(true);
      }
    });

  for (const [id, reader] of Object.entries(readers))
    it(`for the worst that was found for readers, in pieces of 4 KB: ${id}`, async () => {
      for (const input of known.readers) {
        const prepare = (length: number) => () => steps(reader, written(input, length), 4096);
        expect(await isLinear(prepare, LENGTH), JSON.stringify(input)).to.equal(true);
      }
    });

  it('and of a value with JSON in it little more than of prose', async () => {
    const reading = (piece: string) => () =>
      readDialects(`<tool_call>{"name":"look","arguments":{"a":"${repeated(piece, 700_000)}"}}</tool_call>`);
    const prose = reading('The quick brown fox jumps over the lazy dog, and so on. ');
    // It was more than five times as much, and is little more than twice.
    expect(await costsAtMost(3.8, prose, reading('{\\"a\\": [1, 2], \\"b\\": \\"c\\"}, '))).to.equal(true);
  });

  it('and of text that can contain no call less than the search for calls', async () => {
    const text = repeated('{\\"a\\": [1, 2], \\"b\\": \\"c\\"}, ', 700_000);
    const reading = (reader: ProtocolReader) => () => read(reader)(text);
    expect(await costsAtMost(0.7, reading(readers['xml-invoke']!), reading(nativeReader))).to.equal(true);
  });

  it('and would be told of a reader that reads all again with each piece', async () => {
    let work = 0;
    const again = () => {
      let held = 0;
      const push = (piece: string) => {
        held += piece.length;
        for (let at = 0; at < held; at += 1) work ^= at;
      };
      return { push, end: () => undefined };
    };
    const prepare = (length: number) => () => steps({ id: 'again', createParser: again }, 'a'.repeat(length), 32);
    expect(await isLinear(prepare, LENGTH)).to.equal(false);
  });

  for (const { protocol, ...input } of known.atOnce)
    it(`spreads over the pieces that it comes in, the end included: ${protocol} ${JSON.stringify(input.head + input.parts.join(''))}`, () => {
      const text = written(input, 1_000_000);
      let costs = steps(readers[protocol]!, text, 16_384);
      const isSpread = () => Math.max(...costs) <= 0.4 * costs.reduce((sum, cost) => sum + cost) + 5;
      // What disturbs a run adds to the cost of a piece, to that of another one in the next run.
      for (let run = 0; run < 12 && !isSpread(); run += 1)
        costs = steps(readers[protocol]!, text, 16_384).map((cost, at) => Math.min(cost, costs[at]!));
      expect(isSpread()).to.equal(true);
    });
});

describe('what is read again at the end', () => {
  const given = (id: string, text: string): Segment[] => parseChunks(readers[id]!, cutEvery(text, 5000), 'stop', { mayMend: () => true });
  const kinds = (segments: Segment[]) => [...new Set(segments.map(({ type }) => type))];
  const call = (length: number, end = '"}}') => `<tool_code>{"name":"look","arguments":{"a":"${'x'.repeat(length)}${end}</tool_code>`;
  const fenced = (length: number) => `\`\`\`\n${call(length)}\n\`\`\``;
  const doubtful = (length: number) =>
    `\`\`\`json\n{"arguments":{"a":"${'x'.repeat(length)}"},"name":"look","action":"tool_call"}\n\`\`\`\n`;
  const inside = (length: number) => call(0, `</tool_code>${'x'.repeat(length)}"}}`);

  const bounds: [what: string, id: string, write: (length: number) => string, most: number, more: number, over: 'code' | 'broken'][] = [
    ['a call of up to 64 KB that lacks a bracket', 'tool-code', (length) => call(length, '"}'), 60_000, 70_000, 'broken'],
    ['a call of up to 256 KB that is only shown', 'tool-code', fenced, 200_000, 270_000, 'code'],
    ['an object that says within 64 KB whether it is a call', 'json-action', doubtful, 60_000, 70_000, 'code'],
    ['what stands behind a mark of the end in a string that closes within 256 KB', 'tool-code', inside, 250_000, 270_000, 'broken'],
  ];
  for (const [what, id, write, most, more, over] of bounds)
    it(`is ${what}`, () => {
      expect(kinds(given(id, write(most)))).to.include('call');
      const long = given(id, write(more));
      if (over === 'broken') expect(kinds(long)).to.include('call-error').and.not.to.include('call');
      else expect([kinds(long), textOfSegments(long)]).to.deep.equal([['text'], write(more)]);
    });

  it('is no list of more than 1,000 calls: that is one error, and the rest of the message is read', () => {
    const list = (length: number) =>
      `<tool_code>[${Array.from({ length }, () => '{"name":"look","arguments":{}}').join()}]</tool_code>\nEnd`;
    expect(given('tool-code', list(1000)).filter(({ type }) => type === 'call')).to.have.length(1000);
    const segments = given('tool-code', list(50_000)).filter(({ type }) => type !== 'call-start');
    expect(segments.map((segment) => (segment.type === 'call-error' ? segment.code : segment.type))).to.deep.equal(['too_large', 'text']);
    expect(textOfSegments(segments)).to.equal('\nEnd');
  });
});
