import { expect } from 'chai';
import fc from 'fast-check';
import { readPath } from '../../src/toolkits/files/paths.js';
import given from '../fixtures/toolkits/paths.json' with { type: 'json' };

const pathOf = (written: unknown) => {
  const read = readPath(written);
  return read.ok ? read.path : read.problem;
};

describe('paths of the files (S3-29)', () => {
  it('have one normal form', () => {
    for (const [written, path] of Object.entries(given.normal)) expect(pathOf(written), written).to.equal(path);
  });

  const attacks = [...given.attacks, 'x'.repeat(1001), '漢'.repeat(86), 'a/'.repeat(40)];

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
