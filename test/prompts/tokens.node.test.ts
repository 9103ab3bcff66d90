import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { estimateTokens } from '../../src/prompts/tokens.js';
import { isLinear } from '../helpers/cost.js';

/** Texts with their true number of tokens, counted with the vocabulary o200k_base (gpt-tokenizer 4.0.0). */
const samples = JSON.parse(readFileSync(new URL('../fixtures/prompts/tokens.json', import.meta.url), 'utf8')) as {
  kind: string;
  tokens: number;
  text: string;
}[];

describe('the token estimate (S2-52)', () => {
  for (const { kind, tokens, text } of samples) {
    it(`is within 25 % for ${kind}`, () => {
      expect(estimateTokens(text)).to.be.within(tokens * 0.75, tokens * 1.25);
    });
  }

  it('takes linear time for a run without blanks', async () => {
    const prepare = (size: number) => () => estimateTokens('任务'.repeat(size) + 'a1'.repeat(size));
    expect(await isLinear(prepare, 20_000)).to.equal(true);
  });
});
