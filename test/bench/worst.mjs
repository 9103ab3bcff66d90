/**
 * A search for what costs most a byte: readers, turns of nothing but calls and the check of arguments in Node, Markdown with its layout in a page. It starts from what
 * is known and from single tokens, changes the dearest a little, and keeps what is dearer; then that is measured at 1 MB.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { TOKENS, written } from '../fixtures/worst/input.mjs';
import { climb } from './climb.mjs';

/** UTF-16 units: tried in the search, arriving in one piece, and of the whole at last. A frame draws 8 KB of a text at most. */
const SHORT = 8192;
const WHOLE = 1_000_000;

/**
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} url Where the root of the repository is served.
 * @param {{root: string, seconds: number, seed: number}} options `seconds` for each subject.
 * @returns {Promise<Record<string, number>>} Of the dearest found of each subject: the longest gap in milliseconds at 1 MB.
 */
export async function worstBench(browser, url, { root, seconds, seed }) {
  const known = JSON.parse(readFileSync(path.join(root, 'test/fixtures/worst/known.json'), 'utf8'));
  console.log(`worst: seed ${seed}, ${seconds} s for each subject`);
  const gaps = {};
  const load = (file) => import(pathToFileURL(path.join(root, 'dist/modules', file)).href);

  const { protocols, createAnyReader } = await load('protocols/index.js');
  for (const [id, protocol] of Object.entries({ ...protocols, any: createAnyReader('xml-invoke') })) {
    if (typeof protocol?.createParser !== 'function') continue;
    const read = (text, size) => longest(pieces(text, size), readerOf(protocol));
    const search = { seconds: seconds / 4, seed, length: SHORT };
    const [{ input }] = await climb(known.readers, TOKENS.reader, (text) => read(text, SHORT).total, search);
    gaps[`reader ${id}`] = report(`reader ${id}`, input, (text) => read(text, SHORT).gap);
  }

  for (const { protocol, ...input } of known.atOnce) {
    const reader = protocol === 'any' ? createAnyReader('xml-invoke') : protocols[protocol];
    const gapOf = (text) => longest(pieces(text, SHORT), readerOf(reader)).gap;
    gaps[`at once ${protocol} ${input.head}${input.parts.join('')}`] = report(`at once ${protocol}`, input, gapOf);
  }

  const { createConversation } = await load('conversation/conversation.js');
  for (const [protocol, call] of Object.entries(EMPTY_CALLS)) {
    await converse(createConversation, protocol, call.repeat(10));
    const runs = [];
    for (const length of [WHOLE / 2, WHOLE]) {
      const text = call.repeat(length / call.length);
      runs.push([await converse(createConversation, protocol, text), await converse(createConversation, protocol, text)]);
    }
    const least = (of, name) => Math.min(...of.map((run) => run[name]));
    gaps[`nothing but calls ${protocol}`] = least(runs[1], 'gap');
    const ratio = least(runs[1], 'total') / least(runs[0], 'total');
    console.log(
      `worst nothing but calls ${protocol}: longest gap ${least(runs[1], 'gap').toFixed(0)} ms, ${least(runs[1], 'total').toFixed(0)} ms in all for 1 MB, ${ratio.toFixed(1)} × those of half of it`,
    );
  }

  const { schemaCheck } = await load('tools/check-schema.js');
  const library = await load('tools/schema-library.js');
  for (const [what, schema, valueOf] of CHECKS) {
    const values = [valueOf(WHOLE / 2), valueOf(WHOLE)];
    schemaCheck(structuredClone(schema), library)(values[0]);
    const times = [1, 2, 3].map(() => timed(() => schemaCheck(structuredClone(schema), library)(values[1])));
    gaps[`check of ${what}`] = Math.min(...times);
    console.log(`worst check of ${what}: ${Math.min(...times).toFixed(0)} ms for 1 MB`);
  }

  const page = await browser.newPage();
  try {
    await page.setViewport({ width: 1000, height: 800 });
    await page.goto(`${url}/test/bench/pages/`);
    const found = await page.evaluate(searchMarkdown, known.markdown, seconds, seed, SHORT, WHOLE);
    for (const { input, short, gap } of found)
      console.log(`worst Markdown ${JSON.stringify(input)}: ${short.toFixed(0)} ms for 8 KB, longest gap ${gap.toFixed(0)} ms in 1 MB`);
    gaps['Markdown'] = Math.max(...found.map(({ gap }) => gap));
  } finally {
    await page.close();
  }
  return gaps;
}

/** The least that is a call, in each notation. */
const EMPTY_CALLS = {
  'xml-invoke': '<tool_use><invoke name="look"></invoke></tool_use>\n',
  'json-action': '```json\n{"action":"tool_call","name":"look","arguments":{}}\n```\n',
  vcp: '<<<[TOOL_REQUEST]>>>tool_name:「始」look「末」<<<[END_TOOL_REQUEST]>>>\n',
  'json-tool-calls': '```json\n{"tool_calls":[{"name":"look","arguments":{}}]}\n```\n',
  'tool-code': '<tool_code>{"name":"look","arguments":{}}</tool_code>\n',
};

