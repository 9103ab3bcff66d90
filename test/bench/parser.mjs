/** The parsers alone: the time of one call, how the time grows with its length, and what plain prose costs beside rendering it. */
import { markdown, tokensOf } from './corpus.mjs';
import { inPage } from './metrics.mjs';

const PIECE = 4;

/**
 * In Node, for each built-in protocol.
 *
 * @param {string} module The built door `tool-chat/protocols`.
 * @returns {Promise<{smallMs: number, ratio: number}>} Of the worst protocol: median of a 1 KB call; time of 1 MB over the time of 100 KB.
 */
export async function parserBench(module) {
  const { protocols } = await import(module);
  const worst = { smallMs: 0, ratio: 0 };
  for (const protocol of Object.values(protocols)) {
    const call = (length) => protocol.writeCall('write_note', { text: 'word '.repeat(length / 5) });
    const timeCall = (text) => time(protocol, text, 1);
    times(200, () => timeCall(call(1000))); // warm
    const small = times(500, () => timeCall(call(1000)));
    const smallMs = small[small.length >> 1];
    const { short, long, ratio } = growth(
      () => timeCall(call(100_000)),
      () => timeCall(call(1_000_000)),
    );
    const prose = markdown(25_000);
    const [proseMs] = times(9, () => cpu(() => time(protocol, prose, 0)));
    console.log(
      `parser ${protocol.id.padEnd(16)} 1 KB ${smallMs.toFixed(3)} ms, 100 KB ${short.toFixed(1)} ms, 1 MB ${long.toFixed(1)} ms (${ratio.toFixed(1)} ×), prose ${((proseMs * 1000) / (prose.length / 1000)).toFixed(1)} µs/KB`,
    );
    worst.smallMs = Math.max(worst.smallMs, smallMs);
    worst.ratio = Math.max(worst.ratio, ratio);
  }
  return worst;
}

/**
 * In a page that serves the built files: parsing plain prose against rendering it, both in the same pieces. Rendering is our Markdown
 * renderer and the layout of what it made, four tokens a frame; painting, scrolling and all else a chat does are left out.
 *
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} url Where the root of the repository is served.
 * @returns {Promise<number>} The share of the dearest protocol: its time over the time of rendering.
 */
export async function proseBench(browser, url) {
  const measured = await inPage(browser, url, (page) =>
    page.evaluate(
      async (tokens) => {
        const [{ protocols }, { createMarkdownRenderer }] = await Promise.all(
          ['protocols/index.js', 'markdown/markdown.js'].map((file) => import(`/dist/modules/${file}`)),
        );
        const least = (runs, run) => Math.min(...Array.from({ length: runs }, run));
        const render = () => {
          const target = document.createElement('div');
          target.style.cssText = 'width:900px';
          document.body.append(target);
          const start = performance.now();
          const renderer = createMarkdownRenderer(target);
          for (let i = 0; i < tokens.length; i += 1) {
            renderer.push(tokens[i]);
            if (i % 4 !== 3) continue;
            renderer.flush();
            void target.offsetHeight; // makes the browser lay it out now
          }
          renderer.end();
          void target.offsetHeight;
          const ms = performance.now() - start;
          target.remove();
          return ms;
        };
        const parse = (protocol) => {
          const start = performance.now();
          const parser = protocol.createParser(() => {});
          for (const token of tokens) parser.push(token);
          parser.end();
          return performance.now() - start;
        };
        return { renderMs: least(3, render), parseMs: Object.values(protocols).map((one) => [one.id, least(9, () => parse(one))]) };
      },
      tokensOf(markdown(4000)),
    ),
  );
  for (const [id, ms] of measured.parseMs)
    console.log(`prose, 4,000 tokens: ${id.padEnd(16)} ${ms.toFixed(1)} ms to parse, ${measured.renderMs.toFixed(0)} ms to render`);
  return Math.max(...measured.parseMs.map(([, ms]) => ms)) / measured.renderMs;
}

function time(protocol, text, expected) {
  let calls = 0;
  const start = performance.now();
  const reader = protocol.createParser((segment) => (calls += segment.type === 'call' ? 1 : 0), { maxAccumulator: 4_000_000 });
  for (let at = 0; at < text.length; at += PIECE) reader.push(text.slice(at, at + PIECE));
  reader.end('stop');
  const ms = performance.now() - start;
  if (calls !== expected) throw new Error(`The parser of ${protocol.id} found ${calls} calls instead of ${expected}.`);
  return ms;
}

/** In turns, so that whatever else the machine does meets both; the least of each counts. CPU time: a long run is interrupted more often. */
function growth(runShort, runLong) {
  let [short, long] = [Infinity, Infinity];
  for (let turn = 0; turn < 9; turn += 1) {
    short = Math.min(short, cpu(runShort), cpu(runShort));
    long = Math.min(long, cpu(runLong));
  }
  return { short, long, ratio: long / short };
}

function cpu(run) {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function times(n, run) {
  return Array.from({ length: n }, run).sort((a, b) => a - b);
}
