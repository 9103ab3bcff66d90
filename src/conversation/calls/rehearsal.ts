/**
 * What the calls of a reply would do, found out before the first of them runs: each as if those before it had run. A person is asked about all of
 * them under one digest, they run in their order, and each is looked at once more right before it starts: where it would do something else by
 * then, it and all behind it ask again. Nothing here has an effect, and nothing of it outlives the turn.
 */
import type { AnyActorRef } from 'xstate';
import type { Call, Rehearsed } from '../../model/calls.js';
import type { Log } from '../../base/logging.js';
import { wholeEnglish } from '../../i18n/en.js';
import { canonicalJson, digestCall, sha256 } from '../../tools/digest.js';
import { toolContext, type CheckedCall } from '../../tools/prepare.js';
import { publicArguments } from '../../tools/sensitive.js';
import { foreseeCall, type Effects } from '../../tools/simulate.js';
import type { RehearsedStep } from '../../tools/tool.js';
import type { Clearance, LookedAgain } from '../chart/call-context.js';
import { isSettled, roundOf, endedWithoutResult } from '../chart/call-records.js';
import type { CallRecord, RecallReason } from '../chart/chart-context.js';
import type { Chart } from '../chart/services.js';
import { permissionsOf } from '../options/read-settings.js';
import type { Ticket } from './ticket.js';

wholeEnglish();

/** A call, and what was said that it would do. */
interface Step {
  prepared: CheckedCall;
  effects: Effects;
}

/** Calls that are looked at and asked about together. */
interface Plan {
  readonly members: readonly string[];
  /** Those that are still looked at. */
  readonly open: Set<string>;
  readonly steps: Map<string, Step>;
  readonly wake: Set<() => void>;
  digest?: Promise<string>;
}

export interface Rehearsal {
  during<T>(requestId: string, look: (rehearsal: Rehearsal) => Promise<T>): Promise<T>;
  leave(requestId: string): void;
  foresee(prepared: CheckedCall, stop: AbortSignal): Promise<CheckedCall>;
  whole(call: Call, stop: AbortSignal): Promise<Call>;
  drift(prepared: CheckedCall, asked: Call, hasPerson: boolean, stop: AbortSignal): Promise<Clearance | undefined>;
  again(call: Call, ticket: Ticket, why: RecallReason, stop: AbortSignal): Promise<LookedAgain>;
}

