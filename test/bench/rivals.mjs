/** What we are compared with: installed with the first comparison, each bundled as its makers say, never part of the project. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const modules = path.join(here, 'node_modules');
const made = path.join(modules, '.rivals');

/** One of its dependencies was never published, so that it cannot be installed; what it ships is whole. */
const n8n = {
  name: '@n8n/chat@1.37.0',
  integrity: 'sha512-V1EQxDp/+rW6o/5OZgbwDfgPJXG8Jrn3TIdq7Z/26QTP90Uo3g2gv8CMnaQcphdTQVR+K06X34DOCRHXa8Tqnw==',
};

/** By the name of their page; `chat`: has a field and a log, not only an answer. */
export const rivals = [
  { page: 'deep-chat', what: 'deep-chat 2.4.2' },
  { page: 'nlux', what: '@nlux/core 2.17.1', built: true },
  { page: 'n8n', what: '@n8n/chat 1.37.0', built: true },
  { page: 'streamdown', what: 'react 19.3.1 + streamdown 2.7.1, no chat around it', built: true },
];

/** Where the page of a rival is, for the server. */
export const builtPage = (pathname) => {
  const [, page] = /^\/test\/bench\/pages\/([\w-]+)\.js$/.exec(pathname) ?? [];
  return rivals.some((rival) => rival.built && rival.page === page) ? path.join(made, `${page}.js`) : undefined;
};

export async function prepareRivals() {
  if (!existsSync(path.join(modules, 'deep-chat')) || !existsSync(path.join(modules, 'streamdown'))) {
    console.log('Installing what we compare with …');
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  }
  mkdirSync(made, { recursive: true });
  if (!existsSync(path.join(made, 'package/dist'))) {
    const { stdout } = run('npm', ['pack', n8n.name, '--json', '--pack-destination', made], 'pipe');
    const [{ filename, integrity }] = JSON.parse(stdout);
    if (integrity !== n8n.integrity) throw new Error(`${n8n.name} is not the file that was measured: ${integrity}`);
    run('tar', ['-xzf', path.join(made, filename), '-C', made]);
  }
  const { build } = await import('esbuild').catch(() => import(path.join(modules, 'esbuild/lib/main.js')));
  for (const { page } of rivals.filter(({ built }) => built))
    await build({
      entryPoints: [path.join(here, 'pages/rivals', `${page}.js`)],
      outfile: path.join(made, `${page}.js`),
      ...{ bundle: true, minify: true, format: 'esm', logLevel: 'error', nodePaths: [modules] },
      alias: { 'n8n-chat': path.join(made, 'package/dist') },
      loader: { '.css': 'text' },
      define: { 'process.env.NODE_ENV': '"production"' },
    });
}

function run(command, args, stdout = 'inherit') {
  const result = spawnSync(command, args, { cwd: here, stdio: ['ignore', stdout, 'inherit'], encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${command} ${args[0]} failed`);
  return result;
}
