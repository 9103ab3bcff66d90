import { expect } from 'chai';
import fc from 'fast-check';
import { loadDialects, type OpenDialects, readForeign } from '../../src/conversation/reply/foreign-text.js';
import { readAsText, withoutCalls } from '../../src/conversation/reply/plain-reply.js';
import { nativeReader } from '../../src/protocols/native-reader.js';
import { rounds } from '../helpers/effort.js';
import type { EndReason, Segment } from '../../src/protocols/protocol.js';

/** Neighbours of one kind are one: how a text is cut says nothing. */
function joined(segments: readonly Segment[]): Segment[] {
  const all: Segment[] = [];
  for (const segment of segments) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in segment && last.type === segment.type)
      all[all.length - 1] = { ...last, text: last.text + segment.text } as Segment;
    else all.push(segment);
  }
  return all;
}

async function read(chunks: readonly string[], reason: EndReason = 'stop', open = withoutCalls) {
  const found: Segment[] = [];
  const live = { heldText: '' };
  const reader = readAsText((segment) => found.push(segment), live, open);
  for (const chunk of chunks) {
    reader.push(chunk);
    // Sometimes the rest comes while it is loaded, sometimes later.
    if (chunk.length % 2 === 0) await reader.pending;
  }
  await reader.end(reason);
  return { found, live };
}

describe('a reply where nothing can be called', () => {
  const marks = ['\n', '\n\n', '`', '```\n', '> ', '- ', '<think>', '</think>', '<', '<th', 'ink>', '<tool_use>', '1 < 2'];
  const piece = fc.constantFrom('Hello', ' world', '😀', '\ud83d', '\ude00', '\ufeff', ...marks);

  it('is read as text mode reads it, however it is cut and whenever that is loaded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 14 }),
        fc.constantFrom<EndReason>('stop', 'length', 'abort'),
        async (chunks, reason) => {
          const expected: Segment[] = [];
          const parser = nativeReader.createParser!((segment) => expected.push(segment));
          for (const chunk of chunks) parser.push(chunk);
          parser.end(reason);
          expect(joined((await read(chunks, reason)).found)).to.deep.equal(joined(expected));
        },
      ),
      { numRuns: rounds(1000) },
    );
  });

  it('loses nothing when that cannot be loaded', async () => {
    const refused = () => Promise.reject(new Error('offline'));
    for (const reason of ['stop', 'abort'] as const) {
      const { found, live } = await read(['a <th', 'ink>', ' b'], reason, refused);
      expect([joined(found), live.heldText]).to.deep.equal([[{ type: 'text', text: 'a <think> b' }], '']);
    }
  });
});

describe('a dialect that is not read yet', () => {
  for (const reason of ['stop', 'abort'] as const)
    it(`is no text when the reply ends first, and loses nothing of an answer in marks (${reason})`, async () => {
      const open: OpenDialects = async (emit) => {
        const { createDialectFilter } = await loadDialects();
        return createDialectFilter(emit, { isTool: (name) => name === 'look' });
      };
      for (const text of ['So: <tool_call>\n<function=look>\n</function>\n</tool_call>', '\n\n<answer>So:</answer>']) {
        let shown = '';
        const reader = readForeign((segment) => void (shown += segment.type === 'text' ? segment.text : ''), { heldText: '' }, open);
        reader.take({ type: 'text', text });
        await reader.end(reason);
        expect(shown.trim()).to.equal('So:');
      }
    });
});