export function createRehearsal(chart: Chart, log: Log): Rehearsal {
  const context = () => chart.getSnapshot().context;
  const texts = () => context().turn?.settings.texts ?? wholeEnglish();
  const seen = new Set<string>();
  const plans = new Map<string, Plan>();
  /** What was asked about. */
  const steps = new Map<string, Step>();
  /** The newest look at each call, which may come to nothing. */
  const looks = new Map<string, Step>();
  let made = 0;

  chart.on('turn.ended', () => {
    for (const kept of [seen, plans, steps, looks]) kept.clear();
  });
  // Whoever declines a step has those behind it shown as they would be without it.
  chart.on('call.settled', ({ requestId, result }) => {
    const record = roundOf(context()).find((call) => call.requestId === requestId);
    if (!record?.started && result.status === 'denied') lookAgainBehind(requestId);
  });

  function begin(members: readonly string[]): void {
    const plan: Plan = { members, open: new Set(members), steps: new Map(), wake: new Set() };
    for (const id of members) {
      seen.add(id);
      plans.set(id, plan);
    }
  }

  /** A call is about to be looked at, and so are all of its reply that have not been yet. */
  function enter(requestId: string): void {
    if (plans.get(requestId)?.open.has(requestId)) return;
    const due = (call: CallRecord) => call.status === 'pending' && call.released && !call.approval && !seen.has(call.requestId);
    begin(roundOf(context()).flatMap((call) => (call.requestId === requestId || due(call) ? [call.requestId] : [])));
  }

  /** It is no step, or waits for something else. */
  function leave(requestId: string): void {
    const plan = plans.get(requestId);
    if (plan?.open.delete(requestId)) wakeAll(plan);
  }

  const wakeAll = (plan: Plan) => {
    for (const wake of plan.wake) wake();
  };

  /** Until these are looked at, or will not be. */
  const looked = (plan: Plan, ids: readonly string[], stop: AbortSignal): Promise<void> =>
    until(({ requestId }) => !plan.open.has(requestId) || !ids.includes(requestId), plan, stop);

  /** Until this is so of all calls of the reply that are not over. */
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

  /** What the steps before this one said that have not run. */
  function earlierThan(requestId: string): readonly RehearsedStep[] {
    const round = roundOf(context());
    const before = round.slice(
      0,
      round.findIndex((call) => call.requestId === requestId),
    );
    return before.flatMap((record): RehearsedStep[] => {
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
    return foreseeCall(
      { tool, args: argsForTool, context: (signal) => toolContext({ ...about, permissions, signal }), log, stop },
      Object.freeze(earlierThan(requestId)),
    );
  }

  /** Those of its reply wait for a call that is looked at. */
  async function during<T>(requestId: string, look: (rehearsal: Rehearsal) => Promise<T>): Promise<T> {
    enter(requestId);
    try {
      return await look(self);
    } finally {
      leave(requestId);
    }
  }

  /** Looks at a call when those before it are looked at; at the same one once. */
  async function foresee(prepared: CheckedCall, stop: AbortSignal): Promise<CheckedCall> {
    const { tool, call } = prepared;
    if (looks.get(call.requestId)?.prepared === prepared) return prepared;
    enter(call.requestId);
    const plan = plans.get(call.requestId)!;
    await looked(plan, plan.members.slice(0, plan.members.indexOf(call.requestId)), stop);
    // Of what runs nobody knows how much is done.
    await until(({ requestId, starting }) => !starting || !steps.has(requestId), plan, stop);
    const { effects, description } = await askTool(prepared, stop);
    const { by, result } = effects;
    const rehearsed: Rehearsed = Object.freeze({ ...(by && { by }), ...(result !== undefined && !tool.sensitive && { result }) });
    const { preview: _, moreChanges: __, ...bare } = call;
    const shown = { ...prepared, call: Object.freeze({ ...bare, ...description, rehearsed }) };
    looks.set(call.requestId, { prepared: shown, effects });
    return shown;
  }

  /** The call as it is asked about: when all that is asked about with it is known. */
  async function whole(call: Call, stop: AbortSignal): Promise<Call> {
    const plan = plans.get(call.requestId);
    const own = looks.get(call.requestId);
    if (!plan || !own) throw new Error('A step that was not looked at');
    plan.steps.set(call.requestId, own);
    steps.set(call.requestId, own);
    plan.open.delete(call.requestId);
    wakeAll(plan);
    await looked(plan, plan.members, stop);
    if (stop.aborted) throw new Error('A step outside of a turn');
    // Asked about by itself, it is another one by now than those behind it were shown after.
    if (plan.members.length === 1) lookAgainBehind(call.requestId);
    const order = plan.members.filter((id) => plan.steps.has(id));
    plan.digest ??= digestOf(order.map((id) => plan.steps.get(id)!));
    const place = { digest: await plan.digest, step: order.indexOf(call.requestId) + 1, of: order.length };
    return Object.freeze({ ...call, rehearsed: Object.freeze({ ...call.rehearsed, ...place }) });
  }

  function digestOf(all: readonly Step[]): Promise<string> {
    log.info('rehearsal', 'Looked at what the calls of a reply would do', { said: texts().traceRehearsed(all.length) });
    made += 1;
    const shown = all.map(({ prepared: { call }, effects }) => ({ call: call.digest, effects: textOf(effects) }));
    // Numbered: what is asked anew is another question, though it be about the same.
    return sha256(canonicalJson({ made, shown }));
  }

  /** Right before it starts: whether it is, and would do, what was shown. If not, it and all behind it are asked about again. */
  async function drift(prepared: CheckedCall, asked: Call, hasPerson: boolean, stop: AbortSignal): Promise<Clearance | undefined> {
    const { requestId, toolName, digest } = prepared.call;
    const shown = steps.get(requestId);
    const isSame = digest === asked.digest && digest === shown?.prepared.call.digest && digest === (await digestCall(toolName, asked.args));
    const { effects } = await askTool(prepared, stop);
    if (stop.aborted || (isSame && shown && textOf(effects) === textOf(shown.effects))) return undefined;
    log.info('rehearsal.drift', 'A step would do something else than was shown', { requestId, toolName });
    if (!hasPerson)
      return {
        type: 'refused',
        result: endedWithoutResult(requestId, toolName, 'denied', 'DENIED', `${texts().reasonDrifted} · ${texts().reasonNobody}`),
      };
    const behind = stepsBehind(requestId, ['awaiting_approval', 'queued']);
    begin([requestId, ...behind]);
    for (const id of behind) recall(id, 'behind');
    return { type: 'differs' };
  }

  /** A call that was asked about is looked at anew. @returns undefined where that changes nothing of the question */
  function again({ requestId, reason: asked }: Call, ticket: Ticket, why: RecallReason, stop: AbortSignal): Promise<LookedAgain> {
    return during(requestId, async () => {
      if (!ticket.prepared) return undefined;
      const before = steps.get(requestId);
      looks.delete(requestId);
      const prepared = await foresee(ticket.prepared, stop);
      if (why === 'changed' && before && textOf(before.effects) === textOf(looks.get(requestId)!.effects)) return undefined;
      const reason = why === 'drift' ? texts().reasonDrifted : why === 'behind' ? texts().reasonBehind : asked;
      const call = await whole({ ...prepared.call, reason }, stop);
      return { call, ticket: { ...ticket, prepared: { ...prepared, call } } };
    });
  }

  function lookAgainBehind(requestId: string): void {
    const behind = stepsBehind(requestId, ['awaiting_approval']);
    if (behind.length === 0) return;
    begin(behind);
    for (const id of behind) recall(id, 'changed');
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

  const self: Rehearsal = { during, leave, foresee, whole, drift, again };
  return self;
}

/** Elements of the page are no part of what is compared. */
const textOf = ({ changes, ...rest }: Effects): string =>
  canonicalJson({ ...rest, ...(changes && { changes: changes.map(({ target: _, ...change }) => change) }) });
