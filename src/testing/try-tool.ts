/** Runs one tool in every way that models, users and failures can cause. */
import { fillDays, localDay } from '../base/days.js';
import { isObject, own } from '../base/objects.js';
import { messageOf, toPlain } from '../base/plain.js';
import { english } from '../i18n/english.js';
import { canonicalJson } from '../tools/digest.js';
import { normalizeResult, publish, RESULT_CHARS } from '../tools/result.js';
import { parametersOf } from '../tools/schema.js';
import { examplesOf } from '../tools/describe-tools.js';
import type { ToolDefinition } from '../tools/tool.js';
import { schemaModel, type SchemaModel } from '../model/schema-model.js';
import { promptSchema, firstOf } from '../model/prompt-schema.js';
import { validateArguments } from '../tools/validate.js';
import { findNonJson, type Args, type ReportFinding, type TestContext, type ToolCheckOptions } from './test-context.js';
import { checkCard, checkDraft, checkSecrets, checkUndo, checkVerify } from './tool-hooks.js';
import { runTool, type Run } from './tool-run.js';
import { checkSimulate } from './tool-simulate.js';

/** Maximum milliseconds for a hook, as in a conversation. */
const HOOK = 5000;
const GRACE = 250;
/** Milliseconds until a run is aborted. Faster tools have finished by then and cannot be aborted. */
const ABORT_AFTER = 25;

/** @returns the number of runs */
export async function checkTool(
  tool: ToolDefinition,
  options: ToolCheckOptions & { random: () => number },
  report: ReportFinding,
  note: (message: string) => void,
): Promise<number> {
  const { state, reset, timeout = 5000, tries = 20, random, context = {} } = options;
  const limit = Math.min(timeout, tool.timeout ?? timeout);
  const root = parametersOf(tool) ?? {};
  const { properties, additionalProperties = false, required = [] } = schemaModel(root);
  const known = Object.keys(properties ?? {});
  const open = !properties || additionalProperties !== false;
  let runs = 0;
  const test: TestContext = {
    ...{ tool, report, context, hookTimeout: Math.min(HOOK, timeout) },
    state: async () => (state ? canonicalJson(toPlain(await state())) : undefined),
    reset: async () => void (await reset?.()),
    run(args, how = {}) {
      runs += 1;
      return runTool(tool, args, { limit, grace: GRACE, context, known, ...how });
    },
    publish: ({ value, requestId }) =>
      publish(normalizeResult(value, english), { requestId, toolName: tool.name, texts: english, durationMs: 0 }),
    async fitted(args) {
      const checked = await validateArguments(tool, structuredClone(args), english).catch(() => undefined);
      return checked?.ok ? (checked.output as Args) : undefined;
    },
  };

  const given = [
    ...((own(options.args, tool.name) as Args[] | undefined) ?? []),
    ...examplesOf(tool).map(({ args }) => fillDays(args, localDay())),
  ];
  const manners: ValueKind[] = ['plain', 'least', ...Array.from({ length: tries }, () => 'odd' as const)];
  const made = manners.map((manner) => valueFor({ ...promptSchema(root), type: 'object' }, manner, random) as Args);
  const tried = new Set<string>();
  const unlike = [...given, ...made].filter((args) => {
    const key = canonicalJson(args);
    return tried.has(key) ? false : tried.add(key);
  });

  const read = new Set<string>();
  let good: Args | undefined;
  for (const meant of unlike) {
    const args = await test.fitted(meant);
    if (!args) continue;
    const promised = given.includes(meant);
    const run = await checkRun(test, args, promised, open);
    for (const key of run.read) read.add(key);
    const success = run.how === 'done' && test.publish(run).success;
    if (success) good ??= args;
    if (run.how === 'endless') return runs;
  }
  if (!good) {
    note('never succeeded, so less is known of it: give it `examples` that work, or `args`.');
    return runs;
  }
  const unread = required.filter((name) => !read.has(name));
  if (unread.length > 0) report('unread', `requires ${unread.join(', ')} and never looks at it: leave it out of the schema, or use it.`);
  await checkRepeatedRun(test, good);
  await checkAbort(test, good);
  await checkCard(test, good);
  await checkSimulate(test, good);
  await checkDraft(test, good);
  await checkVerify(test, good);
  await checkUndo(test, good);
  await checkSecrets(test, good);
  return runs;
}

