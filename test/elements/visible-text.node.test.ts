import { expect } from 'chai';
import fc from 'fast-check';
import { visibleText, copyableText } from '../../src/elements/visible-text.js';
import { cpuTime } from '../helpers/cpu-time.js';
import { rounds } from '../helpers/effort.js';

const shown = (text: string) =>
  visibleText(text)
    .pieces.map((piece) => (typeof piece === 'string' ? piece : `[${piece.mark}${piece.count > 1 ? `×${String(piece.count)}` : ''}]`))
    .join('');

describe('visible text', () => {
  for (const [what, text, expected] of [
    ['plain text', 'ls -la\n\tsrc', 'ls -la\n\tsrc'],
    ['a change of direction', 'a\u202Eb', 'a[U+202E]b'],
    ['zero-width characters in a row', 'a\u200B\u200B\u200Bb', 'a[U+200B×3]b'],
    ['tag characters', 'a\u{E0041}b', 'a[U+E0041]b'],
    ['half a surrogate pair', 'a\uD800b', 'a[U+D800]b'],
    ['control characters', 'a\0\x1B[2J\rb', 'a[U+0000][U+001B][2J[U+000D]b'],
    ['a filler that looks like a blank', 'a\u3164b', 'a[U+3164]b'],
    ['emoji that are joined and coloured', '👨‍👩‍👧 ❤️', '👨‍👩‍👧 ❤️'],
    ['a joiner outside of emoji', 'a\u200Db', 'a[U+200D]b'],
    ['a long run of blanks', `a${' '.repeat(500)}b`, 'a[␣×500]b'],
    ['a long run of line breaks', `a${'\n'.repeat(5000)}b`, 'a[↵×5000]\nb'],
    ['nothing but blanks', '   ', '[␣×3]'],
    ['Chinese', '完成　报告，\n　　“好”', '完成　报告，\n　　“好”'],
    ['a wide blank among other letters', 'a\u3000b', 'a[U+3000]b'],
    ['many wide blanks', `完${'\u3000'.repeat(400)}成`, '完[U+3000×400]成'],
    ['blanks that only look like one', 'a\xA0b\u2009c\u2800d', 'a[U+00A0]b[U+2009]c[U+2800]d'],
    ['a run of Braille blanks', `a${'\u2800'.repeat(300)}b`, 'a[U+2800×300]b'],
    ['line breaks with blanks between them', `a${'\n '.repeat(300)}b`, 'a[↵×300][␣×300]\nb'],
    ['blanks and tabs in turns', `a${' \t'.repeat(100)}b`, 'a[␣×100][⇥×100]b'],
    ['a few empty lines', 'a\n\n  b\n\tc', 'a\n\n  b\n\tc'],
    ['nothing but blanks of other kinds', '\u3000\xA0 ', '[U+3000][U+00A0][␣]'],
    ['nothing but a tab and a line break', '\t\n', '[⇥][↵]\n'],
    ['a variation selector behind a digit', '1\uFE0F0\uFE0F\uFE0F', '1[U+FE0F]0[U+FE0F×2]'],
    ['a second selector behind an emoji', '❤\uFE0F\uFE0F', '❤[U+FE0F×2]'],
    ['keycaps, and joined emoji with selectors', '1\uFE0F\u20E3 ❤\uFE0F\u200D🔥', '1\uFE0F\u20E3 ❤\uFE0F\u200D🔥'],
    ['strokes through letters', 'P\u0336a\u0336y\u0338\u0338 me', 'P[U+0336]a[U+0336]y[U+0338×2] me'],
    ['lines over and under letters', 'a\u0332b\u0333c\u0305d\u20D2', 'a[U+0332]b[U+0333]c[U+0305]d[U+20D2]'],
    ['frames around letters', 'a\u20DDb\u20E0c\u20E3d\u0489', 'a[U+20DD]b[U+20E0]c[U+20E3]d[U+0489]'],
    ['nothing but strokes', '\u0336\u0336', '[U+0336×2]'],
    ['signs that are made of a stroke', 'a =\u0338 b, c \u2208\u0338 d', 'a =\u0338 b, c \u2208\u0338 d'],
    ['accents, whole or composed', 'é e\u0301 Vie\u0323\u0302t ñ a\u0331 o\u0328', 'é e\u0301 Vie\u0323\u0302t ñ a\u0331 o\u0328'],
    ['Arabic, Hebrew, Devanagari and Thai marks', 'مُحَمَّد שָׁלוֹם हिन्दी किताब ที่นี่', 'مُحَمَّد שָׁלוֹם हिन्दी किताब ที่นี่'],
    ['a note without a head, an object that is not there', '\u{1D159}\uFFFC', '[U+1D159][U+FFFC]'],
  ] as const)
    it(`shows ${what}`, () => {
      expect(shown(text)).to.equal(expected);
    });

  it('counts what is hidden, lines and characters', () => {
    expect(visibleText('a\u200Bb\n\u202E\u202Ec')).to.include({ hidden: 3, lines: 2, characters: 7 });
    expect(visibleText('one\ntwo')).to.include({ hidden: 0, lines: 2, characters: 7 });
  });

  it('bounds how many marks become elements', () => {
    const { pieces, hidden } = visibleText('\u200B\u200C'.repeat(20_000));
    expect(hidden).to.equal(40_000);
    expect(pieces).to.have.length.below(1200);
  });

  it('takes time in proportion to the length', () => {
    let unlike = 0; // results are kept by text
    const time = (length: number) => {
      const text = `${String((unlike += 1))}${'\u200B a'.repeat(length)}`;
      const begin = cpuTime();
      visibleText(text);
      return cpuTime() - begin;
    };
    const least = (length: number) => Math.min(...Array.from({ length: 5 }, () => time(length)));
    least(4000);
    // Eight times the length: sixty-four times as long where each piece is looked for in all of it.
    expect(least(32_000)).to.be.below(30 * Math.max(least(4000), 3) + 60);
  });

  it('names words in letters of two alphabets', () => {
    expect(visibleText('\u0430mount').mixed).to.deep.equal([{ word: '\u0430mount', scripts: ['latin', 'cyrillic'] }]);
    expect(visibleText('{"t\u03BFtal_sum": 1}').mixed).to.deep.equal([{ word: 't\u03BFtal_sum', scripts: ['latin', 'greek'] }]);
    expect(visibleText('\u0430x '.repeat(9_000)).mixed).to.have.length(3);
    for (const text of ['amount', 'сумма денег', 'Привет, Anna', '周报 report', 'άλφα beta'])
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
          .replace(/[#*0-9]\ufe0f\u20e3/gu, '');
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
