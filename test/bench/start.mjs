/** What it costs until there is a field that one can write in, above an element that has nothing but a field, and beside deep-chat. */

import { metered, openPage, untilQuiet } from './metrics.mjs';

/** Milliseconds without work of the main thread that count as quiet. */
const QUIET = 400;
/** With its third load, the browser keeps a script compiled. */
const LOADS_UNTIL_WARM = 3;

const systems = ['empty', 'tool-chat', 'deep-chat'];

/**
 * Round by round, a page each; the least of each system counts, as what disturbs a run only ever adds to it.
 *
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} url Where the root of the repository is served.
 * @param {(answer: () => unknown) => void} onUsable Sets who is told when a page asks for `/bench/usable`; that page waits until `answer` is called.
 * @returns {Promise<{cold: number, warm: number, quiet: number}>} Ours above the empty element divided by theirs: with nothing compiled before,
 *   with scripts that the browser has kept compiled, and of the first until the page is quiet
 */
export async function startBench(browser, url, onUsable, runs) {
  const cold = {};
  const warm = {};
  for (let run = 0; run < runs; run++) {
    for (const name of systems) {
      const context = await browser.createBrowserContext();
      try {
        least(cold, name, await startOnce(context, url, onUsable, name));
        // Once in a round is dear enough: a context of its own is what makes it cold.
        for (let load = 1; load < LOADS_UNTIL_WARM; load++) await startOnce(context, url, onUsable, name);
        least(warm, name, await startOnce(context, url, onUsable, name));
      } finally {
        await context.close();
      }
    }
  }
  for (const [what, figures] of Object.entries({ cold, warm }))
    for (const name of systems)
      console.log(
        `${name}, ${what}: ms of cpu ${['cpu', 'script', 'style', 'layout'].map((part) => `${part} ${figures[name][part].toFixed(1)}`).join(', ')}` +
          ` until usable; ${figures[name].quiet.toFixed(1)} until quiet`,
      );
  const ratio = (figures, part) => (figures['tool-chat'][part] - figures.empty[part]) / (figures['deep-chat'][part] - figures.empty[part]);
  return { cold: ratio(cold, 'cpu'), warm: ratio(warm, 'cpu'), quiet: ratio(cold, 'quiet') };
}

/** All of the run with the least until it is usable; the least until it is quiet may be another's. */
function least(figures, name, one) {
  const before = figures[name];
  const quiet = Math.min(one.quiet, before?.quiet ?? Infinity);
  figures[name] = { ...(one.cpu < (before?.cpu ?? Infinity) ? one : before), quiet };
}

async function startOnce(context, url, onUsable, name) {
  const page = await openPage(context, url);
  try {
    const { devtools, metrics } = await metered(page);
    await page.evaluate(async (script) => void (window.bench = await import(script)), '/test/bench/pages/start.js');
    await devtools.send('HeapProfiler.collectGarbage');
    const before = await metrics();
    const looked = new Promise((resolve, reject) => {
      onUsable((answer) => {
        // It is read as soon as the page goes on: what was asked for first comes first.
        metrics().then(resolve, reject);
        setTimeout(answer, 20);
      });
    });
    await page.evaluate((system) => window.bench.start(system, '/bench/usable'), name);
    const after = await looked;
    const result = Object.fromEntries(Object.entries(after).map(([part, ms]) => [part, ms - before[part]]));
    return { ...result, quiet: (await untilQuiet(metrics, QUIET)) - before.cpu };
  } finally {
    await page.close();
  }
}
