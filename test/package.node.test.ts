import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = new URL('..', import.meta.url);
const here = (path: string) => fileURLToPath(new URL(path, root));

interface Package {
  name: string;
  exports: Record<string, string | { types: string; default: string }>;
  sideEffects: string[];
  dependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, object>;
}

async function pack(): Promise<{ files: { path: string }[]; size: number }> {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: here('.'),
    maxBuffer: 1e8,
  });
  const [packed] = JSON.parse(stdout) as [{ files: { path: string }[]; size: number }];
  return packed;
}

describe('the built package', () => {
  let packed: Package;

  before(async function () {
    packed = JSON.parse(await readFile(here('package.json'), 'utf8')) as Package;
    if (!existsSync(here('dist/lib/index.js'))) throw new Error('Nothing is built yet: `npm run build` comes first.');
  });

  it('has a file behind each door, and types behind each door with code for bundlers', () => {
    const files = Object.values(packed.exports).flatMap((target) =>
      typeof target === 'string' ? [target.replace('*', 'warm')] : [target.types, target.default],
    );
    expect(files).to.have.length.above(10);
    for (const file of [...files, ...packed.sideEffects]) expect(existsSync(here(file)), file).to.equal(true);
  });

  // By the package's own name, so the `exports` map is what answers.
  const languages = ['en', 'zh-CN', 'ar', 'de', 'es', 'fr', 'ja'].map((lang) => `locales/${lang}`);
  for (const door of ['', 'define', 'core', 'protocols', 'relay', 'testing', 'tools', 'mcp', 'webmcp', 'inspector', ...languages])
    it(`opens ${door === '' ? 'tool-chat' : `tool-chat/${door}`} where there is no DOM`, async () => {
      const module = (await import(door === '' ? 'tool-chat' : `tool-chat/${door}`)) as object;
      if (door !== 'define') expect(Object.keys(module)).to.have.length.above(0);
      expect(globalThis).to.not.have.property('document');
    });

  it('keeps closed what is no door', async () => {
    const failure: unknown = await import(`tool-chat/${'conversation/turn.js'}`).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('lists the hash of every script that a page can load, as `integrity` wants it', async () => {
    const listed = JSON.parse(await readFile(here('dist/integrity.json'), 'utf8')) as Record<string, string>;
    const chunks = (await readdir(here('dist/chunks'))).filter((name) => name.endsWith('.js')).map((name) => `chunks/${name}`);
    expect(Object.keys(listed)).to.have.members(['tool-chat.js', 'tool-chat.iife.js', ...chunks]);
    for (const [file, hash] of Object.entries(listed)) {
      const digest = createHash('sha384').update(await readFile(here(`dist/${file}`)));
      expect(hash, file).to.equal(`sha384-${digest.digest('base64')}`);
    }
  });

  it('is at most 361 files and 1.15 MB', async () => {
    const { files, size } = await pack();
    expect(files.length).to.be.within(50, 361);
    expect(size / 1e6).to.be.within(0.1, 1.15);
  });

  it('installs nothing of a server beside a page', () => {
    expect(Object.keys(packed.dependencies)).to.include('lit').and.not.include.oneOf(['hono', 'pino', 'redis', '@hono/node-server']);
    expect(packed.peerDependenciesMeta).to.deep.include({ pino: { optional: true }, redis: { optional: true } });
  });

  it('holds what its README links to, and no map of sources that it does not hold', async () => {
    const { files } = await pack();
    const held = new Set(files.map(({ path }) => path));
    expect([...held].filter((path) => path.endsWith('.map') || path.includes('/.'))).to.deep.equal([]);
    const readme = await readFile(here('README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)|^\[\w+\]: ([^#:\s]+)$/gm)].map(([, inline, named]) => inline ?? named ?? '');
    expect(links).to.include.members(['docs/theming.md', 'docs/policies.md', 'CONTRIBUTING.md']);
    expect(links.filter((link) => !held.has(link))).to.deep.equal([]);
  });
});
