/**
 * Builds the documentation as a site: the pages of `docs/`, with reference pages out of the manifest and a page for each error code.
 * `npm run docs` writes it to `docs/.vitepress/dist`; `npm start` serves it at `/docs`. DOCS_BASE is where it will be served from.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { withHashes } from './docs-integrity.js';
import { errorPages, referencePages } from './docs-reference.js';
import { withPictures } from './statechart-picture.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const docs = path.join(root, 'docs');
/** What the site is made from; named in `docs/.vitepress/config.ts`, too. */
const pages = path.join(root, 'node_modules/.cache/docs-pages');

await rm(pages, { recursive: true, force: true });
await mkdir(pages, { recursive: true });
await cp(docs, pages, { recursive: true, filter: (source) => !source.includes('.vitepress') });
const changes = await readFile(path.join(root, 'CHANGELOG.md'), 'utf8');
await writeFile(path.join(pages, 'changes.md'), changes.replaceAll('](docs/', ']('));

const manifest: unknown = JSON.parse(await readFile(path.join(root, 'custom-elements.json'), 'utf8'));
const codes = await readFile(path.join(docs, 'error-codes.md'), 'utf8');
for (const [name, text] of [...referencePages(manifest), ...errorPages(codes)]) {
  const file = path.join(pages, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

for (const file of await readdir(pages, { recursive: true })) if (file.endsWith('.md')) await mend(path.join(pages, file));

// What is Mermaid for whoever reads the page as a file is a picture here.
const architecture = path.join(pages, 'architecture.md');
await writeFile(architecture, withPictures(await readFile(architecture, 'utf8')));

const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
const hashes = JSON.parse(await readFile(path.join(root, 'dist/integrity.json'), 'utf8')) as Record<string, string>;
for (const file of ['guides/cdn.md', 'zh/guides/cdn.md'].map((name) => path.join(pages, name)))
  if (existsSync(file)) await writeFile(file, withHashes(await readFile(file, 'utf8'), version, hashes));

// The widget itself stands beside the pages: their examples are alive.
await mkdir(path.join(pages, 'public'), { recursive: true });
for (const name of ['tool-chat.js', 'chunks'])
  await cp(path.join(root, 'dist', name), path.join(pages, 'public/widget', name), {
    recursive: true,
    filter: (file) => !file.endsWith('.map'),
  });
await cp(path.join(root, 'themes'), path.join(pages, 'public/themes'), { recursive: true });

await build(docs);

/** Links that lead out of `docs/`, or to what only a running demo has, are words on the site. */
async function mend(file: string) {
  const text = await readFile(file, 'utf8');
  const mended = text
    .replaceAll(/\[([^\]]+)\]\(http:\/\/localhost:\d+[^)]*\)/g, '$1')
    .replaceAll(/<http:\/\/localhost:(\d+)([^>]*)>/g, '`http://localhost:$1$2`')
    .replaceAll(/\[([^\]]+)\]\((?:\.\.\/(?:src|test|demo|README|CONTRIBUTING|themes)|(?:\.\/)?relay\/)[^)]*\)/g, '$1');
  if (mended !== text) await writeFile(file, mended);
}
