import { expect } from 'chai';
import fc from 'fast-check';
import { LANGUAGES } from '../../src/markdown/code-languages.js';
import { knowsLanguage, tokenize } from '../../src/markdown/code-tokens.js';
import { cpuTime } from '../helpers/cpu-time.js';
import { pieces } from './pieces.js';
import languages from '../fixtures/markdown/code-tokens.json' with { type: 'json' };

/** The pieces as `kind:text`. */
const read = (code: string, language: string) => tokenize(code, language).map(({ from, to, kind }) => `${kind}:${code.slice(from, to)}`);

const everyName = LANGUAGES.flatMap(({ names }) => names.split(' '));

/** What each language costs at least for a text, in milliseconds. */
interface Tried {
  given: string;
  costs: number[];
}
const dearest = ({ costs }: Tried) => Math.max(...costs);

describe('the pieces of code', () => {
  for (const [language, code, found] of languages as [language: string, code: string, found: string][])
    it(`are found in ${language}`, () => {
      expect(read(code, language)).to.deep.equal(pieces(found));
    });

  it('are none in a language that is not known', () => {
    expect(knowsLanguage('brainfuck')).to.equal(false);
    expect(knowsLanguage('constructor')).to.equal(false);
    expect(read('if "a" 1', 'brainfuck')).to.deep.equal([]);
  });

  it('come in order and never overlap, whatever is written', () => {
    const part = fc.constantFrom(...pieces(`/*¦*/¦//¦"¦'¦\`¦"""¦\\¦\n¦<¦<!--¦-->¦>¦&¦&amp;¦/¦=¦#¦$¦@¦a¦Ab¦1¦.¦(¦ ¦文¦😀¦+¦-¦{¦:`));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.constantFrom(...everyName), (parts, name) => {
        const code = parts.join('');
        let last = 0;
        for (const { from, to } of tokenize(code, name)) {
          expect(from).to.be.at.least(last);
          expect(to).to.be.above(from).and.at.most(code.length);
          last = to;
        }
      }),
    );
  });

  for (const opening of pieces(`/*¦//¦"¦'¦\`¦"""¦<a ¦<!--¦&¦/¦(/¦#¦$¦a¦1¦\\¦ ¦a ¦"a" ¦<¦--¦@@\n¦+\n`))
    it(`cost in proportion to their length: ${JSON.stringify(opening)}`, function () {
      this.timeout(30_000);
      const cost = (text: string, name: string) => {
        const before = cpuTime();
        tokenize(text, name);
        return cpuTime() - before;
      };
      const text = opening.repeat(20_000 / opening.length);
      const [once, four] = [text, text.repeat(4)].map((given) => ({ given, costs: LANGUAGES.map(() => Infinity) })) as [Tried, Tried];
      // Over two doublings, and again while it is too dear: what disturbs a try only ever adds to it.
      for (let tries = 0; tries < 5 && !(tries > 0 && dearest(four) < 8 * dearest(once) + 20); tries += 1)
        for (const { given, costs } of [once, four])
          for (const [at, { names }] of LANGUAGES.entries())
            for (let nth = 0; nth < 3; nth += 1) costs[at] = Math.min(costs[at]!, cost(given, names.split(' ')[0]!));
      expect(dearest(four)).to.be.below(8 * dearest(once) + 20);
    });
});
