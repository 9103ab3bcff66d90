import { expect } from 'chai';
import fc from 'fast-check';
import { elementCount } from '../../src/markdown/dom.js';
import { createMarkdownRenderer, renderMarkdown } from '../../src/markdown/markdown.js';
import { loadLate, render, stream } from './serialize.js';
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

  const HALF: [text: string, source: RegExp][] = [
    ['This is **very important** and `const a = 1` ok.', /\*|`/],
    ['~~gone~~ and ***both*** of **a *b* c** and __more _of_ it__.', /[~*_]/],
    ['- [x] done\n- [ ] open', /\[/],
    ['![A chart](https://example.com/c.png) end', /!\[|\]\(/],
    ['See [the docs](https://example.com/a/b?x=1).', /\]\(|\/a/],
  ];
  for (const [text, source] of HALF)
    it(`shows no mark of what is half written: ${text}`, () => {
      const target = document.createElement('div');
      const renderer = createMarkdownRenderer(target);
      const shown = [...text].map((letter) => {
        renderer.push(letter);
        renderer.flush();
        return target.textContent;
      });
      renderer.end();
      expect(shown.filter((one) => source.test(one))).to.deep.equal([]);
    });

  it('shows marks that are none once that is certain, and restyles no more than a few words for a single one', () => {
    for (const text of ['It is 2 * 3', 'It is 10~20 kg', 'a ** b', 'a `b', 'see ![x] there', `*${'word '.repeat(20)}`, 'snake_case *']) {
      const target = document.createElement('div');
      const renderer = createMarkdownRenderer(target);
      for (const letter of text) {
        renderer.push(letter);
        renderer.flush();
      }
      if (!text.endsWith('*')) expect(target.textContent.trim(), text).to.equal(text.includes('`') ? 'a b' : text.trim());
      expect(target.querySelector('em')).to.equal(null);
      renderer.end();
      expect(target.textContent.trim()).to.equal(text.trim());
    }
  });

  it('keeps its text as it was pushed', () => {
    const renderer = createMarkdownRenderer(document.createElement('div'));
    for (const piece of ['a\r', '\nb', '\0']) renderer.push(piece);
    renderer.end();
    expect(renderer.text).to.equal('a\r\nb\0');
  });

  it('shows nothing before it is flushed, and half a character never', () => {
    const target = document.createElement('div');
    const renderer = createMarkdownRenderer(target);
    renderer.push('a \ud83d');
    expect(target.textContent).to.equal('');
    renderer.flush();
    expect(target.textContent).to.equal('a ');
    renderer.push('\ude00');
    renderer.flush();
    expect(target.textContent).to.equal('a 😀');
  });
});

describe('finished blocks', () => {
  it('are never touched again', async () => {
    const target = document.createElement('div');
    const renderer = createMarkdownRenderer(target);
    const before = '# a\n\nb **c**\n\n- d\n- e\n\n```\nf\n```\n\n';
    renderer.push(before);
    renderer.flush();
    const nodes = [...target.querySelectorAll('*')];
    const records: MutationRecord[] = [];
    const observer = new MutationObserver((list) => records.push(...list));
    for (const block of target.firstElementChild!.children) {
      observer.observe(block, { subtree: true, childList: true, characterData: true, attributes: true });
    }
    for (const unit of `${before}the end`.repeat(20)) {
      renderer.push(unit);
      renderer.flush();
    }
    renderer.end();
    await Promise.resolve();
    records.push(...observer.takeRecords());
    expect(records).to.deep.equal([]);
    expect(nodes.every((node) => target.contains(node))).to.equal(true);
  });

  it('are words of an open paragraph too: its text node grows', () => {
    const target = document.createElement('div');
    const renderer = createMarkdownRenderer(target);
    renderer.push('**bold** one two');
    renderer.flush();
    const [bold, text] = target.querySelector('p')!.childNodes;
    renderer.push(' three');
    renderer.flush();
    expect([...target.querySelector('p')!.childNodes]).to.deep.equal([bold, text]);
    expect(text!.textContent).to.equal(' one two three');
  });

  it('share groups, of which the full ones are frozen', () => {
    const target = render('a\n\n'.repeat(50));
    expect([...target.children].map((group) => `${group.className} ${group.children.length}`)).to.deep.equal([
      'group frozen 24',
      'group frozen 24',
      'group 2',
    ]);
  });

  it('include the items of a long list, which goes on in another element', () => {
    const lists = render('3. a\n'.repeat(120)).querySelectorAll('ol');
    expect([...lists].map((list) => [list.start, list.children.length])).to.deep.equal([
      [3, 50],
      [53, 50],
      [103, 20],
    ]);
    const loose = render(`${'- a\n'.repeat(60)}\n- b`).querySelectorAll('ul');
    expect([...loose].every((list) => list.classList.contains('loose'))).to.equal(true);
  });

  it('inside a long quotation are grouped there', () => {
    expect(render('> a\n>\n'.repeat(100)).querySelectorAll('blockquote > .group')).to.have.lengthOf(3);
  });
});

