/** Calls as models write them on their own, at the end of a reply: found, and never taken for calls. */
import { expect } from 'chai';
import fc from 'fast-check';
import { protocols } from '../../src/protocols/index.js';
import { findNearMiss } from '../../src/protocols/near-miss.js';
import { cutEvery, joinTexts, parseChunks } from '../../src/testing/chunks.js';
import { moreShapes, ownCall, ownShapes } from '../fixtures/protocols/own-shapes.js';
import { cpuTime } from '../helpers/cpu-time.js';

const ids = Object.keys(protocols);
const isTool = (name: string) => name === 'add';
const miss = (text: string, active = 'xml-invoke') => findNearMiss(text, { active, isTool });

describe('a call in a shape that models bring along', () => {
  for (const { name, text, asks = {} } of [...ownShapes, ...moreShapes])
    for (const id of ids)
      it(`${name} is ${asks[id] === 'runs' ? 'a call' : 'no call'} under ${id}${asks[id] === 'runs' ? '' : ', and is found at the end of the reply'}`, () => {
        const whole = parseChunks(protocols[id]!, [text]);
        for (const size of [1, 2, 3, 7])
          expect(joinTexts(parseChunks(protocols[id]!, cutEvery(text, size)))).to.deep.equal(joinTexts(whole));
        expect(whole.filter(({ type }) => type === 'call')).to.have.length(asks[id] === 'runs' ? 1 : 0);
        if (asks[id] === 'runs') return;
        // What the notation itself knows to be a broken call is none of these.
        if (whole.some(({ type }) => type === 'call-error'))
          return void expect(asks[id] === 'repaired' || id === 'tool-code').to.equal(true);
        const found = miss(text, id)!;
        expect(found).to.include({ name: 'add' });
        const [call, another] = found.calls;
        expect(another).to.equal(undefined);
        expect(Object.entries(call!.arguments!).map(([key, value]) => [key, String(value)])).to.deep.equal([
          ['item', 'milk'],
          ['count', '2'],
        ]);
        const shown = text.slice(0, found.start).trim();
        expect(['', 'Sure.', 'Sure:', 'Sure, I add it:', 'I will add it:']).to.include(shown);
        expect(text.slice(found.start)).to.include(found.raw);
        expect(found.misplaced === true && found.protocol === id && !found.short).to.equal(asks[id] === 'suspicious');
      });

  it('is found with several calls in it', () => {
    const two = [ownCall, { ...ownCall, arguments: { item: 'tea' } }];
    expect(miss(JSON.stringify(two))!.calls).to.have.length(2);
    const python = 'Both:\n```python\nadd(item="milk")\nadd(item="tea", tags=["a", \'b\'], urgent=True, note=None)\n```';
    const found = miss(python)!;
    expect(python.slice(0, found.start)).to.equal('Both:\n');
    expect(found.calls.map((call) => ({ ...call.arguments }))).to.deep.equal([
      { item: 'milk' },
      { item: 'tea', tags: ['a', 'b'], urgent: true, note: null },
    ]);
    expect(miss('[add(item="milk"), add(item="tea")]')!.calls).to.have.length(2);
  });

  it('has no arguments that could be run where they cannot be told, or reach for a prototype', () => {
    for (const text of [
      'add("milk")',
      'add(item=milk)',
      'add(__proto__={})',
      '{"name": "add", "arguments": {"__proto__": {"a": 1}}}',
      '<function=add>milk</function>',
    ])
      expect(miss(text)!.calls, text).to.deep.equal([{ name: 'add' }]);
  });
});

describe('no call in any shape', () => {
  const cases: [what: string, text: string][] = [
    ['is a tool that does not exist', '{"name": "drop", "arguments": {}}'],
    ['is an object that only has a name', '{"name": "add"}'],
    ['is data with a call in it', '{"log": [{"name": "add", "arguments": {}}], "ok": true}'],
    ['is an object that words follow', '{"name": "add", "arguments": {}}\nThat is how it is done.'],
    ['is Python that words follow', 'add(item="milk")\nDone.'],
    ['is Python in a sentence', 'You can do that yourself with add(item="milk")'],
    ['is an object in inline code', 'Write `{"name": "add", "arguments": {}}`'],
    ['is Python in inline code', '`add(item="milk")`'],
    ['is an object in a quotation', '> {"name": "add", "arguments": {}}'],
    ['is a list of mixed things', '[{"name": "add", "arguments": {}}, 7]'],
    ['is an object of which the beginning is missing', '"name": "add", "arguments": {}}'],
    ['is an object that lacks more than brackets', '{"name": "add", "arguments": {"item": "mi'],
    ['is one entry of a list that is left open', '"calls": [{"name": "add", "arguments": {}}'],
  ];
  for (const [what, text] of cases) it(what, () => expect(miss(text)).to.equal(undefined));
});

describe('looking for a call in any shape', () => {
  it('never throws, and only ever names a tool there is, in a place there is', () => {
    const piece = fc.oneof(
      fc.constantFrom(...[...ownShapes, ...moreShapes].map(({ text }) => text)),
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '(',
        ')',
        '"',
        "'",
        '\\',
        '```',
        '\n',
        'add',
        'add(',
        '<function=',
        '</function>',
        'print(',
        '=',
        ',',
      ),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom(...ids), (pieces, active) => {
        const text = pieces.join('');
        const found = miss(text, active);
        if (!found) return;
        expect(found.name).to.equal('add');
        expect(text.slice(found.start)).to.include(found.raw);
        for (const { arguments: values } of found.calls) expect(Object.keys(values ?? {})).not.to.include('__proto__');
      }),
      { numRuns: 500 },
    );
  });

  for (const piece of [
    '{"tool_calls" ',
    '{"name":"add","arguments":{',
    '}',
    '\\',
    '"',
    '\\"',
    'add(a=1,',
    ')',
    '<function=add>',
    '<parameter=a>',
    '[TOOL_CALLS]',
    '```json\n',
    "print('",
  ])
    it(`takes time that grows with the length of ${JSON.stringify(piece)} over and over`, () => {
      const ends = ['}', ']', ')', '</function>'];
      const time = (length: number) => {
        const text = piece.repeat(Math.ceil(length / piece.length));
        const start = cpuTime();
        for (const end of ends) miss(text + end);
        return cpuTime() - start;
      };
      time(2000);
      const isLinear = () => Math.min(time(200_000), time(200_000)) < 10 * Math.max(Math.min(time(50_000), time(50_000)), 20);
      expect(isLinear() || isLinear() || isLinear()).to.equal(true);
    });
});
