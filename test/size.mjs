/**
 * `npm run size`: what a page downloads, by what is done with it. Raw, gzip -9 and brotli, in KB of 1,000 bytes; every file is
 * compressed by itself, as a server sends it. Fails over budget. Reads what the bundler wrote down about its own output.
 *
 *   node test/size.mjs --modules    also: what each module takes of its file, in KB of minified code
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');
const entry = 'src/script.ts';

/** What is loaded for a chat, besides the launcher: the chunks that hold these modules, and all they import at once. */
const CHAT = [
  'src/elements/engine.ts',
  'src/elements/tool-chat-panel/tool-chat-panel.ts',
  'src/conversation/conversation.ts',
  'src/protocols/xml-invoke/parser.ts',
  'src/transports/cutie.ts',
  'src/i18n/en-first.ts',
];
/**
 * What an English session with our relay, our notation and the default options does not load: chunks that hold nothing else are not counted
 * for it.
 */
const OTHER_SESSIONS = [
  /^src\/i18n\/(?!en\b|fault-texts)/,
  // Other wires, and what only they need.
  /^src\/transports\/(openai|openai-responses|anthropic|ollama|ndjson|gemini|prompt-api|device-model|ui-messages?(-stream)?|ag-ui(-events)?|text)\.ts$/,
  /^src\/transports\/(messages|message-ids|native-tools|tool-indexes|choose-reader)\.ts$/,
  // Other notations, hosts' own protocols, native calls, and a model that answers in a notation it was not taught.
  /^src\/protocols\/(json|json-prompt|json-action|json-tool-calls|tool-code|vcp|any|adapt|complete|native|native-tools|near-miss|loose)\b/,
  /^src\/conversation\/(notation|service-calls)\.ts$/,
  // A list of tools too long to be sent at once.
  /^(src\/prompts\/(paging|tokens)\.ts|node_modules\/tokenx\/.*)$/,
  // Kept conversations: `storage`.
  /^src\/conversation\/(keeping\/|(recovered-call|kept-\w+)\.ts)/,
  /^(src\/storage\/(?!journal\.ts|session-file)|node_modules\/idb\/)/,
  // `memory="layered"`, and `planning` or questions of the model.
  /^(src\/memory\/|node_modules\/minisearch\/|src\/conversation\/(remembering|memory-matter|profile|summarising)\.ts|src\/elements\/(define-memory\.ts|tool-chat-memory\/))/,
  /^src\/(conversation\/(planning|goal-verbs|block-reader)\.ts|elements\/(plan-cards\.ts|tool-chat-(plan|clarify)\/))/,
  // `approval-ui="dialog"`, choosing a tool or a template, a session as a file, a relay that checks each step, an answer cache, attachments.
  /^src\/elements\/(question-dialog\.ts|tool-chat-(dialog|picker)\/|tool-chat-composer\/(picking|slots)\.ts)/,
  /^src\/(conversation\/(session-file|gating|answers|unseen-words)|storage\/session-file)\.ts$/,
];

/**
 * All protocols and prompts against our own notation and the prompts alone: two bundles in memory of the modules that the widget loads by
 * name, each minified, with what they load on demand in it, and compressed as one file. The difference is what the other four notations,
 * native calls, hosts' protocols and the readers of any notation add; in `dist` they are several files, and so a little larger.
 */
const PROMPTS = ['prompts/index', 'prompts/paging'];
const OWN_PROTOCOL = ['protocols/xml-invoke'];
const OTHER_PROTOCOLS = ['json-action', 'json-tool-calls', 'tool-code', 'vcp', 'any', 'near-miss', 'complete', 'adapt', 'native'].map(
  (name) => `protocols/${name}`,
);

if (!existsSync(path.join(dist, '.vite/manifest.json'))) {
  console.error('Nothing is built yet: `npm run build` comes first.');
  process.exit(1);
}
const manifest = JSON.parse(readFileSync(path.join(dist, '.vite/manifest.json'), 'utf8'));
const chunks = new Map(
  Object.entries(manifest).map(([key, chunk]) => [key, { ...chunk, modules: modulesOf(chunk.file), ...measureFile(chunk.file) }]),
);

const launcher = graph([entry]);
const chat = new Set([...launcher, ...graph(CHAT.map(holderOf))]);
const isOther = (module) => OTHER_SESSIONS.some((pattern) => pattern.test(module));
const everything = new Set([...chunks].filter(([, { modules }]) => modules.length === 0 || !modules.every(isOther)).map(([key]) => key));
const lazy = new Set([...chunks.keys()].filter((key) => !chat.has(key)));

