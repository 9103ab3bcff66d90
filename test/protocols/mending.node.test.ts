/** A last call that lacks one or two closing brackets, in the notations with JSON. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createAnyReader } from '../../src/protocols/any.js';
import { protocols } from '../../src/protocols/index.js';
import { closeBrackets } from '../../src/protocols/json/brackets.js';
import type { ParserOptions, ProtocolReader, Segment } from '../../src/protocols/protocol.js';
import { checkCards, checkText } from '../../src/testing/check-text.js';
import { corpus } from '../../src/testing/corpus/index.js';
import { cutEvery, joinTexts, parseChunks } from '../../src/testing/chunks.js';
import { cpuTime } from '../helpers/cpu-time.js';

const isTool = (name: string) => name === 'save' || name === 'list';
const options: ParserOptions = { mayMend: isTool };
const own = (id: string): ProtocolReader => protocols[id]!;

/** The segments, the same wherever the text is cut. */
function read(reader: ProtocolReader, text: string, end: 'stop' | 'length' | 'abort' = 'stop', given = options): Segment[] {
  const whole = parseChunks(reader, [text], end, given);
  checkCards(whole);
  const expected = JSON.stringify(joinTexts(whole));
  const cuts = Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)]);
  for (const chunks of [cutEvery(text, 1), cutEvery(text, 3), ...cuts]) {
    const segments = parseChunks(reader, chunks, end, given);
    checkCards(segments);
    expect(JSON.stringify(joinTexts(segments)), JSON.stringify(chunks)).to.equal(expected);
  }
  return whole;
}

const calls = (segments: readonly Segment[]) =>
  segments.flatMap((segment) => {
    if (segment.type === 'call') return [`${segment.name} ${JSON.stringify(segment.arguments)} ${(segment.flags ?? []).join('+')}`.trim()];
    return segment.type === 'call-error' ? [segment.code] : [];
  });

const fence = (json: string) => `\`\`\`json\n${json}\n\`\`\``;
const MENDED = 'repaired+suspicious';
const standard = (end: string) =>
  `{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "save", "arguments": {"path": "/a}]", "tags": ["x"], "to": {"b": 1${end}`;

/** Each way to leave out `count` of the characters. */
function without(run: string, count: number): string[] {
  const shorter = new Set(Array.from(run, (_, at) => run.slice(0, at) + run.slice(at + 1)));
  return count === 1 ? [...shorter] : [...new Set([...shorter].flatMap((one) => without(one, count - 1)))];
}

