/**
 * Makes what others import: of the modules in `dist/modules`, one file behind each door of the package and as few shared ones as that takes, with
 * their declarations. Whoever bundles further still leaves out what a page does not use. Part of `npm run build`.
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports: doors, dependencies, peerDependencies, bin = {} } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const LIB = './dist/lib/';

/** `protocols/index` of `./dist/lib/protocols/index.js`. */
const named = (file) => (file.startsWith(LIB) ? [file.slice(LIB.length).replace(/\.js$/, '')] : []);
const withTypes = Object.values(doors).flatMap((door) => named(door.default ?? ''));
const programs = Object.values(bin).flatMap((file) => named(file.startsWith('./') ? file : `./${file}`));
const installed = Object.keys({ ...dependencies, ...peerDependencies });
/** Of a server: in its files, so that whoever runs one installs nothing beside it, and whoever runs a page nothing of it. */
const inside = ['hono', '@hono/node-server'];
const external = (id) => id.startsWith('node:') || installed.some((name) => id === name || id.startsWith(`${name}/`));
const inputs = (names, ending) => Object.fromEntries(names.map((name) => [name, path.join(root, 'dist/modules', `${name}.${ending}`)]));

const licence = (name) => `# ${name}\n\n${readFileSync(path.join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`;

rmSync(path.join(root, LIB), { recursive: true, force: true });

const code = await rolldown({
  input: inputs(withTypes, 'js'),
  external,
  platform: 'neutral',
  preserveEntrySignatures: 'exports-only',
});
await code.write({
  dir: path.join(root, LIB),
  chunkFileNames: 'shared/[name]-[hash:7].js',
  comments: { legal: true, annotation: true, jsdoc: false },
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  // What nearly all others stand on is no dozen files of a few lines.
  codeSplitting: {
    groups: [
      { name: 'base', test: /\/dist\/modules\/(base|model)\// },
      // A notation is two files to us, for what reads it is needed without what teaches it; to a bundler it is one.
      {
        debugName: 'notation',
        name: (id) => /protocols\/(json-action|json-tool-calls|tool-code|vcp|xml-invoke)(?:\/|\.js)/.exec(id)?.[1] ?? null,
        test: /\/dist\/modules\/protocols\//,
      },
    ],
  },
});

// A program stands beside its door, and on it.
for (const name of programs) {
  const program = await rolldown({ input: inputs([name], 'js'), external: (id) => external(id) || id === './index.js', platform: 'node' });
  await program.write({ dir: path.join(root, LIB), codeSplitting: false });
}
writeFileSync(path.join(root, LIB, 'relay/licenses.md'), inside.map(licence).join('\n'));

const types = await rollup({
  input: inputs(withTypes, 'd.ts'),
  external,
  plugins: [dts({ respectExternal: false })],
  onwarn: ({ code, message }) => {
    if (code === 'UNRESOLVED_IMPORT' || code === 'MISSING_EXPORT') throw new Error(message);
  },
});
await types.write({ dir: path.join(root, LIB), entryFileNames: '[name].d.ts', chunkFileNames: 'shared/[name]-[hash].d.ts' });

// A page of its own, which sites put beside their own: where a window for signing in comes back to.
copyFileSync(path.join(root, 'src/mcp/tool-chat-oauth.html'), path.join(root, 'dist/tool-chat-oauth.html'));
