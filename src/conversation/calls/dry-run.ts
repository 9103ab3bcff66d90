/**
 * Dry run: finds out what the calls of a reply would do before the first of them runs, each as if those before it had run. The user is
 * asked about all of them under one digest. They run in order, and each is previewed again right before it starts: if it would then do
 * something else, it and all calls behind it ask again. Nothing here has an effect, and nothing of it outlives the turn.
 */
import type { AnyActorRef } from 'xstate';
import type { Call, Rehearsed, Change } from '../../model/calls.js';
import type { Log } from '../../base/logging.js';
import { fullEnglish } from '../../i18n/en.js';
import { canonicalJson, digestCall, sha256 } from '../../tools/digest.js';
import { toolContext, type CheckedCall } from '../../tools/prepare.js';
import { publicArguments } from '../../tools/sensitive.js';
import type { PreviewedStep, Simulated } from '../../tools/tool.js';
import type { Authorization, PreviewedAgain } from '../chart/call-context.js';
import { isSettled, roundOf, endedWithoutResult } from '../chart/call-records.js';
import type { CallRecord, RecallReason } from '../chart/chart-context.js';
import type { Chart } from '../chart/services.js';
import { permissionsOf } from '../options/read-settings.js';
import type { AuthorizedCall } from './authorized-call.js';
import { deepFreeze, isObject } from '../../base/objects.js';
import { toPlain } from '../../base/plain.js';
import {
  callDescriber,
  describeCall,
  readChanges,
  reportMoreChanges,
  type CallDescription,
  type DescribeOptions,
} from '../../tools/describe-call.js';
import { RESULT_CHARS } from '../../tools/result.js';

fullEnglish();

/** A call and what it would do. */
interface Step {
  prepared: CheckedCall;
  effects: Effects;
}

/** Calls that are previewed and asked about together. */
interface Plan {
  readonly members: readonly string[];
  /** The calls that are still being previewed. */
  readonly open: Set<string>;
  readonly steps: Map<string, Step>;
  readonly wake: Set<() => void>;
  digest?: Promise<string>;
}

export interface DryRun {
  during<T>(requestId: string, look: (dryRun: DryRun) => Promise<T>): Promise<T>;
  leave(requestId: string): void;
  previewStep(prepared: CheckedCall, stop: AbortSignal): Promise<CheckedCall>;
  whole(call: Call, stop: AbortSignal): Promise<Call>;
  drift(prepared: CheckedCall, asked: Call, hasPerson: boolean, stop: AbortSignal): Promise<Authorization | undefined>;
  again(call: Call, ticket: AuthorizedCall, why: RecallReason, stop: AbortSignal): Promise<PreviewedAgain>;
}

