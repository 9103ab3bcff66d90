/**
 * Makes what others import: of the modules in `dist/modules`, one file behind each door of the package and as few shared ones as that takes, with
 * their declarations. Whoever bundles further still leaves out what a page does not use. Part of `npm run build`.
 */
import { readFileSync, rmSync } from 'node:fs';
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
const external = (id) => id.startsWith('node:') || installed.some((name) => id === name || id.startsWith(`${name}/`));
const inputs = (names, ending) => Object.fromEntries(names.map((name) => [name, path.join(root, 'dist/modules', `${name}.${ending}`)]));

rmSync(path.join(root, LIB), { recursive: true, force: true });

const code = await rolldown({
  input: inputs([...withTypes, ...programs], 'js'),
  external,
  platform: 'neutral',
  preserveEntrySignatures: 'exports-only',
});
await code.write({
  dir: path.join(root, LIB),
  chunkFileNames: 'shared/[name]-[hash:7].js',
  comments: { legal: true, annotation: true, jsdoc: false },
  // What nearly all others stand on is no dozen files of a few lines.
  codeSplitting: { groups: [{ name: 'base', test: /\/dist\/modules\/(base|model)\// }] },
});

const types = await rollup({
  input: inputs(withTypes, 'd.ts'),
  external,
  plugins: [dts({ respectExternal: false })],
  onwarn: ({ code, message }) => {
    if (code === 'UNRESOLVED_IMPORT' || code === 'MISSING_EXPORT') throw new Error(message);
  },
});
await types.write({ dir: path.join(root, LIB), entryFileNames: '[name].d.ts', chunkFileNames: 'shared/[name]-[hash].d.ts' });