/** A turn whose first reply is this text, with all that follows: calls, results, what is told, the trace, the view, the export. */
async function converse(createConversation, protocol, text) {
  let asked = 0;
  const chat = createConversation({
    endpoint: 'https://a.example/chat',
    wire: 'cutie',
    protocol,
    repeatLimit: 99,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    fetch: () => Promise.resolve(replyOf((asked += 1) === 1 ? text : 'Done.')),
  });
  chat.registerTool({
    ...{ name: 'look', description: 'Looks.', risk: 'query', parameters: { type: 'object', properties: {} } },
    execute: () => ({ success: true, message: 'found' }),
  });
  let [gap, last, isOver] = [0, process.cpuUsage(), false];
  const start = last;
  const look = () => {
    gap = Math.max(gap, spent(last));
    last = process.cpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const { reason, results } = await chat.sendMessage('Go');
  chat.exportSession();
  isOver = true;
  look();
  if (reason !== 'stop' || results.length === 0) throw new Error(`The turn ended with ${reason} and ${results.length} results`);
  return { gap, total: spent(start) };
}

function replyOf(text) {
  const encoder = new TextEncoder();
  const frames = pieces(text, SHORT).map((content) => `data: ${JSON.stringify({ type: 'text', content })}\n\n`);
  const list = [...frames, `event: done\ndata: ${JSON.stringify({ type: 'done' })}\n\n`].map((frame) => encoder.encode(frame));
  const body = new ReadableStream({
    pull(controller) {
      const next = list.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const numbers = (n) => Array.from({ length: n / 7 }, (_, at) => at);
const CHECKS = [
  ['unique numbers', { properties: { a: { uniqueItems: true } } }, (n) => ({ a: numbers(n) })],
  ['unique objects', { properties: { a: { uniqueItems: true } } }, (n) => ({ a: numbers(n).map((at) => ({ at })) })],
  ['an address', { properties: { a: { format: 'url' } } }, (n) => ({ a: `http://${'a-'.repeat(n / 2)}!` })],
  ['a pattern', { properties: { a: { pattern: '(a+)+$' } } }, (n) => ({ a: `${'a'.repeat(n)}!` })],
  ['many patterns', { items: { pattern: 'a*a*b' } }, (n) => Array.from({ length: n / 300 }, (_, at) => `${'a'.repeat(290)}${at}`)],
  ['a tree', { $defs: { t: { anyOf: [{ type: 'string' }, { items: { $ref: '#/$defs/t' } }] } }, $ref: '#/$defs/t' }, (n) => numbers(n)],
];

function report(what, input, gapOf) {
  const gap = Math.min(gapOf(written(input, WHOLE)), gapOf(written(input, WHOLE)));
  console.log(`worst ${what} ${JSON.stringify(input)}: longest gap ${gap.toFixed(0)} ms in 1 MB`);
  return gap;
}

function readerOf(protocol) {
  const reader = protocol.createParser(() => {}, { maxAccumulator: 4_000_000, mayMend: () => true });
  return { push: (piece) => reader.push(piece), end: () => reader.end('stop') };
}

function longest(list, { push, end }) {
  let [gap, total] = [0, 0];
  for (const work of [...list.map((piece) => () => push(piece)), end]) {
    const ms = timed(work);
    gap = Math.max(gap, ms);
    total += ms;
  }
  return { gap, total };
}

function pieces(text, size) {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

/** CPU time: what else the machine does is none of it. */
function timed(work) {
  const before = process.cpuUsage();
  work();
  return spent(before);
}

function spent(since) {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** Runs in the page, and so stands alone. */
async function searchMarkdown(known, seconds, seed, SHORT, WHOLE) {
  const { createMarkdownRenderer } = await import('/dist/modules/markdown/markdown.js');
  const { markdownStyles } = await import('/dist/modules/markdown/styles.js');
  const { TOKENS, written } = await import('/test/fixtures/worst/input.mjs');
  const { climb } = await import(new URL('/test/bench/climb.mjs', location.href).href);
  const host = document.createElement('div');
  host.style.cssText = 'width:380px';
  document.body.append(host);
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [markdownStyles.styleSheet];
  const draw = (text) => {
    const target = document.createElement('div');
    root.append(target);
    const renderer = createMarkdownRenderer(target);
    let [gap, total] = [0, 0];
    const step = (work) => {
      const start = performance.now();
      work();
      void target.offsetHeight; // makes the browser lay it out now
      const ms = performance.now() - start;
      gap = Math.max(gap, ms);
      total += ms;
    };
    for (let at = 0; at < text.length; at += SHORT)
      step(() => {
        renderer.push(text.slice(at, at + SHORT));
        renderer.flush();
      });
    step(() => renderer.end());
    target.remove();
    return { gap, total };
  };
  const best = await climb(known, TOKENS.markdown, (text) => draw(text).total, { seconds, seed, length: SHORT });
  return best.slice(0, 3).map(({ input, price }) => ({ input, short: price * SHORT, gap: draw(written(input, WHOLE)).gap }));
}