describe('a last call that lacks closing brackets', () => {
  const value = '{"path":"/a}]","tags":["x"],"to":{"b":1}}';

  it('is completed and asks, whichever one or two of them are missing', () => {
    for (const end of [...without('}}}}]}', 1), ...without('}}}}]}', 2)]) {
      expect(calls(read(own('json-tool-calls'), `Sure.\n${standard(end)}`)), end).to.deep.equal([`save ${value} ${MENDED}`]);
      expect(calls(read(own('json-tool-calls'), fence(standard(end)))), `fenced ${end}`).to.deep.equal([`save ${value} ${MENDED}`]);
    }
    for (const end of [...without('}}}', 1), ...without('}}}', 2)]) {
      const action = `{"action": "tool_call", "name": "save", "arguments": {"path": "/a}]", "tags": ["x"], "to": {"b": 1${end}`;
      expect(calls(read(own('json-action'), `Sure.\n${fence(action)}\n`)), end).to.deep.equal([`save ${value} ${MENDED}`]);
    }
    expect(calls(read(own('tool-code'), '<tool_code>\n{"name": "save", "arguments": {"a": 1}\n</tool_code>'))).to.deep.equal([
      `save {"a":1} ${MENDED}`,
    ]);
  });

  it('is completed with blanks between them, behind a call that is whole, and with all the calls of its list', () => {
    expect(calls(read(own('json-tool-calls'), `${standard('\n}\n}}}\n}')}\n\n`))).to.deep.equal([`save ${value} ${MENDED}`]);
    const list = '{"tool_calls": [{"name": "list", "arguments": {}}]}';
    expect(calls(read(own('json-tool-calls'), `${list}\n${list.replace('}}]', '}]')}`))).to.deep.equal(['list {}', `list {} ${MENDED}`]);
    const two = '{"tool_calls": [{"name": "list", "arguments": {}}, {"name": "save", "arguments": {"x": 2}}]';
    expect(calls(read(own('json-tool-calls'), two))).to.deep.equal([`list {} ${MENDED}`, `save {"x":2} ${MENDED}`]);
    expect(calls(read(createAnyReader('xml-invoke'), two))).to.deep.equal([`list {} ${MENDED}`, `save {"x":2} ${MENDED}`]);
  });

  it('stays broken where its end is not known to be one', () => {
    const text = standard('}}}]}');
    expect(calls(read(own('json-tool-calls'), text, 'length'))).to.deep.equal(['bad_json']);
    expect(calls(read(own('json-tool-calls'), text, 'abort'))).to.deep.equal(['bad_json']);
    expect(calls(read(own('json-tool-calls'), text, 'stop', { mayMend: () => false }))).to.deep.equal(['bad_json']);
    expect(calls(read(own('json-tool-calls'), text, 'stop', {}))).to.deep.equal(['bad_json']);
  });

  it('stays broken where something else is wrong with it', () => {
    const cases: string[] = [
      '{"tool_calls": [{"name": "rename", "arguments": {}}', // no tool
      '{"tool_calls": [{"name": "save", "arguments": {"a": "b', // a value is cut
      '{"tool_calls": [{"name": "save", "arguments": {"a": 1', // none of them is there
      '{"tool_calls": [{"name": "save", "arguments": {"a": {"b": {"c": 1}}', // more than two
      '{"tool_calls": [{"name": "save", "arguments": {"a": 1}, {"name": "list", "arguments": {}}]}', // not at the end
      '{"tool_calls": [{"name": "save", "arguments": {"a": 1}]]}', // another one instead
      `${standard('}}}]}')}\n\nDone.`, // not the last thing
      `${standard('}}}]}')} Done.`,
    ];
    for (const text of cases)
      expect(
        calls(read(own('json-tool-calls'), text)).filter((found) => found.includes('repaired')),
        text,
      ).to.deep.equal([]);
    // A list that is no call is code.
    expect(calls(read(own('json-action'), fence('{"a": {"b": 1}')))).to.deep.equal([]);
  });
});

describe('a parser that may complete calls', () => {
  for (const id of ['json-action', 'json-tool-calls', 'tool-code'])
    it(`keeps its promises for all that ${id} may meet`, () => {
      for (const sample of corpus.find(({ protocol }) => protocol === id)!.samples) {
        if (!/[}\]]\s*$/.test(sample.text) || sample.text.length > 300) continue;
        const given = { ...sample, options: { ...sample.options, mayMend: () => true } };
        checkText(own(id), sample.text.trimEnd().slice(0, -1), { sample: given });
      }
    }).timeout(60_000);
});

describe('closing brackets', () => {
  it('gives the JSON that was, for any JSON that lost one or two at its end', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(), (inner, first, second) => {
        const json = `{"a":[{"b":${inner}}]}`;
        const run = /[}\]]+$/.exec(json)![0];
        const cut = (end: string, at: number) => end.slice(0, at % end.length) + end.slice((at % end.length) + 1);
        const one = cut(run, first);
        const head = json.slice(0, -run.length);
        expect(closeBrackets(head + one)).to.equal(json);
        const two = cut(one, second);
        if (two) expect(closeBrackets(head + two)).to.equal(json);
      }),
    );
  });

  it('takes any text, in time that grows with its length', () => {
    fc.assert(fc.property(fc.string(), (text) => void closeBrackets(text)));
    const time = (count: number) => {
      const start = cpuTime();
      for (const piece of ['{"a":[', '}]', '"\\"', '[', '{}']) closeBrackets(`{"a": ${piece.repeat(count)}`);
      return cpuTime() - start;
    };
    time(1000);
    const isLinear = () => Math.min(time(80_000), time(80_000)) < 10 * Math.max(Math.min(time(20_000), time(20_000)), 5);
    expect(isLinear() || isLinear() || isLinear()).to.equal(true);
  });
});
