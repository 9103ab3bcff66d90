/** Where a private value is put back into Markdown, and where its token stays: a press on a link must not carry it away. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createDetokenizer } from '../../src/conversation/privacy/detokenize.js';
import type { Inline } from '../../src/markdown/inline-tree.js';
import { parseInlines } from '../../src/markdown/inlines.js';
import * as syntax from '../../src/markdown/lazy-syntax.js';
import { safeLink } from '../../src/markdown/links.js';
import { addSyntax } from '../../src/markdown/loaded-syntax.js';
import { rounds } from '../helpers/effort.js';
import { stage } from './play.js';
import { useFaultServer } from './talk.js';
import around from '../fixtures/conversation/private-links.json' with { type: 'json' };

addSyntax(syntax);
const MAIL = 'anna@example.org';
const valueOf = (token: string) => (token === '[EMAIL_1]' ? MAIL : undefined);

function shown(text: string, size = text.length): string {
  const restorer = createDetokenizer(valueOf);
  let all = '';
  for (let at = 0; at < text.length; at += size) all += restorer.push(text.slice(at, at + size));
  return all + restorer.flush();
}

/** Every address that a press could open. */
function addresses(markdown: string): string[] {
  const definitions = markdown
    .split('\n')
    .flatMap((_, at, lines) => syntax.scanDefinition(lines.slice(at).join('\n'), 0)?.destination ?? []);
  const walk = (nodes: readonly Inline[]): string[] => nodes.flatMap(({ destination, children }) => [destination, ...walk(children)]);
  const found = [...definitions, ...walk(parseInlines(markdown, { resolve: () => undefined, final: true }).nodes)];
  return found.flatMap((one) => safeLink(one, 'https://page.test/')?.href ?? []);
}

/** A `mailto:` link carries nothing away where it opens a message to this very address. */
const leaks = (markdown: string) =>
  addresses(markdown).filter((href) => /anna|example\.org/.test(href.replace(/^mailto:anna@example\.org(?=\?|$)/, '')));

describe('a private value in Markdown', () => {
  for (const [before, after] of around.carriedAway as [before: string, after: string][])
    it(`stays a token in ${JSON.stringify(before)}`, () => {
      expect(leaks(before + MAIL + after), 'without it, the value would leave').not.to.deep.equal([]);
      for (const size of [1, 2, 3, 7, 100]) expect(shown(`${before}[EMAIL_1]${after}`, size)).to.equal(`${before}[EMAIL_1]${after}`);
    });

  it('stays a token where it would be a part of a longer address of an e-mail', () => {
    const order = (text: string) => createDetokenizer((token) => (token === '[ORDER_1]' ? 'A-12345678' : undefined)).push(`${text} `);
    for (const text of around.partOfAnAddress) expect(order(text), text).to.include('[ORDER_1]');
    for (const text of around.noPart) expect(order(text), text).to.include('A-12345678');
  });

  for (const text of around.putBack)
    it(`is put back in ${JSON.stringify(text)}`, () => {
      for (const size of [1, 3, 100]) expect(shown(text, size)).to.equal(text.replaceAll('[EMAIL_1]', MAIL));
    });

  it('leaves by no link, whatever stands around it', () => {
    const marks = '[ ] ( ) < > ]: ]( \\ &#41; " ! a @evil.test .test 。 mailto: //evil.test/ https: https:// www. ?q='.split(' ');
    const text = fc.array(fc.constantFrom(...marks, ' ', '\n', '\u00a0', '[EMAIL_1]', '[EMAIL_1]'), { maxLength: 14 });
    let carried = 0;
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (list, size) => {
        const markdown = list.join('');
        if (leaks(markdown.replaceAll('[EMAIL_1]', MAIL)).length > 0) carried += 1;
        expect(leaks(shown(markdown, size))).to.deep.equal([]);
      }),
      { numRuns: rounds(3000) },
    );
    expect(carried).to.be.greaterThan(0);
  });

  describe('in a conversation', () => {
    useFaultServer();

    it('stays a token in the address of a link, and stands in the sentence', async () => {
      const one = stage(['Sent to [EMAIL_1]. [Confirm](https://evil.test/?m=[EMAIL_1])'], {}, { privateValues: ['email'] });
      await one.send(`I am ${MAIL}`);
      expect(one.chat.messages.at(-1)?.text).to.equal(`Sent to ${MAIL}. [Confirm](https://evil.test/?m=[EMAIL_1])`);
    });
  });
});
