import { expect } from 'chai';
import fc from 'fast-check';
import { onCallComplete } from '../../src/protocols/on-call-complete.js';
import type { EndReason, ProtocolReader, Segment } from '../../src/protocols/protocol.js';
import { corpus } from '../../src/testing/corpus/index.js';
import { vcpReader } from '../../src/protocols/vcp/parser.js';
import { xmlInvokeReader } from '../../src/protocols/xml-invoke/parser.js';

type CreateParser = NonNullable<ProtocolReader['createParser']>;

function read(createParser: CreateParser, chunks: string[], end: EndReason = 'stop'): { before: Segment[]; after: Segment[] } {
  const before: Segment[] = [];
  const after: Segment[] = [];
  let told = before;
  const parser = createParser((segment) => told.push(segment));
  for (const chunk of chunks) parser.push(chunk);
  told = after;
  parser.end(end);
  return { before, after };
}

const shown = (segments: Segment[], type: 'text' | 'reasoning') =>
  segments.map((segment) => (segment.type === type ? segment.text : '')).join('');
const calls = (segments: Segment[]) => segments.filter(({ type }) => type === 'call' || type === 'call-error');

/** What the gate owes to whatever stands behind it. Throws if it does not hold. */
function checkGate(gate: (createParser: CreateParser) => CreateParser, createParser: CreateParser, chunks: string[]) {
  const open = read(createParser, chunks);
  const gated = read(gate(createParser), chunks);
  const everything = [...open.before, ...open.after];
  const released = [...gated.before, ...gated.after];

  expect(gated.before).to.deep.equal(open.before.filter(({ type }) => ['text', 'reasoning', 'was-reasoning'].includes(type)));
  expect(shown(released, 'text')).to.equal(shown(everything, 'text'));
  expect(shown(released, 'reasoning')).to.equal(shown(everything, 'reasoning'));
  // What turned out to be a draft is not released at all.
  const meant = everything.slice(everything.findLastIndex(({ type }) => type === 'was-reasoning') + 1);
  expect(calls(released)).to.deep.equal(calls(meant));
  expect(released.findLastIndex(({ type }) => type === 'text' || type === 'reasoning')).to.be.below(
    released.length - calls(released).length,
  );
  const announced = released.flatMap((segment) => (segment.type === 'call-start' ? [segment.id] : []));
  expect(announced).to.deep.equal(released.flatMap((segment) => (segment.type === 'call' ? [segment.id] : [])));
}

const LIST = '<tool_use><invoke name="list"><parameter name="x">1</parameter></invoke></tool_use>';

describe('reading on completion', () => {
  const gated = onCallComplete(xmlInvokeReader.createParser);

  it('has no card for a reply that was aborted (S3-16)', () => {
    const { before, after } = read(gated, [`Text ${LIST}<tool_use><invoke name="b">`], 'abort');
    expect(shown(before, 'text')).to.equal('Text ');
    expect(after).to.deep.equal([]);
    expect(read(gated, [LIST], 'length').after).to.have.length(2);
  });

  for (const reader of [xmlInvokeReader, vcpReader])
    it(`gives the text of ${reader.id} as it comes, and neither card nor markup before the end (S2-40)`, () => {
      const { samples, fragments } = corpus.find(({ protocol }) => protocol === reader.id)!;
      for (const { text } of samples) for (const chunks of [[text], text.split('')]) checkGate(onCallComplete, reader.createParser, chunks);
      const piece = fc.constantFrom(...fragments.filter((fragment) => fragment.length < 60), 'a', '```\n', '\n');
      fc.assert(fc.property(fc.array(piece, { maxLength: 10 }), (chunks) => checkGate(onCallComplete, reader.createParser, chunks)));
    });
});
