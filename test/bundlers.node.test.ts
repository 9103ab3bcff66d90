/** The packed package through the bundlers that pages are built with: what a page loads at once stays as small as the launcher. */
import { expect } from 'chai';
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { minify } from 'terser';
import webpack from 'webpack';
import { consumers, type Consumers } from './helpers/consumers.js';

/** Bytes of gzip for what a page loads before anything is shown: the launcher, and a bundler's own few lines. */
const AT_ONCE = 6_000;

describe('a page that imports tool-chat/define', function () {
  this.timeout(300_000);
  let others: Consumers;
  let entry: string;
  before(async () => {
    others = await consumers('consumers-bundlers');
    entry = path.join(others.home, 'node_modules/tool-chat/dist/lib/define.js');
  });

  it('loads little at once when esbuild made it', async () => {
    const outdir = path.join(others.home, 'built-esbuild');
    const { outputFiles, metafile } = await build({
      ...{ entryPoints: [entry], outdir, bundle: true, splitting: true, minify: true, format: 'esm', target: 'es2022', logLevel: 'error' },
      ...{ write: false, metafile: true, absWorkingDir: others.home },
    });
    const atOnce = new Set<string>();
    const follow = (file: string): void => {
      if (atOnce.has(file)) return;
      atOnce.add(file);
      for (const { path: next, kind } of metafile.outputs[file]?.imports ?? []) if (kind === 'import-statement') follow(next);
    };
    follow('built-esbuild/define.js');
    const loaded = outputFiles.filter((file) => atOnce.has(path.relative(others.home, file.path)));
    expect(loaded.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)).to.be.within(500, AT_ONCE);
  });

  it('loads little at once when webpack made it', async () => {
    const outdir = path.join(others.home, 'built-webpack');
    const compiler = webpack({
      mode: 'production',
      target: 'web',
      entry,
      context: others.home,
      output: { path: outdir, filename: 'main.js' },
      performance: false,
      // As webpack has it done, below, and of what is looked at alone: the parts that load later take it half a minute.
      optimization: { minimize: false },
    });
    const stats = await promisify(compiler.run.bind(compiler))();
    expect(stats?.toJson({ all: false, errors: true }).errors).to.deep.equal([]);
    const { code = '' } = await minify(await readFile(path.join(outdir, 'main.js'), 'utf8'), { compress: { passes: 2 } });
    expect(code).to.contain('tool-chat');
    expect(gzipSync(code).length).to.be.within(500, AT_ONCE);
  });
});
