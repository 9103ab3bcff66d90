/** What costs Markdown most (`fixtures/worst/known.json`), measured within one run: the longer costs in proportion. */
import { expect } from 'chai';
import known from '../fixtures/worst/known.json' with { type: 'json' };
import { written, type WorstInput } from '../fixtures/worst/input.js';
import { loadLate, render, stream } from './serialize.js';

const SHORT = 12_500;

function time(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/**
 * Four short works against one that is four times longer: both take as long where costs are in proportion, so that a busy machine, which
 * only ever adds, adds alike. A few milliseconds are noise. Each of the two doublings may cost 2.6 times as much, quadratic work costs 4.
 */
function growsTooFast(of: (length: number) => () => void): boolean {
  const [short, long] = [of(SHORT), of(4 * SHORT)];
  short();
  let [once, fourfold] = [Infinity, Infinity];
  for (let round = 0; round < 18; round += 1) {
    once = Math.min(
      once,
      time(() => [0, 0, 0, 0].forEach(short)),
    );
    fourfold = Math.min(fourfold, time(long));
    if (fourfold <= ((2.6 * 2.6) / 4) * Math.max(once, 12)) return false;
  }
  return true;
}

describe('what costs Markdown most', function () {
  this.timeout(60_000);
  before(loadLate); // what comes late is part of the cost

  for (const input of known.markdown as WorstInput[])
    it(`costs in proportion to the length: ${JSON.stringify(input).slice(0, 99)}`, () => {
      for (const size of [64, 8192]) {
        const pieces = (length: number) => written(input, length).match(new RegExp(`[^]{1,${String(size)}}`, 'g'))!;
        const cost =
          (length: number, text = pieces(length)) =>
          () =>
            void stream(text);
        expect(growsTooFast(cost), `in pieces of ${String(size)}`).to.equal(false);
      }
    });

  it('is measured by something that sees a square', () => {
    const everythingAgain = (length: number) => () => {
      const text = 'lorem ipsum **dolor** sit `amet` '.repeat(length / 400);
      for (let end = 64; end < text.length; end += 64) render(text.slice(0, end));
    };
    expect(growsTooFast(everythingAgain)).to.equal(true);
  });
});
