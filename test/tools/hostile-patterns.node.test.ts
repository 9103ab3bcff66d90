/** Patterns that foreign tools bring: none may stop the page, and plain ones work as before. */
import { expect } from 'chai';
import { exampleArguments } from '../../src/protocols/example.js';
import { safeLength } from '../../src/base/pattern-cost.js';
import { testPattern } from '../../src/base/patterns.js';
import { cpuTime } from '../helpers/cpu-time.js';

const evil = [
  '^(?:a|[a-c]|ab?|\\w)*=$',
  '^(a+)+$',
  '^(a*)*b$',
  '^(\\w+\\s?)*$',
  '^(?:a|aa)+$',
  '^(.*?,?)*x$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(?:a?){30}a{30}$',
  `^${'(?:a|a)'.repeat(40)}$`,
  `^${'a?'.repeat(40)}${'a'.repeat(40)}$`,
  '^(?:|){50}x',
  '(?=(a+)+$)b|^c$',
  '^(a|b|ab)*\\1$',
  '^(?:\\u{3b1}|[\\u{3b0}-\\u{3c9}])*=$',
  '(x+x+)+y',
  '^(?:(?:a+)?b?){9}$',
];

const currencies = Array.from({ length: 180 }, (_, at) => String.fromCharCode(65 + (at % 26), 65 + ((at * 7) % 26), 65 + ((at * 3) % 26)));

const plain: readonly (readonly [pattern: string, good: string, bad: string])[] = [
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', `${'word-'.repeat(20)}end`, 'Not a slug'],
  ['^(\\d{1,3}\\.){3}\\d{1,3}$', '192.0.2.1', '192.0.2'],
  ['^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)$', '255.255.255.255', '256.1.1.1'],
  ['^[^@\\s]+@([A-Za-z0-9-]+\\.)+[a-z]{2,}$', 'somebody.longer.name@mail.service.example.com', 'nobody'],
  ['^(/([^/~]|~[01])*)*$', '/a/b~0c/defghijklmnopqrstuvwxyz', 'a'],
  ['^\\d{4}-\\d{2}-\\d{2}$', '2026-11-26', '26.11.2026'],
  ['^(?:low|high)$', 'low', 'lower'],
  [`^(${currencies.join('|')})$`, currencies[150]!, 'none of them'],
];

describe('hostile patterns', () => {
  it('are not tried on a text that they could go back over again and again', () => {
    for (const pattern of evil) {
      expect(safeLength(pattern), pattern).to.be.lessThan(20);
      for (const text of [`${'a'.repeat(52)}!`, 'a'.repeat(30), `${'x'.repeat(40)}`])
        expect(testPattern(pattern, text), pattern).to.equal('too-long');
    }
  });

  it('cost little to be judged, however deep their repeats are nested', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('').join('|');
    const start = cpuTime();
    safeLength(`${'('.repeat(200)}${letters}${')+'.repeat(200)}`);
    safeLength(`${'('.repeat(200)}${Array.from({ length: 150 }, (_, at) => `[a-b${at}]`).join('|')}${')+'.repeat(200)}`);
    expect(cpuTime() - start).to.be.lessThan(2000);
  });

  it('do not stop the made-up example of a tool', () => {
    const start = performance.now();
    for (const pattern of evil) {
      const properties = { [`q ${'a'.repeat(60)}`]: { type: 'string', pattern, minLength: 60 } };
      exampleArguments({ parameters: { type: 'object', properties } });
    }
    expect(performance.now() - start).to.be.lessThan(2000);
  });

  it('are told from those that people write', () => {
    for (const [pattern, good, bad] of plain) {
      expect(testPattern(pattern, good), pattern).to.equal(true);
      expect(testPattern(pattern, bad), pattern).to.equal(false);
    }
  });

  it('are no reason to give up a worked example that fits', () => {
    const parameters = { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]\\d$' } } };
    expect(exampleArguments({ parameters })).to.deep.equal({ code: 'A1' });
  });
});
