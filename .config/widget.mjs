/** The quick build of the widget, all that the demo and the documentation need. `npm run build` makes the whole package. */
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Builds `dist/tool-chat.js` and its chunks without the second minifier. It empties `dist/`. */
export async function buildWidget() {
  console.log('Building the widget …');
  const started = performance.now();
  const { build } = await import('vite');
  await build({ root, configFile: `${root}vite.config.ts`, mode: 'quick', logLevel: 'warn' });
  console.log(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

/** Whether a source has changed since `file` was built, or `file` is missing. Paths are relative to the project. */
export function isOlder(file, sources) {
  return Math.max(...sources.map(newest)) > newest(file);
}

/** When a file, or the newest file of a folder, was last changed, in milliseconds; 0 if it is missing. Build output is no source. */
function newest(path) {
  if (path.endsWith('.vitepress/dist')) return 0;
  const stat = statSync(root + path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(root + path).map((name) => newest(`${path}/${name}`)));
}
