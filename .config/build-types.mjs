/** Bundles the declarations of `dist/modules`: one file for each entry point of the package, and one that they share. Part of `npm run build:types`. */
import path from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { entryPoints, inputs, isExternal, namesOf, root } from './entry-points.mjs';

const input = inputs(namesOf(Object.values(entryPoints).map((entry) => entry.types)), 'd.ts');
const typed = new Set(Object.values(input));
const types = await rollup({
  input,
  external: isExternal,
  plugins: [dts({ respectExternal: false })],
  onwarn: ({ code, message }) => {
    if (code === 'UNRESOLVED_IMPORT' || code === 'MISSING_EXPORT') throw new Error(message);
  },
});
await types.write({
  dir: path.join(root, 'dist/lib'),
  entryFileNames: '[name].d.ts',
  chunkFileNames: '[name].d.ts',
  plugins: [{ name: 'short', renderChunk: short }],
  // The types that several entry points share are one file.
  manualChunks: (id) => (typed.has(id) || id.includes('/node_modules/') ? undefined : 'types'),
});

/** A tab is shorter than four blanks, and the ids of our requirements and the names of our files mean nothing to a user of the package. */
function short(code) {
  const [named] = /^\s*\/?\*.*\b[\w-]+\.ts\b.*/m.exec(code) ?? [];
  if (named) throw new Error(`A comment that is published names a source file: ${named.trim()}`);
  return code.replace(/^(?: {4})+/gm, (blanks) => '\t'.repeat(blanks.length / 4)).replace(/ \((?:S\d|X)-\d[^()]*\)/g, '');
}
