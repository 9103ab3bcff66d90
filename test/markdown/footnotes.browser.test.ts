import { expect } from 'chai';
import { renderMarkdown } from '../../src/markdown/markdown.js';
import { growing, loadLate, render } from './serialize.js';

const list = (target: HTMLElement) => [...target.querySelectorAll('.notes li')].map((item) => item.textContent.replace(/ ↩$/, ''));
const marks = (target: HTMLElement) => [...target.querySelectorAll('.note-mark')].map((mark) => mark.textContent);

describe('notes and sources', () => {
  before(loadLate);

  it('are numbered in the order of the text, and listed behind it', () => {
    const target = render('One[^b] and two[^a], and one again[^b].\n\n[^a]: Note *a*\n[^b]: Note b\n\nEnd.');
    expect(marks(target)).to.deep.equal(['1', '2', '1']);
    expect(list(target)).to.deep.equal(['Note b', 'Note a']);
    expect([...target.querySelectorAll('.group:not(.notes) > p')].map((one) => one.textContent)).to.deep.equal([
      'One1 and two2, and one again1.',
      'End.',
    ]);
    expect(target.querySelector('.notes em')?.textContent).to.equal('a');
    expect(target.querySelector('.notes-title')?.textContent).to.equal('Notes');
  });

  it('are called sources where each is a link', () => {
    const target = render('One[^1], two[^2].\n\n[^1]: https://a.example/x\n[^2]: [B](https://b.example/), 2024');
    expect(target.querySelector('.notes-title')?.textContent).to.equal('Sources');
    expect([...target.querySelectorAll<HTMLAnchorElement>('.notes a')].map(({ href }) => href)).to.deep.equal([
      'https://a.example/x',
      'https://b.example/',
    ]);
  });

  it('lead there and back by keyboard', () => {
    const target = document.createElement('div');
    document.body.append(target);
    renderMarkdown(target, 'One[^1].\n\n[^1]: b');
    const mark = target.querySelector<HTMLButtonElement>('.note-mark')!;
    expect(mark.ariaLabel).to.equal('Source 1');
    mark.click();
    expect(document.activeElement).to.equal(target.querySelector('.notes li'));
    target.querySelector<HTMLButtonElement>('.note-back')!.click();
    expect(document.activeElement).to.equal(mark);
    target.remove();
  });

  for (const text of ['a[^1]', '[^a b]', '[^]', 'x^[^2', '[^1](https://a.example/)'])
    it(`are none without what they stand for: ${text}`, () => {
      const target = render(text);
      expect([target.querySelector('button'), target.querySelector('.note')]).to.deep.equal([null, null]);
      expect(target.textContent).to.equal(text.replace(/^\[(\^1)\]\(.*/, '$1 a.example'));
    });

  for (const [where, text, shown] of [
    ['may follow a line of the text, and one another', 'a[^1]\n[^1]: b\n[^2]: c d', ['a1', 'b', 'c d']],
    ['may stand beside one another', 'a[^1][^2].\n\n[^1]: b\n[^2]: c d', ['a12.', 'b', 'c d']],
    ['that nothing stands for come last and are not lost', 'a[^2]\n\n[^1]: b\n\n[^2]: c', ['a1', 'c', 'b']],
  ] as const)
    it(where, () => {
      const target = render(text);
      expect([target.querySelector('p')!.textContent, ...list(target)]).to.deep.equal(shown);
    });

  it('are shown by their names while the answer grows', () => {
    const { target, renderer, show } = growing();
    show('One[^abc] and');
    expect(target.querySelector('.note')?.textContent).to.equal('abc');
    renderer.push(' two.');
    renderer.end();
    expect(target.textContent).to.equal('One[^abc] and two.');
  });
});
