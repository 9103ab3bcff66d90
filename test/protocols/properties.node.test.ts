/** Properties of all built-in protocols, over documents that are put together at random from what is written in any of them. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createAnyReader } from '../../src/protocols/any-protocol.js';
import { protocols } from '../../src/protocols/index.js';
import type { ToolProtocol } from '../../src/protocols/protocol.js';
import { checkText } from '../../src/testing/check-text.js';
import { parseChunks, runnableCalls, textOfSegments } from '../../src/testing/chunks.js';
import { corpus } from '../../src/testing/corpus/index.js';
import { rounds } from '../helpers/effort.js';
import { all } from './reading.js';
import given from '../fixtures/protocols/prose.json' with { type: 'json' };

const fragments = corpus.flatMap((one) => one.fragments).filter((fragment) => fragment.length < 80);
const marks = ['`', '```', '```json\n', '````', '~~~', '\n', '\r\n', '<think>', '</think>', '> ', '- ', '<', '{', '「'];
const documents = (weighted: readonly string[]) =>
  fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...weighted) },
        { weight: 2, arbitrary: fc.constantFrom(...marks) },
        { weight: 1, arbitrary: fc.string({ maxLength: 4, unit: 'binary' }) },
      ),
      { maxLength: 5 },
    )
    .map((pieces) => pieces.join(''));
const places = fc.record({
  at: fc.nat(600),
  word: fc.constantFrom('', ...fragments, ...marks),
  removed: fc.nat(40),
  isTwice: fc.boolean(),
});
/** A sample that was changed in some places: something is put in, left out or said twice. */
const changed = (samples: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...samples), fc.array(places, { minLength: 1, maxLength: 4 }))
    .map(([sample, changes]) =>
      changes.reduce(
        (text, { at, word, removed, isTwice }) =>
          text.slice(0, at + (isTwice ? removed : 0)) + word + text.slice(at + (isTwice ? 0 : removed)),
        sample,
      ),
    );
const ends = fc.record({ end: fc.constantFrom('stop', 'length', 'abort'), options: fc.constantFrom({}, { maxAccumulator: 60 }) } as const);

/** Where a call may stand in an answer, and what it then is. `runs`: it is found; all else is an example or a thought. */
const PLACES: { runs: boolean; strayBacktick?: true; write: (call: string) => string }[] = [
  { runs: true, write: (call) => call },
  { runs: true, write: (call) => `<think>Should I?</think>\n${call}` },
  { runs: true, strayBacktick: true, write: (call) => `It is \` so:\n${call}` },
  { runs: false, write: (call) => `\`\`\`\`text\n${call}\n\`\`\`\`` },
  { runs: false, write: (call) => `~~~~\n${call}\n~~~~` },
  { runs: false, write: (call) => `<think>\nI could\n${call}\n</think>` },
  { runs: false, write: (call) => `> \`\`\`\`\n${call.replace(/^/gm, '> ')}\n> \`\`\`\`` },
];
describe('every built-in protocol', () => {
  for (const protocol of all) {
    const { id } = protocol;
    const { markup, fragments: own, samples } = corpus.find((one) => one.protocol === id)!;

    it(`keeps its promises as ${id} for documents of all notations, at every prefix and in any pieces`, () => {
      const opened = documents(own).map((text) => `${own.find((fragment) => fragment.length > 20)!}${text}`);
      const short = samples.map(({ text }) => text).filter((text) => text.length < 600);
      fc.assert(
        fc.property(
          fc.oneof(documents(fragments), documents(own), opened, changed(short)),
          ends,
          (text, sample) => void checkText(protocol, text, { markup: new RegExp(markup, 'y'), sample }),
        ),
        { numRuns: rounds(200) },
      );
    });

    it(`finds no call as ${id} in random text (S2-39)`, () => {
      fc.assert(
        fc.property(
          fc.string({ maxLength: 80, unit: 'binary' }),
          (text) => void expect(protocol.parseToolRequests(text)).to.deep.equal([]),
        ),
        { numRuns: rounds(1000) },
      );
    });

    it(`finds as ${id} exactly the calls that are written in the open, with the arguments they were written with`, () => {
      const value = fc.oneof(fc.constantFrom(...given.values), fc.string({ maxLength: 8 }));
      const part = fc.oneof(fc.constantFrom(...given.prose), fc.record({ place: fc.constantFrom(...PLACES), content: value }));
      fc.assert(
        fc.property(fc.array(part, { maxLength: 7 }), fc.constantFrom('', ' The end.'), (parts, last) => {
          const written: unknown[] = [];
          const texts = parts.map((one, index) => {
            if (typeof one === 'string') return one;
            // Values that no protocol trims, and as strings: not all know other types.
            const trimmed = one.content.trim();
            // A stray backtick before a call and one in it would make code of what is between them.
            const content = one.place.strayBacktick ? trimmed.replaceAll('`', "'") : trimmed;
            if (one.place.runs) written.push([`save_${index}`, { content }]);
            return one.place.write(protocol.writeCall(`save_${index}`, { content }));
          });
          const segments = parseChunks(protocol, [[...texts, `Done.${last}`].join('\n\n')]);
          expect(runnableCalls(segments).map(({ name, arguments: values }) => [name, { ...values }])).to.deep.equal(written);
          expect(segments.filter((segment) => segment.type === 'call-error')).to.deep.equal([]);
          expect(textOfSegments(segments)).to.include('Done.');
        }),
        { numRuns: rounds(200) },
      );
    });
  }

  it('keeps its promises where any notation is accepted, whichever is active', () => {
    const calls = all.map(({ writeCall }) => writeCall('a', {}));
    fc.assert(
      fc.property(documents([...calls, ...fragments]), fc.constantFrom(...Object.keys(protocols)), (text, active) => {
        checkText({ ...protocols['vcp']!, ...createAnyReader(active) } as ToolProtocol, text);
      }),
      { numRuns: rounds(100) },
    );
  });
});
