/** Every fault case is in the table, and every proof the table names is a test that is there and runs. Prints what each area is worth. */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cases, WEIGHT, type Area, type FaultCase } from './cases.js';

/** Numbers that are missing are not used. */
const NUMBERS: Readonly<Record<Area, readonly number[]>> = {
  B: [26, 27, 29, 31, 32, 33, 34, 37, 38, 39, 41, 42, 43, 44, 45, 46, 47],
  C: [49, 50, 52, 54, 56, 57, 58, 60, 61, 63, 64, 65],
  D: [66, 67, 68, 70, 72, 73, 74, 76, 78, 79, 80, 81, 82, 83],
  E: [84, 86, 87, 90, 91, 92],
  G: [104, 106, 108, 109, 110, 112, 113],
  H: [114, 115, 117, 119, 121, 122, 123],
  J: [133, 135, 137, 138, 140, 142, 143, 144, 145],
};
const areas = Object.keys(NUMBERS) as Area[];

/** Test files by name, each read once. */
const sources = new Map<string, string>();

function sourceOf(file: string): string {
  const at = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const source = sources.get(file) ?? (existsSync(at) ? readFileSync(at, 'utf8') : '');
  sources.set(file, source);
  return source;
}

/** What is wrong with a proof; undefined = there is such a test, and nobody left it out. What one engine lacks may skip itself there. */
function flawOf(file: string, title: string): string | undefined {
  const source = sourceOf(file);
  if (!source) return `${file} does not exist`;
  const beginning = title.replace(/…$/, '').trimEnd();
  const whole = !title.endsWith('…');
  const found: string[] = [];
  for (let at = source.indexOf(beginning); at >= 0; at = source.indexOf(beginning, at + 1)) {
    const quote = source[at - 1] ?? '';
    if (!`'"\``.includes(quote) || quote === '') continue;
    const after = source[at + beginning.length] ?? '';
    if (whole ? after !== quote : after === quote) continue;
    // `it(`, our own `threeTimes(`, or a title with its number and seed: `it(title('J133', `.
    const before = source.slice(Math.max(0, at - 60), at - 1).match(/([\w.]+)\(\s*(?:title\('\w+',\s*)?$/);
    if (before) found.push(before[1] ?? '');
  }
  if (found.length === 0) return `${file} has no test “${title}”`;
  if (found.some((made) => !['it', 'threeTimes'].includes(made))) return `“${title}” in ${file} is made by ${found.join()}`;
  // One without a function is only a note, where an engine lacks what it takes.
  return /\b(?:it|describe)\.(?:only\(|skip\((?!'[^'\n]*'\)))|\bx(?:it|describe)\(/.test(source) ? `${file} leaves tests out` : undefined;
}

const flawsOf = ({ proofs }: FaultCase): string[] =>
  typeof proofs === 'string' ? [proofs] : proofs.flatMap(([file, title]) => flawOf(file, title) ?? []);

describe('the table of fault cases', () => {
  it('has every number once, under its area', () => {
    for (const area of areas) expect(cases.filter((one) => one.area === area).map(({ number }) => number)).to.deep.equal(NUMBERS[area]);
  });

  it('has a proof for every case, and each is a test that runs', () => {
    const flaws = cases.flatMap((one) => flawsOf(one).map((flaw) => `${one.area}${String(one.number)}: ${flaw}`));
    expect(flaws).to.deep.equal([]);
  });

  it('proves every P0, and of P1 at least 95 % of each area', () => {
    const lines: string[] = [];
    const short: string[] = [];
    for (const area of areas) {
      const all = cases.filter((one) => one.area === area);
      const proved = all.filter((one) => flawsOf(one).length === 0);
      const weigh = (some: readonly FaultCase[]) => some.reduce((sum, { priority }) => sum + WEIGHT[priority], 0);
      lines.push(`${area}: ${String(weigh(proved))} of ${String(weigh(all))}`);
      const of = (some: readonly FaultCase[], priority: string) => some.filter((one) => one.priority === priority).length;
      if (of(proved, 'P0') < of(all, 'P0') || of(proved, 'P1') < 0.95 * of(all, 'P1')) short.push(area);
    }
    console.log(`      weight that is proved, by area: ${lines.join(' · ')}`);
    expect(short).to.deep.equal([]);
  });

  it('finds what is not there, what is left out, and what only looks like a test', () => {
    const title = 'has every number once, under its area';
    const here = 'faults/cases.node.test.ts';
    sources.set('made up', "it.skip('skipped', () => {}); expect('not a test'); it('real', () => {});");
    expect(flawOf('made up', 'skipped')).to.match(/made by it.skip/);
    expect(flawOf('made up', 'not a test')).to.match(/made by expect/);
    expect(flawOf('made up', 'real')).to.match(/leaves tests out/);
    expect(flawOf('made up', 'rea')).to.match(/has no test/);
    expect(flawOf('nowhere.ts', title)).to.match(/does not exist/);
    expect(flawOf(here.replace('cases', 'tools'), title)).to.match(/has no test/);
  });
});
