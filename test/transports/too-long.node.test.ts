/** A conversation that is too long for the model, in the words of those who say so. */
import { expect } from 'chai';
import { contextLengthOf } from '../../src/relay/upstream-error.js';
import { parseContextLength } from '../../src/transports/context-length-error.js';
import sentences from '../fixtures/turns/too-long.json' with { type: 'json' };

describe('an error that says how long a conversation may be', () => {
  for (const [said, window, needed] of sentences as [said: string, window?: number, needed?: number][])
    it(`is understood by page and relay: ${said}`, () => {
      expect(parseContextLength(said)).to.deep.equal({ ...(window && { window }), ...(needed && { needed }) });
      expect(contextLengthOf('', said)).to.deep.equal({ contextSize: window });
      expect(contextLengthOf('', said, 512)).to.deep.equal({ contextSize: 512 });
    });

  it('is none of the others', () => {
    for (const said of [
      'max_tokens is too large: 9000',
      'Rate limit reached: 30000 tokens per minute',
      'image exceeds 5 MB',
      '{"error":"out of memory at 4096"}',
      '',
    ])
      expect([parseContextLength(said), contextLengthOf('', said)], said).to.deep.equal([undefined, undefined]);
  });
});
