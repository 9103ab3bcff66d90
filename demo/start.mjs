/** `npm start`: builds the widget where its sources are newer than what is there, then runs the demo. Needs no network. */
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

const root = fileURLToPath(new URL('..', import.meta.url));

if (newest('src') > newest('dist/tool-chat.js') || newest('vite.config.ts') > newest('dist/tool-chat.js')) {
  console.log('Building the widget …');
  const { build } = await import('vite');
  const started = performance.now();
  await build({ root, logLevel: 'warn' }).catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
  console.log(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

register();
await import('./server/main.ts');

/** When a file, or the newest file of a folder, was last changed, in milliseconds; 0 where there is none. */
function newest(path) {
  const stat = statSync(root + path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(root + path).map((name) => newest(`${path}/${name}`)));
}
