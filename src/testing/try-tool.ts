/** Runs one tool in every way that models, users and failures can cause. */
import { fillDays, localDay } from '../base/days.js';
import { isObject, own } from '../base/objects.js';
import { messageOf, toPlain } from '../base/plain.js';
import { english } from '../i18n/english.js';
import { canonicalJson } from '../tools/digest.js';
import { normaliseResult, publish, RESULT_CHARS } from '../tools/result.js';
import { parametersOf } from '../tools/schema.js';
import { examplesOf } from '../tools/tool-examples.js';
import type { ToolDefinition } from '../tools/tool.js';
import { schemaModel } from '../model/schema-model.js';
import { promptSchema } from '../model/prompt-schema.js';
import { validateArguments } from '../tools/validate.js';
import { notData } from './not-data.js';
import { ofCard, ofDraft, ofSecrets, ofUndo, ofVerify } from './tool-hooks.js';
import { runTool, type Run } from './tool-run.js';
import { ofSimulate } from './tool-simulate.js';
import type { Args, ReportFault, Stage, ToolCheckOptions } from './test-context.js';
import { valueFor, type Manner } from './tool-values.js';

/** Maximum milliseconds for a hook, as in a conversation. */
const HOOK = 5000;
const GRACE = 250;
/** Milliseconds until a run is aborted. Faster tools have finished by then and cannot be aborted. */
const ABORT_AFTER = 25;

/** @returns the number of runs */
export async function trying(
  tool: ToolDefinition,
  options: ToolCheckOptions & { random: () => number },
  found: ReportFault,
  note: (message: string) => void,
): Promise<number> {
  const { state, reset, timeout = 5000, tries = 20, random, context = {} } = options;
  const limit = Math.min(timeout, tool.timeout ?? timeout);
  const root = parametersOf(tool) ?? {};
  const { properties, additionalProperties = false, required = [] } = schemaModel(root);
  const known = Object.keys(properties ?? {});
  const open = !properties || additionalProperties !== false;
  let runs = 0;
  const stage: Stage = {
    ...{ tool, found, context, patience: Math.min(HOOK, timeout) },
    state: async () => (state ? canonicalJson(toPlain(await state())) : undefined),
    reset: async () => void (await reset?.()),
    run(args, how = {}) {
      runs += 1;
      return runTool(tool, args, { limit, grace: GRACE, context, known, ...how });
    },
    publish: ({ value, requestId }) =>
      publish(normaliseResult(value, english), { requestId, toolName: tool.name, texts: english, durationMs: 0 }),
    async fitted(args) {
      const checked = await validateArguments(tool, structuredClone(args), english).catch(() => undefined);
      return checked?.ok ? (checked.output as Args) : undefined;
    },
  };

  const given = [
    ...((own(options.args, tool.name) as Args[] | undefined) ?? []),
    ...examplesOf(tool).map(({ args }) => fillDays(args, localDay())),
  ];
  const manners: Manner[] = ['plain', 'least', ...Array.from({ length: tries }, () => 'odd' as const)];
  const made = manners.map((manner) => valueFor({ ...promptSchema(root), type: 'object' }, manner, random) as Args);
  const tried = new Set<string>();
  const unlike = [...given, ...made].filter((args) => {
    const key = canonicalJson(args);
    return tried.has(key) ? false : tried.add(key);
  });

  const read = new Set<string>();
  let good: Args | undefined;
  for (const meant of unlike) {
    const args = await stage.fitted(meant);
    if (!args) continue;
    const promised = given.includes(meant);
    const run = await once(stage, args, promised, open);
    for (const key of run.read) read.add(key);
    const success = run.how === 'done' && stage.publish(run).success;
    if (success) good ??= args;
    if (run.how === 'endless') return runs;
  }
  if (!good) {
    note('never succeeded, so less is known of it: give it `examples` that work, or `args`.');
    return runs;
  }
  const unread = required.filter((name) => !read.has(name));
  if (unread.length > 0) found('unread', `requires ${unread.join(', ')} and never looks at it: leave it out of the schema, or use it.`);
  await twice(stage, good);
  await stopped(stage, good);
  await ofCard(stage, good);
  await ofSimulate(stage, good);
  await ofDraft(stage, good);
  await ofVerify(stage, good);
  await ofUndo(stage, good);
  await ofSecrets(stage, good);
  return runs;
}

