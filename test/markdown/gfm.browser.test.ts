import { expect } from 'chai';
import { createMarkdownRenderer } from '../../src/markdown/markdown.js';
import { markdownStyles } from '../../src/markdown/styles.js';
import examples from '../fixtures/markdown/examples.json' with { type: 'json' };
import { render, serialize } from './serialize.js';

/** What is on the screen while `text` is all that has come. */
function partly(text: string): string {
  const target = document.createElement('div');
  const renderer = createMarkdownRenderer(target);
  renderer.push(text);
  renderer.flush();
  return serialize(target);
}

/** What a text becomes: all of it, or something in it. */
const EXAMPLES: Record<string, Record<string, { text: string; html?: string; matches?: string }[]>> = examples;

it('half of what will be something else is not shown while it comes', () => {
  for (const [text, shown] of [
    ['Here:\n| Name | Pr', '<p>Here:</p>'],
    ['a ![A cha', '<p>a </p>'],
    ['a ![A chart](https://a.test/x', '<p>a <span class="image">[image: A chart]</span></p>'],
    ['So $E = mc', '<p>So </p>'],
    ['So $$\\frac{a}', '<p>So </p>'],
    ['Fact[^1', '<p>Fact</p>'],
    ['H<su', '<p>H</p>'],
    ['H<sub>2', '<p>H<sub>2</sub></p>'],
    ['a <!-- b', '<p>a </p>'],
    ['It costs $5 and', '<p>It costs $5 and</p>'],
    ['a [b', '<p>a [b</p>'],
  ] as const)
    expect(partly(text), text).to.equal(shown);
});

it('single line breaks are kept', () => {
  const target = render('12 High Street\nLondon  \nN1\n\n- a\n  b');
  const style = document.createElement('style');
  style.textContent = markdownStyles.cssText;
  target.prepend(style);
  document.body.append(target);
  expect([...target.querySelectorAll('p')].map(({ innerText }) => innerText)).to.deep.equal(['12 High Street\nLondon\nN1', 'a\nb']);
  target.remove();
});

it('markers, bars and columns are where their own language begins', () => {
  const target = render('- English\n- البند الأول\n- ثم `npm`\n\n> اقتباس\n\n|المنتج|السعر|\n|-|-|\n|Pen|2|');
  const style = document.createElement('style');
  style.textContent = markdownStyles.cssText;
  target.style.setProperty('--_line', 'gray');
  target.prepend(style);
  document.body.append(target);
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
  const [table, around] = ['table', '.table-scroll'].map((name) => target.querySelector(name)!.getBoundingClientRect().right);
  expect(table).to.be.closeTo(around!, 1);
  const [first, second] = [...target.querySelectorAll('th')].map((cell) => cell.getBoundingClientRect().left) as [number, number];
  expect(first).to.be.above(second);
  expect(getComputedStyle(target.querySelector('td') as Element).textAlign).to.equal('right');
  target.remove();
});

it('a paragraph, a heading, an item and a cell begin at the side of their first letter, whatever is inside', () => {
  const target = document.createElement('div');
  const style = document.createElement('style');
  style.textContent = markdownStyles.cssText;
  document.body.append(target);
  for (const [words, side] of [
    ['English with العربية inside', 'left'],
    ['العربية مع English inside', 'right'],
    ['عنوان `npm run build` آخر', 'right'],
    ['see `عربي` here', 'left'],
    ['שלום [link](https://a.test) עולם', 'right'],
    ['1. is العربية', 'left'],
    ['«العربية» first', 'right'],
  ] as const)
    for (const [tag, text] of Object.entries({ p: words, h2: `## ${words}`, li: `- ${words}`, td: `|a|\n|-|\n|${words}|` })) {
      if (tag === 'p' && /^\d/.test(words)) continue;
      target.replaceChildren(style, render(text));
      const block = target.querySelector(tag) as HTMLElement;
      const first = document.createTreeWalker(block, NodeFilter.SHOW_TEXT).nextNode() as Text;
      const range = document.createRange();
      range.setStart(first, 0);
      range.setEnd(first, 1);
      const [letter, box] = [range.getBoundingClientRect(), block.getBoundingClientRect()];
      expect(letter.left - box.left < box.right - letter.right ? 'left' : 'right', `${tag}: ${words}`).to.equal(side);
    }
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

describe('task lists', () => {
  it('show a mark and no control', () => {
    const target = render('- [ ] a\n- [x] b\n- [x]c\n- [ ]');
    expect([...target.querySelectorAll('li')].map((item) => item.textContent)).to.deep.equal(['☐a', '☑b', '[x]c', '[ ]']);
    expect(target.querySelector('input')).to.equal(null);
  });

  it('keep the mark when a reference is resolved later', () => {
    expect(render('- [x] see [a]\n\n[a]: https://a.test').querySelector('li')!.textContent).to.equal('☑see a a.test');
  });
});

describe('what is still open', () => {
  it('is shown as it will be', () => {
    expect(partly('a **b')).to.equal('<p>a <strong>b</strong></p>');
    expect(partly('a `b')).to.equal('<p>a <code>b</code></p>');
    expect(partly('a [b](https://c.te')).to.equal('<p>a b</p>');
  });

  it('does not show marks that are not decided', () => {
    for (const text of ['#', '- ', '1.', '> ', '```ts', '| a | b |', '[a]: https://b.test'])
      expect(partly(text), text).to.not.match(/[^<>/p]/);
  });
});

describe('code blocks', () => {
  const code = '```ts extra\nconst a = 1;\n\n  b\u200b\u202e()\n```';

  it('name the language, and copy exactly what is shown, which has no hidden characters', async () => {
    const target = render(code);
    expect(target.querySelector('.code-language')!.textContent).to.equal('ts');
    const shown = target.querySelector('pre')!.textContent;
    expect(shown).to.equal('const a = 1;\n\n  b()\n');
    const copied: string[] = [];
    const own = Object.getOwnPropertyDescriptor(navigator, 'clipboard');
    Object.defineProperty(navigator, 'clipboard', {
      configurable: true,
      value: { writeText: (text: string) => Promise.resolve(void copied.push(text)) },
    });
    try {
      const button = target.querySelector('button')!;
      button.click();
      for (let turns = 0; turns < 10 && button.textContent !== 'Copied'; turns += 1) await Promise.resolve();
      expect(copied).to.deep.equal(['const a = 1;\n\n  b()']);
      expect(button.textContent).to.equal('Copied');
    } finally {
      if (own) Object.defineProperty(navigator, 'clipboard', own);
      else Reflect.deleteProperty(navigator, 'clipboard');
    }
  });

  it('keep no text node longer than a portion', () => {
    const target = render('```\n' + 'x'.repeat(100_000) + '\n' + 'y\n'.repeat(5_000));
    const lengths = [...target.querySelectorAll('.code-lines')].map((box) => box.textContent.length);
    expect(Math.max(...lengths)).to.equal(8_192);
    expect(target.querySelector('code')!.textContent).to.have.lengthOf(100_001 + 10_000);
  });
});

describe('labels', () => {
  it('are the words of the page', () => {
    const labels = { copyCode: '复制', image: (host: string | null, alt: string) => `图片 ${alt} ${host}` };
    const target = render('![猫](https://a.test/b.png)\n\n    code', { labels });
    expect(target.querySelector('.image')!.textContent).to.equal('图片 猫 a.test');
    expect(target.querySelector('button')!.textContent).to.equal('复制');
  });
});
