/** `npm start`: builds the widget where its sources are newer than what is there, then runs the demo. Needs no network. */
import { spawn } from 'node:child_process';
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

// Pages about the widget follow once it can be used; until then `/docs` says so.
if (newest('docs') > newest('docs/.vitepress/dist/index.html'))
  spawn(process.execPath, ['--import=tsx', '.config/docs-site.ts'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

/** When a file, or the newest file of a folder, was last changed, in milliseconds; 0 where there is none. What is made is no source. */
function newest(path) {
  if (path.endsWith('.vitepress')) return 0;
  const stat = statSync(root + path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(root + path).map((name) => newest(`${path}/${name}`)));
}
