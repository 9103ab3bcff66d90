/** Calls as other protocols and other models write them, at the end of a reply: found, and never taken for calls of the active protocol. */
import { expect } from 'chai';
import fc from 'fast-check';
import { protocols } from '../../src/protocols/index.js';
import { findNearMiss } from '../../src/protocols/near-miss.js';
import { cutEvery, joinTexts, parseChunks } from '../../src/testing/chunks.js';
import own from '../fixtures/protocols/own-shapes.json' with { type: 'json' };
import { ids } from './reading.js';
import noMiss from '../fixtures/protocols/no-near-miss.json' with { type: 'json' };
import foreignTags from '../fixtures/protocols/foreign-tags.json' with { type: 'json' };

const shapes: { name: string; text: string; asks?: Partial<Record<string, string>> }[] = [...own.ownShapes, ...own.moreShapes];
const ownCall = { name: 'add', arguments: { item: 'milk', count: 2 } };
const isTool = (name: string) => name === 'save' || name === 'add';
const call = (id: string, name = 'save') => protocols[id]!.writeCall!(name, { path: '/a', text: 'b\nc' });
const miss = (text: string, active = 'xml-invoke') => findNearMiss(text, { active, isTool });
const space = `${'ant'}${'ml:'}`;
const invoke = (prefix = '', name = 'save') =>
  `<${prefix}invoke name="${name}">\n<${prefix}parameter name="path">/a</${prefix}parameter>\n</${prefix}invoke>`;

describe('a near miss', () => {
  it('is a whole call of another protocol at the end of a reply', () => {
    for (const active of ids)
      for (const written of ids.filter((id) => id !== active)) {
        const found = miss(`Sure, here it is:\n\n${call(written)}\n \n`, active)!;
        expect(found, `${written} under ${active}`).to.include({ protocol: written, name: 'save' });
        expect(call(written)).to.include(found.raw);
      }
  });

  it('is a call in the tags of other models, as it was written', () => {
    const texts = foreignTags.map((text) => text.replaceAll('ant|ml:', space));
    for (const text of texts)
      for (const active of ids) {
        const found = miss(`Sure.\n${text}\n`, active);
        expect(found, `${text} under ${active}`).to.include({ name: 'save', loose: true, start: 'Sure.\n'.length });
        expect(text).to.include(found!.raw);
      }
  });

  it('is a call of the active protocol with curly quotes, or a backslash before each angle bracket', () => {
    for (const [active, text] of [
      ['json-action', call('json-action').replaceAll('"', '“')],
      ['xml-invoke', call('xml-invoke').replaceAll(/[<>]/g, '\\$&')],
    ] as const) {
      expect(miss(`Sure.\n\n${text}`, active), active).to.include({ protocol: active, name: 'save' });
      expect(miss(`Sure.\n\n${text}\nThat is how.`, active)).to.equal(undefined);
    }
  });

  it('is the last of several calls, also behind reasoning', () => {
    expect(miss(`<think>hm</think>\n${call('vcp', 'other')}\n${call('vcp')}`)).to.include({ protocol: 'vcp', name: 'save' });
  });

  for (const { name, text, asks = {} } of shapes)
    it(`is ${name}, where it is no call of the active protocol`, () => {
      for (const id of ids) {
        const whole = parseChunks(protocols[id]!, [text]);
        for (const size of [1, 2, 3, 7])
          expect(joinTexts(parseChunks(protocols[id]!, cutEvery(text, size))), id).to.deep.equal(joinTexts(whole));
        expect(whole.filter(({ type }) => type === 'call')).to.have.length(asks[id] === 'runs' ? 1 : 0);
        if (asks[id] === 'runs') continue;
        // What the protocol itself knows to be a broken call is none of these.
        if (whole.some(({ type }) => type === 'call-error')) {
          expect(asks[id] === 'repaired' || id === 'tool-code', id).to.equal(true);
          continue;
        }
        const found = miss(text, id)!;
        expect(found, id).to.include({ name: 'add' });
        expect(found.calls).to.have.length(1);
        const values = Object.entries(found.calls[0]!.arguments!).map(([key, value]) => [key, String(value)]);
        expect(values).to.deep.equal([
          ['item', 'milk'],
          ['count', '2'],
        ]);
        expect(['', 'Sure.', 'Sure:', 'Sure, I add it:', 'I will add it:']).to.include(text.slice(0, found.start).trim());
        expect(text.slice(found.start)).to.include(found.raw);
        expect(found.misplaced === true && found.protocol === id && !found.short, id).to.equal(asks[id] === 'suspicious');
      }
    });

  it('may hold several calls', () => {
    const two = [ownCall, { ...ownCall, arguments: { item: 'tea' } }];
    expect(miss(JSON.stringify(two))!.calls).to.have.length(2);
    const python = 'Both:\n```python\nadd(item="milk")\nadd(item="tea", tags=["a", \'b\'], urgent=True, note=None)\n```';
    const found = miss(python)!;
    expect(python.slice(0, found.start)).to.equal('Both:\n');
    expect(found.calls.map((one) => ({ ...one.arguments }))).to.deep.equal([
      { item: 'milk' },
      { item: 'tea', tags: ['a', 'b'], urgent: true, note: null },
    ]);
    expect(miss('[add(item="milk"), add(item="tea")]')!.calls).to.have.length(2);
  });

  it('has no arguments that could be run where they cannot be told, or reach for a prototype', () => {
    for (const text of ['add("milk")', 'add(item=milk)', 'add(__proto__={})', '{"name": "add", "arguments": {"__proto__": {"a": 1}}}'])
      expect(miss(text)!.calls, text).to.deep.equal([{ name: 'add' }]);
  });
});

describe('no near miss', () => {
  const cases: [what: string, text: string, active?: string][] = noMiss as never;
  for (const [what, text, active] of cases) it(`is ${what}`, () => expect(miss(text, active)).to.equal(undefined));

  it('makes looking for one throw, and only a tool that there is is ever named, in a place that there is', () => {
    const marks = ['{', '}', '[', ']', '(', ')', '"', "'", '\\', '`', '```', '\n', '>', '=', ',', '<tool_call>', '</tool_call>'];
    const words = ['add', 'add(', '<function=', '</function>', 'print(', invoke(space), ...ids.map((id) => call(id))];
    const piece = fc.oneof(
      fc.constantFrom(...shapes.map(({ text }) => text)),
      fc.constantFrom(...marks, ...words),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom(...ids), (pieces, active) => {
        const text = pieces.join('');
        const found = miss(text, active);
        if (!found) return;
        expect(isTool(found.name)).to.equal(true);
        expect(text.slice(found.start)).to.include(found.raw);
        expect(found.raw).not.to.equal('');
        for (const { arguments: values } of found.calls) expect(Object.keys(values ?? {})).not.to.include('__proto__');
      }),
      { numRuns: 300 },
    );
  });
});
