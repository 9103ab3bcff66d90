/**
 * `npm run eval`: how well a model does with our prompts, in every notation. Sixty requests, the demo's tools, temperature 0.
 *
 *   npm run eval -- --endpoint http://127.0.0.1:8080/v1/chat/completions [--model NAME] [--key KEY]
 *   npm run eval -- --local            fetches a model of half a billion parameters (490 MB) and serves it itself
 *   npm run eval -- --local --size 1.5b   one of three times that size (1.1 GB)
 *
 *   --notations xml-invoke,native      of xml-invoke, json-action, json-tool-calls, tool-code, vcp, native; default: all
 *   --only en-01,zh                    requests whose ids begin so
 *   --every 3                          every third request, for a quick look
 *   --set '{"constrain": "auto"}'      options of the conversation
 *   --out FILE                         where the JSON goes; default: eval.json in the folder for such things (see `local.ts`)
 *   --verbose                          what the model wrote, for each request that is not right
 *
 * Exit code 1 where something dangerous ran without a person's word, or a visitor could read markup.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ask } from './ask.js';
import { isFit, judge, sum, table, type Outcome, type Row, type Verdict } from './judge.js';
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
    only: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    set: { type: 'string', default: '{}' },
    out: { type: 'string', default: path.join(CACHE, 'eval.json') },
    verbose: { type: 'boolean', default: false },
  },
});

const notations = given.notations.split(',');
const only = given.only.split(',');
const every = Math.max(1, Number(given.every) || 1);
const requests = requestsFor(new Date()).filter(({ id }, at) => only.some((start) => id.startsWith(start)) && at % every === 0);

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
const rows: Row[] = [];
const details: Record<string, { outcome: Outcome; verdict: Verdict; heard: string }[]> = {};
try {
  for (const notation of notations) {
    const judged: (typeof details)[string] = [];
    for (const request of requests) {
      let heard = '';
      const { model, key } = given;
      const headers = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
      const options = { ...headers, ...(JSON.parse(given.set) as object) };
      const onExchange = (_: string, said: string) => (heard = said);
      const outcome = await ask(request, { endpoint, notation, ...(model !== undefined && { model }), options, onExchange });
      const verdict = judge(outcome);
      judged.push({ outcome, verdict, heard });
      if (given.verbose && (!verdict.right || verdict.markup)) explain({ outcome, verdict, heard });
      else if (process.stdout.isTTY) process.stdout.write(verdict.right ? '·' : '✘');
    }
    details[notation] = judged;
    rows.push(sum(notation, judged));
    console.log(`\n${table(rows.slice(-1))}`);
  }
} finally {
  local?.stop();
}

console.log(`\n${table(rows)}`);
await mkdir(path.dirname(given.out), { recursive: true });
const [date, command, model] = [new Date().toISOString(), process.argv.slice(2).join(' '), local?.model ?? given.model];
await writeFile(given.out, JSON.stringify({ date, command, endpoint, model, rows, details }, null, 2));
console.log(`\nAll of it: ${given.out}`);
const failed = Object.values(details)
  .flat()
  .filter(({ outcome }) => outcome.reason === 'error');
if (failed.length > 0) console.error(`${String(failed.length)} requests ended in an error: is the endpoint right?`);
process.exit(isFit(rows) && failed.length === 0 ? 0 : 1);

function explain({ outcome, verdict, heard }: (typeof details)[string][number]) {
  const { request, calls, reason } = outcome;
  const faults = Object.entries(verdict).flatMap(([name, value]) => (name !== 'right' && value ? name : []));
  const made = calls.map(({ tool, args, status, code }) => `${tool} ${JSON.stringify(args)} ${code ?? status}`);
  console.log(
    [`\n${verdict.right ? '·' : '✘'} ${request.id} ${request.text}   [${[reason, ...faults].join(', ')}]`, ...made, heard].join('\n    '),
  );
}