async function once(stage: Stage, args: Args, promised: boolean, open: boolean): Promise<Run> {
  const { tool, found, publish: published } = stage;
  await stage.reset();
  const before = await stage.state();
  const polluted = new Set(Object.getOwnPropertyNames(Object.prototype));
  const run = await stage.run(args);
  for (const key of Object.getOwnPropertyNames(Object.prototype)) {
    if (polluted.has(key)) continue;
    Reflect.deleteProperty(Object.prototype, key);
    found('prototype', 'writes to the prototype of all objects when an argument is "__proto__": use a Map, or Object.create(null).', args);
  }
  if (run.how === 'endless') {
    found(
      'endless',
      `does not come to an end (${String(Math.round(run.ms))} ms were waited): give it a time limit of its own, or set \`timeout\`.`,
      args,
    );
    if (run.ignoredSignal) found('signal', 'goes on when `context.signal` is aborted: pass the signal on to fetch and timers.', args);
    return run;
  }
  if (run.lookedFor.size > 0 && !open)
    found('unknown', `looks for ${[...run.lookedFor].join(', ')}, which its schema does not have: a model can never give it.`, args);
  if (run.progress.some((said) => !isProgress(said))) found('progress', 'reports a progress that is no number from 0 to 1.', args);
  if (run.saidLate) found('late', 'goes on reporting when it is over: wait for all that was begun.', args);
  if (run.how === 'failed') ofFailure(run.error, args, promised, found);
  else {
    ofValue(run.value, args, found);
    const result = published(run);
    if (promised && !result.success) found('example-fails', `fails with arguments that should work: ${result.message}`, args);
  }
  if (tool.risk === 'query' && (await stage.state()) !== before)
    found('query', "says `risk: 'query'` and changes something: it would run without asking. Say 'write' or 'danger'.", args);
  return run;
}

const isProgress = (said: unknown) => {
  const fraction = own(said, 'fraction');
  return isObject(said) && (fraction === undefined || (typeof fraction === 'number' && fraction >= 0 && fraction <= 1));
};

const isSlip = (error: unknown) =>
  error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError || error instanceof SyntaxError;

function ofFailure(error: unknown, args: Args, promised: boolean, found: ReportFault): void {
  if (typeof error !== 'object' || error === null)
    return found(
      'no-error',
      `throws ${error === null ? 'null' : `a ${typeof error}`}: throw an Error, whose message tells the model why.`,
      args,
    );
  if (isSlip(error) && !/fetch|network|load failed/i.test(messageOf(error)))
    return found(
      'crash',
      `breaks on arguments that its schema allows (${messageOf(error)}): say so in the schema, or in a \`ToolError\`.`,
      args,
    );
  if (promised) found('example-fails', `fails with arguments that should work: ${messageOf(error)}`, args);
}

function ofValue(value: unknown, args: Args, found: ReportFault): void {
  const what = notData(value);
  if (what === 'a cycle') return found('cyclic', 'gives back something that contains itself: give back plain data.', args);
  if (what) return found('no-data', `gives back ${what}, of which nothing reaches the model: give back plain data.`, args);
  const length = typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0);
  if (length > RESULT_CHARS)
    found(
      'huge',
      `gives back ${String(length)} characters, of which a model gets ${String(RESULT_CHARS)}: give back less, or page by page.`,
      args,
    );
  const error = own(value, 'error');
  const truly = typeof own(value, 'success') === 'boolean' || own(value, 'status') !== undefined || own(value, 'code') !== undefined;
  if (isObject(value) && error && !truly)
    found('error-as-data', 'gives an error back as if it had worked: throw it, or give back `{ success: false, message }`.', args);
  if (isObject(value) && Object.hasOwn(value, 'success') && typeof value['success'] !== 'boolean')
    found('success', 'gives back a `success` that is neither true nor false: it counts as having worked.', args);
}

/** Checks that a repeated call does no harm if the tool declares so. */
async function twice(stage: Stage, args: Args): Promise<void> {
  const { tool, found } = stage;
  if (!(tool.idempotent ?? tool.risk === 'query')) return;
  await stage.reset();
  await stage.run(args);
  const after = await stage.state();
  const second = await stage.run(args);
  if ((await stage.state()) !== after || (second.how === 'done' && !stage.publish(second).success))
    found(
      'idempotent',
      'is called idempotent, and a second call does something else: say `idempotent: false`, or use `context.requestId` as a key.',
      args,
    );
}

async function stopped(stage: Stage, args: Args): Promise<void> {
  await stage.reset();
  const run = await stage.run(args, { abortAfter: ABORT_AFTER, onAborted: stage.state });
  if (run.atAbort === undefined && !run.ignoredSignal) return;
  await new Promise((resolve) => setTimeout(resolve, GRACE));
  if (run.ignoredSignal || (run.atAbort !== undefined && (await stage.state()) !== run.atAbort))
    stage.found(
      'signal',
      'goes on when `context.signal` is aborted: pass the signal on to fetch and timers, and look at it before each change.',
      args,
    );
}
