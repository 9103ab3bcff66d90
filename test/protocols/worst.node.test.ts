/** What was found to cost readers most (`npm run bench -- --only worst`), measured within one run: the longer costs in proportion. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createAnyReader, protocols } from '../../src/protocols/index.js';
import type { ProtocolReader } from '../../src/protocols/protocol.js';
import { written, type WorstInput } from '../fixtures/worst/input.mjs';

const { readers, atOnce } = JSON.parse(readFileSync(new URL('../fixtures/worst/known.json', import.meta.url), 'utf8')) as {
  readers: WorstInput[];
  atOnce: (WorstInput & { protocol: string })[];
};
const all: Record<string, ProtocolReader> = { ...protocols, any: createAnyReader('xml-invoke') };
const LENGTH = 50_000;
const PIECE = 4096;

interface Cost {
  total: number;
  /** Of the dearest piece, the end being one. */
  longest: number;
}

function steps({ createParser }: ProtocolReader, text: string, size: number): Cost {
  const reader = createParser!(() => undefined, { maxAccumulator: 4_000_000, mayMend: () => true });
  let [total, longest] = [0, 0];
  const step = (work: () => void) => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    total += (user + system) / 1000;
    longest = Math.max(longest, (user + system) / 1000);
  };
  for (let at = 0; at < text.length; at += size) step(() => reader.push(text.slice(at, at + size)));
  step(() => reader.end('stop'));
  return { total, longest };
}

const cost = (reader: ProtocolReader, text: string) => steps(reader, text, PIECE).total;

describe('what costs readers most', () => {
  for (const [id, reader] of Object.entries(all))
    it(`costs twice as much at twice the length, not four times: ${id}`, function () {
      this.timeout(60_000);
      for (const input of readers) {
        const [short, long] = [written(input, LENGTH), written(input, 2 * LENGTH)];
        const least = (text: string) => Math.min(...Array.from({ length: 3 }, () => cost(reader, text)));
        least(short);
        // A few milliseconds are nothing to compare.
        expect(least(long), JSON.stringify(input)).to.be.below(3 * least(short) + 15);
      }
    });

  for (const { protocol, ...input } of atOnce)
    it(`spreads over the pieces that it comes in, the end included: ${protocol} ${JSON.stringify(input.head + input.parts.join(''))}`, function () {
      this.timeout(60_000);
      const text = written(input, 1_000_000);
      let { total, longest } = steps(all[protocol]!, text, 16_384);
      for (let run = 0; run < 3 && longest > 0.4 * total + 20; run += 1) ({ total, longest } = steps(all[protocol]!, text, 16_384));
      expect(longest).to.be.at.most(0.4 * total + 20);
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
      return cost({ id: 'again', createParser: again }, 'a'.repeat(length));
    };
    const least = (length: number) => Math.min(...Array.from({ length: 5 }, () => measure(length)));
    least(LENGTH);
    expect(least(4 * LENGTH)).to.be.above(3 * least(2 * LENGTH));
  });
});
