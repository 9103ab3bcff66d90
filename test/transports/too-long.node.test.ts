/** A conversation that is too long for the model, in the words of those who say so. */
import { expect } from 'chai';
import { tooLong } from '../../src/relay/upstream-error.js';
import { readTooLong } from '../../src/transports/too-long.js';

const sentences: [said: string, window?: number, needed?: number][] = [
  ['request (6009 tokens) exceeds the available context size (4096 tokens), try increasing it', 4096, 6009],
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens (9001 in the messages).",
    8192,
    9001,
  ],
  ['prompt is too long: 213462 tokens > 200000 maximum', 200000, 213462],
  ['The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).', 1048576, 1196265],
  ['The input token count exceeds the maximum number of tokens allowed 1048576.'],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812],
  ['Prompt contains 40012 tokens, too large for model with 32768 maximum context length', 32768],
  ['Input is too long for requested model.'],
  ['model has a context length of only 2048 tokens', 2048],
  ['Your input exceeds the context window of this model. Please adjust your input and try again.'],
  ['the request exceeds the available context size. try increasing the context size'],
  ['{"type":"error","code":"too_large","message":"…","n_ctx":2048,"n_prompt_tokens":2500}', 2048, 2500],
  ['exceed_context_size {"n_ctx":99999999999999999999}'],
];

describe('an error that says how long a conversation may be', () => {
  for (const [said, window, needed] of sentences)
    it(`is understood by page and relay: ${said}`, () => {
      expect(readTooLong(said)).to.deep.equal({ ...(window && { window }), ...(needed && { needed }) });
      expect(tooLong('', said)).to.deep.equal({ contextSize: window });
      expect(tooLong('', said, 512)).to.deep.equal({ contextSize: 512 });
    });

  it('is none of the others', () => {
    for (const said of [
      'max_tokens is too large: 9000',
      'Rate limit reached: 30000 tokens per minute',
      'image exceeds 5 MB',
      '{"error":"out of memory at 4096"}',
      '',
    ])
      expect([readTooLong(said), tooLong('', said)], said).to.deep.equal([undefined, undefined]);
  });
});
