/**
 * `npm pack` runs this, so that no tarball lacks what `npm run build` and `npm run build:types` make: it builds if a file is missing or older than its sources.
 *
 *   node .config/prepack.mjs         before a tarball is made
 *   node .config/prepack.mjs --git   after an install: only when npm prepares this package as the git dependency of another project
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isInstalled, isOlder } from './widget.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

// npm runs only `prepare` for a git dependency, and runs it after each `npm install` of a contributor, too. It sets this variable for the first.
if (!process.argv.includes('--git') || process.env._PACOTE_NO_PREPARE_ !== undefined) prepare();

function prepare() {
  const missing = promised().filter((file) => !existsSync(root + file));
  if (missing.length === 0 && !isOlder('dist/llms.txt', ['src', 'vite.config.ts'])) return;
  if (!isInstalled()) fail('The package has to be built first. Run "npm install", then try again.');
  // Standard output belongs to npm: with --json it is read by a program.
  console.error(
    missing.length > 0 ? `Building the package: ${missing[0]} is missing …` : 'Building the package: its sources have changed …',
  );
  const isBuilt = ['build', 'build:types'].every((script) => {
    const options = { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' };
    return spawnSync('npm', ['run', '--silent', script], options).status === 0;
  });
  const still = promised().filter((file) => !existsSync(root + file));
  if (!isBuilt || still.length > 0) fail(`The package could not be built${still.length > 0 ? `: ${still.join(', ')} is missing` : ''}.`);
}

/** The files that package.json names. `npm run build` writes `dist/llms.txt` last. */
function promised() {
  const about = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const entryPoints = Object.values(about.exports).flatMap((entry) => (typeof entry === 'string' ? entry : Object.values(entry)));
  const files = [...entryPoints, ...Object.values(about.bin), ...about.sideEffects, about['web-types'], about.customElements];
  return files.map((file) => file.replace(/^\.\//, '')).filter((file) => !file.includes('*'));
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
