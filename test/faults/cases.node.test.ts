/** Every numbered fault has a test that begins with its number, and runs. Prints what each area is worth. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AREAS, WEIGHT, type Priority } from './cases.js';

interface Proofs {
  /** The numbers that titles of tests begin with, such as `G112`. */
  numbers: string[];
  flaws: string[];
}

/** What a test file proves by its titles; nothing where it leaves tests out, for then nobody knows whether they run. */
function proofsOf(file: string, source: string): Proofs {
  // `it(`, or our own `threeTimes(`. What one engine lacks may say so by a skip without a function: that is a note.
  const titles = Array.from(source.matchAll(/([\w.]+)\(\s*['"`]((?:[A-J]\d+ )+)/g), ([, made = '', numbers = '']) => ({
    made,
    numbers: numbers.trim().split(' '),
  }));
  const others = titles.filter(({ made }) => !['it', 'threeTimes'].includes(made));
  const flaws = others.map(({ made, numbers }) => `${file}: ${numbers.join(' ')} is made by ${made}`);
  const leavesOut = /\b(?:it|describe)\.(?:only\(|skip\((?!'[^'\n]*'\)))|\bx(?:it|describe)\(/.test(source);
  if (leavesOut && titles.length > 0) return { numbers: [], flaws: [...flaws, `${file} leaves tests out`] };
  return { numbers: titles.flatMap(({ made, numbers }) => (others.some((other) => other.made === made) ? [] : numbers)), flaws };
}

const tests = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:test|e2e)\.ts$/.test(name));
const found = files
  .filter((file) => !file.includes('node_modules') && !file.endsWith('cases.node.test.ts'))
  .map((file) => proofsOf(file, readFileSync(tests + file, 'utf8')));
const proved = new Set(found.flatMap(({ numbers }) => numbers));
const cases = Object.entries(AREAS).flatMap(([area, all]) =>
  Object.entries(all).map(([number, [priority]]) => ({ area, priority, name: area + number })),
);

describe('the numbered faults', () => {
  it('are each proved by a test that begins with the number, and runs', () => {
    expect(found.flatMap(({ flaws }) => flaws)).to.deep.equal([]);
    expect(cases.map(({ name }) => name).filter((name) => !proved.has(name))).to.deep.equal([]);
  });

  it('are all that titles begin with', () => {
    const known = new Set(cases.map(({ name }) => name));
    expect([...proved].filter((number) => !known.has(number))).to.deep.equal([]);
  });

  it('are proved where they are P0, and of P1 at least 95 % of each area', () => {
    const lines: string[] = [];
    const short: string[] = [];
    for (const area of Object.keys(AREAS)) {
      const all = cases.filter((one) => one.area === area);
      const done = all.filter(({ name }) => proved.has(name));
      const weigh = (some: typeof cases) => some.reduce((sum, { priority }) => sum + WEIGHT[priority], 0);
      lines.push(`${area}: ${String(weigh(done))} of ${String(weigh(all))}`);
      const of = (some: typeof cases, priority: Priority) => some.filter((one) => one.priority === priority).length;
      if (of(done, 'P0') < of(all, 'P0') || of(done, 'P1') < 0.95 * of(all, 'P1')) short.push(area);
    }
    console.log(`      weight that is proved, by area: ${lines.join(' · ')}`);
    expect(short).to.deep.equal([]);
  });

  it('are read from titles only, and not where tests are left out', () => {
    const numbers = (source: string) => proofsOf('made up', source).numbers;
    expect(numbers("it('B29 H114 real', () => {}); expect('B26 not a test'); it('of B27', () => {});")).to.deep.equal(['B29', 'H114']);
    expect(numbers("it('B29 real', () => {}); it.skip('left out', () => {});")).to.deep.equal([]);
    expect(numbers("it('B29 real', () => {}); it.skip('no such thing in this engine');")).to.deep.equal(['B29']);
    expect(proofsOf('made up', "it.skip('B26 skipped', () => {});").flaws).to.deep.equal([
      'made up: B26 is made by it.skip',
      'made up leaves tests out',
    ]);
  });
});
