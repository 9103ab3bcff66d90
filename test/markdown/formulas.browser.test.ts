import { expect } from 'chai';
import formulas from '../fixtures/markdown/formulas.json' with { type: 'json' };
import { lazyStyles } from '../../src/markdown/lazy-styles.js';
import { markdownStyles } from '../../src/markdown/styles.js';
import { growing, loadLate, render } from './serialize.js';

/** What is left of the text with `§` in the places of formulas. */
function withoutFormulas(text: string): string {
  const target = render(text);
  for (const box of target.querySelectorAll('.formula')) box.replaceWith('§');
  return target.textContent;
}

describe('formulas in Markdown', () => {
  before(loadLate);

  it('are found, and not in money, variables, stray marks and code', () => {
    for (const [text, rest] of formulas as [text: string, rest: string][]) expect(withoutFormulas(text), text).to.equal(rest);
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
    for (const one of target.querySelectorAll('.formula')) lazyStyles.adopt(one as HTMLElement);
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
    const { target, show } = growing();
    show('It is $x');
    expect(target.textContent).to.equal('It is ');
    show('^2$ then');
    expect(target.querySelector('msup')?.textContent).to.equal('x2');
    const text = `It is $x ${'and '.repeat(30)}more`;
    show(`\n\n${text}`);
    expect(target.textContent).to.contain(text);
  });
});
