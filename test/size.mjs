/**
 * `npm run size`: what a visit downloads, and how long it waits for it, measured in Chromium. KB are 1,000 bytes of gzip -9, each file
 * by itself, as a server sends it. Two visits: one on a page that only talks, one with tools; and both again over a slow line. Fails over
 * budget.
 *
 *   node test/size.mjs --modules     also: what each module of these files takes of them, and how much of it never ran
 *   node test/size.mjs --no-waits    without the slow line
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import puppeteer from 'puppeteer-core';
import { chromiumFlags, ensureChromium } from './helpers/browsers/find.mjs';
import { readBuild } from './size/build.mjs';
import { visit } from './size/session.mjs';
import { serveSite } from './size/site.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: { modules: { type: 'boolean', default: false }, waits: { type: 'boolean', default: true } },
  allowNegative: true,
});

/** KB, files and round trips that a stage may take. */
const BUDGETS = {
  launcher: { kb: 3.3 },
  classic: { kb: 3.3 },
  field: { kb: 40, depth: 1 },
  answered: { kb: 120 },
  all: { kb: 205, files: 8 },
};
/** Milliseconds. */
const WAITS = { request: 150, firstToken: 400, armed: 800 };

if (!existsSync(path.join(root, 'dist/.vite/manifest.json')) || !existsSync(path.join(root, 'dist/modules/relay/index.js'))) {
  console.error('Nothing is built yet: `npm run build` comes first.');
  process.exit(1);
}
const built = readBuild(root);
const site = await serveSite(root);
const browser = await puppeteer.launch({ executablePath: await ensureChromium(), headless: true, args: chromiumFlags });
const { plain, tools, slow } = await measure().finally(async () => {
  await browser.close();
  site.close();
});

const stages = [
  { id: 'launcher', name: 'launcher script', ...sum(['tool-chat.js']) },
  { id: 'classic', name: 'classic launcher script', files: 1, depth: 0, ...built.measureFile('tool-chat.iife.js') },
  { id: 'button', name: 'a round button to open it', ...sum(plain.stages.button) },
  // Only over a slow line is it plain what was there first; without one, what the panel imports counts as that.
  { id: 'field', name: 'until the field can be used', ...sum(slow[0]?.early ?? withPanel(plain.stages.opened)) },
  { id: 'opened', name: 'open, nothing said', ...sum(plain.stages.opened, plain.unused) },
  { id: 'answered', name: 'one plain answer, no tools', ...sum(plain.stages.answered, plain.unused) },
  { id: 'withTools', name: 'one plain answer, with tools', ...sum(tools.stages.answered) },
  { id: 'all', name: 'an approved call, a query, Markdown', ...sum(tools.stages.all, tools.unused) },
];
const waits = [
  { id: 'usable', name: 'click → field can be used', ms: least('usable', 'click') },
  { id: 'request', name: 'Send → request leaves', ms: least('request', 'send') },
  { id: 'firstToken', name: 'Send → first token', ms: least('firstToken', 'send') },
  { id: 'armed', name: 'call read → Allow can be pressed', ms: least('armed', 'callRead') },
];
const over = [
  ...stages.flatMap(({ id, name, gzip, files, depth }) => {
    const budget = BUDGETS[id] ?? {};
    return [
      exceeds(`KB, ${name}`, gzip / 1000, budget.kb),
      exceeds(`files, ${name}`, files, budget.files),
      exceeds(`round trips, ${name}`, depth, budget.depth),
    ];
  }),
  ...waits.map(({ id, name, ms }) => exceeds(`ms, ${name}`, ms, WAITS[id])),
].filter(Boolean);

report();
for (const sentence of over) console.error(`Over budget: ${sentence}`);
process.exit(over.length > 0 ? 1 : 0);

async function measure() {
  const plain = await visit(browser, site, { tools: false });
  const tools = await visit(browser, site, { tools: true });
  const slow = [];
  // What disturbs a run only ever adds to it.
  if (options.waits) for (let run = 0; run < 3; run++) slow.push(await visit(browser, site, { tools: true, slow: true }));
  return { plain, tools, slow };
}

function least(to, from) {
  return slow.length > 0 ? Math.min(...slow.map(({ marks }) => marks[to] - marks[from])) : undefined;
}

function sum(loaded, unused) {
  const names = [...new Set(loaded)];
  const depths = built.depths(names);
  const total = { files: names.length, raw: 0, gzip: 0, depth: Math.max(...names.map((file) => depths.get(file) ?? 0)) };
  let idle = 0;
  for (const file of names) {
    const size = built.files.get(file);
    total.raw += size.raw;
    total.gzip += size.gzip;
    idle += size.raw * shareOf(unused?.[file]);
  }
  return { ...total, ...(unused && { unused: idle / total.raw }) };
}

function withPanel(loaded) {
  const panel = loaded.filter((file) => /^chunks\/engine-/.test(file));
  return [...plain.stages.button, ...panel, ...panel.flatMap((file) => built.files.get(file).imports)];
}

function shareOf(unused) {
  return unused ? unused.reduce((sum, one) => sum + one, 0) / unused.length : 0;
}

function exceeds(what, value, most) {
  return most !== undefined && value > most && `${what}: ${figure(value)}, at most ${most}`;
}

function filesOf(loaded) {
  return [...new Set(loaded)]
    .map((file) => ({ file, gzip: built.files.get(file).gzip, unused: shareOf(tools.unused[file]) }))
    .sort((a, b) => b.gzip - a.gzip);
}

function report() {
  const head = ['files', 'trips', 'raw', 'gzip', 'limit', 'not run'];
  console.log(row('KB', ...head));
  for (const { id, name, files, depth, raw, gzip, unused } of stages)
    console.log(row(name, files, depth, kb(raw), kb(gzip), BUDGETS[id]?.kb ?? '', unused === undefined ? '' : share(unused)));
  if (slow.length > 0) {
    console.log(`\n${row('ms at 1.6 Mbit/s and 150 ms', 'least', 'limit')}`);
    for (const { id, name, ms } of waits) console.log(row(name, ms.toFixed(0), WAITS[id] ?? ''));
  }
  console.log(`\n${row('files of the whole visit', 'gzip', 'not run')}`);
  for (const { file, gzip, unused } of filesOf(tools.stages.all)) {
    console.log(row(file, kb(gzip), share(unused)));
    if (options.modules)
      for (const [module, { bytes, idle }] of built.modulesOf(file, tools.unused[file]))
        console.log(row(`  ${module}`, kb(bytes), kb(idle)));
  }
}

function share(part) {
  return `${(part * 100).toFixed(0)} %`;
}

function row(name, ...cells) {
  return name.padEnd(40) + cells.map((cell) => String(cell).padStart(9)).join('');
}

function kb(bytes) {
  return (bytes / 1000).toFixed(2);
}

function figure(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
