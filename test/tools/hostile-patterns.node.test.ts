/** Patterns that foreign tools bring: none may stop the page, and plain ones work as before. */
import { expect } from 'chai';
import fc from 'fast-check';
import { costOf, withoutIdleRepeats } from '../../src/base/pattern-cost.js';
import { testPattern, textFor } from '../../src/base/pattern-tests.js';
import { loadMissingPatterns } from '../../src/base/patterns.js';
import { protocolWarnings } from '../../src/tools/warnings.js';
import { costsAtMost, isLinear } from '../helpers/cost.js';
import { rounds } from '../helpers/effort.js';
import { tool } from './helpers.js';
import evil from '../fixtures/tools/hostile-patterns.json' with { type: 'json' };
import harmless from '../fixtures/tools/harmless-patterns.json' with { type: 'json' };

function isPattern(source: string): boolean {
  try {
    return Boolean(new RegExp(source, 'u'));
  } catch {
    return false;
  }
}

const currencies = Array.from({ length: 180 }, (_, at) => String.fromCharCode(65 + (at % 26), 65 + ((at * 7) % 26), 65 + ((at * 3) % 26)));

const plain: readonly (readonly [pattern: string, good: string, bad: string])[] = [
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', `${'word-'.repeat(20)}end`, 'Not a slug'],
  ...(harmless as [string, string, string][]),
  [`^(${currencies.join('|')})$`, currencies[150]!, 'none of them'],
];

describe('hostile patterns', () => {
  it('are not tried on a text that they could go back over again and again', () => {
    for (const pattern of evil) {
      expect(costOf(pattern).most, pattern).to.be.lessThan(20);
      for (const text of [`${'a'.repeat(52)}!`, 'a'.repeat(30), `${'x'.repeat(40)}`])
        expect(testPattern(pattern, text), pattern).to.equal('too-long');
    }
  });

  it('cost little to be judged, however deep their repeats are nested', async () => {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('').join('|');
    const classes = Array.from({ length: 150 }, (_, at) => `[a-b${at}]`).join('|');
    for (const inside of [letters, classes]) {
      const prepare = (depth: number) => () => costOf(`${'('.repeat(depth)}${inside}${')+'.repeat(depth)}`);
      expect(await isLinear(prepare, 50), inside).to.equal(true);
    }
  });

  it('cost little to write an example for, however often they repeat what is empty', () => {
    for (const source of ['^(?:){300000000}Z[0-9]q$', `^${'('.repeat(12)}${')*'.repeat(12)}Z[0-9]q$`])
      textFor(source, { today: '2026-11-26', minLength: 0, maxLength: 200 });
    expect(textFor('^Z[0-9]q$', { today: '2026-11-26', minLength: 0, maxLength: 200 })).to.match(/^Z[0-9]q$/);
  }).timeout(10_000);

  it('go over a text a bounded number of times, however it is written: the limit follows from the source alone', async () => {
    const atoms = fc.constantFrom('a', '[ab]', '\\w', '.', 'b', '\\s', '-', '(?:a|b)', '(?:ab?)', '(?=a*b)');
    const part = fc.tuple(atoms, fc.constantFrom('', '', '?', '*', '+', '{2,9}', '*?')).map((pair) => pair.join(''));
    const pattern = fc.tuple(fc.constantFrom('^', ''), fc.array(part, { minLength: 1, maxLength: 6 }), fc.constantFrom('$', '', '=$'));
    const attempt = (source: string, unit: string) => {
      const length = Math.min(costOf(source).most, 20_000);
      return () => length > 0 && new RegExp(source, 'u').test(`${unit.repeat(length / unit.length)}!`.slice(-length));
    };
    await fc.assert(
      fc.asyncProperty(pattern, fc.constantFrom('a', 'ab', 'a ', 'a-'), async (parts, unit) => {
        const source = withoutIdleRepeats(parts.flat().join(''));
        if (isPattern(source)) expect(await costsAtMost(30, attempt('^a*a*a*b$', 'a'), attempt(source, unit)), source).to.equal(true);
      }),
      { numRuns: rounds(3000) },
    );
  });

  it('are the same without repeats that do not matter', () => {
    const atoms = fc.constantFrom('a', '[+*]', '\\+', '\\\\', '\\u{61}', '\\p{L}', '.', '(?:ab)', '\\{');
    const quantifier = fc.constantFrom('', '+', '*', '?', '{2}', '{1,}', '+?', '{2,3}?');
    const pattern = fc.array(
      fc.tuple(atoms, quantifier).map((pair) => pair.join('')),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', '+', '\\', '{'), maxLength: 8 }), (parts, text) => {
        const source = parts.join('');
        fc.pre(isPattern(source));
        expect(new RegExp(withoutIdleRepeats(source), 'u').test(text), source).to.equal(new RegExp(source, 'u').test(text));
      }),
      { numRuns: rounds(5000) },
    );
  });

  it('of ordinary tools read long texts', () => {
    const long = 'some words '.repeat(10_000);
    for (const source of ['\\S+', '.*\\S.*', '^(?!\\s*$).+', '^\\S', '\\s+$', '^[^<>]+$', '^\\w+( \\w+)*$', 'a+b', '^\\s*\\S.*$'])
      expect(testPattern(source, long), source).to.equal(new RegExp(source, 'u').test(long));
    expect(testPattern('\\S+', ' '.repeat(100_000))).to.equal(false);
  });

  it('wait for their tests, which the first question asks for', async () => {
    const fresh = (await import(`../../src/base/patterns.js?${String(Math.random())}`)) as typeof import('../../src/base/patterns.js');
    expect(await fresh.loadMissingPatterns()).to.equal(false);
    expect([fresh.testPattern('^a$', 'b'), fresh.textFor('^a$', { today: '', minLength: 0, maxLength: 9 })]).to.deep.equal([
      'too-long',
      undefined,
    ]);
    expect([await fresh.loadMissingPatterns(), fresh.testPattern('^a$', 'b')]).to.deep.equal([true, false]);
  });

  it('are told to the developer', async () => {
    const warned = (pattern: string) => protocolWarnings(tool({ parameters: { properties: { a: { items: { pattern } } } } }), 'xml-invoke');
    warned('^a$');
    await loadMissingPatterns();
    expect(warned('^(a+)+$').join()).to.match(/could take too long, so texts of more than \d+ characters are refused: \^\(a\+\)\+\$/);
    expect(warned('[').join()).to.match(/is no regular expression/);
    expect(warned('^[a-z]+$')).to.deep.equal([]);
  });

  it('are told from those that people write', () => {
    for (const [pattern, good, bad] of plain) {
      expect(testPattern(pattern, good), pattern).to.equal(true);
      expect(testPattern(pattern, bad), pattern).to.equal(false);
    }
  });
});