async function checkRun(test: TestContext, args: Args, promised: boolean, open: boolean): Promise<Run> {
  const { tool, report, publish: published } = test;
  await test.reset();
  const before = await test.state();
  const polluted = new Set(Object.getOwnPropertyNames(Object.prototype));
  const run = await test.run(args);
  for (const key of Object.getOwnPropertyNames(Object.prototype)) {
    if (polluted.has(key)) continue;
    Reflect.deleteProperty(Object.prototype, key);
    report('prototype', 'writes to the prototype of all objects when an argument is "__proto__": use a Map, or Object.create(null).', args);
  }
  if (run.how === 'endless') {
    report(
      'endless',
      `does not come to an end (${String(Math.round(run.ms))} ms were waited): give it a time limit of its own, or set \`timeout\`.`,
      args,
    );
    if (run.ignoredSignal) report('signal', 'goes on when `context.signal` is aborted: pass the signal on to fetch and timers.', args);
    return run;
  }
  if (run.lookedFor.size > 0 && !open)
    report('unknown', `looks for ${[...run.lookedFor].join(', ')}, which its schema does not have: a model can never give it.`, args);
  if (run.progress.some((said) => !isProgress(said))) report('progress', 'reports a progress that is no number from 0 to 1.', args);
  if (run.saidLate) report('late', 'goes on reporting when it is over: wait for all that was begun.', args);
  if (run.how === 'failed') checkFailure(run.error, args, promised, report);
  else {
    checkValue(run.value, args, report);
    const result = published(run);
    if (promised && !result.success) report('example-fails', `fails with arguments that should work: ${result.message}`, args);
  }
  if (tool.risk === 'query' && (await test.state()) !== before)
    report('query', "says `risk: 'query'` and changes something: it would run without asking. Say 'write' or 'danger'.", args);
  return run;
}

const isProgress = (said: unknown) => {
  const fraction = own(said, 'fraction');
  return isObject(said) && (fraction === undefined || (typeof fraction === 'number' && fraction >= 0 && fraction <= 1));
};

const isProgrammingError = (error: unknown) =>
  error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError || error instanceof SyntaxError;

function checkFailure(error: unknown, args: Args, promised: boolean, report: ReportFinding): void {
  if (typeof error !== 'object' || error === null)
    return report(
      'no-error',
      `throws ${error === null ? 'null' : `a ${typeof error}`}: throw an Error, whose message tells the model why.`,
      args,
    );
  if (isProgrammingError(error) && !/fetch|network|load failed/i.test(messageOf(error)))
    return report(
      'crash',
      `breaks on arguments that its schema allows (${messageOf(error)}): say so in the schema, or in a \`ToolError\`.`,
      args,
    );
  if (promised) report('example-fails', `fails with arguments that should work: ${messageOf(error)}`, args);
}

function checkValue(value: unknown, args: Args, report: ReportFinding): void {
  const what = findNonJson(value);
  if (what === 'a cycle') return report('cyclic', 'gives back something that contains itself: give back plain data.', args);
  if (what) return report('no-data', `gives back ${what}, of which nothing reaches the model: give back plain data.`, args);
  const length = typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0);
  if (length > RESULT_CHARS)
    report(
      'huge',
      `gives back ${String(length)} characters, of which a model gets ${String(RESULT_CHARS)}: give back less, or page by page.`,
      args,
    );
  const error = own(value, 'error');
  const truly = typeof own(value, 'success') === 'boolean' || own(value, 'status') !== undefined || own(value, 'code') !== undefined;
  if (isObject(value) && error && !truly)
    report('error-as-data', 'gives an error back as if it had worked: throw it, or give back `{ success: false, message }`.', args);
  if (isObject(value) && Object.hasOwn(value, 'success') && typeof value['success'] !== 'boolean')
    report('success', 'gives back a `success` that is neither true nor false: it counts as having worked.', args);
}

/** Checks that a repeated call does no harm if the tool declares so. */
async function checkRepeatedRun(test: TestContext, args: Args): Promise<void> {
  const { tool, report } = test;
  if (!(tool.idempotent ?? tool.risk === 'query')) return;
  await test.reset();
  await test.run(args);
  const after = await test.state();
  const second = await test.run(args);
  if ((await test.state()) !== after || (second.how === 'done' && !test.publish(second).success))
    report(
      'idempotent',
      'is called idempotent, and a second call does something else: say `idempotent: false`, or use `context.requestId` as a key.',
      args,
    );
}

