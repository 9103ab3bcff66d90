import { expect } from 'chai';
import { isLinear } from '../helpers/cost.js';
import fc from 'fast-check';
import { MATH_TAGS, type MathNode } from '../../src/markdown/tex-nodes.js';
import { readTex } from '../../src/markdown/tex.js';
import { pieces } from './pieces.js';
import trees from '../fixtures/markdown/tex.json' with { type: 'json' };

/** The tree as `tag(child child)`, and text as it is. */
function write(node: MathNode | undefined): string {
  if (!node) return 'as written';
  const { tag, text, children } = node;
  if (children) return `${tag}(${children.map(write).join(' ')})`;
  return tag === 'mspace' ? '␣' : text!;
}
const read = (source: string) => write(readTex(source));

describe('formulas', () => {
  const known: [source: string, tree: string][] = trees as [source: string, tree: string][];
  for (const [source, tree] of known)
    it(`are read: ${source}`, () => {
      expect(read(source)).to.equal(tree);
    });

  for (const source of [
    ...pieces(
      '\\foo¦\\frac{a}¦{¦}¦a & b}¦\\left( x¦x^¦_¦\\begin{tikz}x\\end{tikz}¦\\begin{matrix}a¦\\def\\a{b}¦\\href{javascript:1}{x}',
      '\\text{$x$}¦\\constructor¦#1¦\\ce{H2O|}¦\\ce{A ^}¦\\ce{\\alpha}¦\\ce{->[x}',
    ),
    '{'.repeat(100) + '}'.repeat(100),
    `${'\\sqrt['.repeat(10)}x${']x'.repeat(10)}`,
    'x'.repeat(7_000),
  ])
    it(`are shown as they are written where something is not known: ${source.slice(0, 30)}`, () => {
      expect(read(source)).to.equal('as written');
    });

  it('are trees of tags from a list, never deep, whatever is written', () => {
    const part = fc.constantFrom(
      ...pieces(
        "a¦1¦{¦}¦^¦_¦'¦\\frac¦\\sqrt¦[¦]¦\\left(¦\\right)¦\\begin{matrix}¦\\end{matrix}¦&¦\\\\¦\\text{¦\\sum¦\\hat¦\\mathbb¦ ¦\\¦文¦😀",
        '\\not¦\\big¦\\middle|¦\\substack¦%',
      ),
    );
    const look = ({ tag, attributes = {}, children = [] }: MathNode, depth = 0) => {
      expect(MATH_TAGS).to.include(tag);
      expect(depth).to.be.below(80);
      for (const value of Object.values(attributes)) expect(value).to.match(/^[a-z -]*$|^-?[\d.]+(?:em)?$/);
      for (const child of children) look(child, depth + 1);
    };
    for (const script of pieces("^a¦'^a¦^{}'")) look(readTex(`x${script.repeat(1_400)}`)!);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const tree = readTex(parts.join(''));
        if (tree) look(tree);
      }),
      { numRuns: 500 },
    );
  });

  for (const opening of pieces("x¦{¦\\frac¦\\sqrt¦x^¦'¦\\left(¦\\begin{matrix}¦&¦\\\\¦\\text{¦\\sqrt[¦\\¦ ¦1,¦\\\\[¦x_1"))
    it(`cost in proportion to their length: ${opening}`, async () => {
      const prepare = (size: number) => () => readTex(opening.repeat(size / opening.length));
      expect(await isLinear(prepare, 12_000)).to.equal(true);
    });
});
