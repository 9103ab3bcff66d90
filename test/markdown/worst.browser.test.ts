/** What costs Markdown most (`fixtures/worst/known.json`), measured within one run: the longer costs in proportion. */
import { expect } from 'chai';
import { createMarkdownRenderer } from '../../src/markdown/markdown.js';
import known from '../fixtures/worst/known.json' with { type: 'json' };
import { written } from '../fixtures/worst/input.js';
import { loadLate } from './serialize.js';

const LENGTH = 20_000;
const PIECE = 8192;

function cost(text: string): number {
  const target = document.createElement('div');
  target.style.width = '380px';
  document.body.append(target);
  const start = performance.now();
  const renderer = createMarkdownRenderer(target);
  for (let at = 0; at < text.length; at += PIECE) {
    renderer.push(text.slice(at, at + PIECE));
    renderer.flush();
  }
  renderer.end();
  const ms = performance.now() - start;
  target.remove();
  return ms;
}

describe('what costs Markdown most', () => {
  before(loadLate); // what comes late is part of the cost

  for (const input of known.markdown)
    it(`costs in proportion to the length: ${JSON.stringify(input)}`, function () {
      this.timeout(60_000);
      const least = (text: string) => Math.min(...Array.from({ length: 4 }, () => cost(text)));
      const [short, long] = [written(input, LENGTH), written(input, 4 * LENGTH)];
      least(short);
      // A few milliseconds are nothing to compare, and a busy machine only ever adds.
      let [once, fourfold] = [least(short), least(long)];
      for (let run = 0; run < 3 && fourfold >= 9 * once + 8; run += 1)
        [once, fourfold] = [Math.min(once, least(short)), Math.min(fourfold, least(long))];
      // Linear work costs 4 times as much, quadratic work 16 times.
      expect(fourfold).to.be.below(9 * once + 8);
    });
});
