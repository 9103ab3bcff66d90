/** Checks that `simulate` changes nothing, can be displayed, gives the same result twice, and predicts what `execute` does. */
import { isObject, own } from '../base/objects.js';
import { toPlain } from '../base/plain.js';
import { CHANGES } from '../tools/describe-call.js';
import { canonicalJson } from '../tools/digest.js';
import { RESULT_CHARS } from '../tools/result.js';
import type { Simulated } from '../tools/tool.js';
import type { Change } from '../model/calls.js';
import { notData } from './not-data.js';
import { watchingOutside } from './side-effects.js';
import { callHook } from './tool-hooks.js';
import type { Args, Stage } from './test-context.js';

export async function ofSimulate(stage: Stage, args: Args): Promise<void> {
  const { tool, found } = stage;
  if (!tool.simulate) return;
  await stage.reset();
  const before = await stage.state();
  const { value: first, did } = await watchingOutside(() => ask(stage, args));
  for (const what of did) found('simulate-acts', `${what} in \`simulate\`, before anybody has allowed it.`, args);
  if ((await stage.state()) !== before) found('simulate-acts', 'changes something in `simulate`, before anybody has allowed it.', args);
  if (!first) return;
  await stage.reset();
  const second = await ask(stage, args);
  if (!second) return;
  if (textOf(second) !== textOf(first))
    return found(
      'simulate-unsteady',
      'says another thing each time it is asked: the user would be asked again and again. Leave times and random values out of `simulate`.',
      args,
    );
  await stage.reset();
  const one = await compared(stage, args);
  await stage.reset();
  const two = await compared(stage, args);
  if (!one || !two) return;
  // A difference that does not occur in a second run could not be predicted.
  const lie = one.lies.find((said) => two.lies.includes(said)) ?? otherResult(one, two);
  if (lie) found('simulate-lies', `${lie}: what is allowed is not what happens.`, args);
}

/** @returns undefined if the check cannot continue, which has been reported */
async function ask(stage: Stage, args: Args): Promise<Simulated | undefined> {
  const { tool, found } = stage;
  const said = await callHook(stage, (context) => tool.simulate?.(structuredClone(args), Object.freeze({ ...context, earlier: [] })));
  const fault = (message: string) => {
    found('simulate', message, args);
    return undefined;
  };
  if ('error' in said) return fault(`cannot say what it would do, its \`simulate\` fails: ${said.error}`);
  const { changes, result } = (isObject(said.value) ? said.value : {}) as { changes?: readonly Partial<Change>[]; result?: unknown };
  if (!isObject(said.value) || (changes === undefined && result === undefined))
    return fault('says nothing of what it would do: `simulate` has to give back `{ changes?, result? }`.');
  if (changes !== undefined && !isListOfChanges(changes))
    return fault('gives `changes` that cannot be shown: a list of `{ label, before?, after? }`.');
  const what = notData(result) ?? notData(changes?.map(({ target: _, ...change }) => change));
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

interface Compared {
  lies: readonly string[];
  /** The predicted result. */
  said: unknown;
  /** The outcome of a run: the value of `execute`, and the published result. */
  forms: readonly unknown[];
}

/** Simulates, runs, and simulates again. */
async function compared(stage: Stage, args: Args): Promise<Compared | undefined> {
  const before = await stage.state();
  const said = await ask(stage, args);
  const run = await stage.run(args);
  if (!said || run.how !== 'done') return undefined;
  const published = stage.publish(run);
  if (!published.success) return undefined;
  const after = await stage.state();
  const lies: string[] = [];
  const { changes, result } = said;
  if (changes && before !== undefined) {
    const isChange = changes.some(
      (change) => canonicalJson(toPlain(change.before) ?? null) !== canonicalJson(toPlain(change.after) ?? null),
    );
    if (isChange && after === before) lies.push('shows a change in `simulate` that `execute` does not make');
    if (!isChange && after !== before) lies.push('changes in `execute` what its `simulate` does not show');
  }
  const again = changes && (await callHook(stage, (context) => stage.tool.simulate?.(structuredClone(args), { ...context, earlier: [] })));
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

function otherResult({ said, forms }: Compared, second: Compared): string | undefined {
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
