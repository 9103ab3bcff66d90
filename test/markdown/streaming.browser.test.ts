import { expect } from 'chai';
import fc from 'fast-check';
import { elementCount } from '../../src/markdown/dom.js';
import { renderMarkdown } from '../../src/markdown/markdown.js';
import known from '../fixtures/worst/known.json' with { type: 'json' };
import { written, type WorstInput } from '../fixtures/worst/input.js';
import { growing, loadLate, render, stream } from './serialize.js';
import { pieces } from './pieces.js';

/** `text` cut at the given places. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...at, text.length].map((end, i) => text.slice(i === 0 ? 0 : at[i - 1], end));
}

// Markdown in which every construct meets every other one.
const fragment = fc.constantFrom(
  ...pieces(
    'a¦b c¦ ¦  ¦\n¦\n\n¦\r\n¦\t¦    ¦> ¦- ¦* ¦1. ¦2) ¦# ¦#¦---¦===¦***¦```¦~~~¦`¦``¦*¦**¦_¦__¦~¦~~¦[¦]¦](¦](/u)¦)¦[x]¦[ ] ¦[x] ',
    '[x]: /u¦[x]: https://x.test "t"\n¦![¦<¦>¦<b>¦<!--¦-->¦<https://a.test>¦https://a.test/x_y¦www.a.test¦&amp;¦&¦;¦&#65;¦\\¦|',
    '|-|-|¦| a | b |\n|---|---|\n¦$¦$$¦$x$¦$5¦ $¦\\(¦\\)¦\\[¦\\]¦$$\n¦\n$$¦\n= ¦\\frac{1}{2}¦[^1]¦[^1]: a\n¦[^b]: https://x.test\n',
    `[^b]¦\n\n[^1]: ¦| c | d |\n¦中文¦。¦“¦😀¦\u200b¦\u202e¦\0¦"¦'¦(¦!¦:¦.¦  \n¦\\\n¦<a href="¦">`,
  ),
);
// Few kinds and many blanks: what a blank comes after is taken for final unless something is still open.
const inline = fc.constantFrom(...pieces('a ¦ b c ¦d¦`¦``¦*¦**¦_¦~~¦[¦]¦](/u "t v")¦](<¦[x]¦<!-- ¦-->¦<b c="¦">¦<?¦$¦$$¦\\(x¦\\)¦\n¦!'));
const markdown = fc.oneof(fc.array(fragment, { maxLength: 40 }), fc.array(inline, { maxLength: 30 })).map((parts) => parts.join(''));

describe('streamed Markdown', () => {
  before(loadLate);

  for (const [how, pieces, numRuns] of [
    ['however it is cut', fc.array(fc.nat(), { maxLength: 12 }), 3_000],
    ['when it comes one unit at a time', fc.constant(undefined), 2_000],
  ] as const)
    it(`ends the same ${how}`, function () {
      this.timeout(60_000);
      fc.assert(
        fc.property(markdown, pieces, (text, places) => {
          expect(stream(places ? cut(text, places) : text.split('')).innerHTML).to.equal(render(text).innerHTML);
        }),
        { numRuns },
      );
    });

  it('shows no mark of what is half written', () => {
    const { target, show } = growing();
    const text = 'This is **very important** and `a = 1`, ~~gone~~ and ***both*** of **a *b* c**.\n\n- [x] done\n- [ ] open\n\n';
    for (const letter of `${text}![A chart](https://a.test/c.png) See [the docs](https://a.test/a/b?x=1).`) {
      show(letter);
      expect(target.textContent).not.to.match(/[*`~]|\[[x ]|!\[|\]\(|\/a/);
    }
  });

  it('shows marks that are none once that is certain, and restyles no more than a few words for a single one', () => {
    for (const text of ['It is 2 * 3', 'It is 10~20 kg', 'a ** b', 'a `b', 'see ![x] there', `*${'word '.repeat(20)}`, 'snake_case *']) {
      const { target, renderer, show } = growing();
      for (const letter of text) show(letter);
      if (!text.endsWith('*')) expect(target.textContent.trim(), text).to.equal(text.includes('`') ? 'a b' : text.trim());
      expect(target.querySelector('em')).to.equal(null);
      renderer.end();
      expect(target.textContent.trim()).to.equal(text.trim());
    }
  });

  it('shows nothing before it is flushed, and half a character never', () => {
    const { target, renderer, show } = growing();
    renderer.push('a \ud83d');
    expect(target.textContent).to.equal('');
    renderer.flush();
    expect(target.textContent).to.equal('a ');
    show('\ude00');
    expect(target.textContent).to.equal('a 😀');
  });
});

it('a long list goes on in another element, with the next number', () => {
  const lists = render('3. a\n'.repeat(120)).querySelectorAll('ol');
  const parts = [...lists].map((list) => `${String(list.children.length)} from ${String(list.start)}`);
  expect(parts).to.deep.equal(['50 from 3', '50 from 53', '20 from 103']);
  const loose = render(`${'- a\n'.repeat(60)}\n- b`).querySelectorAll('ul');
  expect([...loose].every((list) => list.classList.contains('loose'))).to.equal(true);
});

describe('what the browser has to lay out at once', () => {
  const LONG = 300_000;
  const LINK = '[a](http://b.test) ';
  const columns = { head: '|a'.repeat(LONG / 5), parts: ['|-'], tail: '\n|b' };
  for (const input of [...(known.layout as WorstInput[]), columns])
    it(`has a bound: ${JSON.stringify(input).slice(0, 99)}`, () => {
      const text = written(input, LONG);
      const target = render(text);
      const words = (value: string) => value.replace(/[^a-z「始」]/g, '').length;
      let deepest = 0;
      for (const element of target.querySelectorAll('*')) {
        let depth = 0;
        for (let at: Element = element; at !== target; at = at.parentElement!) depth++;
        deepest = Math.max(deepest, depth);
        const own = [...element.childNodes].filter(
          (node) => node.nodeType === 3 || /^(?:em|strong|del|code|a|br)$/.test((node as Element).localName),
        );
        expect(own.length, `nodes in a row of <${element.localName}>`).to.be.at.most(1_300);
        const length = own.reduce((sum, { textContent }) => sum + textContent!.length, 0);
        expect(length, `characters in a row of <${element.localName}>`).to.be.at.most(16_500);
      }
      expect(deepest).to.be.at.most(26);
      expect(words(target.textContent)).to.be.at.least(words(input.parts[0] === LINK ? text.replaceAll(LINK, 'a') : text) * 0.9);
    });

  it('ends the same however it is cut, also over the ends of segments', function () {
    this.timeout(60_000);
    const long = ['x'.repeat(700), 'lorem ipsum '.repeat(60), '/*'.repeat(400)];
    const piece = fc.constantFrom(...pieces('word ¦w¦*a* ¦*¦[a](http://b.test) ¦`¦😀¦\n¦[x]'), ...long);
    const text = fc
      .array(piece, { minLength: 20, maxLength: 60 })
      .map((parts) => `${parts.join('').replaceAll('\n\n', '\n')}\n\n[x]: http://c.test`);
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 30 }), (whole, places) => {
        expect(stream(cut(whole, places)).innerHTML).to.equal(render(whole).innerHTML);
      }),
      { numRuns: 150 },
    );
  });

  it('leaves a paragraph as people write them in one piece', () => {
    expect(render('word '.repeat(1_200)).querySelector('.segment')).to.equal(null);
  });
});

describe('a fault in the renderer', () => {
  /** A target whose document fails to make one kind of element, `times` times. */
  function brokenTarget(tag: string, times: number): HTMLElement {
    const page = document.implementation.createHTMLDocument();
    const value = (name: keyof HTMLElementTagNameMap) => {
      if (name === tag && times-- > 0) throw new Error('broken on purpose');
      return document.createElement(name);
    };
    Object.defineProperty(page, 'createElement', { value });
    return page.body;
  }

  it('shows the block it happened in as plain text, and the next ones as ever', () => {
    const target = brokenTarget('table', 1);
    renderMarkdown(target, '*a*\n\n|b|\n|-|\n|*c*|\n\n*d*');
    expect([...target.querySelectorAll('.group > *')].map((block) => block.outerHTML)).to.deep.equal([
      '<p><em>a</em></p>',
      '<p class="plain">|b|\n|-|</p>',
      '<p>|<em>c</em>|</p>',
      '<p><em>d</em></p>',
    ]);
  });

  it('loses no words wherever it happens', () => {
    for (const tag of ['p', 'ul', 'li', 'blockquote', 'h1', 'code', 'a', 'hr', 'th', 'td']) {
      const target = brokenTarget(tag, 1);
      renderMarkdown(target, 'one\n\n- two\n\n> three\n\n# four\n\n`five`\n\n<https://six.test>\n\n---\n\n|seven|\n|-|\n|eight|\n\nnine');
      for (const word of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'])
        expect(target.textContent, `${tag} failed`).to.contain(word);
    }
  });
});

