import { expect } from 'chai';
import fc from 'fast-check';
import { readPath } from '../../src/toolkits/files/paths.js';

const pathOf = (written: unknown) => {
  const read = readPath(written);
  return read.ok ? read.path : read.problem;
};

describe('paths of the files (S3-29)', () => {
  it('have one normal form', () => {
    for (const [written, path] of [
      ['/', '/'],
      ['.', '/'],
      ['notes.txt', '/notes.txt'],
      ['./a//b/', '/a/b'],
      ['/a/./b/../c', '/a/c'],
      ['a/../b', '/b'],
      ['/笔记/今天.txt', '/笔记/今天.txt'],
      ['/ملاحظات/اليوم.txt', '/ملاحظات/اليوم.txt'],
      ['/cafe\u0301.txt', '/café.txt'],
      ['/.env', '/.env'],
      ['/a b/c (1).md', '/a b/c (1).md'],
      ['/100%', '/100%'],
      ['/__proto__', '/__proto__'],
    ])
      expect(pathOf(written), written).to.equal(path);
  });

  const attacks = [
    ...['..', '../x', '/..', '/../x', 'a/../../x', 'a/b/../../../x', './../x', '/a/../..', '....//../../x'],
    ...['..\\x', 'a\\..\\x', '\\x', 'C:\\x', 'C:/x', 'c:', '\\\\server\\share', '//?/C:/x'],
    ...['%2e%2e/x', '..%2fx', '%2e%2e%2fx', '%252e%252e/x', 'a%00b', '%5c..%5cx', '..%c0%afx', '%u002e%u002e/x'],
    ...['\\u002e\\u002e/x', '&#46;&#46;/x', '&period;&period;/x'],
    ...['\uFF0E\uFF0E/x', '\u2024\u2024/x', '\u2025/x', '\u2026/x', '.\u200B./x', '..\u200D/x', '\u202E../x'],
    ...['a\uFF0Fb', 'a\u2215b', 'a\u2044b', 'a\u29F8b', 'a\uFF3Cb', 'a\u2216b', '\uFF0F..\uFF0Fx'],
    ...['a\0b', 'a\nb', 'a\rb', 'a\tb', 'a\u0085b', 'a\u2028b', '\uFEFFa', '\uD800', 'a\u00ADb', 'a\u0007b'],
    ...['con', 'NUL', 'aux.txt', 'COM1', 'lpt9.log', 'CONIN$', 'a/prn/b'],
    ...['a.', 'a ', ' a', 'a./b', '...', '.. ', '. .', '~', '~root/x', 'a:b', 'a*', 'a?', 'a|b', '<a>', 'a"b'],
    ...['x'.repeat(1001), '漢'.repeat(86), 'a/'.repeat(40), '', '   '],
  ];

  it(`refuse what could lead elsewhere, in ${String(attacks.length)} ways of writing it`, () => {
    expect(attacks.length).to.be.greaterThan(60);
    for (const attack of attacks) expect(readPath(attack).ok, JSON.stringify(attack)).to.equal(false);
    for (const odd of [undefined, null, 7, {}, ['/a'], { toString: () => '/a' }]) expect(readPath(odd).ok).to.equal(false);
  });

  it('never lead out, are read once and for all, and cost no more than their length, whatever is written', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '/', '\\', '%2e', '\uFF0E', '\u2024', 'a', '~', ' ', '\0', 'con'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const read = readPath(pieces.join(''));
        if (!read.ok) return;
        expect(read.parts.some((part) => part === '' || part === '.' || part === '..' || /[/\\\0]/.test(part))).to.equal(false);
        expect(read.path).to.equal(`/${read.parts.join('/')}`);
        expect(readPath(read.path)).to.deep.equal(read);
      }),
    );
  });
});
