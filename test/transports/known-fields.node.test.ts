/** Nothing that arrives is dropped silently: what a reader does not understand has a name. */
import { expect } from 'chai';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import { createUnknownFields } from '../../src/transports/known-fields.js';
import { bytes } from './reading.js';
import { bodyOf, recorded, wholeReplies } from './recorded.js';
import unknownParts from '../fixtures/turns/unknown-parts.json' with { type: 'json' };

async function unknownIn(id: string, body: Uint8Array, contentType = 'text/event-stream'): Promise<string[]> {
  const wire = await builtInWires.find((one) => one.id === id)!.load();
  const unknown = createUnknownFields(id);
  const reader = wire.createReader(() => undefined, { status: 200, contentType, heard: unknown.hear } as never);
  reader.push(body);
  reader.end('close');
  return [...unknown.parts];
}

/**
 * `inRecorded`: what the recorded bodies hold on purpose, or what this reader leaves out. `frame`: one with a field that nobody knows, and what
 * that is called.
 */
const given: Record<string, { inRecorded: string[]; frame: object; name: string }> = unknownParts;

describe('parts of a reply that are not understood', () => {
  for (const { id, cases } of recorded)
    it(`are named in ${id}, and nothing that is known`, async () => {
      const found = new Set<string>();
      for (const { file, contentType } of cases) for (const part of await unknownIn(id, bodyOf(id, file), contentType)) found.add(part);
      if (wholeReplies[id])
        for (const part of await unknownIn(id, bytes(JSON.stringify(wholeReplies[id])), 'application/json')) found.add(part);
      const { inRecorded, frame, name } = given[id]!;
      expect([...found]).to.have.members(inRecorded);
      const source = JSON.stringify(frame);
      const body = id === 'text' ? source : id === 'ollama' ? `${source}\n${source}\n` : `data: ${source}\n\n`;
      expect(await unknownIn(id, bytes(body), id === 'text' ? 'application/json' : undefined)).to.deep.equal([name]);
    });

  it('are bounded in number, length and depth', () => {
    const unknown = createUnknownFields('openai');
    unknown.hear(
      Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${'x'.repeat(500)}${String(at)}`.slice(-400 - (at % 7)), 1])),
    );
    unknown.hear(JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`n${String(at)}`, 1]))));
    unknown.hear('['.repeat(100_000) + ']'.repeat(100_000));
    unknown.hear('[DONE]');
    expect(unknown.parts.size).to.be.at.most(100);
    for (const part of unknown.parts) expect(part.length).to.be.below(100);
  });
});
