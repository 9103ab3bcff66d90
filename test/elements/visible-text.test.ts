import { expect } from 'chai';
import { visibleText, withoutHidden } from '../../src/elements/visible-text.js';

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
    ['Chinese', '完成　报告，', '完成　报告，'],
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
      const begin = performance.now();
      visibleText(text);
      return performance.now() - begin;
    };
    const least = (length: number) => Math.min(...Array.from({ length: 5 }, () => time(length)));
    least(4000);
    expect(least(32_000)).to.be.below(3 * 8 * Math.max(least(4000), 1));
  });

  it('gives the clipboard what people see', () => {
    expect(withoutHidden('a\u202Eb\u200B 👨‍👩‍👧 ❤️')).to.equal('ab 👨‍👩‍👧 ❤️');
  });
});
