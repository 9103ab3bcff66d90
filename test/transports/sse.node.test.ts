/** Server-sent events: what another parser reads in any slicing, ours reads as well. */
import { expect } from 'chai';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { createSseReader } from '../../src/transports/sse.js';

type Said = { data: string; event: string | undefined; id: string | undefined } | 'comment' | 'too long';

function ours(pieces: readonly string[], maxLine?: number): Said[] {
  const said: Said[] = [];
  const reader = createSseReader(
    { event: (event) => said.push(event), comment: () => said.push('comment'), tooLong: () => said.push('too long') },
    maxLine,
  );
  for (const piece of pieces) reader.push(new TextEncoder().encode(piece));
  return said;
}

function theirs(text: string): Said[] {
  const said: Said[] = [];
  const parser = createParser({
    onEvent: ({ data, event, id }) => said.push({ data, event, id }),
    onComment: () => said.push('comment'),
  });
  parser.feed(text);
  return said;
}

const line = fc.oneof(
  fc.constantFrom(
    'data: a',
    'data:b',
    'data',
    'data:  c',
    'event: x',
    'event:',
    'event',
    'retry: 1',
    ':',
    ': alive',
    'datum: d',
    'data : e',
    '',
  ),
  fc.nat(3).map((id) => `id: ${String(id)}`),
  fc.string({ maxLength: 6 }).map((text) => text.replace(/[\r\n]/g, '')),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 20 })
  .map((lines) => lines.map((one) => one.join('')).join(''));

describe('server-sent events', () => {
  it('are read as eventsource-parser reads them, however the stream is cut', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200), { maxLength: 8 }), (text, cuts) => {
        // Ours counts an event that repeats the one before it once; theirs has no opinion.
        fc.pre(!/id/.test(text));
        const at = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
        expect(ours(pieces)).to.deep.equal(theirs(text));
      }),
    );
  });

  it('carry an id of their own each, and none that holds a NUL', () => {
    expect(ours(['id: 1\ndata: a\n\ndata: b\n\nid: 2\0\ndata: c\n\n'])).to.deep.equal([
      { data: 'a', event: undefined, id: '1' },
      { data: 'b', event: undefined, id: undefined },
      { data: 'c', event: undefined, id: undefined },
    ]);
  });

  it('count once where a proxy delivers one twice, unless all have the same id', () => {
    const [one, two] = ['id: 1\ndata: a\n\n', 'id: 1\ndata: b\n\n'];
    expect(ours([one, one])).to.deep.equal([{ data: 'a', event: undefined, id: '1' }, 'comment']);
    expect(ours([one, two, two]).filter((said) => said !== 'comment')).to.have.length(3);
  });

  it('are given up at the first line, or event of several lines, that is over the limit, and nothing follows', () => {
    expect(ours(['data: 1234\n\n', 'data: a\n\n'], 10)).to.have.length(2);
    expect(ours(['data: 12345\n\ndata: a\n\n'], 10)).to.deep.equal(['too long']);
    expect(ours(['data:', '123', '456', '\n\n', 'data: a\n\n'], 10)).to.deep.equal(['too long']);
    expect(ours(['data: 1234\n', 'data: 1234\n', '\n'], 10)).to.deep.equal(['too long']);
  });

  it('cost time in proportion where one line comes in many pieces', () => {
    const piece = new TextEncoder().encode('abcd');
    const took = (pieces: number) => {
      const began = performance.now();
      const reader = createSseReader({ event() {}, comment() {}, tooLong() {} });
      reader.push(new TextEncoder().encode('data: '));
      for (let at = 0; at < pieces; at++) reader.push(piece);
      reader.push(new TextEncoder().encode('\n\n'));
      return performance.now() - began;
    };
    took(10_000);
    expect(took(400_000)).to.be.below(40 * Math.max(10, took(40_000)));
  });
});
