// CI only: it reads what `npm run build` makes, the whole package
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';

const root = new URL('..', import.meta.url);
const here = (path: string) => fileURLToPath(new URL(path, root));

interface Package {
  name: string;
  exports: Record<string, string | { types: string; default: string }>;
  sideEffects: string[];
  typesVersions: Record<string, Record<string, string[]>>;
  bin: Record<string, string>;
  dependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, object>;
}

async function pack(): Promise<{ files: { path: string }[]; size: number }> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: here('.'), maxBuffer: 1e8 });
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
    for (const file of [...files, ...packed.sideEffects]) expect(existsSync(here(file.replace('*', 'warm'))), file).to.equal(true);
  });

  it('tells compilers that do not read `exports` where the types are', () => {
    const typed = Object.entries(packed.exports).flatMap(([door, target]) =>
      typeof target === 'string' || door === '.' ? [] : [[door.slice(2), [target.types]] as const],
    );
    expect(packed.typesVersions['*']).to.deep.equal(Object.fromEntries(typed));
  });

  // By the package's own name, so the `exports` map is what answers.
  const languages = ['en', 'zh-CN', 'ar', 'de', 'es', 'fr', 'ja'].map((lang) => `locales/${lang}`);
  const doors = ['', 'define', 'core', 'protocols', 'relay', 'testing', 'tools', 'mcp', 'webmcp', 'inspector', 'react', 'vue', 'svelte'];
  for (const door of [...doors, ...languages])
    it(`opens ${door === '' ? 'tool-chat' : `tool-chat/${door}`} where there is no DOM`, async () => {
      const module = (await import(door === '' ? 'tool-chat' : `tool-chat/${door}`)) as object;
      if (!['define', 'vue', 'svelte'].includes(door)) expect(Object.keys(module)).to.have.length.above(0);
      expect(globalThis).to.not.have.property('document');
    });

  it('does without a document what a call may need: tries again, plans, takes back', async () => {
    const core = pathToFileURL(here('dist/lib/core.js')).href;
    const { createConversation, ToolError } = (await import(core)) as typeof import('../src/core.js');
    const said = ['away', 'note'].map((name) => `<tool_use><invoke name="${name}"></invoke></tool_use>`).concat('Done.');
    const warnings: string[] = [];
    const nothing = () => undefined;
    const chat = createConversation({
      endpoint: 'http://model.test/api/ai/chat/stream',
      stream: 'off',
      planning: 'threshold',
      planningOptions: { minLength: 20 },
      decide: () => Promise.resolve('allow'),
      logger: { debug: nothing, info: nothing, error: nothing, warn: (message) => void warnings.push(message) },
      fetch: () => Promise.resolve(Response.json({ reply: said.shift() })),
    });
    let tries = 0;
    const away = () => ((tries += 1) === 1 ? Promise.reject(new ToolError('Away', { errorType: 'network' })) : 'Came');
    const undone: string[] = [];
    const undo = () => Promise.resolve(void undone.push('note'));
    chat.registerTool({ name: 'away', description: 'Away', risk: 'query', execute: away });
    chat.registerTool({ name: 'note', description: 'Notes', risk: 'write', resource: 'notes', execute: () => 'Noted', undo });
    await chat.sendMessage('Compare, summarise and save all of this, please.');
    expect(chat.toolHistory.map(({ message }) => message)).to.deep.equal(['Came', 'Noted']);
    await chat.undo(chat.toolHistory[1]?.requestId ?? '');
    expect([undone, warnings]).to.deep.equal([['note'], []]);
  }).timeout(20_000);

  it('loads nothing by a bare name where a page has no bundler: its warnings come there, too', async () => {
    const loaded = new Set<string>();
    const bare: string[] = [];
    const follow = async (file: string): Promise<void> => {
      if (loaded.has(file)) return;
      loaded.add(file);
      const code = await readFile(file, 'utf8');
      if (code.includes('import(`')) bare.push(`${basename(file)}: a template, which not every bundler follows`);
      for (const [, name = ''] of code.matchAll(/\b(?:from|import)\s*\(?\s*["'`]([@\w./:-]+)["'`]/g))
        if (name.startsWith('.')) await follow(join(dirname(file), name));
        else bare.push(`${basename(file)}: ${name}`);
    };
    await follow(here('dist/lib/toolkits/index.js'));
    expect([...loaded].map((file) => basename(file)).join()).to.match(/\blog-/);
    expect(bare).to.deep.equal([]);
  });

  it('says in a content script, which has a document and no custom elements, what it needs', async () => {
    for (const script of ['dist/tool-chat.iife.js', 'dist/tool-chat.js']) {
      const said: string[] = [];
      const page = {
        customElements: null,
        window: {},
        document: {},
        location: { href: 'https://shop.test/' },
        HTMLElement: class {},
        Event,
      };
      // A module's own `import()` is not reached.
      const code = (await readFile(here(script), 'utf8')).replace(/\bimport\.meta\b/g, '{}');
      runInNewContext(code, { ...page, console: { warn: (...words: string[]) => void said.push(words.join(' ')) } });
      expect(said.join(), script).to.contain('"world": "MAIN"');
    }
  });

  it('says in a bundle that the page has replaced `Array.from`, by which XState reads states', async () => {
    const load = (before: string) =>
      promisify(execFile)(process.execPath, ['-e', `${before}; import('tool-chat/define')`], { cwd: here('.') });
    const replaced = await load('Array.from = (from) => Array.prototype.slice.call(from)');
    expect([replaced.stderr.includes('has replaced `Array.from`'), (await load('')).stderr]).to.deep.equal([true, '']);
  });

  it('keeps closed what is no door', async () => {
    const failure: unknown = await import(`tool-chat/${'conversation/turn.js'}`).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('gives behind a door what the door says, and no name of a bundler', async () => {
    const doors = Object.values(packed.exports).flatMap((target) => (typeof target === 'string' ? [] : [target.default]));
    for (const door of doors.filter((file) => file.startsWith('./dist/lib/') && file !== './dist/lib/react.js')) {
      const names = Object.keys((await import(pathToFileURL(here(door)).href)) as object);
      expect(names.join(' '), door).to.not.match(/\b[a-z]\b/);
    }
  });

  it('has a relay that starts by its name', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [here(packed.bin['tool-chat-relay'] ?? ''), '--help']);
    expect(stdout).to.contain('--allowed-origins');
  });

  it('installs nothing of a server beside a page', () => {
    expect(Object.keys(packed.dependencies)).to.include('lit').and.not.include.oneOf(['hono', 'pino', 'redis', '@hono/node-server']);
    expect(Object.keys(packed.dependencies)).to.not.include.oneOf(['react', 'vue', 'svelte', '@lit/react']);
    const optional = ['pino', 'redis', 'react', 'svelte', 'vue'].map((name) => [name, { optional: true }]);
    expect(packed.peerDependenciesMeta).to.deep.equal(Object.fromEntries(optional));
  });

  it('holds what its README links to, and no map of sources that it does not hold', async () => {
    const { files } = await pack();
    const held = new Set(files.map(({ path }) => path));
    expect([...held].filter((path) => path.endsWith('.map') || path.includes('/.'))).to.deep.equal([]);
    const readme = await readFile(here('README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)|^\[\w+\]: ([^#:\s]+)$/gm)].map(([, inline, named]) => inline ?? named ?? '');
    expect(links).to.include.members(['docs/screenshots/tour.webp', 'docs/theming.md', 'docs/policies.md', 'CONTRIBUTING.md']);
    // It is about the source.
    const outside = ['CONTRIBUTING.md'];
    expect([...new Set(links.filter((link) => !held.has(link)))]).to.have.members(outside);
  });
});
