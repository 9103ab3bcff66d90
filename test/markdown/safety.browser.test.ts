/* eslint-disable no-script-url -- such addresses are what is tested */
import { expect } from 'chai';
import fc from 'fast-check';
import { createMarkdownRenderer } from '../../src/markdown/markdown.js';
import { ALLOWED_TAGS } from '../../src/markdown/dom.js';
import { MATH_TAGS } from '../../src/markdown/tex-nodes.js';
import { markdownStyles } from '../../src/markdown/styles.js';
import hostile from '../fixtures/markdown/hostile.json' with { type: 'json' };
import { loadLate, render } from './serialize.js';
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
      const target = document.createElement('div');
      const renderer = createMarkdownRenderer(target);
      for (const unit of text) {
        renderer.push(unit);
        renderer.flush();
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
    for (const text of ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', 'a <b class="*x*">c</b>']) {
      expect(render(text).textContent).to.equal(text);
    }
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

  it('show the host unless their text does', () => {
    expect(link('[docs](https://a.test/b)')!.textContent).to.equal('docs a.test');
    expect(link('[a.test/b](https://a.test/b)')!.textContent).to.equal('a.test/b');
    expect(link('<https://a.test/b>')!.textContent).to.equal('https://a.test/b');
    expect(link('[https://a.test](https://evil.test)')!.textContent).to.equal('https://a.test evil.test');
    expect(link('[a.test.b](https://a.test)')!.textContent).to.equal('a.test.b a.test');
    expect(link('[google.com](https://google.com)')!.textContent).to.equal('google.com');
    expect(link('[https://A.test/b?c#d](https://a.test/b?c#d)')!.textContent).to.equal('https://A.test/b?c#d');
  });

  it('show the host whatever stands behind it in the text', () => {
    for (const text of pieces('a.test/c¦https://a.test/b and more¦a.test/ ¦https://a.test/b/.google.com¦a.test/b\u200b¦http://a.test/b'))
      expect(link(`[${text}](https://a.test/b)`)!.querySelector('.link-host')?.textContent, text).to.equal('a.test');
  });

  const host = (address: string) => link(`[docs](${address})`)?.querySelector('.link-host')?.textContent;

  it('show what a long address takes along', () => {
    const secret = 'c2VjcmV0'.repeat(40);
    expect(host(`https://a.test/b?d=${secret}`)).to.equal(`a.test/b?d=${secret.slice(0, 35)}… (325 characters)`);
    expect(host(`https://a.test/${secret}`)).to.contain('(321 characters)');
    expect(host(`https://a.test/#${secret}`)).to.contain('(322 characters)');
    expect(host('https://a.test/guide?page=2#top')).to.equal('a.test');
    expect(host('https://аpple.com'), 'a letter that looks like another').to.equal('xn--pple-43d.com');
  });

  it('show everyone a letter goes to, and that something is filled in', () => {
    expect(host('mailto:a@b.test?body=x')).to.equal('a@b.test · with text filled in');
    expect(host('mailto:a@b.test?subject=x')).to.equal('a@b.test · with text filled in');
    expect(host('mailto:a@b.test,c@d.test?to=e%40f.test&CC=g@h.test&b%63c=i@j.test,k@l.test')).to.equal(
      'a@b.test,c@d.test, e@f.test · Cc: g@h.test · Bcc: i@j.test,k@l.test',
    );
    expect(link('[a@b.test](mailto:a@b.test?bcc=evil@x.test)')!.textContent).to.equal('a@b.test a@b.test · Bcc: evil@x.test');
    expect(link('<a@b.test>')!.textContent).to.equal('a@b.test');
  });

  it('read as they are, whatever direction stands around or inside them', () => {
    const overridden = 'See \u202ehttps://evil.test/x/moc.elgoog.www//:sptth now';
    const target = render(overridden);
    expect(target.textContent).to.equal('See https://evil.test/x/moc.elgoog.www//:sptth now');
    document.body.append(target);
    const style = document.createElement('style');
    style.textContent = markdownStyles.cssText;
    target.prepend(style);
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
    const at = (address: string, text = 'docs') => {
      const found = render(`[${text}](${address})`, { baseUrl: base }).querySelector('a');
      return found && [found.href.replace(location.origin, ''), found.target, found.querySelector('.link-host')?.textContent];
    };
    for (const [address, path] of [
      ['/pricing', '/pricing'],
      ['cart.html?x=1', '/shop/cart.html?x=1'],
      ['#/settings', '/shop/a.html#/settings'],
      [`${location.origin}/b`, '/b'],
    ] as const)
      expect(at(address), address).to.deep.equal([path, '_self', path]);
    expect(at('/pricing', '/pricing')).to.deep.equal(['/pricing', '_self', undefined]);
    expect(at('//evil.test/x')).to.deep.equal([`${location.protocol}//evil.test/x`, '_blank', 'evil.test']);
    expect(at('/\\evil.test')?.[1], 'no disguise of a host').to.equal('_self');
    expect(at(`/${'x'.repeat(300)}`)?.[2]).to.contain('(301 characters)');
    for (const address of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd']) expect(at(address), address).to.equal(null);
  });

  it('to telephones show the number, and carry no command to the telephone', () => {
    expect(host('tel:+49-30-1234')).to.equal('+49-30-1234');
    expect(link('[+49 (30) 1234](tel:+49301234)')!.textContent).to.equal('+49 (30) 1234');
    expect(host('sms:+49301234?body=yes')).to.equal('+49301234 · with text filled in');
    for (const address of ['tel:*21*123#', 'tel:%2A%2306%23', 'tel:', 'sms:?body=x', 'tel:abc'])
      expect(link(`[call](${address})`), address).to.equal(null);
  });

  it('to e-mails need no marks', () => {
    for (const [text, found] of [
      ['Write to info@shop.example, please', 'info@shop.example'],
      ['first_name+x@a.shop.example.', 'first_name+x@a.shop.example'],
      ['联系info@shop.example谢谢', 'info@shop.example'],
      ['(*info@shop.example*)', 'info@shop.example'],
      ['git@github.com:org/repo', undefined],
      ['react@18.2.0', undefined],
      ['a@b', undefined],
      ['https://a.test/x@y.example', 'https://a.test/x@y.example'],
      ['@user', undefined],
    ] as const)
      expect(link(text)?.textContent, text).to.equal(found);
  });

  it('that are not safe are text', () => {
    for (const address of hostile.schemes) {
      const found = link(`[a](<${address}>)`);
      if (found) expect(found.protocol, address).to.match(/^(?:https?|mailto|tel|sms):$/);
    }
    expect(render('[a](javascript:alert(1))').querySelector('.unsafe-link')!.textContent).to.equal('a');
  });

  it('may be relative only if the page says to what', () => {
    expect(link('[a](/b)')).to.equal(null);
    expect(render('[a](/b)', { baseUrl: 'https://a.test/x' }).querySelector('a')!.href).to.equal('https://a.test/b');
    expect(render('[a](javascript:b)', { baseUrl: 'https://a.test/x' }).querySelector('a')).to.equal(null);
  });
});
