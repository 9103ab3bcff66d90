// CI only: needs the hashes of the whole package
/** A file that was changed on its way does not run, where the page says what it has to be (`docs/security.md`). */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { withHashes } from '../../.config/docs-integrity.js';
import { html, serveHost, type HostSite } from './host-server.js';
import { ERROR_BAR, say, textOfChat, untilIdle, untilReady, useDriver } from './widget.js';

type Page = Window & { ranChanged?: boolean; violations: string[] };

const WATCH = `window.violations = [];
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(violatedDirective + ' ' + blockedURI));`;

describe('a page that names the hashes of our files', () => {
  const driver = useDriver();
  let site: HostSite;
  let tags: { module: string; classic: string };
  let hashes: Record<string, string>;
  let policy: string;

  /** The name of a built file, by how it begins. */
  const chunk = async (name: string) => {
    const found = (await readdir('dist/chunks')).find((file) => new RegExp(`^${name}-[\\w-]{7}\\.js$`).test(file));
    if (!found) throw new Error(`There is no chunk "${name}".`);
    return found;
  };

  /** What docs/security.md tells people to run, as it stands there. */
  async function printTags(): Promise<string> {
    const [, code = ''] = /```js\n([^]*?)```/.exec(await readFile('docs/security.md', 'utf8')) ?? [];
    const folder = await mkdtemp(path.join(tmpdir(), 'tool-chat-tags-'));
    try {
      await writeFile(path.join(folder, 'tags.mjs'), code);
      return (await promisify(execFile)(process.execPath, [path.join(folder, 'tags.mjs')])).stdout.trim();
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  before(async () => {
    const printed = await printTags();
    hashes = JSON.parse(await readFile('dist/integrity.json', 'utf8')) as Record<string, string>;
    const map = /<script type="importmap">(.*?)<\/script>/.exec(printed)?.[1] ?? '';
    const [mapTag = '', moduleTag = ''] = printed.split('\n');
    tags = {
      module: mapTag + moduleTag,
      classic: `${mapTag}<script src="/dist/tool-chat.iife.js" integrity="${hashes['tool-chat.iife.js'] ?? ''}" crossorigin="anonymous" defer></script>`,
    };
    const hash = createHash('sha256').update(map).digest('base64');
    policy = `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types lit-html`;
  });

  // An origin of its own, so nothing is kept of the test before.
  beforeEach(async () => {
    site = await serveHost();
    site.put('/watch.js', WATCH);
  });
  afterEach(() => site.close());

  async function open(head: string, strict = true): Promise<void> {
    const page = `<script src="/watch.js"></script>${head}<tool-chat endpoint="/api/ai/chat/stream"></tool-chat>`;
    site.put('/index.html', html('Hashes', page), strict ? policy : undefined);
    await driver.open(`${site.url}/index.html`);
  }

  /** It ends in a line that can be seen to have run. */
  async function change(file: string): Promise<void> {
    site.put(`/dist/${file}`, `${await readFile(`dist/${file}`, 'utf8')};window.ranChanged=true`);
  }

  const ran = () => driver.evaluate(() => (window as unknown as Page).ranChanged === true);

  async function answers() {
    site.say('All is well.');
    await untilReady(driver);
    await say(driver, 'Hello');
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('All is well.');
  }

  for (const kind of ['module', 'classic'] as const)
    it(`works as ever with the ${kind} script, under the strictest policy`, async () => {
      await open(tags[kind]);
      await answers();
      const violations = await driver.evaluate(() => (window as unknown as Page).violations);
      // The browser's own wish.
      expect(violations.filter((violation) => !violation.endsWith('/favicon.ico'))).to.deep.equal([]);
    });

  it('works from a CDN with the tags of the guide', async () => {
    const guide = withHashes(await readFile('docs/guides/cdn.md', 'utf8'), '1.2.3', hashes);
    const [, shown = ''] = /```html\n(<script type="importmap">[^]*?)\n```/.exec(guide) ?? [];
    const page = shown.replaceAll('https://cdn.jsdelivr.net/npm/tool-chat@1.2.3/dist/', `${site.elsewhere}/cdn/`);
    site.put('/index.html', html('CDN', page));
    await driver.open(`${site.url}/index.html`);
    await answers();
  });

  it('is needed: elsewhere a changed file runs', async () => {
    await change(`chunks/${await chunk('engine')}`);
    await open('<script type="module" src="/dist/tool-chat.js"></script>', false);
    await untilReady(driver);
    expect(await ran()).to.equal(true);
  });

  for (const [kind, name] of [
    ['module', 'engine'],
    ['classic', 'widget'],
  ] as const)
    it(`runs no changed ${name} with the ${kind} script, and the chat says that it could not be loaded`, async () => {
      const file = `chunks/${await chunk(name)}`;
      await change(file);
      await open(tags[kind]);
      await driver.waitFor(name === 'engine' ? 'tool-chat >>> [role=alert]' : ERROR_BAR);
      expect(await textOfChat(driver)).to.contain('could not be loaded');
      expect(await ran()).to.equal(false);
    });
});
