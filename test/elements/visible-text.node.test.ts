import { expect } from 'chai';
import fc from 'fast-check';
import { visibleText, copyableText } from '../../src/elements/visible-text.js';
import { isLinear } from '../helpers/cost.js';
import { rounds } from '../helpers/effort.js';
import texts from '../fixtures/elements/visible-text.json' with { type: 'json' };

const shown = (text: string) =>
  visibleText(text)
    .pieces.map((piece) => (typeof piece === 'string' ? piece : `[${piece.mark}${piece.count > 1 ? `×${String(piece.count)}` : ''}]`))
    .join('');

describe('visible text', () => {
  for (const [what, text, expected] of texts as [what: string, text: string, expected: string][])
    it(`shows ${what}`, () => {
      expect(shown(text)).to.equal(expected);
    });

  it('counts what is hidden, lines and characters, and bounds how many marks become elements', () => {
    expect(visibleText('a\u200Bb\n\u202E\u202Ec')).to.include({ hidden: 3, lines: 2, characters: 7 });
    expect(visibleText('one\ntwo')).to.include({ hidden: 0, lines: 2, characters: 7 });
    const { pieces, hidden } = visibleText('\u200B\u200C'.repeat(20_000));
    expect(hidden).to.equal(40_000);
    expect(pieces).to.have.length.below(1200);
  });

  it('takes time in proportion to the length', async () => {
    let unlike = 0; // results are kept by text
    const prepare = (size: number) => () => visibleText(`${String((unlike += 1))}${'\u200B a'.repeat(size)}`);
    expect(await isLinear(prepare, 8_000)).to.equal(true);
  });

  it('names words in letters of two alphabets', () => {
    expect(visibleText('\u0430mount').mixed).to.deep.equal([{ word: '\u0430mount', scripts: ['latin', 'cyrillic'] }]);
    expect(visibleText('{"t\u03BFtal_sum": 1}').mixed).to.deep.equal([{ word: 't\u03BFtal_sum', scripts: ['latin', 'greek'] }]);
    expect(visibleText('\u0430x '.repeat(9_000)).mixed).to.have.length(3);
    expect(visibleText('pay аррӏе.com').mixed).to.deep.equal([{ word: 'аррӏе.com', scripts: ['latin', 'cyrillic'] }]);
    for (const text of ['amount', 'сумма денег', 'Привет, Anna', '周报 report', 'άλφα beta', 'отчёт.pdf', 'e-mail-адрес', 'сор, а.с.'])
      expect(visibleText(text).mixed, text).to.deep.equal([]);
  });

  it('draws no character that nobody sees, whatever the text', () => {
    const unseen = fc.constantFrom(...'\u200b\u202e\ufe0f\u200d\u2800\u3000\u00a0\u00ad\u{e0041}\u{e0101}\u0000\u2028\u115f');
    const part = fc.oneof(unseen, fc.constantFrom(' ', '\n', '\t', 'a', '完', '❤', '1', '👩', '\u20e3', '\u0336'), fc.string());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const { pieces, hidden } = visibleText(text);
        const plain = pieces.filter((piece) => typeof piece === 'string').join('');
        const without = plain
          .replace(/(\p{Extended_Pictographic})\ufe0f/gu, '$1')
          .replace(/(\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator})\u200d/gu, '$1')
          .replace(/[#*0-9]\ufe0f\u20e3/gu, '')
          .replace(/1\u00a0|\u00a01/gu, '1');
        expect(without).not.to.match(/[\p{Default_Ignorable_Code_Point}\u2800\u00a0]/u);
        const marked = pieces.reduce((sum, piece) => sum + (typeof piece !== 'string' && piece.hidden ? piece.count : 0), 0);
        expect(marked).to.equal(hidden);
        if (text !== '' && plain.trim() === '') expect(pieces.some((piece) => typeof piece !== 'string')).to.equal(true);
      }),
      { numRuns: rounds(500) },
    );
  });

  it('gives the clipboard what people see', () => {
    expect(copyableText(`a${' \n'.repeat(40)}\tb\u00a0c\u202e`)).to.equal(`a${' \n'.repeat(40)}\tb\u00a0c`);
    expect(copyableText('a\u0336b e\u0301')).to.equal('a\u0336b e\u0301');
    expect(copyableText('a\u202Eb\u200B 👨‍👩‍👧 ❤️')).to.equal('ab 👨‍👩‍👧 ❤️');
  });
});
