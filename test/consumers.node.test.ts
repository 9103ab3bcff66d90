// CI only: packs the package, and runs each framework's compiler
/** The types of the packed package in other hands: the strictest settings of the compiler, and each framework's own check of templates. */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { consumers, type Consumers } from './helpers/consumers.js';

const checks: Record<string, [command: string, ...args: string[]]> = {
  'under the strictest settings, libraries included': ['tsc', '-p', 'strict'],
  'with the arguments that zod, valibot, arktype and JSON Schema describe': ['tsc', '-p', 'inferred'],
  'by a compiler that does not read `exports`': ['tsc', '-p', 'node10'],
  'in JSX of React 19': ['tsc', '-p', 'react'],
  'in a page that a server renders': ['tsc', '-p', 'next'],
  'in a template of Vue 3': ['vue-tsc', '-p', 'vue'],
  'in markup of Svelte 5': ['svelte-check', '--workspace', 'svelte', '--tsconfig', './tsconfig.json', '--threshold', 'error'],
  'in a strict template of Angular': ['ngc', '-p', 'angular/tsconfig.json', '--noEmit'],
};

/** The samples of the guide about frameworks, beside the pages of the same framework, behind what is said there to be the reader's. */
const samples = { react: 'guide.tsx', vue: 'guide.vue', svelte: 'guide.svelte', angular: 'guide.ts' };
/** Pages of docs/stacks, which are whole. */
const stacks = { 'vite-react': 'react', nextjs: 'react', vue: 'vue', svelte: 'svelte', angular: 'angular' } as const;
const yours = `import { rename as tool } from '../rename.js';
const headers = { 'x-shop': '1' };
const report = (heard: object) => console.log(heard, headers);
`;

describe('the types of the package', function () {
  this.timeout(400_000);
  let others: Consumers;
  before(async () => {
    others = await consumers('consumers-types');
    const sampleOf = async (page: string, framework: string) => {
      const text = await readFile(new URL(`../docs/${page}.md`, import.meta.url), 'utf8');
      const [, source = ''] = new RegExp(`<!-- sample: ${framework} -->\\n\\n\`\`\`\\w+\\n([^]*?)\\n\`\`\``).exec(text) ?? [];
      expect(source, `${page}: ${framework}`).to.contain('tool-chat');
      return source;
    };
    for (const [page, framework] of Object.entries(stacks))
      await writeFile(
        path.join(others.home, framework, samples[framework].replace('guide', page)),
        await sampleOf(`stacks/${page}`, framework),
      );
    for (const [framework, file] of Object.entries(samples)) {
      const source = await sampleOf('guides/frameworks', framework);
      const script = /^<script.*>\n/.exec(source)?.[0] ?? '';
      await writeFile(path.join(others.home, framework, file), script + yours + source.slice(script.length));
    }
  });

  for (const [where, [command, ...args]] of Object.entries(checks))
    it(`compile ${where}`, async () => {
      expect(await others.complaintsOf(command, ...args)).to.equal('');
    });

  it('refuse what is no tool: without the comment that expects an error, there is one', async () => {
    const file = path.join(others.home, 'strict/main.ts');
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('// @ts-expect-error', '//'));
    expect(await others.complaintsOf('tsc', '-p', 'strict')).to.match(/Property 'description' is missing[^]*"sideways"/);
  });
});

describe('the package in other hands', function () {
  this.timeout(120_000);
  let others: Consumers;
  before(async () => {
    others = await consumers('consumers-others');
  });

  it('is written by a server with every option that a text can say, its children, and nothing else', async () => {
    const [tag] = /<tool-chat[^]*<\/tool-chat>/.exec(await others.renderedPage()) ?? [];
    expect(tag).to.equal(
      '<tool-chat class="assistant" endpoint="/api/ai/chat/stream" heading="From a server" max-iterations="4" approval="always"><b slot="empty">Ask our shop</b></tool-chat>',
    );
  });

  it('loads little at once in a page that a bundler made: the launcher, and a few lines of the bundler', async () => {
    const outdir = path.join(others.home, 'built');
    const { outputFiles, metafile } = await build({
      ...{ entryPoints: [path.join(others.home, 'node_modules/tool-chat/dist/lib/define.js')], outdir, absWorkingDir: others.home },
      ...{ bundle: true, splitting: true, minify: true, format: 'esm', target: 'es2022', logLevel: 'error', write: false, metafile: true },
    });
    const atOnce = new Set<string>();
    const follow = (file: string): void => {
      if (atOnce.has(file)) return;
      atOnce.add(file);
      for (const { path: next, kind } of metafile.outputs[file]?.imports ?? []) if (kind === 'import-statement') follow(next);
    };
    follow('built/define.js');
    const loaded = outputFiles.filter((file) => atOnce.has(path.relative(others.home, file.path)));
    expect(loaded.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)).to.be.within(500, 6_000);
  });

  for (const dom of ['jsdom', 'happy-dom'])
    it(`answers and shows in component tests with ${dom}, where no script can allow what asks`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['component/page.mjs', dom], { cwd: others.home });
      expect(JSON.parse(stdout)).to.deep.equal({
        ...{ text: 'It is **saved**.', saved: true, hasButton: true, statuses: ['success'], dropped: 0, faults: [] },
      });
    });
});
