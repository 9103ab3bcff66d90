import { expect } from 'chai';
import { createMarkdownRenderer } from '../../src/markdown/markdown.js';
import { markdownStyles } from '../../src/markdown/styles.js';
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
const EXAMPLES: Record<string, Record<string, [text: string, html: string | RegExp][]>> = {
  tables: {
    'have a head, aligned cells and inline content': [
      [
        '| a | b | c |\n|:--|:-:|--:|\n| *1* | `2` | 3 |',
        '<table><thead><tr><th class="align-left">a</th><th class="align-center">b</th><th class="align-right">c</th></tr></thead>' +
          '<tbody><tr><td class="align-left"><em>1</em></td><td class="align-center"><code>2</code></td><td class="align-right">3</td></tr></tbody></table>',
      ],
    ],
    'need no outer bars, and a bar can be escaped': [
      ['a | b\n- | -\nx \\| y | `c \\| d`', /<td>x \| y<\/td><td><code>c \| d<\/code><\/td>/],
    ],
    'fill short rows and drop cells that have no column': [
      ['|a|b|c|\n|-|-|-|\n|1|\n|1|2|3|4|', /<tr><td>1<\/td><td colspan="2"><\/td><\/tr><tr><td>1<\/td><td>2<\/td><td>3<\/td><\/tr>/],
    ],
    'are none if the delimiter row has another number of cells': [['|a|b|\n|-|\n', '<p>|a|b|\n|-|</p>']],
    'end at a blank line or at another block': [
      ['|a|\n|-|\n|b|\n> c', /<\/table><blockquote><p>c<\/p><\/blockquote>$/],
      ['|a|\n|-|\n|b|\n\nc', /<\/table><p>c<\/p>$/],
    ],
    'take their head from the last line of a paragraph': [
      ['before\n|a|\n|-|', '<p>before</p><table><thead><tr><th>a</th></tr></thead></table>'],
    ],
  },
  strikethrough: {
    'takes one or two tildes on both sides': [['~~a~~ ~b~ ~~~c~~~ ~~d~', '<p><del>a</del> <del>b</del> ~~~c~~~ ~~d~</p>']],
    'leaves ranges alone': [['10~20元，30~40元', '<p>10~20元，30~40元</p>']],
  },
  'bare links': {
    'end before the punctuation of the sentence': [
      [
        'See https://a.test/b(c), (www.d.test).',
        '<p>See <a href="https://a.test/b(c)">https://a.test/b(c)</a>, (<a href="http://www.d.test/">www.d.test</a>).</p>',
      ],
    ],
    'end where Chinese goes on without a blank': [
      ['请看https://a.test/b，谢谢', '<p>请看<a href="https://a.test/b">https://a.test/b</a>，谢谢</p>'],
      ['请看https://a.test谢谢', />https:\/\/a\.test<\/a>谢谢/],
    ],
    'are text inside of links': [['[https://a.test](https://b.test)', '<p><a href="https://b.test/">https://a.test</a></p>']],
  },
  'emphasis beside East Asian punctuation': {
    'needs no blank': [['**注意：**请看**“这里”**。', '<p><strong>注意：</strong>请看<strong>“这里”</strong>。</p>']],
  },
  'a few tags without attributes': {
    'are formatting': [
      ['a<br>b<br/>c<BR />d', '<p>a<br>b<br>c<br>d</p>'],
      ['|a|\n|-|\n|Open<br>**Start**|', /<td>Open<br><strong>Start<\/strong><\/td>/],
      [
        'H<sub>2</sub>O, m<sup>*2*</sup>, <kbd>Ctrl</kbd>+<kbd>C</kbd>',
        '<p>H<sub>2</sub>O, m<sup><em>2</em></sup>, <kbd>Ctrl</kbd>+<kbd>C</kbd></p>',
      ],
      ['[H<sub>2</sub>O](https://a.test)', '<p><a href="https://a.test/">H<sub>2</sub>O</a></p>'],
    ],
    'are text with attributes, without their end, and where they are none of these': [
      ['<sub class="x">a</sub> <sup>b <kbd', '<p>&lt;sub class="x"&gt;a&lt;/sub&gt; &lt;sup&gt;b &lt;kbd</p>'],
      ['<br clear="all"> <b>x</b>', '<p>&lt;br clear="all"&gt; &lt;b&gt;x&lt;/b&gt;</p>'],
    ],
    'are not shown while they come': [['a <!-- not for readers --> b', '<p>a  b</p>']],
  },
  'what was open': {
    'is text again if it never closes': [
      ['a **b', '<p>a **b</p>'],
      ['a [b](https://c.te', /^<p>a \[b\]\(<a href/],
    ],
    'resolves a reference to a definition that comes later': [
      [
        '[a] and [b][c]\n\n| [a] |\n|-|\n\n[a]: https://a.test\n[c]: https://c.test',
        /<a href="https:\/\/a\.test\/">a<\/a> and <a href="https:\/\/c\.test\/">b<\/a>/,
      ],
    ],
  },
};

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

for (const [what, examples] of Object.entries(EXAMPLES))
  describe(what, () => {
    for (const [how, all] of Object.entries(examples))
      it(how, () => {
        for (const [text, html] of all)
          if (typeof html === 'string') expect(serialize(render(text))).to.equal(html);
          else expect(serialize(render(text))).to.match(html);
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
