/**
 * `npm run bench`: how dear streaming and parsing are, as ratios within one run, so that a busy machine does not decide them. The
 * figure is the CPU time of the page's main thread (DevTools `TaskDuration`). Fails when a limit is passed.
 *
 *   node test/bench/run.mjs [--runs 3] [--only stream,rival,start,parser,turns,relay,history]
 *   node test/bench/run.mjs --only rivals [--runs 2]     1,000 tokens in each of those we are compared with; nothing fails
 *   node test/bench/run.mjs --only journal [--runs 3]    what a call that is written down takes longer, without the rest of `turns`
 */
import { createReadStream, existsSync, statSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import puppeteer from 'puppeteer-core';
import { chromiumFlags, ensureChromium } from '../helpers/browsers/find.mjs';
import { markdown, tokensOf } from './corpus.mjs';
import { historyBench } from './history.mjs';
import { inPage, metered } from './metrics.mjs';
import { parserBench } from './parser.mjs';
import { relayBench } from './relay.mjs';
import { builtPage, prepareRivals, rivals } from './rivals.mjs';
import { startBench } from './start.mjs';
import { journalBench, turnsBench } from './turns.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, only: { type: 'string', default: 'stream,rival,start,parser,turns,relay,history' } },
});
const runs = Number(options.runs);
const only = new Set(options.only.split(','));

if (!existsSync(path.join(root, 'dist/tool-chat.js')) || !existsSync(path.join(root, 'dist/modules/transports/cutie.js'))) {
  console.error('Nothing is built yet: `npm run build` comes first.');
  process.exit(1);
}
if (['rival', 'rivals', 'start'].some((one) => only.has(one))) await prepareRivals();

/** How dear a streamed answer may be against plain text: what is paid once weighs most in a short one. */
const streams = [
  { tokens: 2000, most: 2.5 },
  { tokens: 10_000, most: 2.2 },
  { tokens: 50_000, most: 1.8 },
];

const checks = [];
const limit = (what, value, most, unit = '') => checks.push({ what, value, most, unit, ok: value <= most });

if (only.has('parser')) {
  const ms = await parserBench(pathToFileURL(path.join(root, 'dist/modules/protocols/index.js')).href);
  limit('parser: a call of 1 KB, median', ms, 1, 'ms');
}

if (only.has('relay')) {
  const { ratio, addedMs } = await relayBench(runs);
  limit('relay: CPU of a token against hono with fetch', ratio, 1.3, '×');
  limit('relay: 200 streams that begin within 2 s, p99 of the first token', addedMs, 100, 'ms');
}

if ([...only].some((one) => !['relay', 'parser'].includes(one))) {
  const server = await serve();
  const browser = await puppeteer.launch({
    executablePath: await ensureChromium(),
    headless: true,
    args: [...chromiumFlags, '--js-flags=--expose-gc'],
    protocolTimeout: 600_000,
  });
  try {
    if (only.has('stream')) {
      for (const { tokens, most } of streams) {
        const least = await inTurns(browser, server.url, ['plain-text', 'tool-chat'], tokens, 40);
        const { 'plain-text': floor, 'tool-chat': ours } = least;
        const size = tokens.toLocaleString('en');
        limit(`streaming ${size} tokens, pinned: CPU against plain text`, ours.cpu / floor.cpu, most, '×');
        if (tokens <= 10_000) limit(`streaming ${size} tokens: longest task`, ours.longestTask, 50, 'ms');
      }
    }
    if (only.has('turns')) {
      const { heapMb, growth, cancelMs, approveMs, journalMs } = await turnsBench(browser, server.url);
      limit('200 turns with a call each: heap', heapMb, 100, 'MB');
      limit('200 turns: growth of the second hundred against the first', growth, 1.5, '×');
      limit('stop: until idle, median', cancelMs, 100, 'ms');
      limit('allow: from the click to the tool, median', approveMs, 50, 'ms');
      limit('journal in IndexedDB: for one call, median', journalMs, 10, 'ms');
    }
    if (only.has('journal')) {
      const { beginMs, endMs } = await journalBench(browser, server.url, 2 * runs);
      limit('journal in IndexedDB: for one call, median', beginMs + endMs, 10, 'ms');
    }
    if (only.has('history')) {
      const { cpuMs, nodes, scrolledNodes, scrollMs } = await historyBench(browser, server.url);
      limit('5,000 messages from IndexedDB: CPU until quiet', cpuMs, 300, 'ms');
      limit('5,000 messages: nodes', nodes, 2500);
      limit('5,000 messages: nodes after scrolling 36,000 px up', scrolledNodes, 25_000);
      limit('5,000 messages: CPU of a frame that scrolls 400 px', scrollMs, 5, 'ms');
    }
    if (only.has('start')) {
      const { cold, warm, quiet } = await startBench(browser, server.url, server.onUsable, 3 * runs);
      limit('script to a usable field: CPU above an empty element against deep-chat', cold, 1, '×');
      limit('the same with scripts that are kept compiled', warm, 1, '×');
      console.log(`tool-chat against deep-chat until the page is quiet: ${figure(quiet)} ×`);
    }
    if (only.has('rivals')) {
      const all = [{ page: 'plain-text', what: 'plain text' }, { page: 'tool-chat', what: 'tool-chat' }, ...rivals];
      const pages = all.map(({ page }) => page);
      const least = await inTurns(browser, server.url, pages, 1000, 4);
      for (const { page, what } of all)
        console.log(`${what}: ${figure(least[page].cpu)} ms, ${figure(least[page].cpu / least['tool-chat'].cpu)} of ours`);
    }
    if (only.has('stream') || only.has('rival')) {
      const ours1k = await measure(browser, server.url, 'tool-chat', 1000, 4);
      const ours4k = await measure(browser, server.url, 'tool-chat', 4000, 4);
      limit('streaming 1,000 → 4,000 tokens: growth of CPU', ours4k.cpu / ours1k.cpu, 5, '×');
      if (only.has('rival')) {
        const theirs = await measure(browser, server.url, 'deep-chat', 4000, 4, 1);
        limit('streaming 4,000 tokens: CPU against deep-chat 2.4.2', ours4k.cpu / theirs.cpu, 1 / 8, '×');
      }
    }
  } finally {
    await browser.close();
    server.close();
  }
}

