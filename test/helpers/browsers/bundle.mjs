/** Tests for a browser as a few dozen files that all of them share, instead of some hundreds of modules, each asked for by each page. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const CHUNKS = '/__chunks/';

/** What tests read of the environment, which a browser does not have. */
export const testEnvironment = { 'process.env.TEST_EFFORT': JSON.stringify(process.env.TEST_EFFORT ?? '') };

/**
 * @param {string} root Folder that is served.
 * @param {string[]} files The tests.
 * @returns A middleware that answers for each of them, at its own address, and for what they share. All else it leaves to the next.
 */
export async function bundled(root, files) {
  const { outputFiles } = await build({
    entryPoints: files,
    absWorkingDir: root,
    outdir: root,
    outbase: root,
    chunkNames: `${CHUNKS.slice(1)}[name]-[hash]`,
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser'],
    target: 'es2022',
    define: testEnvironment,
    tsconfig: path.join(root, 'tsconfig.json'),
    sourcemap: 'linked',
    // What the runner serves itself.
    external: ['/__*'],
    // A test imports for the effect also what a page would not.
    ignoreAnnotations: true,
    logLevel: 'silent',
    plugins: [ownAddresses(root)],
  });
  const texts = new Map(outputFiles.map(({ path: file, contents }) => [`/${path.relative(root, file).replaceAll('\\', '/')}`, contents]));

  return (context, next) => {
    const text = texts.get(context.path) ?? texts.get(context.path.replace(/\.ts(?=$|\.map$)/, '.js'));
    if (!text) return next();
    context.type = context.path.endsWith('.map') ? 'json' : 'js';
    // The name of what is shared changes with what it says.
    context.set('cache-control', context.path.startsWith(CHUNKS) ? 'max-age=86400, immutable' : 'no-cache');
    context.body = Buffer.from(text);
  };
}

/** `import.meta.url` stays the address of the file it stands in, also where that file has become part of a shared one. */
function ownAddresses(root) {
  return {
    name: 'own-addresses',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]test[\\/].*\.ts$/ }, async ({ path: file }) => {
        const text = await readFile(file, 'utf8');
        if (file.includes('node_modules') || !text.includes('import.meta.url')) return undefined;
        const address = JSON.stringify(`/${path.relative(root, file).replaceAll('\\', '/')}`);
        return { contents: text.replaceAll('import.meta.url', `new URL(${address}, location.origin).href`), loader: 'ts' };
      });
    },
  };
}
