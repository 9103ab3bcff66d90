/**
 * Releases what CHANGELOG.md announces: looks at all that has to be so, then writes version and date, packs, commits, tags, publishes.
 *
 *   npm run release -- --dry-run            looks, and packs into a folder of its own; writes nothing here; exit code 1 when something is missing
 *   npm run release -- --dry-run --quick    without publint and attw, which `npm test` runs as well
 *   npm run release                         in a CI job that may sign (`id-token: write`): publishes with provenance
 *
 * `npm run build` comes first.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { announced, dated, linksOf, publishedPage, registryReadme } from './release-parts.js';

const { values: options } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, quick: { type: 'boolean' } } });
const dry = options['dry-run'] ?? false;

interface Manifest {
  name: string;
  version: string;
  repository?: unknown;
  homepage?: unknown;
  bugs?: unknown;
}

const run = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1e8, stdio: 'pipe' });
const read = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const staged = mkdtempSync(path.join(tmpdir(), 'tool-chat-release-'));
let failed = 0;
/** Not before it is known, and said before it is used. */
let version = manifest.version;

await look('changelog', () => {
  const release = announced(read('CHANGELOG.md'));
  version = release.version;
  const chapter = version.split('.').slice(0, 2).join('.');
  if (!new RegExp(String.raw`^## ${chapter.replace('.', String.raw`\.`)}$`, 'm').test(read('docs/upgrading.md')))
    throw new Error(`docs/upgrading.md has no chapter "## ${chapter}".`);
  return `${version}, ${release.notes.match(/^- /gm)?.length ?? 0} lines`;
});
await look('version', () => (manifest.version === version ? version : `${manifest.version} → ${version}`));
await look('integrity', () => {
  const listed = JSON.parse(read('dist/integrity.json')) as Record<string, string>;
  const built = ['', 'chunks/', 'lib/'].flatMap((folder) =>
    readdirSync(`dist/${folder}`, { recursive: folder === 'lib/', encoding: 'utf8' }).flatMap((name) =>
      name.endsWith('.js') ? [folder + name.replaceAll('\\', '/')] : [],
    ),
  );
  const wrong = built.filter(
    (file) =>
      listed[file] !==
      `sha384-${createHash('sha384')
        .update(readFileSync(`dist/${file}`))
        .digest('base64')}`,
  );
  const gone = Object.keys(listed).filter((file) => !existsSync(`dist/${file}`));
  if (wrong.length + gone.length > 0) throw new Error(`Not as they were built: ${[...wrong, ...gone].join(', ')}. Run npm run build.`);
  return `${built.length} scripts are as dist/integrity.json says`;
});

let tarball = '';
await look('pack', () => {
  const [first] = JSON.parse(run('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', staged)) as [{ filename: string }];
  run('tar', 'xzf', path.join(staged, first.filename), '-C', staged);
  rmSync(path.join(staged, first.filename));
  const folder = path.join(staged, 'package');
  const held = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll(path.sep, '/')));
  const readme = registryReadme(read('README.md'), `https://unpkg.com/${manifest.name}@${version}`, held);
  const loose = linksOf(readme).filter((link) => !/^(?:https?:|#)/.test(link));
  if (loose.length > 0) throw new Error(`README.md leads nowhere on the registry's page: ${loose.join(', ')}`);
  writeFileSync(path.join(folder, 'README.md'), ofVersion(readme));
  for (const name of held)
    if (/^docs\/.*\.md$/.test(name)) {
      const file = path.join(folder, name);
      const near = (link: string) => path.posix.join(path.posix.dirname(name), link);
      writeFileSync(
        file,
        publishedPage(read(file), (link) => held.has(near(link))),
      );
    }
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify({ ...JSON.parse(read('package.json')), version }, null, 2)}\n`);
  const [packed] = JSON.parse(run('npm', 'pack', folder, '--json', '--ignore-scripts', '--pack-destination', staged)) as [
    { filename: string; size: number; entryCount: number; integrity: string },
  ];
  if (packed.entryCount > 400 || packed.size > 1.5e6) throw new Error(`${packed.entryCount} files, ${packed.size} bytes: too large.`);
  tarball = path.join(staged, packed.filename);
  return `${packed.filename}, ${packed.entryCount} files, ${packed.size} bytes, ${packed.integrity}`;
});
if (!options.quick) await look('publint and attw', () => (run('npm', 'run', '--silent', 'check-package'), 'nothing to say'));
await look('provenance', () => {
  const placeholders = (['repository', 'homepage', 'bugs'] as const).filter(
    (field) => !manifest[field] || JSON.stringify(manifest[field]).includes('OWNER'),
  );
  const missing = [
    ...(placeholders.length > 0
      ? [`the real owner instead of OWNER in ${placeholders.join(', ')} of package.json: the registry compares it with where the job runs`]
      : []),
    ...((process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] ?? process.env['SIGSTORE_ID_TOKEN'])
      ? []
      : ['a CI job that may sign (`id-token: write`)']),
    ...(run('git', 'status', '--porcelain').trim() === '' ? [] : ['a work tree without changes']),
  ];
  if (missing.length > 0 && !dry) throw new Error(`Needs ${missing.join('; ')}.`);
  return missing.length > 0 ? `ready but for: ${missing.join('; ')}` : 'ready';
});

if (failed === 0 && !dry) publish();
if (failed === 0) console.log(dry ? `\nCan be released: ${version}. Nothing was changed or published.` : `\nReleased ${version}.`);
rmSync(staged, { recursive: true });
process.exitCode = failed > 0 ? 1 : 0;

async function look(what: string, how: () => string | Promise<string>): Promise<void> {
  try {
    console.log(`✔ ${what}: ${await how()}`);
  } catch (error) {
    failed += 1;
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
    console.error(`✘ ${what}: ${message}\n${stdout}${stderr}`.trim());
  }
}

/** The addresses of a CDN in README.md name the version that is released. */
function ofVersion(readme: string): string {
  return readme.replaceAll(/(?<=\/npm\/tool-chat@)\d+\.\d+\.\d+/g, version);
}

/** What is tagged is what was packed: the tarball that was looked at goes out. */
function publish(): void {
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
  writeFileSync('README.md', ofVersion(read('README.md')));
  writeFileSync('CHANGELOG.md', dated(read('CHANGELOG.md'), new Date().toISOString().slice(0, 10)));
  run('git', 'commit', '--all', '--message', `Release ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `tool-chat ${version}`);
  const kept = path.resolve(path.basename(tarball));
  cpSync(tarball, kept);
  run('npm', 'publish', kept, '--access', 'public', '--provenance');
}
