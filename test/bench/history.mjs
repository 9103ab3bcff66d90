/** A conversation of 5,000 messages in the browser's database: what it costs to come back to it, and to read upwards in it. */
import { markdown } from './corpus.mjs';
import { metered, openPage, untilQuiet } from './metrics.mjs';

/** Milliseconds without work of the main thread that count as quiet. */
const QUIET = 600;

/**
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} url Where the root of the repository is served.
 * @param {number} size messages
 * @returns {Promise<{cpuMs: number, drawnMs: number, nodes: number, scrolledNodes: number, scrollMs: number}>} `cpuMs` of the main thread
 *   from an empty page until it is quiet; `scrollMs` of it for a frame of 400 px upwards.
 */
export async function historyBench(browser, url, size = 5000, runs = 3) {
  const context = await browser.createBrowserContext();
  try {
    const messages = Array.from({ length: size }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: at % 2 ? markdown(60 + ((at * 37) % 120), at * 101) : `Question ${at}: what about it?`,
    }));
    messages.at(-1).content += '\n\nThe very last word.';
    const filling = await open(context, url);
    await filling.evaluate((given) => window.bench.fill(given), messages);
    await filling.close();
    const results = [];
    for (let run = 0; run < runs; run++) results.push(await restore(context, url));
    const least = (name) => Math.min(...results.map((result) => result[name]));
    const figures = Object.fromEntries(Object.keys(results[0]).map((name) => [name, least(name)]));
    console.log(
      `history of ${size}: ms of cpu ${results.map(({ cpuMs }) => cpuMs.toFixed(0)).join(', ')}; drawn after ${figures.drawnMs.toFixed(0)} ms; ` +
        `${figures.nodes} nodes, ${figures.scrolledNodes} after scrolling; ${figures.scrollMs.toFixed(2)} ms a frame of it`,
    );
    return figures;
  } finally {
    await context.close();
  }
}

async function open(context, url) {
  const page = await openPage(context, url);
  await page.evaluate(async () => void (window.bench = await import('/test/bench/pages/history.js')));
  return page;
}

async function restore(context, url) {
  const page = await open(context, url);
  const { devtools, metrics } = await metered(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const before = (await metrics()).cpu;
  const drawnMs = await page.evaluate(() => window.bench.restore());
  const after = await untilQuiet(metrics, QUIET, 200);
  const nodes = await page.evaluate(() => window.bench.nodes());
  const steps = 90;
  const start = (await metrics()).cpu;
  const scrolledNodes = await page.evaluate((times) => window.bench.scroll(times), steps);
  const scrollMs = ((await metrics()).cpu - start) / steps;
  await page.close();
  return { cpuMs: after - before, drawnMs, nodes, scrolledNodes, scrollMs };
}
