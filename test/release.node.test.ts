// CI only: it reads what `npm run build` makes, the whole package
/** What `npm run release` looks at before it does anything, and what the registry's page shows of us. */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { announced, linksOf, publishedPage, registryReadme } from '../.config/release-parts.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const here = (file: string) => readFile(`${root}${file}`, 'utf8');

describe('a release', () => {
  const chapter = (version: string, day: string, text = '- Mends a thing.') => `# Changes\n\n## ${version} (${day})\n\n${text}\n\n`;
  const older = '## 0.3.2 (2026-01-01)\n\n- Was.\n';

  it('is none without a chapter, without a line, or by too small a step', () => {
    const moves = '- Drops a thing.\n\n### To move\n\nWrite another.';
    for (const [text, reason] of [
      [older, 'begins with no chapter'],
      [chapter('0.3.3', 'unreleased', 'Soon.'), 'says nothing'],
      [chapter('0.3.2', 'unreleased') + older, 'at least 0.3.3'],
      [chapter('0.3.9', 'unreleased', moves) + older, 'at least 0.4.0'],
      [chapter('1.9.0', 'unreleased', moves) + older.replace('0.3.2', '1.8.7'), 'at least 2.0.0'],
    ] as const)
      expect(() => announced(text), text).to.throw(reason);
    expect(announced(chapter('0.4.0', 'unreleased', moves) + older).version).to.equal('0.4.0');
  });

  it('can be tried without changing anything', async function () {
    this.timeout(120_000);
    const before = await here('package.json');
    const { stdout } = await run(process.execPath, ['--import=tsx', '.config/release.ts', '--dry-run', '--quick'], { cwd: root });
    expect(stdout)
      .to.match(/✔ changelog: 0\.\d+\.\d+, \d+ lines/)
      .and.to.match(/✔ integrity: \d+ scripts/);
    expect(stdout)
      .to.match(/✔ pack: tool-chat-\S+\.tgz, \d+ files, \d+ bytes, sha512-/)
      .and.to.contain('the real owner instead of OWNER in repository, homepage, bugs of package.json')
      .and.to.contain('Nothing was changed');
    expect(await here('package.json')).to.equal(before);
  });
});

describe('a page of the docs in the package', () => {
  it('leads to pages that are there', async function () {
    this.timeout(60_000);
    const held = await published();
    const dead: string[] = [];
    let links = 0;
    for (const name of [...held].filter((file) => /^docs\/.*\.md$/.test(file))) {
      const near = (link: string) => posix.join(posix.dirname(name), link.split('#')[0] ?? '');
      const text = publishedPage(await here(name), (link) => held.has(near(link)));
      const ours = linksOf(text).filter((link) => !/^(?:https?:|mailto:|#)/.test(link));
      links += ours.length;
      dead.push(...ours.filter((link) => !held.has(near(link))).map((link) => `${name}: ${link}`));
    }
    expect(dead).to.deep.equal([]);
    expect(links).to.be.above(50);
    expect(publishedPage('[a](x.md#b) and [c](../d.md)', (link) => link === '../d.md')).to.equal('a and [c](../d.md)');
  });
});

async function published(): Promise<ReadonlySet<string>> {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, maxBuffer: 1e8 });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  return new Set(files.map(({ path }) => path));
}

describe('the README on the page of the registry', () => {
  const at = 'https://unpkg.com/tool-chat@1.0.0';

  it('leads nowhere but to what was published, or to another site', async function () {
    this.timeout(60_000);
    const held = await published();
    const links = linksOf(registryReadme(await here('README.md'), at, held));
    expect(links.length).to.be.above(20);
    const ours = links.filter((link) => link.startsWith(`${at}/`)).map((link) => link.slice(at.length + 1).split('#')[0] ?? '');
    expect(ours.filter((file) => !held.has(file))).to.deep.equal([]);
    expect(ours.length).to.be.above(20);
    expect(links.filter((link) => !/^(?:https?:|#)/.test(link))).to.deep.equal([]);
  });
});
