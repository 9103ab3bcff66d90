import { expect } from '@open-wc/testing';
import fc from 'fast-check';
import { MessageBody, mayHaveMarkup } from '../../src/elements/tool-chat-message/message-body.js';
import { en } from '../../src/i18n/en.js';
import { render, serialize } from '../markdown/serialize.js';
import { pieces } from '../markdown/pieces.js';
import { until } from './looking.js';

/** All texts that are seen in an element from now on. */
function watched(target: HTMLElement): string[] {
  const seen: string[] = [];
  new MutationObserver(() => seen.push(target.textContent)).observe(target, { childList: true, subtree: true, characterData: true });
  return seen;
}

describe('an answer without markup', () => {
  function body() {
    const host = document.createElement('div');
    const root = host.attachShadow({ mode: 'open' });
    const target = document.createElement('div');
    root.append(target);
    const unused = () => document.createElement('div');
    return { target, root, message: new MessageBody(target, { root, texts: () => en, createCall: unused, createBlock: unused }) };
  }

  // Nothing of this page has loaded Markdown before.
  it('is drawn by Markdown from the first sign of it on, and no mark is seen before', async () => {
    const { target, message } = body();
    message.text('It is ');
    expect(target.textContent).to.equal('It is ');
    const seen = watched(target);
    for (const text of ['**do', 'ne**', '.']) message.text(text);
    message.end();
    await until(() => target.querySelector('strong')?.textContent === 'done', 'nothing is bold');
    expect(seen.filter((text) => text.includes('*'))).to.deep.equal([]);
    expect(target.textContent).to.equal('It is done.');
  });

  // Markdown is there by now; the syntax of links is not.
  it('waits for the syntax of links while it grows, and is drawn again with it if it was whole', async () => {
    const [grows, whole] = [body(), body()];
    whole.message.text('**Is** &copy; <https://a.test>', false);
    whole.message.end();
    const seen = watched(grows.target);
    for (const text of ['**See** ', '[the p', 'age](https://a.test/x)', '.']) grows.message.text(text);
    grows.message.end();
    await until(() => grows.target.querySelector('a')?.href === 'https://a.test/x', 'no link');
    expect(seen.filter((text) => /[[(*]/.test(text))).to.deep.equal([]);
    await whole.message.settled();
    expect(whole.target.textContent).to.equal('Is © https://a.test');
  });

  it('is what Markdown would make of it: one paragraph, letter by letter', () => {
    const piece = fc.constantFrom(
      ...pieces(
        `Good¦ ¦day¦. ¦, ¦!¦?¦'¦"¦(1)¦a-b¦C# ¦+1¦2 > 1¦a = b¦2.¦ - ¦…¦你好，¦。¦שלום¦\u202e¦*¦_¦\`x\`¦~¦[a]¦<b>¦&amp;¦|¦\n¦\n\n¦  ¦\\*¦:`,
        'https://a.test¦www.a.test¦a@b.test',
      ),
    );
    let plain = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (words) => {
        const text = words.join('');
        // A sign is seen however the text is cut.
        let seen = '';
        const asItComes = words.some((word) => mayHaveMarkup((seen += word), seen.length - word.length));
        expect(asItComes).to.equal(words.some((_, at) => mayHaveMarkup(words.slice(0, at + 1).join(''))));
        if (asItComes) return;
        if (text.replaceAll('\u202e', '').trim() === '') return;
        plain += 1;
        const drawn = render(text);
        expect(drawn.querySelectorAll('*')).to.have.lengthOf(2); // a group with a paragraph
        expect(serialize(drawn)).to.equal(`<p>${text.trimEnd().replaceAll('\u202e', '').replaceAll('>', '&gt;')}</p>`);
      }),
      { numRuns: 500 },
    );
    expect(plain).to.be.above(20);
  });
});