describe('what the browser has to lay out at once', () => {
  const LONG = 300_000;
  const bombs: Record<string, string> = {
    'quotes in one line': '> '.repeat(LONG / 2),
    'bullets in one line': `${'- '.repeat(LONG / 2)}a`,
    'nested lists': Array.from({ length: 3_000 }, (_, i) => `${' '.repeat((i % 60) * 2)}- a\n`).join(''),
    'emphasis of slashes': '/*'.repeat(LONG / 2),
    'quotation marks that trim': '「始」'.repeat(LONG / 3),
    'one word': 'a'.repeat(LONG),
    joiners: 'a\u200d'.repeat(LONG / 2),
    links: '[a](http://b.test) '.repeat(LONG / 19),
    'line breaks': 'a  \n'.repeat(LONG / 4),
    'one heading': `# ${'word '.repeat(LONG / 5)}`,
    'inline code': `\`${'x'.repeat(LONG)}\``,
    'one cell': `|a|\n|-|\n|${'/*'.repeat(LONG / 2)}|`,
    'many columns': `${'|a'.repeat(LONG / 5)}\n${'|-'.repeat(LONG / 5)}\n|b`,
    'half a definition': `[a]: ${'b'.repeat(LONG)} "`,
  };

  for (const [name, text] of Object.entries(bombs))
    it(`has a bound: ${name}`, () => {
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
        expect(own.length, `${name}: nodes in a row of <${element.localName}>`).to.be.at.most(1_300);
        const length = own.reduce((sum, { textContent }) => sum + textContent!.length, 0);
        expect(length, `${name}: characters in a row of <${element.localName}>`).to.be.at.most(16_500);
      }
      expect(deepest).to.be.at.most(26);
      expect(words(target.textContent)).to.be.at.least(Math.min(words(text), name === 'links' ? LONG / 19 : Infinity) * 0.9);
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

  it('shows a paragraph as plain text, also while it grows', () => {
    const target = brokenTarget('em', Infinity);
    const renderer = createMarkdownRenderer(target);
    for (const piece of ['a *b* c', ' d\n\n', 'e']) {
      renderer.push(piece);
      renderer.flush();
    }
    renderer.end();
    expect([...target.querySelectorAll('p')].map((block) => block.textContent)).to.deep.equal(['a *b* c d', 'e']);
  });

  it('loses no words wherever it happens', () => {
    for (const tag of ['p', 'ul', 'li', 'blockquote', 'h1', 'code', 'a', 'hr', 'th', 'td']) {
      const target = brokenTarget(tag, 1);
      renderMarkdown(target, 'one\n\n- two\n\n> three\n\n# four\n\n`five`\n\n<https://six.test>\n\n---\n\n|seven|\n|-|\n|eight|\n\nnine');
      for (const word of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']) {
        expect(target.textContent, `${tag} failed`).to.contain(word);
      }
    }
  });
});

/** Texts that make a careless parser slow, each of about `n` characters. */
const hostile: Record<string, (n: number) => string> = {
  'opening brackets': (n) => '['.repeat(n),
  'image openers': (n) => '!['.repeat(n / 2),
  stars: (n) => '*'.repeat(n),
  'emphasis that never closes': (n) => '*a '.repeat(n / 3),
  'emphasis of two kinds': (n) => '_a '.repeat(n / 6) + 'b* '.repeat(n / 6),
  'nested emphasis': (n) => '*a **a '.repeat(n / 14) + 'a** a* '.repeat(n / 14),
  'nested images': (n) => '!['.repeat(n / 6) + 'a' + '](b)'.repeat(n / 6),
  'half links': (n) => '[a](<b '.repeat(n / 7),
  'links inside brackets': (n) => '['.repeat(n / 2) + 'a](b) '.repeat(n / 12),
  'unknown references': (n) => '[a][b]'.repeat(n / 6),
  'nested brackets': (n) => '['.repeat(n / 2) + ']'.repeat(n / 2),
  'half definitions': (n) => '[a]: b "\n'.repeat(n / 9),
  'less-than signs': (n) => '<'.repeat(n),
  comments: (n) => '<!-- '.repeat(n / 5),
  attributes: (n) => `<a b="<a b='`.repeat(n / 12),
  backticks: (n) => '`a '.repeat((n / 3) | 1),
  blanks: (n) => `a${' '.repeat(n)}b`,
  'quotes in one line': (n) => '> '.repeat(n / 2),
  'bullets in one line': (n) => `${'- '.repeat(n / 2)}a`,
  'one list': (n) => '- item\n'.repeat(n / 3),
  'one loose list': (n) => '- item\n\n'.repeat(n / 4),
  'nested lists': (n) => Array.from({ length: n / 64 }, (_, i) => `${' '.repeat((i % 60) * 2)}- a\n`).join(''),
  'one code block': (n) => `\`\`\`\n${'const a = 1;\n'.repeat(n / 4)}`,
  'one line of code': (n) => `\`\`\`\n${'const a = 1; '.repeat(n / 4)}`,
  'a wide table with short rows': (n) => `${'|a'.repeat(n / 8)}\n${'|-'.repeat(n / 8)}\n${'|b\n'.repeat(n / 6)}`,
  'one long row': (n) => `|a|b|\n|-|-|\n${'| c '.repeat(n / 4)}`,
  prose: (n) => 'lorem ipsum **dolor** sit `amet` '.repeat(n / 8),
  'one word': (n) => 'a'.repeat(n),
};

/** The least time of two runs, in ms: what the machine does besides can only add to it. */
function leastTime(work: () => void): number {
  const times = [0, 0].map(() => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

/**
 * Four short works against one that is four times longer: both take as long where costs are in proportion, so that a busy machine, which
 * only ever adds, adds alike. A few milliseconds are noise. Returns 1 if each of the two doublings cost 2.6 times as much, which is the most.
 */
function growth(short: () => void, long: () => void): number {
  const fourShort = () => leastTime(() => [0, 0, 0, 0].forEach(short));
  const ratio = () => fourfold / ((2.6 * 2.6 * Math.max(once, 12)) / 4);
  short();
  let [once, fourfold] = [fourShort(), leastTime(long)];
  for (let round = 0; round < 8 && ratio() > 1; round += 1)
    [once, fourfold] = [Math.min(once, fourShort()), Math.min(fourfold, leastTime(long))];
  return ratio();
}

const inPieces = (text: string) => text.match(/[^]{1,64}/g)!;

describe('rendering time', () => {
  for (const [name, make] of Object.entries(hostile)) {
    it(`G112 doubles when the text doubles: ${name}`, function () {
      this.timeout(60_000);
      for (const pieces of [(text: string) => [text], inPieces]) {
        const [short, long] = [12_500, 50_000].map((n) => pieces(make(n))) as [string[], string[]];
        expect(
          growth(
            () => stream(short),
            () => stream(long),
          ),
        ).to.be.at.most(1);
      }
    });
  }

  it('is measured by something that sees a square', function () {
    this.timeout(60_000);
    const everythingAgain = (n: number) => () => {
      const text = hostile['prose']!(n);
      for (let end = 64; end < text.length; end += 64) render(text.slice(0, end));
    };
    expect(growth(everythingAgain(1_000), everythingAgain(4_000))).to.be.above(1);
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
      const target = document.createElement('div');
      const renderer = createMarkdownRenderer(target);
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
      const whole = document.createElement('div');
      renderMarkdown(whole, text);
      expect(target.isEqualNode(whole)).to.equal(true);
    });

  it('lays out no more than 3,072 letters in one piece where words have no blanks between them, however they arrive', () => {
    const word = 'ภาษาไทยเป็นภาษา';
    for (const text of [word.repeat(800), `${word.repeat(10)} `.repeat(80)]) {
      const target = stream(text.match(/[^]{1,7}/g) ?? []);
      const whole = document.createElement('div');
      renderMarkdown(whole, text);
      expect(target.isEqualNode(whole)).to.equal(true);
      const walker = document.createTreeWalker(whole, NodeFilter.SHOW_TEXT);
      let longest = 0;
      while (walker.nextNode()) longest = Math.max(longest, walker.currentNode.textContent!.length);
      expect(longest).to.be.within(2000, 3090);
      expect(whole.textContent.replaceAll(' ', '')).to.equal(text.replaceAll(' ', ''));
    }
  });
});
