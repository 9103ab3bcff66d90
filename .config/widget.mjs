/**
 * The quick build: all that the demo and the documentation load. `npm run build` makes the whole package.
 *
 *   node .config/widget.mjs   builds it (part of `npm run build:page`, for the end-to-end flows of `npm test`)
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Served next to the script: foreign code runs in the first, and a sign-in window comes back to the second. */
const PAGES = ['toolkits/sandbox/tool-chat-sandbox', 'mcp/tool-chat-oauth'];

/** True if `npm install` has run. This file itself needs nothing that it installs. */
export function isInstalled() {
  return existsSync(`${root}node_modules/vite`) && existsSync(`${root}node_modules/tsx`);
}

/** True if a file that the demo loads is missing or older than its sources. */
export function isWidgetOutdated() {
  return isOlder('dist/tool-chat.js', ['src', 'vite.config.ts']) || !pageModules().every(({ file }) => existsSync(root + file));
}

/** Builds into `dist/`, which it empties, without the second minifier. */
export async function buildWidget() {
  console.log('Building the widget …');
  const started = performance.now();
  const { build } = await import('vite');
  await build({ root, configFile: `${root}vite.config.ts`, mode: 'quick', logLevel: 'warn' });
  await buildPageModules();
  for (const page of PAGES) copyFileSync(`${root}src/${page}.html`, `${root}dist/${page.replace(/.*\//, '')}.html`);
  const { tsImport } = await import('tsx/esm/api');
  const { corpusData } = await tsImport('./corpus-data.ts', import.meta.url);
  writeFileSync(`${root}dist/protocol-corpus.json`, corpusData);
  console.log(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

/** True if `file` is missing or older than a source. Paths are relative to the project. */
export function isOlder(file, sources) {
  return Math.max(...sources.map(newest)) > newest(file);
}

/** Modules of the package that pages of the demo and the README's page import, each with its source. */
function pageModules() {
  const scripts = readdirSync(`${root}demo`).filter((name) => name.endsWith('.js'));
  const imports = scripts.flatMap((name) => [
    ...readFileSync(`${root}demo/${name}`, 'utf8').matchAll(/'\.?\/(dist\/(?:lib|modules)\/(.+)\.js)'/g),
  ]);
  return [
    ...imports.map(([, file, name]) => ({ file, source: `src/${name}.ts` })),
    { file: 'dist/lib/testing/scripted-model.js', source: 'src/scripted-model/index.ts' },
  ];
}

async function buildPageModules() {
  const { rolldown } = await import('rolldown');
  const input = Object.fromEntries(pageModules().map(({ file, source }) => [file.slice('dist/'.length, -'.js'.length), root + source]));
  const bundle = await rolldown({ input, platform: 'browser', preserveEntrySignatures: 'strict' });
  await bundle.write({ dir: `${root}dist`, chunkFileNames: 'lib/shared/[name]-[hash].js' });
  await bundle.close();
}

/** When a file, or the newest file of a folder, was last changed, in milliseconds; 0 if it is missing. Build output is no source. */
function newest(path) {
  if (path.endsWith('.vitepress/dist')) return 0;
  const stat = statSync(root + path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(root + path).map((name) => newest(`${path}/${name}`)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWidget();