export function createDryRun(chart: Chart, log: Log): DryRun {
  const context = () => chart.getSnapshot().context;
  const texts = () => context().turn?.settings.texts ?? fullEnglish();
  const seen = new Set<string>();
  const plans = new Map<string, Plan>();
  /** The steps that the user was asked about. */
  const steps = new Map<string, Step>();
  /** The latest preview of each call, which may never be shown. */
  const previews = new Map<string, Step>();
  let made = 0;

  chart.on('turn.ended', () => {
    for (const kept of [seen, plans, steps, previews]) kept.clear();
  });
  // If the user declines a step, those behind it are previewed again as they would be without it.
  chart.on('call.settled', ({ requestId, result }) => {
    const record = roundOf(context()).find((call) => call.requestId === requestId);
    if (!record?.started && result.status === 'denied') previewLaterStepsAgain(requestId);
  });

  function begin(members: readonly string[]): void {
    const plan: Plan = { members, open: new Set(members), steps: new Map(), wake: new Set() };
    for (const id of members) {
      seen.add(id);
      plans.set(id, plan);
    }
  }

  /** Begins a plan with a call that is about to be previewed and all calls of its reply that have not been yet. */
  function enterPlan(requestId: string): void {
    if (plans.get(requestId)?.open.has(requestId)) return;
    const due = (call: CallRecord) => call.status === 'pending' && call.released && !call.approval && !seen.has(call.requestId);
    begin(roundOf(context()).flatMap((call) => (call.requestId === requestId || due(call) ? [call.requestId] : [])));
  }

  /** Removes a call from its plan, because it is no step or waits for something else. */
  function leave(requestId: string): void {
    const plan = plans.get(requestId);
    if (plan?.open.delete(requestId)) wakeAll(plan);
  }

  const wakeAll = (plan: Plan) => {
    for (const wake of plan.wake) wake();
  };

  /** Resolves when these calls have been previewed or will not be. */
  const whenPreviewed = (plan: Plan, ids: readonly string[], stop: AbortSignal): Promise<void> =>
    until(({ requestId }) => !plan.open.has(requestId) || !ids.includes(requestId), plan, stop);

  /** Resolves when the condition holds for all calls of the reply that are not over. */
  function until(isSo: (call: CallRecord) => boolean, plan: Plan, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!stop.aborted && roundOf(context()).some((call) => !isSettled(call) && !isSo(call))) return;
        plan.wake.delete(look);
        stop.removeEventListener('abort', look);
        subscription.unsubscribe();
        resolve();
      };
      plan.wake.add(look);
      stop.addEventListener('abort', look);
      const subscription = chart.subscribe(look);
      look();
    });
  }

  /** Returns what the steps before this one would do, except for those that have run. */
  function stepsBefore(requestId: string): readonly PreviewedStep[] {
    const round = roundOf(context());
    const before = round.slice(
      0,
      round.findIndex((call) => call.requestId === requestId),
    );
    return before.flatMap((record): PreviewedStep[] => {
      const step = steps.get(record.requestId);
      if (!step || record.started || isSettled(record)) return [];
      const { changes, result } = step.effects;
      const { tool, call } = step.prepared;
      const args = publicArguments(call.args, tool.sensitive);
      return [Object.freeze({ toolName: tool.name, args, ...(changes && { changes }), ...(result !== undefined && { result }) })];
    });
  }

  function askTool({ tool, call: { requestId, toolName }, argsForTool }: CheckedCall, stop: AbortSignal) {
    const settings = context().turn?.settings;
    const about = { requestId, toolName, sessionId: settings?.sessionId ?? '', user: settings?.context['user'], log };
    const permissions = permissionsOf(settings?.context ?? {});
    return previewCall(
      { tool, args: argsForTool, context: (signal) => toolContext({ ...about, permissions, signal }), log, stop },
      Object.freeze(stepsBefore(requestId)),
    );
  }

  /** Makes the other calls of the reply wait while this one is checked. */
  async function during<T>(requestId: string, look: (dryRun: DryRun) => Promise<T>): Promise<T> {
    enterPlan(requestId);
    try {
      return await look(self);
    } finally {
      leave(requestId);
    }
  }

  /** Previews a call once those before it have been previewed. The same prepared call is previewed only once. */
  async function preview(prepared: CheckedCall, stop: AbortSignal): Promise<CheckedCall> {
    const { tool, call } = prepared;
    if (previews.get(call.requestId)?.prepared === prepared) return prepared;
    enterPlan(call.requestId);
    const plan = plans.get(call.requestId)!;
    await whenPreviewed(plan, plan.members.slice(0, plan.members.indexOf(call.requestId)), stop);
    // Wait for steps that are starting, because it is unknown how much of them is done.
    await until(({ requestId, starting }) => !starting || !steps.has(requestId), plan, stop);
    const { effects, description } = await askTool(prepared, stop);
    const { by, result } = effects;
    const rehearsed: Rehearsed = Object.freeze({ ...(by && { by }), ...(result !== undefined && !tool.sensitive && { result }) });
    const { preview: _, moreChanges: __, ...bare } = call;
    const shown = { ...prepared, call: Object.freeze({ ...bare, ...description, rehearsed }) };
    previews.set(call.requestId, { prepared: shown, effects });
    return shown;
  }

  /** Returns the call as the user is asked about it, once all calls that are asked about together are known. */
  async function whole(call: Call, stop: AbortSignal): Promise<Call> {
    const plan = plans.get(call.requestId);
    const own = previews.get(call.requestId);
    if (!plan || !own) throw new Error('A step that was not looked at');
    plan.steps.set(call.requestId, own);
    steps.set(call.requestId, own);
    plan.open.delete(call.requestId);
    wakeAll(plan);
    await whenPreviewed(plan, plan.members, stop);
    if (stop.aborted) throw new Error('A step outside of a turn');
    // A call that is asked about alone may differ from the one on which the previews behind it are based.
    if (plan.members.length === 1) previewLaterStepsAgain(call.requestId);
    const order = plan.members.filter((id) => plan.steps.has(id));
    plan.digest ??= digestOf(order.map((id) => plan.steps.get(id)!));
    const place = { digest: await plan.digest, step: order.indexOf(call.requestId) + 1, of: order.length };
    return Object.freeze({ ...call, rehearsed: Object.freeze({ ...call.rehearsed, ...place }) });
  }

  function digestOf(all: readonly Step[]): Promise<string> {
    log.info('rehearsal', 'Looked at what the calls of a reply would do', { said: texts().traceRehearsed(all.length) });
    made += 1;
    const shown = all.map(({ prepared: { call }, effects }) => ({ call: call.digest, effects: textOf(effects) }));
    // Each plan has a number: asking again is a new question, even if it is about the same effects.
    return sha256(canonicalJson({ made, shown }));
  }

  /** Checks right before a call starts whether it is, and would do, what was shown. If not, it and all steps behind it ask again. */
  async function drift(prepared: CheckedCall, asked: Call, hasPerson: boolean, stop: AbortSignal): Promise<Authorization | undefined> {
    const { requestId, toolName, digest } = prepared.call;
    const shown = steps.get(requestId);
    const digests = [asked.digest, shown?.prepared.call.digest, await digestCall(toolName, asked.args, prepared.tool)];
    const isSame = digests.every((one) => one === digest);
    const { effects } = await askTool(prepared, stop);
    if (stop.aborted || (isSame && shown && textOf(effects) === textOf(shown.effects))) return undefined;
    log.info('rehearsal.drift', 'A step would do something else than was shown', { requestId, toolName });
    if (!hasPerson)
      return {
        type: 'refused',
        result: endedWithoutResult(requestId, toolName, 'denied', 'DENIED', `${texts().reasonDrifted} · ${texts().reasonNobody}`),
      };
    const laterSteps = stepsBehind(requestId, ['awaiting_approval', 'queued']);
    begin([requestId, ...laterSteps]);
    for (const id of laterSteps) recall(id, 'behind');
    return { type: 'differs' };
  }

  /** Previews again a call that the user was asked about. @returns undefined if that changes nothing of what was asked */
  function again(
    { requestId, reason: asked }: Call,
    ticket: AuthorizedCall,
    why: RecallReason,
    stop: AbortSignal,
  ): Promise<PreviewedAgain> {
    return during(requestId, async () => {
      if (!ticket.prepared) return undefined;
      const before = steps.get(requestId);
      previews.delete(requestId);
      const prepared = await preview(ticket.prepared, stop);
      if (why === 'changed' && before && textOf(before.effects) === textOf(previews.get(requestId)!.effects)) return undefined;
      const reason = why === 'drift' ? texts().reasonDrifted : why === 'behind' ? texts().reasonBehind : asked;
      const call = await whole({ ...prepared.call, reason }, stop);
      return { call, ticket: { ...ticket, prepared: { ...prepared, call } } };
    });
  }

  function previewLaterStepsAgain(requestId: string): void {
    const laterSteps = stepsBehind(requestId, ['awaiting_approval']);
    if (laterSteps.length === 0) return;
    begin(laterSteps);
    for (const id of laterSteps) recall(id, 'changed');
  }

  const stepsBehind = (requestId: string, statuses: readonly CallRecord['status'][]): readonly string[] => {
    const round = roundOf(context());
    const at = round.findIndex((call) => call.requestId === requestId);
    const isMeant = (call: CallRecord) =>
      steps.has(call.requestId) && statuses.includes(call.status) && !call.starting && !call.failed && !call.edit?.checking;
    return round.slice(at + 1).flatMap((call) => (isMeant(call) ? [call.requestId] : []));
  };

  const recall = (requestId: string, why: RecallReason) =>
    (chart.getSnapshot().children[requestId] as AnyActorRef | undefined)?.send({ type: 'recall', why });

  const self: DryRun = { during, leave, previewStep: preview, whole, drift, again };
  return self;
}

