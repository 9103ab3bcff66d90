/** A conversation that lasts, and what a person waits for: memory over 200 turns, stopping, starting, writing the journal. */
import { inPage } from './metrics.mjs';

/**
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} url Where the root of the repository is served.
 * @returns {Promise<{heapMb: number, growth: number, cancelMs: number, approveMs: number, journalMs: number}>} `heapMb` after 200 turns with
 *   a call each; `growth` of the heap over the last 100 of them, against the first 100; the median of the others.
 */
export async function turnsBench(browser, url) {
  const memory = await inPage(browser, url, heapOverTurns);
  const cancelMs = await inPage(browser, url, timeToStop);
  const approveMs = await inPage(browser, url, timeToStart);
  const { beginMs, endMs } = await journalBench(browser, url);
  const journalMs = Math.max(0, beginMs + endMs);
  console.log(
    `turns: heap ${memory.map((mb) => mb.toFixed(1)).join(' → ')} MB after 10, 50, 100, 150, 200; stop ${cancelMs.toFixed(1)} ms; ` +
      `click to tool ${approveMs.toFixed(1)} ms; journal ${journalMs.toFixed(2)} ms a call`,
  );
  const [first, , middle, , last] = memory;
  return { heapMb: last, growth: (last - middle) / Math.max(0.5, middle - first), cancelMs, approveMs, journalMs };
}

const mount = (page, options) =>
  page.evaluate(async (given) => {
    const { mount: make } = await import('/test/bench/pages/turns.js');
    Object.assign(window, await make(given));
  }, options);

const send = (page, times) =>
  page.evaluate(async (count) => {
    for (let n = 0; n < count; n++) {
      const { reason } = await window.chat.sendMessage(`Question ${n}`);
      if (reason !== 'stop') throw new Error(`A turn ended with ${reason}`);
    }
  }, times);

async function heapOverTurns(page) {
  const devtools = await page.createCDPSession();
  await mount(page, { tool: 'look' });
  const sizes = [];
  for (const turns of [10, 40, 50, 50, 50]) {
    await send(page, turns);
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    sizes.push(usedSize / 1e6);
  }
  return sizes;
}

/** From `cancelStream()` in the middle of a reply to the idle chat. */
async function timeToStop(page) {
  await mount(page, { tool: 'look' });
  await send(page, 1);
  return page.evaluate(async () => {
    const { chat } = window;
    chat.hang = true;
    const times = [];
    for (let n = 0; n < 15; n++) {
      const turn = chat.sendMessage('And then?');
      while (chat.streamingText === '' && !chat.matchesState('parsing')) await new Promise((resolve) => setTimeout(resolve, 5));
      const start = performance.now();
      chat.cancelStream();
      await turn;
      times.push(performance.now() - start);
      if (chat.state !== 'idle') throw new Error('not idle');
    }
    return times.sort((a, b) => a - b)[7];
  });
}

/** From a real click on “Allow” to the tool. */
async function timeToStart(page) {
  await mount(page, { tool: 'erase' });
  const times = [];
  for (let n = 0; n < 9; n++) {
    await page.evaluate(() => void (window.turn = window.chat.sendMessage('Erase it')));
    const button = await page.waitForSelector('tool-chat >>> [part~="approve-button"][aria-disabled="false"]');
    await page.evaluate(() => addEventListener('click', ({ timeStamp }) => (window.clicked = timeStamp), { capture: true, once: true }));
    await button.click();
    await page.evaluate(() => window.turn);
    times.push(await page.evaluate((at) => window.times.started[at] - window.clicked, n));
  }
  return times.sort((a, b) => a - b)[4];
}

/**
 * What a call with a journal in IndexedDB takes longer than one without: from the last look before the intent is written to the tool, and from
 * its end to the published result. In turns, so that whatever else the machine does meets both; the least median of the rounds counts.
 *
 * @returns {Promise<{beginMs: number, endMs: number, strictMs: number}>} `strictMs`: one strict write of the platform's, with nothing of ours
 */
export async function journalBench(browser, url, rounds = 4) {
  const least = {};
  for (let round = 0; round < rounds; round++)
    for (const storage of ['none', 'indexeddb']) {
      const { begin, end, strict } = await inPage(browser, url, (page) => timeOfCalls(page, storage));
      const before = least[storage] ?? { begin, end, strict };
      least[storage] = { begin: Math.min(before.begin, begin), end: Math.min(before.end, end), strict: Math.min(before.strict, strict) };
    }
  const beginMs = least.indexeddb.begin - least.none.begin;
  const endMs = least.indexeddb.end - least.none.end;
  const strictMs = least.none.strict;
  console.log(
    `journal: ${beginMs.toFixed(2)} ms before a call, ${endMs.toFixed(2)} ms behind it; one strict write alone ${strictMs.toFixed(2)} ms`,
  );
  return { beginMs, endMs, strictMs };
}

async function timeOfCalls(page, storage) {
  await mount(page, { tool: 'look', storage, sessionId: `bench-${storage}` });
  await send(page, 40);
  return page.evaluate(async () => {
    const { started, vetoed, told } = window.times;
    const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    const database = await new Promise((resolve) => {
      const request = indexedDB.open('alone', 1);
      request.onupgradeneeded = () => request.result.createObjectStore('rows');
      request.onsuccess = () => resolve(request.result);
    });
    const strict = [];
    for (let n = 0; n < 40; n++) {
      const from = performance.now();
      const tx = database.transaction('rows', 'readwrite', { durability: 'strict' });
      tx.objectStore('rows').put({ n }, n);
      await new Promise((resolve) => (tx.oncomplete = resolve));
      strict.push(performance.now() - from);
    }
    return {
      begin: median(started.map((at, n) => at - vetoed[n])),
      end: median(started.map((at, n) => told[n] - at)),
      strict: median(strict),
    };
  });
}
