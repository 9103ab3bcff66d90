/* eslint-disable no-script-url -- such addresses are what is tested */
import { expect } from 'chai';
import fc from 'fast-check';
import { ALLOWED_TAGS } from '../../src/markdown/dom.js';
import { MATH_TAGS } from '../../src/markdown/tex-nodes.js';
import hostile from '../fixtures/markdown/hostile.json' with { type: 'json' };
import links from '../fixtures/markdown/links.json' with { type: 'json' };
import { growing, loadLate, render, styled } from './serialize.js';
import { pieces } from './pieces.js';

const CLASSES = new Set(
  (
    'group frozen tight loose continued task task-item image unsafe-link link-host address segment plain code-block code-head ' +
    'formula wide lined cancel note note-mark note-back notes notes-title image-button block function pairs left boxed brace code-language ' +
    'code-copy code-wrap code-section code-lines table-scroll align-left align-center align-right'
  ).split(' '),
);
const ATTRIBUTES: Record<string, RegExp> = {
  href: /^(?:https?:\/\/[^/@]+(?:\/|$)|mailto:.|(?:tel|sms):[+(\d])/,
  target: /^_(?:blank|self)$/,
  dir: /^(?:auto|ltr)$/,
  translate: /^no$/,
  rel: /^noopener noreferrer$/,
  referrerpolicy: /^no-referrer$/,
  start: /^\d{1,9}$/,
  colspan: /^\d+$/,
  tabindex: /^(?:0|-1)$/,
  title: /^Back to the text$/,
  'aria-label': /^(?:Source \d+|Back to the text)$/,
  type: /^button$/,
  hidden: /^$/,
  display: /^block$/,
  mathvariant: /^normal$/,
  width: /^-?[\d.]+em$/,
  minsize: /^[\d.]+em$/,
  linethickness: /^0$/,
  'aria-pressed': /^false$/,
  ...Object.fromEntries(['fence', 'stretchy', 'movablelimits', 'accent', 'accentunder'].map((name) => [name, /^(?:true|false)$/])),
};

/** What in the output should not be there; empty if all is well. */
function offences(target: HTMLElement): string[] {
  const found: string[] = [];
  for (const element of target.querySelectorAll('*')) {
    const tag = element.localName;
    const isMaths = element.namespaceURI === 'http://www.w3.org/1998/Math/MathML';
    const allowed: readonly string[] = isMaths ? ['math', ...MATH_TAGS] : ALLOWED_TAGS;
    if (!allowed.includes(tag) || (!isMaths && element.namespaceURI !== 'http://www.w3.org/1999/xhtml')) found.push(`<${tag}>`);
    if (tag === 'button' && !['code-copy', 'note-mark', 'note-back', 'image-button'].some((own) => element.classList.contains(own)))
      found.push('a button that is not ours');
    for (const { name, value } of element.attributes) {
      const fits = name === 'class' ? value.split(' ').every((item) => CLASSES.has(item)) : ATTRIBUTES[name]?.test(value);
      if (!fits) found.push(`${tag} ${name}="${value}"`);
    }
    if (tag === 'a' && !(element.hasAttribute('rel') && element.hasAttribute('href'))) found.push('a link without its guards');
  }
  return found;
}

const corpus = [
  ...hostile.markup,
  ...hostile.late, // for the parts that come late
  ...hostile.schemes.flatMap((address) => [
    `[a](${address})`,
    `[a](<${address}>)`,
    `![a](${address})`,
    `<${address}>`,
    `[a][b]\n\n[b]: <${address}>`,
  ]),
];

describe('hostile Markdown', () => {
  before(loadLate);

  it(`gives only known elements, classes and attributes (${corpus.length} samples)`, () => {
    expect(corpus.length).to.be.above(300);
    for (const text of corpus) expect(offences(render(text)), text).to.deep.equal([]);
  });

  it('does so while it streams', () => {
    for (const text of corpus) {
      const { target, show } = growing();
      for (const unit of text) {
        show(unit);
        expect(offences(target), text).to.deep.equal([]);
      }
    }
  });

  it('runs and loads nothing in the page', async () => {
    const before = performance.getEntriesByType('resource').length;
    const target = render(corpus.join('\n\n'));
    document.body.append(target);
    await new Promise(requestAnimationFrame);
    expect(target.querySelector('img, script, iframe, style, link, video, object, input, form')).to.equal(null);
    expect(performance.getEntriesByType('resource').filter(({ name }) => name.includes('evil'))).to.deep.equal([]);
    expect(performance.getEntriesByType('resource').length).to.equal(before);
    target.remove();
  });

  it('stays readable: raw HTML is its own text', () => {
    for (const text of ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', 'a <b class="*x*">c</b>'])
      expect(render(text).textContent).to.equal(text);
  });

  it('gives only known elements, classes and attributes for anything', () => {
    const part = fc.oneof(
      fc.constantFrom(...corpus),
      fc.string(),
      fc.constantFrom(...pieces('$¦$$¦\\(¦\\)¦[^1]¦\n[^1]: ¦\n¦\n\n¦> ¦- ¦[¦](¦)¦<¦|¦|-|\n¦`¦```\n')),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(offences(render(parts.join('')))).to.deep.equal([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('would be noticed', () => {
    const target = document.createElement('div');
    target.innerHTML = '<img><a href="javascript:alert(1)" id="send"></a>';
    expect(offences(target)).to.have.lengthOf(4);
  });
});

describe('links', () => {
  const link = (text: string) => render(text).querySelector('a');

  for (const [what, rows] of Object.entries(links as unknown as Record<string, [markdown: string, shown: string | null][]>))
    it(what, () => {
      for (const [markdown, shown] of rows) expect(link(markdown)?.textContent ?? null, markdown).to.equal(shown);
    });

  it('read as they are, whatever direction stands around or inside them', () => {
    const overridden = 'See \u202ehttps://evil.test/x/moc.elgoog.www//:sptth now';
    const target = render(overridden);
    expect(target.textContent).to.equal('See https://evil.test/x/moc.elgoog.www//:sptth now');
    document.body.append(styled(target));
    const isolated = [...target.querySelectorAll('a')].map((one) => [getComputedStyle(one).unicodeBidi, getComputedStyle(one).direction]);
    expect(isolated).to.deep.equal([['isolate', 'ltr']]);
    const words = render('[\u05d0\u05d1](https://evil.test) a');
    target.append(words);
    expect(getComputedStyle(words.querySelector('a')!).unicodeBidi).to.equal('plaintext');
    target.remove();
  });

  it('keep no control of the direction, in no kind of text', () => {
    const controls = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
    const samples = pieces(
      'a*CbC*¦# aC¦- aC¦> aC¦|aC|\n|-|\n|bC|¦`aC`¦```aC\nbC\n```¦![aC](https://a.test)¦[aC](https://a.test/C)',
      '<https://a.test/aC>¦a&#x202e;b¦[aC](javascript:C)¦[aC]\n\n[aC]: https://a.test',
      'aC '.repeat(9_000),
    );
    for (const sample of samples) expect(render(sample.replaceAll('C', controls)).textContent, sample).not.to.match(/\p{Bidi_Control}/u);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...samples, ...controls, '\n', '\n\n', 'a'), { maxLength: 20 }), (parts) => {
        expect(render(parts.join('').replaceAll('C', controls)).textContent).not.to.match(/\p{Bidi_Control}/u);
      }),
      { numRuns: 300 },
    );
  });

  it('show the host for every text that is not the address', () => {
    const address = fc.constantFrom('https://a.test/b', 'https://a.test', 'http://a.test/?c', 'https://a.test/b/#d');
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('a.test', 'a.test/', 'https://a.test', 'https://a.test/b', 'A.test/b', 'a.test/b/', 'http://a.test/?c'),
    );
    fc.assert(
      fc.property(address, text, (destination, words) => {
        const found = link(`[${words.replace(/[\\[\]]/g, '')}](${destination})`);
        if (!found || found.querySelector('.link-host')) return;
        const shown = found.textContent;
        const whole = shown.includes('://') ? shown : `${destination.slice(0, destination.indexOf('//'))}//${shown}`;
        expect(new URL(whole).href).to.equal(new URL(destination).href);
      }),
      { numRuns: 500 },
    );
  });

  it('tell the other side nothing', () => {
    const { rel, target, referrerPolicy } = link('[a](https://a.test)')!;
    expect({ rel, target, referrerPolicy }).to.deep.equal({ rel: 'noopener noreferrer', target: '_blank', referrerPolicy: 'no-referrer' });
  });

  it('lead to other places of the page by their path, in the same tab, and elsewhere only by a host that is shown', () => {
    const base = `${location.origin}/shop/a.html`;
    const at = (markdown: string) => {
      const found = render(markdown, { baseUrl: base }).querySelector('a');
      return found && [found.href.replace(location.origin, ''), found.target, found.textContent];
    };
    for (const [address, path] of [
      ['/pricing', '/pricing'],
      ['cart.html?x=1', '/shop/cart.html?x=1'],
      ['#/settings', '/shop/a.html#/settings'],
      [`${location.origin}/b`, '/b'],
    ] as const)
      expect(at(`[docs](${address})`), address).to.deep.equal([path, '_self', `docs ${path}`]);
    expect(at('[/pricing](/pricing)')).to.deep.equal(['/pricing', '_self', '/pricing']);
    expect(at('[docs](//evil.test/x)')).to.deep.equal([`${location.protocol}//evil.test/x`, '_blank', 'docs evil.test']);
    expect(at('[docs](/\\evil.test)')?.[1], 'no disguise of a host').to.equal('_self');
    expect(at(`[docs](/${'x'.repeat(300)})`)?.[2]).to.contain('(301 characters)');
    for (const address of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd'])
      expect(at(`[docs](${address})`), address).to.equal(null);
    expect(link('[a](/b)'), 'where the page does not say to what').to.equal(null);
  });

  it('that are not safe are text', () => {
    for (const address of hostile.schemes) {
      const found = link(`[a](<${address}>)`);
      if (found) expect(found.protocol, address).to.match(/^(?:https?|mailto|tel|sms):$/);
    }
    expect(render('[a](javascript:alert(1))').querySelector('.unsafe-link')!.textContent).to.equal('a');
  });
});
