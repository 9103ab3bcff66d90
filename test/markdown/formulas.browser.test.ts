import { expect } from 'chai';
import { lateStyles } from '../../src/markdown/late-styles.js';
import { createMarkdownRenderer } from '../../src/markdown/markdown.js';
import { markdownStyles } from '../../src/markdown/styles.js';
import { pieces } from './pieces.js';
import { loadLate, render } from './serialize.js';

/** What became formulas, as they were read, and what is left of the text with `§` in their places. */
function found(text: string): { formulas: string[]; rest: string } {
  const target = render(text);
  const formulas = [...target.querySelectorAll('.formula')].map((box) => {
    const { textContent } = box;
    box.replaceWith('§');
    return textContent;
  });
  return { formulas, rest: target.textContent };
}

describe('formulas in Markdown', () => {
  before(loadLate);

  for (const [text, rest] of [
    ['It is $x$.', 'It is §.'],
    ['so $a_1 + b_2$, and *$c$*', 'so §, and §'],
    ['\\(a\\) and \\[b\\]', '§ and §'],
    ['$$a$$', '§'],
    ['a\n$$\nx\n= y\n- z\n+ 1\n> 2\n$$\nb', 'a\n§ b'],
    ['a\n\\begin{equation}\nx\n\\end{equation}\nb', 'a\n§ b'],
    ['| a |\n|---|\n| $|x|$ |', 'a§'],
    ['turn by 45$^\\circ$ left', 'turn by 45§ left'],
    ['\\[\n# x\n\\]', '§'],
    ['| a |\n|---|\n| $x$ |', 'a§'],
    ['- $x$\n- $y$', '§§'],
    ['面积$x^2$平方', '面积§平方'],
  ] as const)
    it(`are found: ${JSON.stringify(text)}`, () => {
      expect(found(text).rest).to.equal(rest);
    });

  for (const text of pieces(
    'It costs $5 and $6.¦from $5-$10 or US$5/$6¦between $5M and $10M, not 20$ more¦I paid $5 in cash and got 6$ back',
    '$HOME:$PATH and $USER¦a $ b $ c¦x$y$z¦$x¦$$ and $$$¦价格是$5和$6¦\\( and \\[¦`$x$`\n\n```\n$x$\n$$y$$\n```',
  ))
    it(`are not found in money, variables, stray marks and code: ${text}`, () => {
      expect(found(text).formulas).to.deep.equal([]);
    });

  it('are MathML, as a block where they stand by themselves', () => {
    const maths = [...render('$\\frac{a}{b}$ $$x$$').querySelectorAll('math')];
    expect(maths.map((one) => one.outerHTML.replace(/ xmlns="[^"]*"/, ''))).to.deep.equal([
      '<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>',
      '<math display="block"><mi>x</mi></math>',
    ]);
    expect(maths[0]?.namespaceURI).to.equal('http://www.w3.org/1998/Math/MathML');
  });

  it('scroll in a box of their own where they are wider than their line, and stay on it where they are not', () => {
    const sum = 'a + b = '.repeat(20);
    const target = render(`It is $${sum}c$.\n\n$$${sum}c$$\n\n- $$\\begin{pmatrix}${'x & '.repeat(40)}y\\end{pmatrix}$$\n\nand $a = b$.`);
    const box = document.createElement('div');
    const style = document.createElement('style');
    style.textContent = markdownStyles.cssText;
    box.style.width = '280px';
    box.attachShadow({ mode: 'open' }).append(style, target);
    document.body.append(box);
    for (const one of target.querySelectorAll('.formula')) lateStyles.adopt(one as HTMLElement);
    const scrolls = [...target.querySelectorAll('.formula')].map((one) => one.scrollWidth > one.clientWidth && one.clientWidth > 0);
    expect([scrolls, box.scrollWidth]).to.deep.equal([[true, true, true, false], 280]);
    box.remove();
  });

  it('stay as they were written where something is not known', () => {
    const box = render('$\\foo{x}$').querySelector('.formula')!;
    expect([box.innerHTML, box.children.length]).to.deep.equal(['$\\foo{x}$', 0]);
  });

  it('end at a blank line when they are not closed', () => {
    expect(render('$$\nx\n\n# y').querySelector('h1')?.textContent).to.equal('y');
  });

  it('are not shown before they are closed, unless that takes long', () => {
    const target = document.createElement('div');
    const renderer = createMarkdownRenderer(target);
    renderer.push('It is $x');
    renderer.flush();
    expect(target.textContent).to.equal('It is ');
    renderer.push('^2$ then');
    renderer.flush();
    expect(target.querySelector('msup')?.textContent).to.equal('x2');
    const text = `It is $x ${'and '.repeat(30)}more`;
    renderer.push(`\n\n${text}`);
    renderer.flush();
    expect(target.textContent).to.contain(text);
  });
});