console.log('');
for (const { what, value, most, unit, ok } of checks)
  console.log(`${ok ? '✔' : '✘'} ${what.padEnd(62)} ${figure(value).padStart(8)} ${unit.padEnd(2)}  (at most ${figure(most)})`);
process.exit(checks.every(({ ok }) => ok) ? 0 : 1);

/** One after the other, round by round, so that whatever else the machine does meets all of them; the least of each counts. */
async function inTurns(browser, url, names, size, perFrame) {
  const least = {};
  for (let run = 0; run < runs; run++) {
    for (const name of names) {
      const one = await measure(browser, url, name, size, perFrame, 1);
      const longestTask = Math.min(one.longestTask, least[name]?.longestTask ?? Infinity);
      least[name] = { ...(one.cpu < (least[name]?.cpu ?? Infinity) ? one : least[name]), longestTask };
    }
  }
  return least;
}

/** The least of some runs, each in a page of its own: what disturbs a run only ever adds to it. */
async function measure(browser, url, name, size, perFrame, times = runs) {
  const tokens = tokensOf(markdown(size));
  const results = [];
  for (let run = 0; run < times; run++)
    await inPage(browser, url, async (page) => {
      const errors = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      const { devtools, metrics } = await metered(page);
      await page.evaluate(
        async (script, system) => (window.stream = await (await import(script)).prepare(system)),
        '/test/bench/pages/stream.js',
        name,
      );
      await devtools.send('HeapProfiler.collectGarbage');
      const before = await metrics();
      const result = await page.evaluate((...args) => window.stream(...args), tokens, perFrame);
      const after = await metrics();
      for (const name of Object.keys(after)) after[name] -= before[name];
      results.push({ ...result, ...after });
      if (errors.length > 0) throw new Error(`${name}: ${errors[0]}`);
    });
  const [best] = results.sort((a, b) => a.cpu - b.cpu);
  best.longestTask = Math.min(...results.map((result) => result.longestTask));
  // A system that shows only part of the text is not fast. Markup takes about a seventh of the characters.
  if (best.characters < size * 4 * 0.75) throw new Error(`${name} shows ${best.characters} characters of ${size * 4}.`);
  const parts = ['cpu', 'script', 'layout', 'style'].map((part) => `${part} ${figure(best[part])}`).join(', ');
  console.log(
    `${name} ${size} tokens, ${perFrame} a frame: ms of ${parts}; longest task ${figure(best.longestTask)}; ${best.characters} characters`,
  );
  return best;
}

async function serve() {
  const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.json': 'application/json', '.css': 'text/css' };
  const imports = { 'eventsource-parser': '/node_modules/eventsource-parser/dist/index.js' };
  const page = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>
<body style="margin:0;font:14px sans-serif"><div id="root"></div>`;
  let usable = (answer) => answer();
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname === '/bench/usable') return usable(() => response.setHeader('cache-control', 'no-store').end());
    if (pathname === '/test/bench/pages/') return response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    const file = builtPage(pathname) ?? path.join(root, decodeURIComponent(pathname));
    if (!file.startsWith(root) || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.setHeader('content-type', types[path.extname(file)] ?? 'application/octet-stream');
    response.setHeader('cache-control', 'max-age=600');
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, onUsable: (told) => (usable = told), close: () => server.close() };
}

function figure(number) {
  return number >= 100 ? number.toFixed(0) : number.toFixed(number < 1 ? 3 : 2);
}
