/** What was found to cost readers most (`npm run bench -- --only worst`), measured within one run: the longer costs in proportion. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createAnyReader, protocols } from '../../src/protocols/index.js';
import type { ProtocolReader } from '../../src/protocols/protocol.js';
import { written, type WorstInput } from '../fixtures/worst/input.mjs';

const { readers } = JSON.parse(readFileSync(new URL('../fixtures/worst/known.json', import.meta.url), 'utf8')) as { readers: WorstInput[] };
const LENGTH = 150_000;
const PIECE = 4096;

function cost(createParser: NonNullable<ProtocolReader['createParser']>, text: string): number {
  const before = process.cpuUsage();
  const reader = createParser(() => undefined, { maxAccumulator: 4_000_000 });
  for (let at = 0; at < text.length; at += PIECE) reader.push(text.slice(at, at + PIECE));
  reader.end('stop');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('what costs readers most', () => {
  for (const [id, { createParser }] of Object.entries({ ...protocols, any: createAnyReader('xml-invoke') }))
    it(`costs twice as much at twice the length, not four times: ${id}`, function () {
      this.timeout(60_000);
      for (const input of readers) {
        const [short, long] = [written(input, LENGTH), written(input, 2 * LENGTH)];
        const least = (text: string) => Math.min(...Array.from({ length: 5 }, () => cost(createParser!, text)));
        least(short);
        // A few milliseconds are nothing to compare.
        expect(least(long), JSON.stringify(input)).to.be.below(3 * least(short) + 15);
      }
    });

  it('would tell a reader that reads all again with each piece', () => {
    let text = '';
    const again = () => ({
      push(piece: string) {
        text += piece;
        for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 0) text = '';
      },
      end: () => undefined,
    });
    const measure = (length: number) => {
      text = '';
      return cost(again as never, 'a'.repeat(length));
    };
    const least = (length: number) => Math.min(...Array.from({ length: 5 }, () => measure(length)));
    least(LENGTH / 4);
    expect(least(LENGTH)).to.be.above(3 * least(LENGTH / 2));
  });
});
