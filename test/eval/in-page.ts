/**
 * `npm run eval:in-page`: one request to a model inside the page, in Chromium, with no server but the one of the files: it has to end with a
 * call that a person allowed. Prints what took how long; fails where the call did not come, or ran before it was allowed.
 */
import { createReadStream, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from '../e2e/driver.js';
import { closeServer, html, listen, originOf } from '../e2e/host-server.js';
import { ALLOW, part, say, untilIdle, untilReady } from '../e2e/widget.js';
import { localModelFile } from './local.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const model = await localModelFile((message) => void console.log(message));
const types: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

const page = html('No server', readFileSync(new URL('../fixtures/pages/in-page-model.html', import.meta.url), 'utf8'));

/** A file that the page may ask for. */
const fileAt = (at: string): string | undefined => {
  if (at === '/model.gguf') return model;
  if (at.startsWith('/wllama/')) return path.join(root, 'node_modules/@wllama/wllama/esm', at.slice('/wllama'.length));
  return at.startsWith('/dist/') ? path.join(root, at) : undefined;
};

const server = await listen((request, response) => {
  const at = new URL(request.url ?? '', 'http://x').pathname;
  // With these two WebAssembly may use several threads.
  response.setHeader('cross-origin-opener-policy', 'same-origin').setHeader('cross-origin-embedder-policy', 'require-corp');
  const file = fileAt(at);
  if (at === '/') response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  else if (!file) response.writeHead(404).end();
  else {
    response.setHeader('content-type', types[path.extname(file)] ?? 'application/octet-stream');
    response.setHeader('content-length', statSync(file).size);
    if (request.method === 'HEAD') response.end();
    else createReadStream(file).pipe(response);
  }
});

const started = performance.now();
const note = (what: string) => void console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${what}`);
const driver = await launch('chromium');
try {
  await driver.open(originOf(server));
  await untilReady(driver);
  await say(driver, 'Please create a task: buy milk');
  await driver.waitFor(part('error-bar'));
  note((await driver.text(part('error-bar'))).split('\n')[1] ?? '');
  await driver.click(part('retry-button'));
  await driver.waitFor('tool-chat >>> progress', 30_000);
  note('the download is shown');
  await driver.waitFor(ALLOW, 560_000);
  if ((await driver.evaluate(() => document.title)) !== 'No server') throw new Error('It ran before it was allowed');
  note('asks for a decision');
  await driver.click(ALLOW);
  await driver.waitFor(() => document.title !== 'No server');
  note(`allowed, and done: ${await driver.evaluate(() => document.title)}`);
  await untilIdle(driver, 560_000);
  note('answered');
} finally {
  await driver.close();
  await closeServer(server);
}
