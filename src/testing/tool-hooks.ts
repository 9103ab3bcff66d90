/** Checks the functions of a tool other than `execute`: the sentence on the card, previews, and undo. */
import { isObject, own } from '../base/objects.js';
import { messageOf } from '../base/plain.js';
import { parametersOf } from '../tools/schema.js';
import { contextFor } from './tool-run.js';
import type { Args, TestContext } from './test-context.js';

export type HookAnswer = { value: unknown } | { error: string };

export async function callHook(test: TestContext, work: (context: ReturnType<typeof contextFor>) => unknown): Promise<HookAnswer> {
  const context = contextFor(test.context, new AbortController().signal, () => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<HookAnswer>((resolve) => (timer = setTimeout(() => resolve({ error: 'it does not answer' }), test.hookTimeout)));
  const answer = (async (): Promise<HookAnswer> => ({ value: await work(context) }))().catch((error: unknown) => ({
    error: messageOf(error),
  }));
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

export async function checkCard(test: TestContext, args: Args): Promise<void> {
  const { tool, report } = test;
  await test.reset();
  const before = await test.state();
  if (tool.describeCall) {
    const said = await callHook(test, (context) => tool.describeCall?.(structuredClone(args), context));
    if ('error' in said) report('describe', `cannot say what it would do, its \`describeCall\` fails: ${said.error}`, args);
    else if (typeof said.value !== 'string' || !said.value.trim())
      report('describe', 'says nothing of what it would do: `describeCall` has to give back a sentence.', args);
    if ((await test.state()) !== before) report('describe', 'changes something in `describeCall`, before anybody has allowed it.', args);
  }
  if (!tool.preview) return;
  await test.reset();
  const shown = await callHook(test, (context) => tool.preview?.(structuredClone(args), context));
  if ('error' in shown) report('preview', `cannot show what it would change, its \`preview\` fails: ${shown.error}`, args);
  else if (!Array.isArray(shown.value) || !shown.value.every((change) => isObject(change) && typeof change['label'] === 'string'))
    report('preview', 'gives a preview that cannot be shown: a list of `{ label, before?, after? }`.', args);
  if ((await test.state()) !== before) report('preview', 'changes something in `preview`, before anybody has allowed it.', args);
}

/** Returns arguments as they arrive: growing texts, and one more parameter after another. */
export async function checkDraft(test: TestContext, args: Args): Promise<void> {
  const { tool, report } = test;
  if (!tool.onArguments) return;
  await test.reset();
  const before = await test.state();
  let back: unknown;
  const keys = Object.keys(args);
  for (const [at, key] of keys.entries()) {
    const done = Object.fromEntries(keys.slice(0, at).map((one) => [one, args[one]]));
    const value = args[key];
    const partial = typeof value === 'string' ? { ...done, [key]: value.slice(0, Math.ceil(value.length / 2)) } : done;
    const said = await callHook(test, (context) => tool.onArguments?.(partial, context));
    if ('error' in said) return report('draft', `breaks on arguments that are still arriving: ${said.error}`, partial);
    back = said.value;
  }
  if (typeof back === 'function') await callHook(test, back as () => unknown);
  if ((await test.state()) !== before)
    report('draft', 'leaves a draft behind: `onArguments` has to give back a function that takes all of it away.', args);
}

export async function checkVerify(test: TestContext, args: Args): Promise<void> {
  const { tool, report } = test;
  if (!tool.verify) return;
  const ask = () => callHook(test, (context) => tool.verify?.(structuredClone(args), context));
  await test.reset();
  const [before, was] = [await test.state(), await ask()];
  const run = await test.run(args);
  const is = await ask();
  const changed = before !== undefined && (await test.state()) !== before;
  for (const answer of [was, is])
    if ('error' in answer || !['done', 'not-done', 'unknown'].includes(answer.value as string))
      return report(
        'verify',
        `cannot say whether it has happened: ${'error' in answer ? answer.error : '`verify` answers "done", "not-done" or "unknown"'}.`,
        args,
      );
  if (changed && own(was, 'value') === 'done') report('verify', 'says that it has happened when it has not: `verify` has to look.', args);
  if (run.how === 'done' && test.publish(run).success && own(is, 'value') === 'not-done')
    report('verify', 'says that it has not happened when it has: it would be done twice.', args);
}

export async function checkUndo(test: TestContext, args: Args): Promise<void> {
  const { tool, report } = test;
  if (!tool.undo) return;
  await test.reset();
  const before = await test.state();
  const run = await test.run(args);
  if (run.how !== 'done') return;
  const result = test.publish(run);
  const undone = await callHook(test, (context) => tool.undo?.(result, context));
  if ('error' in undone) return report('undo', `cannot be undone, its \`undo\` fails: ${undone.error}`, args);
  if ((await test.state()) !== before) report('undo', 'does not put back what was there: after `undo` the data is not what it was.', args);
}

/** Checks that sensitive values do not appear in texts for others. */
export async function checkSecrets(test: TestContext, args: Args): Promise<void> {
  const { tool, report } = test;
  const { sensitive } = tool;
  if (!sensitive) return;
  const properties = own(parametersOf(tool), 'properties');
  const names = (sensitive === true ? Object.keys((properties as object | undefined) ?? {}) : sensitive).filter(
    (name) => own(own(properties, name), 'type') === 'string',
  );
  const canary = 'canary-7f3a9c';
  const secret = await test.fitted({ ...args, ...Object.fromEntries(names.map((name) => [name, canary])) });
  if (names.length === 0 || !secret) return;
  await test.reset();
  const said = await callHook(test, (context) => tool.describeCall?.(structuredClone(secret), context));
  if ('value' in said && String(said.value).includes(canary))
    report('secret', `tells ${names.join(', ')} in the sentence of \`describeCall\`, which is shown and told to the page.`, args);
  if (sensitive === true) return;
  const run = await test.run(secret);
  const text = run.how === 'done' ? JSON.stringify(test.publish(run)) : messageOf(run.error);
  if (text.includes(canary)) report('secret', `gives ${names.join(', ')} back in its result, which goes to the model and into logs.`, args);
}
