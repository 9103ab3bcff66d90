/** What costs Markdown most (`fixtures/worst/known.json`), measured within one run: the longer costs in proportion. */
import { expect } from 'chai';
import known from '../fixtures/worst/known.json' with { type: 'json' };
import { written, type WorstInput } from '../fixtures/worst/input.js';
import { isLinear } from '../helpers/cost.js';
import { loadLate, render, stream } from './serialize.js';

const SHORT = 12_500;

describe('what costs Markdown most', function () {
  this.timeout(60_000);
  before(loadLate); // what comes late is part of the cost

  for (const input of known.markdown as WorstInput[])
    it(`costs in proportion to the length: ${JSON.stringify(input).slice(0, 99)}`, async () => {
      for (const size of [64, 8192]) {
        const prepare = (length: number) => {
          const pieces = written(input, length).match(new RegExp(`[^]{1,${String(size)}}`, 'g'))!;
          return () => stream(pieces);
        };
        expect(await isLinear(prepare, SHORT), `in pieces of ${String(size)}`).to.equal(true);
      }
    });

  it('is measured by something that sees a square', async () => {
    const everythingAgain = (length: number) => () => {
      const text = 'lorem ipsum **dolor** sit `amet` '.repeat(length / 125);
      for (let end = 64; end < text.length; end += 64) render(text.slice(0, end));
    };
    expect(await isLinear(everythingAgain, SHORT)).to.equal(false);
  });
});
