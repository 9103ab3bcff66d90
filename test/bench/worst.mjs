/**
 * A search for what costs most a byte: readers and turns of nothing but calls in Node, Markdown with its layout in a page. It starts from what is
 * known and from single tokens, changes the dearest a little, and keeps what is dearer; then that is measured at 1 MB.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { TOKENS, written } from '../fixtures/worst/input.mjs';
import { climb } from './climb.mjs';
import { inPage } from './metrics.mjs';

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
    const whole = written(input, WHOLE);
    gaps[`reader ${id}`] = Math.min(read(whole, SHORT).gap, read(whole, SHORT).gap);
    console.log(`worst reader ${id} ${JSON.stringify(input)}`);
  }

  const { createConversation } = await load('conversation/conversation.js');
  for (const [protocol, call] of Object.entries(EMPTY_CALLS)) {
    await converse(createConversation, protocol, call.repeat(10));
    const text = call.repeat(WHOLE / call.length);
    const runs = [await converse(createConversation, protocol, text), await converse(createConversation, protocol, text)];
    gaps[`nothing but calls ${protocol}`] = Math.min(...runs.map(({ gap }) => gap));
    console.log(`worst nothing but calls ${protocol}: ${Math.min(...runs.map(({ total }) => total)).toFixed(0)} ms in all for 1 MB`);
  }

  const found = await inPage(browser, url, (page) => page.evaluate(searchMarkdown, known.markdown, seconds, seed, SHORT, WHOLE));
  for (const { input, short } of found) console.log(`worst Markdown ${JSON.stringify(input)}: ${short.toFixed(0)} ms for 8 KB`);
  return { ...gaps, Markdown: Math.max(...found.map(({ gap }) => gap)) };
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
