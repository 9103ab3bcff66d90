import { expect } from 'chai';
import fc from 'fast-check';
import { openai } from '../../src/transports/openai.js';
import type { WireEvent } from '../../src/transports/wire.js';
import { rounds } from '../helpers/effort.js';

const bytes = (text: string) => new TextEncoder().encode(text);

function read(chunks: readonly string[]): WireEvent[] {
  const events: WireEvent[] = [];
  const reader = openai.createReader((event) => events.push(event), { status: 200, contentType: 'text/event-stream' });
  for (const chunk of chunks) reader.push(bytes(`data: ${chunk}\n\n`));
  return events;
}

describe('chunks that differ in one string', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', ' word', '"', '\\', '\n', '","content":"', '"content":', '\u2028', '喵', '\u0007', 'null}'),
  );
  const delta = fc.oneof(
    { weight: 6, arbitrary: word.map((content) => ({ content })) },
    word.map((content) => ({ role: 'assistant', content })),
    word.map((reasoning_content) => ({ reasoning_content })),
    word.map((text) => ({ content: text, 'x "content': text })),
    word.map((text) => ({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: text } }] })),
    fc.constant({}),
  );
  const chunk = fc.tuple(delta, fc.constantFrom('m', '"content":', 'n'), fc.option(word, { freq: 4 }), fc.boolean());
  const write = ([delta, model, obfuscation, blank]: [object, string, string | null, boolean]) => {
    const text = JSON.stringify({
      id: 'x',
      model,
      ...(obfuscation !== null && { obfuscation }),
      choices: [{ index: 0, delta, finish_reason: null }],
    });
    return blank ? text.replace('"content":', '"content": ') : text;
  };

  it('mean the same as when each is read as JSON', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 40 }), (drawn) => {
        const chunks = drawn.map(write);
        // A reader that has seen one chunk only has learned nothing. Repeated frames are told apart by ids, which there are none of.
        const told = read(chunks).filter(({ type }) => type !== 'tool');
        const expected = chunks.flatMap((one) => read([one])).filter(({ type }) => type !== 'tool');
        expect(told).to.deep.equal(expected);
      }),
      { numRuns: rounds(300) },
    );
  });
});
