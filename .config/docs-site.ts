/**
 * Builds the documentation as a site: the pages of `docs/`, with reference pages out of the manifest and a page for each error code.
 * `npm run docs` writes it to `docs/.vitepress/dist`; `npm start` serves it at `/docs`. DOCS_BASE is where it will be served from.
 * A parent process (`demo/server/docs-build.ts`) is told each step, and the error if the build fails.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { build, type SiteConfig } from 'vitepress';
import { CONTENT_SECURITY_POLICY, POLICY_OF_PLAYGROUND } from '../demo/server/site.js';
import { withHashes, withoutHashes } from './docs-integrity.js';
import { errorPages, referencePages } from './docs-reference.js';
import { withPictures } from './statechart-picture.js';
import { charts } from './statechart-source.js';
import { buildWidget } from './widget.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const docs = path.join(root, 'docs');
/** What the site is made from; named in `docs/.vitepress/config.ts`, too. */
const pages = path.join(root, 'node_modules/.cache/docs-pages');

/** The finished site appears at once, and an older one can be read until then. */
const made = path.join(root, 'node_modules/.cache/docs-site');
const site = path.join(docs, '.vitepress/dist');

// The parent may end before the build does.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

try {
  report('collecting the pages');
  if (!existsSync(path.join(root, 'dist/tool-chat.js'))) await buildWidget();
  await collectPages();
  await build(docs, { outDir: made, emptyOutDir: true, onAfterConfigResolve: reportPages });
  await rm(site, { recursive: true, force: true });
  await rename(made, site);
} catch (error) {
  process.send?.({ failed: (error instanceof Error ? error.message : String(error)).split('\n')[0] });
  throw error;
}

function report(step: string) {
  process.send?.({ step });
}

/** Counts the pages when they are read, and again when they are written. */
function reportPages(config: SiteConfig) {
  const read = new Set<string>();
  let written = 0;
  config.transformPageData = ({ relativePath }) => {
    read.add(relativePath);
    report(read.size < config.pages.length ? `reading page ${read.size} of ${config.pages.length}` : 'bundling the pages');
  };
  config.transformHtml = () => {
    written += 1;
    report(`writing page ${written} of ${config.pages.length}`);
  };
}

async function collectPages() {
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

  await coverInChinese();
  for (const file of await readdir(pages, { recursive: true })) if (file.endsWith('.md')) await mend(path.join(pages, file));

  // GitHub draws Mermaid; the site shows a picture instead.
  for (const name of Object.keys(charts)) {
    const file = path.join(pages, name);
    await writeFile(file, withPictures(name, await readFile(file, 'utf8')));
  }

  await fillInHashes();

  await collectDemo(path.join(pages, 'public/demo'));
  await cp(path.join(root, 'themes'), path.join(pages, 'public/themes'), { recursive: true });
}

/** Pages that need nothing but their own folder: the widget as it is published, and a scripted model inside the page. */
async function collectDemo(folder: string) {
  await mkdir(folder, { recursive: true });
  for (const name of ['tool-chat.js', 'chunks'])
    await cp(path.join(root, 'dist', name), path.join(folder, 'dist', name), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
  const demo = path.join(root, 'demo');
  const shared = ['base.css', 'dom.js', 'icon.svg', 'page-texts.js'];
  for (const name of await readdir(demo))
    if (shared.includes(name) || name.startsWith('playground')) await cp(path.join(demo, name), path.join(folder, name));
  for (const name of ['live.html', 'live.css', 'live.js']) await cp(path.join(demo, 'static', name), path.join(folder, name));
  await cp(path.join(root, 'custom-elements.json'), path.join(folder, 'custom-elements.json'));
  const bundle = await rolldown({
    input: path.join(demo, 'static/services.ts'),
    platform: 'browser',
    external: (id) => id === 'redis',
    treeshake: { moduleSideEffects: [{ test: /without-eval/, sideEffects: true }] },
  });
  await bundle.write({ file: path.join(folder, 'services.js'), codeSplitting: false, minify: true });
  await bundle.close();
  for (const [name, policy] of [
    ['live.html', CONTENT_SECURITY_POLICY],
    ['playground.html', POLICY_OF_PLAYGROUND],
  ] as const) {
    const file = path.join(folder, name);
    const page = await readFile(file, 'utf8');
    // A static server sends no policy, and one of a page cannot say who may have it in a frame.
    const meta = `<meta http-equiv="Content-Security-Policy" content="${policy.replace(/; frame-ancestors.*$/, '')}" />`;
    await writeFile(file, page.replace('<html', '<html data-services="./services.js"').replace('<head>', `<head>\n    ${meta}`));
  }
}

/** Only `npm run build` makes the very files that are published, so the quick build of `npm start` has no hashes to show. */
async function fillInHashes() {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const list = path.join(root, 'dist/integrity.json');
  const hashes = existsSync(list) ? (JSON.parse(await readFile(list, 'utf8')) as Record<string, string>) : undefined;
  for (const file of ['guides/cdn.md', 'zh/guides/cdn.md'].map((name) => path.join(pages, name))) {
    if (!existsSync(file)) continue;
    const text = await readFile(file, 'utf8');
    await writeFile(file, hashes ? withHashes(text, version, hashes) : withoutHashes(text, version));
  }
}

/** The switch of languages leads from every page to its twin: one that is not translated says so, and leads back. */
async function coverInChinese() {
  const names = (await readdir(pages, { recursive: true })).filter((name) => name.endsWith('.md') && !/^zh\/|^index\.md$/.test(name));
  for (const name of names) {
    const file = path.join(pages, 'zh', name);
    if (existsSync(file)) continue;
    const [, title = name] = /^# (.+)$/m.exec(await readFile(path.join(pages, name), 'utf8')) ?? [];
    const link = `/${name.replace(/(?:index)?\.md$/, '')}`;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, `---\nsearch: false\n---\n\n# ${title}\n\n本页暂无中文版，请阅读[英文版](${link})。\n`);
  }
}

/** Links that lead out of `docs/`, or to what only a running demo has, are words on the site. */
async function mend(file: string) {
  const text = await readFile(file, 'utf8');
  const mended = text
    .replaceAll(/\[([^\]]+)\]\(http:\/\/localhost:\d+[^)]*\)/g, '$1')
    .replaceAll(/<http:\/\/localhost:(\d+)([^>]*)>/g, '`http://localhost:$1$2`')
    .replaceAll('](../CHANGELOG.md)', '](changes.md)')
    .replaceAll(/\[([^\]]+)\]\((?:\.\.\/(?:src|test|demo|README|CONTRIBUTING|themes)|(?:\.\/)?relay\/)[^)]*\)/g, '$1');
  if (mended !== text) await writeFile(file, mended);
}
