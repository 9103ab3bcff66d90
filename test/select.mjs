/**
 * Which test files a run holds. The first lines of a test file may say:
 *
 *   // CI only: <reason>         runs in `.ci/run` and not in `npm test`
 *   // test:all only: <reason>   runs only in `npm run test:all`
 *   // engines: <reasons>        runs in Firefox and WebKit, too (in CI), because the engine matters to what it tests
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export const LEVELS = ['usual', 'ci', 'all'];

/** The kinds of test files, by their endings. */
export const KINDS = { node: '.node.test.ts', browser: '.browser.test.ts', e2e: '.e2e.ts' };

/** Reads the first lines of a test file, which say when and where it runs. */
export function headerOf(text) {
  const header = { level: 'usual', reason: undefined, engines: undefined };
  for (const line of text.split('\n')) {
    const [, key, value] = /^\/\/ (CI only|test:all only|engines): (.+)$/.exec(line) ?? [];
    if (key === undefined) break;
    if (key === 'engines') header.engines = value;
    else Object.assign(header, { level: key === 'CI only' ? 'ci' : 'all', reason: value });
  }
  return header;
}

/**
 * The files of one kind that a run of this level holds, the largest first.
 *
 * @param {'node' | 'browser' | 'e2e'} kind
 * @param {'usual' | 'ci' | 'all'} level
 * @param {{otherEngine?: boolean, only?: boolean}} [which] `otherEngine`: only what says that the engine matters (`all`: every file).
 * `only`: without the files of lower levels.
 * @returns {string[]}
 */
export function testFiles(kind, level, { otherEngine = false, only = false } = {}) {
  return readdirSync('test', { recursive: true })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith(KINDS[kind]) && !file.includes('node_modules'))
    .filter((file) => {
      const header = headerOf(readFileSync(file, 'utf8'));
      const wanted = only ? header.level === level : LEVELS.indexOf(header.level) <= LEVELS.indexOf(level);
      return wanted && (!otherEngine || level === 'all' || header.engines !== undefined);
    })
    .sort((a, b) => statSync(b).size - statSync(a).size);
}

/** Which files of these folders import a file, by its path; types do not count. */
export function importersOf(folders, root = '.') {
  const names = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(folder, name)),
  );
  const importers = new Map();
  for (const file of names.map((name) => name.replaceAll('\\', '/'))) {
    if (!/\.(?:ts|mjs|js)$/.test(file) || file.includes('node_modules')) continue;
    const text = readFileSync(path.join(root, file), 'utf8');
    for (const [, from] of text.matchAll(/(?:^(?:import|export) (?!type )[^;]*?from |\bimport\(|^import )'(\.[^']+)'/gm)) {
      const target = path.posix.join(path.posix.dirname(file), from).replace(/\.js$/, '.ts');
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
}
