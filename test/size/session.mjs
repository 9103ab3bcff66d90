/** One visit in Chromium, from the page to a Markdown answer: what each stage has loaded, and how long a person waited. */

export const NOTHING = 'hello';
const CALL = (name, title) => `<tool_use>\n<invoke name="${name}">\n<parameter name="title">${title}</parameter>\n</invoke>\n</tool_use>`;
const MARKDOWN = '## Two notes\n\n- **Shopping**: milk, `2 l`\n- Garden\n\n| a | b |\n|---|---|\n| 1 | 2 |\n';
const FIRST = 'Good day to you.';

/** 1.6 Mbit/s with 150 ms: what Lighthouse calls slow 4G. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
/** Milliseconds between two keys of somebody who writes. */
const KEY = 180;
const INPUT = 'tool-chat >>> textarea';

/**
 * `slow`: over a slow line, with the times; else with the coverage.
 * @returns the files (names in `dist`) that were there after each stage, `marks` in milliseconds, and with coverage which
 * characters of each file never ran.
 */
export async function visit(browser, site, { tools, slow = false }) {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage({ type: 'window' });
    await page.setViewport({ width: 1000, height: 800 });
    page.setDefaultTimeout(20_000);
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    const devtools = await page.createCDPSession();
    if (slow) {
      await devtools.send('Network.enable');
      await devtools.send('Network.emulateNetworkConditions', SLOW);
    } else await startCoverage(devtools);
    await page.evaluateOnNewDocument(watch, FIRST);

    const stages = {};
    const loaded = () => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname));
    const done = async (name) => {
      await page.waitForNetworkIdle({ idleTime: 700 });
      stages[name] = (await loaded()).filter((at) => at.startsWith('/dist/')).map((at) => at.slice('/dist/'.length));
    };
    const idle = () => page.waitForFunction(() => document.querySelector('tool-chat').isLoading === false, { polling: 10 });
    const say = async (text, ...answers) => {
      site.say(...answers);
      await page.keyboard.type(text, { delay: slow ? KEY : 0 });
      await page.keyboard.press('Enter');
    };

    await page.goto(`${site.url}/${tools ? 'tools' : 'plain'}`);
    await page.locator('tool-chat >>> [part=launcher]').wait();
    await done('button');
    // A person's pointer is on its way for longer than this; what it loads on the way is not counted as gained.
    await page.evaluate(() => document.querySelector('tool-chat').shadowRoot.querySelector('[part=launcher]').click());
    await page.waitForFunction(() => window.marks.usable !== undefined, { polling: 5 });
    await page.focus(INPUT);
    if (!slow) await done('opened');
    await say(NOTHING, FIRST);
    await page.waitForFunction(() => window.marks.firstToken !== undefined, { polling: 5 });
    await idle();
    await done('answered');
    if (tools) {
      await say('note', `I add it.\n${CALL('add_note', 'Milk')}`, 'It is there.');
      await page.waitForFunction(() => window.marks.armed !== undefined, { polling: 5 });
      await page.mouse.click(...(await page.evaluate(() => window.allowAt())));
      await idle();
      await done('approved');
      await say('find', CALL('find_notes', 'all'), MARKDOWN);
      await page.waitForSelector('tool-chat >>> table');
      await idle();
      await done('all');
    }
    const marks = await page.evaluate(() => window.marks);
    const early = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ responseEnd }) => responseEnd <= window.marks.usable)
        .map(({ name }) => new URL(name).pathname.replace('/dist/', '')),
    );
    if (errors.length > 0) throw new Error(errors[0]);
    return { stages, early, marks, ...(!slow && { unused: await unusedCharacters(devtools) }) };
  } finally {
    await context.close();
  }
}

/** Runs in the page before anything else: notes when things can be seen or done. */
function watch(first) {
  const marks = (window.marks = {});
  const now = () => performance.now();
  const once = (name) => (marks[name] ??= now());
  const every = function* (node) {
    yield node;
    for (const child of (node.shadowRoot ?? node).childNodes) yield* every(child);
    if (node.shadowRoot) for (const child of node.childNodes) yield* every(child);
  };
  addEventListener('click', () => once('click'), true);
  addEventListener('keydown', ({ key }) => key === 'Enter' && once('send'), true);
  addEventListener('tool-chat-tool-detected', () => marks.armed === undefined && (marks.callRead = now()), true);
  const real = window.fetch;
  window.fetch = (...args) => {
    if (marks.send !== undefined) once('request');
    return real(...args);
  };
  setInterval(() => {
    const chat = document.querySelector('tool-chat');
    if (marks.click === undefined || !chat) return;
    if (marks.usable === undefined)
      for (const node of every(chat)) {
        if (node.localName !== 'textarea' || node.disabled) continue;
        node.focus();
        if (node.getRootNode().activeElement === node) once('usable');
      }
    if (marks.request !== undefined && marks.firstToken === undefined)
      for (const node of every(chat)) if (node.nodeType === 3 && node.data.startsWith(first.slice(0, 4))) once('firstToken');
    if (marks.callRead !== undefined && marks.armed === undefined) for (const node of every(chat)) if (isAllow(node)) once('armed');
  }, 4);
  const isAllow = (node) => /\bapprove-button\b/.test(node.part?.value ?? '') && node.ariaDisabled !== 'true';
  window.allowAt = () => {
    const { x, y, width, height } = [...every(document.querySelector('tool-chat'))].find(isAllow).getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
}

async function startCoverage(devtools) {
  await devtools.send('Profiler.enable');
  await devtools.send('Profiler.startPreciseCoverage', { callCount: false, detailed: false });
}

/** By file in `dist`: for each of its characters 1 where it stands in a function that was never called, else 0. */
async function unusedCharacters(devtools) {
  const { result } = await devtools.send('Profiler.takePreciseCoverage');
  const unused = {};
  for (const { url, functions } of result) {
    const { pathname } = new URL(url, 'http://localhost');
    if (!pathname.startsWith('/dist/')) continue;
    const ranges = functions.flatMap((one) => one.ranges).sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    const length = Math.max(...ranges.map(({ endOffset }) => endOffset));
    const idle = (unused[pathname.slice('/dist/'.length)] = new Uint8Array(length));
    for (const { startOffset, endOffset, count } of ranges) idle.fill(count > 0 ? 0 : 1, startOffset, endOffset);
  }
  return unused;
}