describe('a frame of Markdown', () => {
  const MOST = 200;
  for (const [what, text] of Object.entries({
    'empty code blocks': '```js\n```\n'.repeat(2000),
    'short items': '- a\n'.repeat(4000),
    'references that are defined last': `${'[a] b\n\n'.repeat(3000)}[a]: https://a.example/\n`,
  }))
    it(`makes no more elements than it may, and in the end what is made at once: ${what}`, () => {
      const { target, renderer } = growing();
      const frames: number[] = [];
      const draw = (work: () => boolean) => {
        for (let more = true; more;) {
          const before = elementCount.made;
          more = work();
          frames.push(elementCount.made - before);
        }
      };
      for (let at = 0; at < text.length; at += 8192) {
        renderer.push(text.slice(at, at + 8192));
        draw(() => renderer.flush(MOST));
      }
      draw(() => renderer.end(MOST));
      // A line makes a few more.
      expect(Math.max(...frames)).to.be.below(MOST + 10);
      const whole = render(text);
      expect(target.isEqualNode(whole)).to.equal(true);
    });

  it('lays out no more than 3,072 letters in one piece where words have no blanks between them, however they arrive', () => {
    const word = 'ภาษาไทยเป็นภาษา';
    for (const text of [word.repeat(800), `${word.repeat(10)} `.repeat(80)]) {
      const target = stream(text.match(/[^]{1,7}/g) ?? []);
      const whole = render(text);
      expect(target.isEqualNode(whole)).to.equal(true);
      const walker = document.createTreeWalker(whole, NodeFilter.SHOW_TEXT);
      let longest = 0;
      while (walker.nextNode()) longest = Math.max(longest, walker.currentNode.textContent!.length);
      expect(longest).to.be.within(2000, 3090);
      expect(whole.textContent.replaceAll(' ', '')).to.equal(text.replaceAll(' ', ''));
    }
  });
});
