import { expect } from 'chai';
import examples from '../fixtures/markdown/examples.json' with { type: 'json' };
import halves from '../fixtures/markdown/half-written.json' with { type: 'json' };
import { growing, render, serialize, styled } from './serialize.js';

/** What is on the screen while `text` is all that has come. */
function partly(text: string): string {
  const { target, show } = growing();
  show(text);
  return serialize(target);
}

/** What a text becomes: all of it, or something in it. */
const EXAMPLES: Record<string, Record<string, { text: string; html?: string; matches?: string }[]>> = examples;

it('half of what will be something else is not shown while it comes, and what is open is shown as it will be', () => {
  for (const [text, shown] of halves as [text: string, shown: string][]) expect(partly(text), text).to.equal(shown);
});

it('single line breaks are kept', () => {
  const target = render('12 High Street\nLondon  \nN1\n\n- a\n  b');
  document.body.append(styled(target));
  expect([...target.querySelectorAll('p')].map(({ innerText }) => innerText)).to.deep.equal(['12 High Street\nLondon\nN1', 'a\nb']);
  target.remove();
});

it('markers, bars and columns are where their own language begins', () => {
  const target = render('- English\n- البند الأول\n- ثم `npm`\n\n> اقتباس\n\n|المنتج|السعر|\n|-|-|\n|Pen|2|');
  target.style.setProperty('--_line', 'gray');
  document.body.append(styled(target));
  const sides = [...target.querySelectorAll('li')].map((item) => {
    const { direction, marginLeft, marginRight } = getComputedStyle(item);
    return [direction, parseFloat(marginLeft) > 0, parseFloat(marginRight) > 0];
  });
  expect(sides).to.deep.equal([
    ['ltr', true, false],
    ['rtl', false, true],
    ['rtl', false, true],
  ]);
  const quote = getComputedStyle(target.querySelector('blockquote') as Element);
  expect([quote.borderLeftWidth, quote.borderRightWidth, quote.paddingLeft]).to.deep.equal(['0px', '3px', '0px']);
  const [first, second] = [...target.querySelectorAll('th')].map((cell) => cell.getBoundingClientRect().left) as [number, number];
  expect(first).to.be.above(second);
  expect(getComputedStyle(target.querySelector('td') as Element).textAlign).to.equal('right');
  target.remove();
});

for (const [what, hows] of Object.entries(EXAMPLES))
  describe(what, () => {
    for (const [how, all] of Object.entries(hows))
      it(how, () => {
        for (const { text, html, matches = '' } of all)
          if (html !== undefined) expect(serialize(render(text))).to.equal(html);
          else expect(serialize(render(text))).to.match(new RegExp(matches));
      });
  });

it('tables go on under the same head after 200 rows', () => {
  const target = render('|a|\n|-|\n' + '|b|\n'.repeat(450));
  expect(target.querySelectorAll('table')).to.have.lengthOf(3);
  expect(target.querySelectorAll('th')).to.have.lengthOf(3);
  expect(target.querySelectorAll('td')).to.have.lengthOf(450);
});

it('task lists show a mark and no control, also when a reference is resolved later', () => {
  const target = render('- [ ] a\n- [x] b\n- [x]c\n- [ ]\n- [x] see [a]\n\n[a]: https://a.test');
  const items = [...target.querySelectorAll('li')].map((item) => item.textContent);
  expect(items).to.deep.equal(['☐a', '☑b', '[x]c', '[ ]', '☑see a a.test']);
  expect(target.querySelector('input')).to.equal(null);
});

it('code blocks name the language, and copy exactly what is shown, which has no hidden characters', async () => {
  const target = render('```ts extra\nconst a = 1;\n\n  b\u200b\u202e()\n```');
  expect(target.querySelector('.code-language')!.textContent).to.equal('ts');
  expect(target.querySelector('pre')!.textContent).to.equal('const a = 1;\n\n  b()\n');
  const copied: string[] = [];
  const { writeText } = navigator.clipboard;
  navigator.clipboard.writeText = (text) => Promise.resolve(void copied.push(text));
  const button = target.querySelector('button')!;
  button.click();
  for (let turns = 0; turns < 10 && button.textContent !== 'Copied'; turns += 1) await Promise.resolve();
  navigator.clipboard.writeText = writeText;
  expect([button.textContent, copied]).to.deep.equal(['Copied', ['const a = 1;\n\n  b()']]);
});

it('labels are the words of the page', () => {
  const labels = { copyCode: '复制', image: (host: string | null, alt: string) => `图片 ${alt} ${host}` };
  const target = render('![猫](https://a.test/b.png)\n\n    code', { labels });
  expect(target.querySelector('.image')!.textContent).to.equal('图片 猫 a.test');
  expect(target.querySelector('button')!.textContent).to.equal('复制');
});
