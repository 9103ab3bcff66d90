// engines: parser
/** The strictest policy a site can have, and a model that tries to make the page talk to others. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { html } from './host-server.js';
import { ALLOW, allow, say, textOfChat, toolUse, untilIdle, untilReady, useSite } from './widget.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types lit-html";

const PAGE = html(
  'Strict',
  `<script src="/watch.js"></script><script type="module" src="/dist/tool-chat.js"></script><link rel="stylesheet" href="/page.css">
<tool-chat endpoint="/api/ai/chat/stream"></tool-chat>`,
);

const WATCH = `
window.violations = [];
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  // Firefox holds the browser's own wish for an icon against the page.
  if (!blockedURI.endsWith('/favicon.ico')) violations.push(violatedDirective + ' ' + blockedURI);
});
(window.toolChat ??= []).push((chat) => {
  chat.registerTool({
    name: 'archive', description: 'Archives a note.', label: 'Archive the note', icon: '🗄️',
    parameters: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
    execute({ note }) { (window.archived ??= []).push(note); return { success: true, message: 'Archived “' + note + '”' }; },
  });
});`;

const [MARKDOWN, STRANGERS] = (await Promise.all(
  ['answer', 'strangers'].map((name) => readFile(new URL(`../fixtures/pages/csp-${name}.md`, import.meta.url), 'utf8')),
)) as [string, string];

const CALL = toolUse('archive', { note: 'Shopping & <b>more</b>' });

type StrictPage = Window & { violations: string[]; archived?: string[]; __xss?: unknown };

describe('a page with the strictest policy', () => {
  const { driver, site } = useSite();

  before(() => {
    site.put('/free.html', PAGE);
    site.put('/index.html', PAGE, POLICY);
    site.put('/watch.js', WATCH);
    site.put('/page.css', 'body { margin: 0; block-size: 100vh }');
  });

  /** Addresses of other origins that the page asked for, by the browser's account. */
  const othersAsked = () =>
    driver.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => new URL(name).origin !== location.origin && !name.startsWith('data:')),
    );

  it('shows Markdown and no markup of the model, asks, and runs a tool without one violation', async () => {
    site.say(MARKDOWN, `I will archive it.\n\n${CALL}`, 'It is in the archive.');
    await driver.open(`${site.url}/index.html`);
    await untilReady(driver);
    await say(driver, 'Show me everything');
    await untilIdle(driver);
    // The renderer of Markdown is loaded with the first answer.
    await driver.waitFor('tool-chat-message >>> h1');
    for (const element of ['h1', 'strong', 'em', 'del', 'table', 'blockquote', 'pre code', 'a[href]'])
      expect(await driver.exists(`tool-chat-message >>> ${element}`), element).to.equal(true);
    expect(await textOfChat(driver)).to.contain('<form action="/steal">');
    for (const element of ['form', 'input:not([type=checkbox])', '[style]', 'iframe', 'script'])
      expect(await driver.exists(`tool-chat-message >>> .body ${element}`), element).to.equal(false);

    await say(driver, 'Archive my note');
    await driver.waitFor(ALLOW);
    expect(await textOfChat(driver))
      .to.contain('Archive the note')
      .and.to.contain('note = Shopping & <b>more</b>');
    expect(await driver.evaluate(() => (window as unknown as StrictPage).archived ?? [])).to.deep.equal([]);
    await allow(driver, 'archive');
    expect(await driver.evaluate(() => (window as unknown as StrictPage).archived)).to.deep.equal(['Shopping & <b>more</b>']);

    expect(await driver.evaluate(() => (window as unknown as StrictPage).violations)).to.deep.equal([]);
    expect(await othersAsked()).to.deep.equal([]);
    expect(driver.complaints.filter((complaint) => !complaint.includes('/favicon.ico'))).to.deep.equal([]);

    // The page is told of every violation there is.
    await driver.evaluate(() => {
      document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://example.org/' }));
    });
    await driver.waitFor(() => (window as unknown as StrictPage).violations.length > 0);
  });

  it('never calls a stranger, even where no policy would stop it', async () => {
    const evil = `${site.stranger}/exfil`;
    site.say(STRANGERS.replaceAll('EVIL', evil));
    await driver.open(`${site.url}/free.html`);
    await untilReady(driver);
    await say(driver, 'Show me pictures');
    await untilIdle(driver);
    // A picture that is wanted is fetched within a frame or two; a request of our own after it shows that it would have come through.
    await driver.evaluate(async () => {
      for (let frames = 0; frames < 5; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
    await driver.evaluate((url: string) => fetch(`${url}/control`).then(() => undefined), site.stranger);
    expect(site.strangerHeard).to.deep.equal(['/control']);
    expect(await driver.evaluate(() => (window as unknown as StrictPage).__xss ?? null)).to.equal(null);
    expect((await othersAsked()).filter((url) => !url.endsWith('/control'))).to.deep.equal([]);
    expect(await textOfChat(driver), 'the place of a picture says where it would come from').to.contain(`from ${new URL(evil).host}`);

    const links = await driver.evaluate(() => {
      const found: { href: string; rel: string; text: string }[] = [];
      const walk = (root: ParentNode) => {
        for (const element of root.querySelectorAll('*')) {
          if (element instanceof HTMLAnchorElement && element.closest('.body'))
            found.push({ href: element.href, rel: element.rel, text: element.parentElement?.textContent ?? '' });
          if (element.shadowRoot) walk(element.shadowRoot);
        }
      };
      walk(document);
      return found;
    });
    expect(links.length).to.be.above(1);
    for (const { href, rel, text } of links) {
      expect(href).to.match(/^(https?|mailto):/);
      expect(rel.split(' ')).to.include.members(['noopener', 'noreferrer']);
      expect(text, href).to.contain(new URL(href).host);
    }
  });
});
