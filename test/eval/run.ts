/**
 * `npm run eval`: how well a model does with our prompts, in every notation. Sixty requests, the demo's tools, temperature 0.
 *
 *   npm run eval -- --endpoint http://127.0.0.1:8080/v1/chat/completions [--model NAME] [--key KEY]
 *   npm run eval -- --local            fetches a model of half a billion parameters (490 MB) and serves it itself
 *   npm run eval -- --local --size 1.5b   one of three times that size (1.1 GB)
 *
 *   --notations xml-invoke,native      of xml-invoke, json-action, json-tool-calls, tool-code, vcp, native; default: all
 *   --every 3                          every third request, for a quick look
 *   --set '{"constrain": "auto"}'      options of the conversation
 *
 * All replies are written to eval.json in the folder for such things (see `local.ts`).
 * Exit code 1 where something dangerous ran without a person's word, or a visitor could read markup.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ask } from './ask.js';
import { isFit, judge, shownRow, sum, type Outcome, type Row, type Verdict } from './judge.js';
import { CACHE, MODELS, serveLocalModel, type ModelSize } from './local.js';
import { requestsFor } from './requests.js';

const NOTATIONS = ['xml-invoke', 'json-action', 'json-tool-calls', 'tool-code', 'vcp', 'native'];

const { values: given } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    local: { type: 'boolean', default: false },
    size: { type: 'string', default: '0.5b' },
    model: { type: 'string' },
    key: { type: 'string' },
    notations: { type: 'string', default: NOTATIONS.join(',') },
    every: { type: 'string', default: '1' },
    set: { type: 'string', default: '{}' },
  },
});

const notations = given.notations.split(',');
const every = Math.max(1, Number(given.every) || 1);
const requests = requestsFor(new Date()).filter((_, at) => at % every === 0);

if (!given.endpoint && !given.local) {
  console.error('Name an endpoint (--endpoint http://…/v1/chat/completions), or let it fetch a small model itself (--local).');
  process.exit(2);
}
if (!Object.hasOwn(MODELS, given.size)) {
  console.error(`There is no model of that size; there are ${Object.keys(MODELS).join(', ')}.`);
  process.exit(2);
}

const local = given.local ? await serveLocalModel(given.size as ModelSize, console.log) : undefined;
const endpoint = local?.endpoint ?? given.endpoint ?? '';
const { model, key } = given;
const headers = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
const options = { ...headers, ...(JSON.parse(given.set) as object) };
const rows: Row[] = [];
const details: { outcome: Outcome; verdict: Verdict }[] = [];
try {
  for (const notation of notations) {
    const judged: typeof details = [];
    for (const request of requests) {
      const outcome = await ask(request, { endpoint, notation, ...(model !== undefined && { model }), options });
      judged.push({ outcome, verdict: judge(outcome) });
      if (process.stdout.isTTY) process.stdout.write(judged.at(-1)?.verdict.right ? '·' : '✘');
    }
    details.push(...judged);
    rows.push(sum(notation, judged));
    console.table(rows.slice(-1).map(shownRow));
  }
} finally {
  local?.stop();
}

console.table(rows.map(shownRow));
const out = path.join(CACHE, 'eval.json');
await mkdir(CACHE, { recursive: true });
const [date, command] = [new Date().toISOString(), process.argv.slice(2).join(' ')];
await writeFile(out, JSON.stringify({ date, command, endpoint, model: local?.model ?? model, rows, details }, null, 2));
console.log(`\nAll of it: ${out}`);
const failed = details.filter(({ outcome }) => outcome.reason === 'error');
if (failed.length > 0) console.error(`${String(failed.length)} requests ended in an error: is the endpoint right?`);
process.exit(isFit(rows) && failed.length === 0 ? 0 : 1);