/** Elements of the page are not compared. */
const textOf = ({ changes, ...rest }: Effects): string =>
  canonicalJson({ ...rest, ...(changes && { changes: changes.map(({ target: _, ...change }) => change) }) });

/** The effects of one call, as far as they are known. */
export interface Effects {
  by?: 'simulate' | 'preview';
  changes?: readonly Change[];
  /** Number of changes that `changes` leaves out. */
  moreChanges?: number;
  /** The canonical JSON of the omitted changes, for comparison only; it is never shown. */
  beyond?: string;
  result?: unknown;
}

export interface CallPreview {
  effects: Effects;
  /** The description for the card. */
  description: CallDescription;
}

export async function previewCall(options: DescribeOptions, earlier: readonly PreviewedStep[]): Promise<CallPreview> {
  const { tool } = options;
  let beyond: string | undefined;
  const onMore = (text: string) => void (beyond = text);
  const { preview, moreChanges, ...said } = await describeCall({ ...options, ...(!tool.simulate && { onMore }) });
  const more = moreChanges !== undefined && { moreChanges };
  if (!tool.simulate)
    return {
      effects: preview ? { by: 'preview', changes: preview, ...more, ...(beyond !== undefined && { beyond }) } : {},
      description: { ...said, ...(preview && { preview, ...more }) },
    };
  const failed: string[] = [];
  const answer = await callDescriber(
    'simulate',
    (args, context) => tool.simulate?.(args, Object.freeze({ ...context, earlier })),
    options,
    (what) => void failed.push(what),
  );
  if (!isObject(answer)) return { effects: {}, description: { ...said, ...(failed.length > 0 && { describeFailed: true as const }) } };
  const { changes: given, result } = answer as Simulated;
  const { preview: changes, ...rest } = Array.isArray(given) ? readChanges(given) : {};
  if (Array.isArray(given)) reportMoreChanges(given, onMore);
  const plain = toPlain(result, { depth: 16, nodes: 10_000, chars: RESULT_CHARS });
  return {
    effects: {
      ...{ by: 'simulate', ...(changes && { changes }), ...rest },
      ...(beyond !== undefined && { beyond }),
      ...(plain !== undefined && { result: deepFreeze(plain) }),
    },
    description: { ...said, ...(changes && { preview: changes }), ...rest },
  };
}
