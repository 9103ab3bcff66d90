/** A last call that lacks one or two closing brackets, in the protocols with JSON. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createAnyReader } from '../../src/protocols/any-protocol.js';
import { protocols } from '../../src/protocols/index.js';
import { closeBrackets } from '../../src/protocols/json/brackets.js';
import type { EndReason, ParserOptions, ProtocolReader, Segment } from '../../src/protocols/protocol.js';
import { checkCards } from '../../src/testing/check-text.js';
import { createRandom, cutAtRandom, cutEvery, joinTexts, parseChunks } from '../../src/testing/chunks.js';
import { outcomes } from './reading.js';

const options: ParserOptions = { mayMend: (name: string) => name === 'save' || name === 'list' };
const random = createRandom(Date.now());

function read(reader: ProtocolReader | string, text: string, end: EndReason = 'stop', given = options): string[] {
  const parser = typeof reader === 'string' ? protocols[reader]! : reader;
  const parse = (chunks: string[]): Segment[] => {
    const segments = parseChunks(parser, chunks, end, given);
    checkCards(segments);
    return joinTexts(segments);
  };
  const whole = parse([text]);
  for (const chunks of [cutEvery(text, 1), cutEvery(text, 3), ...[1, 2, 3].map(() => cutAtRandom(text, random))])
    expect(JSON.stringify(parse(chunks)), JSON.stringify(chunks)).to.equal(JSON.stringify(whole));
  return outcomes(whole);
}

const fence = (json: string) => `\`\`\`json\n${json}\n\`\`\``;
const MENDED = 'repaired suspicious';
const ARGS = '"arguments": {"path": "/a}]", "tags": ["x"], "to": {"b": 1';
const standard = (end: string) => `{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "save", ${ARGS}${end}`;
const save = (args: string) => `{"tool_calls": [{"name": "save", "arguments": ${args}`;

function without(run: string, count: number): string[] {
  const shorter = new Set(Array.from(run, (_, at) => run.slice(0, at) + run.slice(at + 1)));
  return count === 1 ? [...shorter] : [...new Set([...shorter].flatMap((one) => without(one, count - 1)))];
}

describe('a last call that lacks closing brackets', () => {
  const value = '{"path":"/a}]","tags":["x"],"to":{"b":1}}';

  it('is completed and asks, whichever one or two of them are missing', () => {
    for (const end of [...without('}}}}]}', 1), ...without('}}}}]}', 2)])
      expect(read('json-tool-calls', `Sure.\n${standard(end)}`), end).to.deep.equal([`save ${value} ${MENDED}`]);
    for (const end of [...without('}}}', 1), ...without('}}}', 2)]) {
      const text = `Sure.\n${fence(`{"action": "tool_call", "name": "save", ${ARGS}${end}`)}\n`;
      expect(read('json-action', text), end).to.deep.equal([`save ${value} ${MENDED}`]);
    }
    expect(read('tool-code', '<tool_code>\n{"name": "save", "arguments": {"a": 1}\n</tool_code>')).to.deep.equal([
      `save {"a":1} ${MENDED}`,
    ]);
  });

  it('is completed with blanks between them, behind a call that is whole, and with all the calls of its list', () => {
    expect(read('json-tool-calls', `${standard('\n}\n}}}\n}')}\n\n`)).to.deep.equal([`save ${value} ${MENDED}`]);
    const list = '{"tool_calls": [{"name": "list", "arguments": {}}]}';
    expect(read('json-tool-calls', `${list}\n${list.replace('}}]', '}]')}`)).to.deep.equal(['list {}', `list {} ${MENDED}`]);
    const two = '{"tool_calls": [{"name": "list", "arguments": {}}, {"name": "save", "arguments": {"x": 2}}]';
    for (const reader of ['json-tool-calls', createAnyReader('xml-invoke')])
      expect(read(reader, two)).to.deep.equal([`list {} ${MENDED}`, `save {"x":2} ${MENDED}`]);
  });

  it('stays broken where its end is not known to be one', () => {
    const text = standard('}}}]}');
    for (const end of ['length', 'abort'] as const) expect(read('json-tool-calls', text, end)).to.deep.equal(['bad_json save']);
    for (const given of [{ mayMend: () => false }, {}])
      expect(read('json-tool-calls', text, 'stop', given)).to.deep.equal(['bad_json save']);
  });

  it('stays broken where something else is wrong with it', () => {
    for (const text of [
      save('{}').replace('save', 'rename'), // no tool
      save('{"a": "b'), // a value is cut
      save('{"a": 1'), // none of them is there
      save('{"a": {"b": {"c": 1}}'), // more than two
      save('{"a": 1}, {"name": "list", "arguments": {}}]}'), // not at the end
      save('{"a": 1}]]}'), // another one instead
      `${standard('}}}]}')}\n\nDone.`, // not the last thing
      `${standard('}}}]}')} Done.`,
    ])
      expect(read('json-tool-calls', text).join(), text).not.to.include('repaired');
    // A list that is no call is code.
    expect(read('json-action', fence('{"a": {"b": 1}'))).to.deep.equal([]);
  });
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
    fc.assert(fc.property(fc.string(), (text) => void closeBrackets(text)));
  });
});
