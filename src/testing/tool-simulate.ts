/** Checks that `simulate` changes nothing, can be displayed, gives the same result twice, and predicts what `execute` does. */
import { isObject, own } from '../base/objects.js';
import { toPlain } from '../base/plain.js';
import { CHANGES } from '../tools/describe-call.js';
import { canonicalJson } from '../tools/digest.js';
import { RESULT_CHARS } from '../tools/result.js';
import type { Simulated } from '../tools/tool.js';
import type { Change } from '../model/calls.js';
import { findNonJson, type Args, type TestContext } from './test-context.js';
import { callHook } from './tool-hooks.js';

export async function checkSimulate(test: TestContext, args: Args): Promise<void> {
  const { tool, report } = test;
  if (!tool.simulate) return;
  await test.reset();
  const before = await test.state();
  const { value: first, did } = await watchSideEffects(() => ask(test, args));
  for (const what of did) report('simulate-acts', `${what} in \`simulate\`, before anybody has allowed it.`, args);
  if ((await test.state()) !== before) report('simulate-acts', 'changes something in `simulate`, before anybody has allowed it.', args);
  if (!first) return;
  await test.reset();
  const second = await ask(test, args);
  if (!second) return;
  if (textOf(second) !== textOf(first))
    return report(
      'simulate-unsteady',
      'says another thing each time it is asked: the user would be asked again and again. Leave times and random values out of `simulate`.',
      args,
    );
  await test.reset();
  const one = await compareWithRun(test, args);
  await test.reset();
  const two = await compareWithRun(test, args);
  if (!one || !two) return;
  // A difference that does not occur in a second run could not be predicted.
  const lie = one.lies.find((said) => two.lies.includes(said)) ?? otherResult(one, two);
  if (lie) report('simulate-lies', `${lie}: what is allowed is not what happens.`, args);
}

/** @returns undefined if the check cannot continue, which has been reported */
async function ask(test: TestContext, args: Args): Promise<Simulated | undefined> {
  const { tool, report } = test;
  const said = await callHook(test, (context) => tool.simulate?.(structuredClone(args), Object.freeze({ ...context, earlier: [] })));
  const fault = (message: string) => {
    report('simulate', message, args);
    return undefined;
  };
  if ('error' in said) return fault(`cannot say what it would do, its \`simulate\` fails: ${said.error}`);
  const { changes, result } = (isObject(said.value) ? said.value : {}) as { changes?: readonly Partial<Change>[]; result?: unknown };
  if (!isObject(said.value) || (changes === undefined && result === undefined))
    return fault('says nothing of what it would do: `simulate` has to give back `{ changes?, result? }`.');
  if (changes !== undefined && !isListOfChanges(changes))
    return fault('gives `changes` that cannot be shown: a list of `{ label, before?, after? }`.');
  const what = findNonJson(result) ?? findNonJson(changes?.map(({ target: _, ...change }) => change));
  if (what) return fault(`gives back ${what} in \`simulate\`, of which nothing can be shown: give back plain data.`);
  if (changes && changes.length > CHANGES)
    return fault(
      `gives back ${String(changes.length)} changes in \`simulate\`, of which the user sees ${String(CHANGES)}: put them together.`,
    );
  const length = (JSON.stringify(result) ?? '').length;
  if (length > RESULT_CHARS)
    return fault(`gives back ${String(length)} characters in \`simulate\`, of which ${String(RESULT_CHARS)} are kept: give back less.`);
  return { ...(changes && { changes }), ...(result !== undefined && { result }) };
}

interface Comparison {
  lies: readonly string[];
  /** The predicted result. */
  said: unknown;
  /** The outcome of a run: the value of `execute`, and the published result. */
  forms: readonly unknown[];
}

/** Simulates, runs, and simulates again. */
async function compareWithRun(test: TestContext, args: Args): Promise<Comparison | undefined> {
  const before = await test.state();
  const said = await ask(test, args);
  const run = await test.run(args);
  if (!said || run.how !== 'done') return undefined;
  const published = test.publish(run);
  if (!published.success) return undefined;
  const after = await test.state();
  const lies: string[] = [];
  const { changes, result } = said;
  if (changes && before !== undefined) {
    const isChange = changes.some(
      (change) => canonicalJson(toPlain(change.before) ?? null) !== canonicalJson(toPlain(change.after) ?? null),
    );
    if (isChange && after === before) lies.push('shows a change in `simulate` that `execute` does not make');
    if (!isChange && after !== before) lies.push('changes in `execute` what its `simulate` does not show');
  }
  const again = changes && (await callHook(test, (context) => test.tool.simulate?.(structuredClone(args), { ...context, earlier: [] })));
  const next = again && 'value' in again ? own(again.value, 'changes') : undefined;
  if (changes && Array.isArray(next)) {
    const wrong = changes.find((change) => {
      const now = only(next as Change[], change);
      return now && only(changes, change) && now.before !== undefined && canonicalJson(toPlain(now.before)) !== textOfValue(change.after);
    });
    if (wrong) lies.push(`says in \`simulate\` that “${wrong.label}” becomes another thing than it is after \`execute\``);
  }
  return { lies, said: result, forms: [run.value, published.data, published.message, published.result].map((form) => toPlain(form)) };
}