async function checkAbort(test: TestContext, args: Args): Promise<void> {
  await test.reset();
  const run = await test.run(args, { abortAfter: ABORT_AFTER, onAborted: test.state });
  if (run.atAbort === undefined && !run.ignoredSignal) return;
  await new Promise((resolve) => setTimeout(resolve, GRACE));
  if (run.ignoredSignal || (run.atAbort !== undefined && (await test.state()) !== run.atAbort))
    test.report(
      'signal',
      'goes on when `context.signal` is aborted: pass the signal on to fetch and timers, and look at it before each change.',
      args,
    );
}

/** `least`: only required arguments, as small as possible. `plain`: all arguments. `odd`: all arguments, with unusual texts and numbers. */
type ValueKind = 'least' | 'plain' | 'odd';

const DEPTH = 5;

const FORMATS: Readonly<Record<string, string>> = {
  date: '2031-02-03',
  'date-time': '2031-02-03T04:05:06Z',
  time: '04:05:06Z',
  email: 'ann@example.org',
  uri: 'https://example.org/a',
  url: 'https://example.org/a',
  uuid: '6f1c1f9e-8a3d-4a1e-9f5b-0c2d4e6a8b10',
};

/** Texts that each break some code: for names, markup, counting, or objects used as tables. */
const ODD_TEXTS = ['__proto__', 'constructor', '', ' ', '0', 'null', '"\'`<b>&amp;</b>', '../..%2f', '👩‍👩‍👧 بحث 你好', '-'.repeat(5000)];

function valueFor(given: SchemaModel, manner: ValueKind, random: () => number, depth = 0): unknown {
  const pick = <Item>(items: readonly Item[]): Item => items[manner === 'odd' ? Math.floor(random() * items.length) : 0]!;
  const { anyOf, nullable } = given;
  const schema = anyOf ? firstOf({ ...given, anyOf: [pick(anyOf)] }) : given;
  if (nullable && manner === 'odd' && random() < 0.2) return null;
  if (schema.enum) return pick(schema.enum);
  if (schema.type === 'object') return objectFor(schema, manner, random, depth);
  if (schema.type === 'array') return listFor(schema, manner, random, depth);
  if (schema.type === 'boolean') return manner === 'odd' && random() < 0.5;
  if (schema.type === 'null') return null;
  return schema.type === 'number' || schema.type === 'integer' ? numberFor(schema, manner, random) : textFor(schema, manner, random);
}

function objectFor({ properties = {}, required = [] }: SchemaModel, manner: ValueKind, random: () => number, depth: number): unknown {
  const wanted = Object.keys(properties).filter((key) => required.includes(key) || (manner !== 'least' && depth < DEPTH));
  return Object.fromEntries(wanted.map((key) => [key, valueFor(properties[key]!, manner, random, depth + 1)]));
}

function listFor(schema: SchemaModel, manner: ValueKind, random: () => number, depth: number): unknown[] {
  const least = Number(schema['minItems'] ?? 0);
  const length = depth >= DEPTH || manner === 'least' ? least : Math.max(least, manner === 'odd' ? Math.floor(random() * 4) : 1);
  return Array.from({ length }, () => valueFor(schema.items ?? {}, manner, random, depth + 1));
}

function numberFor(schema: SchemaModel, manner: ValueKind, random: () => number): number {
  const step = Number(own(schema, 'multipleOf') ?? 1) || 1;
  const least = Number(own(schema, 'minimum') ?? own(schema, 'exclusiveMinimum') ?? -Infinity);
  const most = Number(own(schema, 'maximum') ?? own(schema, 'exclusiveMaximum') ?? Infinity);
  const [low, high] = [Number.isFinite(least) ? least : Math.min(0, most), Number.isFinite(most) ? most : Math.max(1e9, least)];
  const on = (value: number) => Math.round(value / step) * step;
  if (manner !== 'odd') return on(Math.min(Math.max(manner === 'least' ? low : 1, low), high));
  const odd = [low, high, 0, -1, 0.5, on(low + random() * (high - low))].filter((value) => value >= low && value <= high);
  return odd[Math.floor(random() * odd.length)] ?? low;
}

function textFor(schema: SchemaModel, manner: ValueKind, random: () => number): string {
  const least = Number(own(schema, 'minLength') ?? 0);
  const most = Number(own(schema, 'maxLength') ?? Infinity);
  const format = own(FORMATS, String(schema['format']));
  if (typeof format === 'string') return format;
  const text = manner === 'least' ? '' : manner === 'plain' ? 'text' : ODD_TEXTS[Math.floor(random() * ODD_TEXTS.length)]!;
  return text.padEnd(least, 'x').slice(0, most);
}
