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
