import { expect } from 'chai';
import fc from 'fast-check';
import { LANGUAGES } from '../../src/markdown/code-languages.js';
import { knowsLanguage, tokenize } from '../../src/markdown/code-tokens.js';
import { isLinear } from '../helpers/cost.js';
import { pieces } from './pieces.js';
import languages from '../fixtures/markdown/code-tokens.json' with { type: 'json' };

/** The pieces as `kind:text`. */
const read = (code: string, language: string) => tokenize(code, language).map(({ from, to, kind }) => `${kind}:${code.slice(from, to)}`);

const everyName = LANGUAGES.flatMap(({ names }) => names.split(' '));

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
    it(`cost in proportion to their length: ${JSON.stringify(opening)}`, async () => {
      for (const { names } of LANGUAGES) {
        const prepare = (size: number) => () => tokenize(opening.repeat(size / opening.length), names.split(' ')[0]!);
        expect(await isLinear(prepare, 10_000), names).to.equal(true);
      }
    });
});
