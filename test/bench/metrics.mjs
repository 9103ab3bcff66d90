/** What the main thread of a page has done so far, in milliseconds of CPU. */

/** @param {import('puppeteer-core').Page} page */
export async function metered(page) {
  const devtools = await page.createCDPSession();
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metrics = async () => {
    const { metrics: list } = await devtools.send('Performance.getMetrics');
    const ms = (name) => list.find((metric) => metric.name === name).value * 1000;
    return { cpu: ms('TaskDuration'), script: ms('ScriptDuration'), layout: ms('LayoutDuration'), style: ms('RecalcStyleDuration') };
  };
  return { devtools, metrics };
}

/** Waits until the main thread has had next to nothing to do for `ms`, looking every `step`. @returns what it has done until then */
export async function untilQuiet(metrics, ms, step = 100) {
  let last = (await metrics()).cpu;
  for (let quiet = 0; quiet < ms;) {
    await new Promise((resolve) => setTimeout(resolve, step));
    const { cpu: now } = await metrics();
    quiet = now - last < step / 100 ? quiet + step : 0;
    last = now;
  }
  return last;
}

/** Runs in the empty page of the benchmarks, in a context of its own. */
export async function inPage(browser, url, run) {
  const context = await browser.createBrowserContext();
  try {
    return await run(await openPage(context, url));
  } finally {
    await context.close();
  }
}

export async function openPage(context, url) {
  const page = await context.newPage();
  await page.setViewport({ width: 1000, height: 800 });
  await page.goto(`${url}/test/bench/pages/`);
  return page;
}
