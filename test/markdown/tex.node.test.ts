import { expect } from 'chai';
import { cpuTime } from '../helpers/cpu-time.js';
import fc from 'fast-check';
import { MATH_TAGS, type MathNode } from '../../src/markdown/tex-nodes.js';
import { readTex } from '../../src/markdown/tex.js';
import { pieces } from './pieces.js';

/** The tree as `tag(child child)`, and text as it is. */
function write(node: MathNode | undefined): string {
  if (!node) return 'as written';
  const { tag, text, children } = node;
  if (children) return `${tag}(${children.map(write).join(' ')})`;
  return tag === 'mspace' ? '␣' : text!;
}
const read = (source: string) => write(readTex(source));

describe('formulas', () => {
  const known: [source: string, tree: string][] = [
    ['x', 'x'],
    ['E = mc^2', 'mrow(E = m msup(c 2))'],
    ['x^23', 'mrow(msup(x 2) 3)'],
    ['1,000.5+10,2', 'mrow(1,000.5 + 10 , 2)'],
    ['\\frac{a}{b}', 'mfrac(a b)'],
    ['\\frac12', 'mfrac(1 2)'],
    ['\\sqrt[3]{x+1}', 'mroot(mrow(x + 1) 3)'],
    ['x = \\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}', 'mrow(x = mfrac(mrow(− b ± msqrt(mrow(msup(b 2) − 4 a c))) mrow(2 a)))'],
    ['a_i^2', 'msubsup(a i 2)'],
    ["f'(x)''", 'mrow(msup(f ′) ( x msup() ′′))'],
    ['\\sum_{i=1}^n i', 'mrow(munderover(∑ mrow(i = 1) n) i)'],
    ['\\int_0^\\infty e^{-x}\\,dx', 'mrow(msubsup(∫ 0 ∞) msup(e mrow(− x)) ␣ d x)'],
    ['\\lim_{x \\to 0} \\sin x', 'mrow(munder(lim mrow(x → 0)) ␣ sin ␣ x)'],
    ['\\log_2(n)', 'mrow(msub(log 2) ( n ))'],
    ['\\alpha \\le \\Omega', 'mrow(α ≤ Ω)'],
    ['\\mathbb{R}^n \\ni \\mathbf{v1}', 'mrow(msup(ℝ n) ∋ mrow(𝐯 𝟏))'],
    ['\\vec{v} \\cdot \\hat x', 'mrow(mover(v →) ⋅ mover(x ^))'],
    ['\\left( \\frac{1}{2} \\right)', 'mrow(( mfrac(1 2) ))'],
    ['\\left. x \\right|_0', 'msub(mrow(x |) 0)'],
    ['\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}', 'mrow(( mtable(mtr(mtd(a) mtd(b)) mtr(mtd(c) mtd(d))) ))'],
    ['\\begin{aligned} a &= b \\\\ &= c \\\\ \\end{aligned}', 'mtable(mtr(mtd(a) mtd(mrow(= b))) mtr(mtd(mrow()) mtd(mrow(= c))))'],
    ['f = \\begin{cases} 1 & x > 0 \\end{cases}', 'mrow(f = mrow({ mtable(mtr(mtd(1) mtd(mrow(x > 0))))))'],
    ['v = 5\\,\\text{km/h und } 50\\%', 'mrow(v = 5 ␣ km/h und\u00a0 50 %)'],
    ['\\begin{matrix}x\\\\y\\end{matrix}', 'mtable(mtr(mtd(x)) mtr(mtd(y)))'],
    ['\\begin{array}{c|c}p&q\\\\ \\hline T&F\\end{array}', 'mtable(mtr(mtd(p) mtd(q)) mtr(mtd(T) mtd(F)))'],
    ['\\sum_{\\substack{i<n\\\\j<m}} x', 'mrow(munder(∑ mtable(mtr(mtd(mrow(i < n))) mtr(mtd(mrow(j < m))))) x)'],
    ['\\text{5\\% of \\$}3', 'mrow(5% of $ 3)'],
    ['\\frac{\\cancel{x}}{y}', 'mfrac(mrow(x) y)'],
    ['A \\xrightarrow[b]{\\Delta} B', 'mrow(A munderover(→ b Δ) B)'],
    ['^\\circ', 'msup(mrow() ∘)'],
    ['\\textcolor{red}{x} \\lesssim y', 'mrow(x ≲ y)'],
    ['\\begin{equation}x = 1\\end{equation}', 'mrow(x = 1)'],
    ['\\ce{2H2 + O2 -> 2H2O}', 'mrow(2 msub(H 2) + msub(O 2) → 2 msub(H 2) O)'],
    ['\\ce{SO4^2- + Na+ <=>[heat] ^{14}C}', 'mrow(msubsup(SO 4 2−) + msup(Na +) mover(⇌ heat) msup(mrow() 14) C)'],
    ['\\operatorname{rank} A', 'mrow(rank ␣ A)'],
    ['\\not= \\binom{n}{k}', 'mrow(≠ mrow(( mfrac(n k) )))'],
    ['\\overline{AB} \\perp 面积', 'mrow(mover(mrow(A B) ¯) ⟂ 面 积)'.replace('⟂', '⊥')],
  ];
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
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const tree = readTex(parts.join(''));
        if (tree) look(tree);
      }),
      { numRuns: 500 },
    );
  });

  for (const opening of pieces("x¦{¦\\frac¦\\sqrt¦x^¦'¦\\left(¦\\begin{matrix}¦&¦\\\\¦\\text{¦\\sqrt[¦\\¦ ¦1,¦\\\\[¦x_1"))
    it(`cost in proportion to their length: ${opening}`, () => {
      const cost = (length: number) => {
        const source = opening.repeat(length / opening.length);
        const runs = Array.from({ length: 3 }, () => {
          const start = cpuTime();
          for (let i = 0; i < 10; i++) readTex(source);
          return cpuTime() - start;
        });
        return Math.min(...runs);
      };
      // Quadratic work would cost 16 times as much.
      expect(cost(12_000)).to.be.below(8 * cost(3_000) + 50);
    });
});
