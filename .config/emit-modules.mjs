/**
 * Writes each module of `src` as JavaScript to `dist/modules`, for the package, the gallery and the benchmarks. Part of `npm run build`.
 * Nothing is checked here: `npm run typecheck` does that, and `npm run build:types` adds the declarations.
 */
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { modules, root } from './entry-points.mjs';

rmSync(modules, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ['src/**/*.ts'],
  outbase: 'src',
  outdir: modules,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
});