const rows = [
  { name: 'launcher script', ...sum(launcher), limit: 3 },
  { name: 'open and chatting', ...sum(chat), limit: 45 },
  { name: 'with tools and Markdown', ...sum(everything), limit: 75 },
  { name: 'classic launcher script', files: 1, ...measureFile('tool-chat.iife.js'), limit: 3 },
  { name: 'five protocols and prompts, more than one', files: '', ...(await moreThanOwn()), limit: 12 },
  { name: 'all that is loaded on demand', ...sum(lazy) },
];
console.log(`${'KB'.padEnd(44)}${['files', 'raw', 'gzip', 'brotli', 'limit'].map((head) => head.padStart(9)).join('')}`);
for (const row of rows) console.log(line(row.name, row.files, row, row.limit));
console.log('');
for (const { file, ...size } of [...chunks.values()].sort((a, b) => b.gzip - a.gzip)) console.log(line(file, '', size));

if (process.argv.includes('--modules'))
  for (const { file } of chunks.values()) {
    console.log(`\n${file}`);
    for (const [module, bytes] of bytesByModule(file).slice(0, 40)) console.log(`${kb(bytes).padStart(9)}  ${module}`);
  }

const over = rows.filter(({ gzip, limit }) => gzip > limit * 1000);
for (const { name, gzip, limit } of over) console.error(`\nOver budget: "${name}" is ${kb(gzip)} KB of gzip, ${limit} are allowed.`);
process.exit(over.length > 0 ? 1 : 0);

/** The chunk that holds a module, by the bundler's source maps: chunks have hashes in their names, modules do not. */
function holderOf(module) {
  for (const [key, chunk] of chunks) if (chunk.modules.includes(module)) return key;
  throw new Error(`No built chunk holds ${module}: has it moved? Then test/size.mjs has to know.`);
}

function modulesOf(file) {
  const map = `${path.join(dist, file)}.map`;
  if (!existsSync(map)) return [];
  const { sources } = JSON.parse(readFileSync(map, 'utf8'));
  return sources.map((source) => path.relative(root, path.resolve(path.dirname(map), source)).replaceAll('\\', '/'));
}

/** Each minified character belongs to the module that its place in the source map points to. Largest first. */
function bytesByModule(file) {
  const map = `${path.join(dist, file)}.map`;
  if (!existsSync(map)) return [];
  const sources = new SourceMap(JSON.parse(readFileSync(map, 'utf8')));
  const bytes = new Map();
  for (const [row, text] of readFileSync(path.join(dist, file), 'utf8').split('\n').entries())
    for (let column = 0; column < text.length; column++) {
      const { originalSource } = sources.findEntry(row, column);
      const module = originalSource ? path.relative(root, path.resolve(path.dirname(map), originalSource)) : '(none)';
      bytes.set(module, (bytes.get(module) ?? 0) + 1);
    }
  return [...bytes].sort(([, a], [, b]) => b - a);
}

/** The chunks and all that they import at once. */
function graph(keys, seen = new Set()) {
  for (const key of keys) {
    if (seen.has(key)) continue;
    seen.add(key);
    graph(chunks.get(key).imports ?? [], seen);
  }
  return seen;
}

async function moreThanOwn() {
  const own = measure(await bundle([...OWN_PROTOCOL, ...PROMPTS]));
  const all = measure(await bundle([...OWN_PROTOCOL, ...OTHER_PROTOCOLS, ...PROMPTS]));
  return { raw: all.raw - own.raw, gzip: all.gzip - own.gzip, brotli: all.brotli - own.brotli };
}

/** These modules of `src/` as one minified file. */
async function bundle(modules) {
  const entry = 'virtual:entry';
  const source = modules.map((module, index) => `export * as part${index} from ${JSON.stringify(path.join(root, 'src', `${module}.ts`))};`);
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [{ name: entry, resolveId: (id) => (id === entry ? id : null), load: (id) => (id === entry ? source.join('') : null) }],
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: entry, preserveEntrySignatures: 'strict', output: { codeSplitting: false, comments: false } },
    },
  });
  return Buffer.from(output[0].code);
}

function measureFile(file) {
  return measure(readFileSync(path.join(dist, file)));
}

function measure(bytes) {
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  return { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotli.length };
}

function sum(keys) {
  const total = { files: 0, raw: 0, gzip: 0, brotli: 0 };
  for (const key of keys) {
    const chunk = chunks.get(key);
    total.files += 1;
    for (const unit of ['raw', 'gzip', 'brotli']) total[unit] += chunk[unit];
  }
  return total;
}

function line(name, files, { raw, gzip, brotli }, limit = '') {
  return name.padEnd(44) + [files, kb(raw), kb(gzip), kb(brotli), limit].map((cell) => String(cell).padStart(9)).join('');
}

function kb(bytes) {
  return (bytes / 1000).toFixed(2);
}