function otherResult({ said, forms }: Comparison, second: Comparison): string | undefined {
  if (said === undefined) return undefined;
  const paths = forms.map((form, at) => difference(toPlain(said), form, second.forms[at], ''));
  if (paths.includes(undefined)) return undefined;
  return `gives another result in \`execute\` than in \`simulate\`${paths[0] ? ` (at ${paths[0]})` : ''}`;
}

/**
 * Returns the path of the first difference; undefined if the prediction holds. Fields that are not predicted, or that differ between runs,
 * are ignored.
 */
function difference(said: unknown, is: unknown, again: unknown, path: string): string | undefined {
  if (isTable(said) && isTable(is)) {
    for (const [key, value] of Object.entries(said)) {
      const one = difference(value, own(is, key), own(again, key), path ? `${path}.${key}` : key);
      if (one !== undefined) return one;
    }
    return undefined;
  }
  return textOfValue(said) === textOfValue(is) || textOfValue(is) !== textOfValue(again) ? undefined : path;
}

const isTable = (value: unknown): value is Record<string, unknown> => isObject(value) && !Array.isArray(value);

const isListOfChanges = (value: unknown): value is readonly Change[] =>
  Array.isArray(value) && value.every((change: unknown) => typeof own(change, 'label') === 'string');

/** Returns the change with the same label and path; `undefined` unless there is exactly one. */
function only(all: readonly Change[], { label, path }: Change): Change | undefined {
  const same = all.filter((one) => one.label === label && one.path === path);
  return same.length === 1 ? same[0] : undefined;
}

const textOfValue = (value: unknown) => canonicalJson(toPlain(value) ?? null);
const textOf = ({ changes, result }: Simulated) =>
  canonicalJson(toPlain({ result: result ?? null, changes: changes?.map(({ target: _, ...change }) => change) ?? null }));

/** Detects side effects of a hook that must only read: changes of the page, of its storage, and network requests. */
type Owner = Record<string, unknown>;

/** The functions that start requests and writes. Missing ones cannot be used anyway. */
const outsideFunctions = (): readonly [of: unknown, name: string, what: string][] => {
  const { XMLHttpRequest, IDBObjectStore, navigator, WebSocket, EventSource } = globalThis as Partial<typeof globalThis>;
  return [
    [globalThis, 'fetch', 'sends a request'],
    [XMLHttpRequest?.prototype, 'send', 'sends a request'],
    [navigator, 'sendBeacon', 'sends a request'],
    [WebSocket?.prototype, 'send', 'sends a request'],
    [EventSource && globalThis, 'EventSource', 'sends a request'],
    [WebSocket && globalThis, 'WebSocket', 'sends a request'],
    ...['add', 'put', 'delete', 'clear'].map((name): [unknown, string, string] => [IDBObjectStore?.prototype, name, 'writes to storage']),
  ];
};

/** @returns the result of `work`, and descriptions of its side effects: `sends a request` … */
async function watchSideEffects<Value>(work: () => Promise<Value>): Promise<{ value: Value; did: ReadonlySet<string> }> {
  const did = new Set<string>();
  const ends: (() => void)[] = [];
  for (const [of, name, what] of outsideFunctions()) {
    const owner = of as Owner | undefined;
    const given = owner?.[name];
    if (!owner || typeof given !== 'function') continue;
    const was = Object.getOwnPropertyDescriptor(owner, name);
    const watched: unknown = new Proxy(given, {
      apply: (target, self, args) => (did.add(what), Reflect.apply(target, self, args) as unknown),
      construct: (target, args, fresh) => (did.add(what), Reflect.construct(target, args, fresh) as object),
    });
    try {
      Object.defineProperty(owner, name, { value: watched, writable: true, configurable: true, enumerable: was?.enumerable ?? true });
    } catch {
      continue; // fixed by the page
    }
    ends.push(() => {
      if (owner[name] !== watched) return;
      if (was) Object.defineProperty(owner, name, was);
      else Reflect.deleteProperty(owner, name);
    });
  }
  const [page, kept] = [pageState(), storageState()];
  try {
    const value = await work();
    // Let asynchronous work of the hook begin.
    await new Promise((resolve) => setTimeout(resolve));
    if (pageState() !== page) did.add('changes the page');
    if (storageState() !== kept) did.add('writes to storage');
    return { value, did };
  } finally {
    for (const end of ends.reverse()) end();
  }
}

function pageState(): string {
  if (typeof document === 'undefined') return '';
  const fields = document.querySelectorAll<HTMLInputElement>('input, textarea, select');
  const filled = [...fields].map(({ value, checked }) => `${value}\n${String(checked)}`);
  return [location.href, document.title, new XMLSerializer().serializeToString(document), ...filled].join('\n');
}

function storageState(): string {
  if (typeof document === 'undefined') return '';
  try {
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]);
  } catch {
    return ''; // a page without storage
  }
}
