/** How a plan changes with what happens to the calls of its steps. Like `changes.ts`: context in, changed fields out. */
import type { PublishedResult } from '../../model/calls.js';
import type { StepStatus, TaskPlan } from '../../model/plan.js';
import { placedPlan } from './placed-plan.js';
import { neededBy, stepFor, stepOf, takeOver, withAnswer, withStep, withThinkingBefore } from './plan-progress.js';
import type { CallRecord, ConversationContext, ConversationEvent, Turn, TurnPlanning } from './chart-context.js';

type Changes = Partial<ConversationContext>;
type EventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { type: Type }>;

const none: TurnPlanning = { over: false, steps: 0 };

const planning = (turn: Turn, change: Partial<TurnPlanning>): { turn: Turn } => ({
  turn: { ...turn, planning: { ...(turn.planning ?? none), ...change } },
});

export function notePlanning({ turn }: ConversationContext, { over, steps }: EventOf<'plan.due'>): Changes {
  return turn ? planning(turn, { over, steps: Math.max(steps, turn.planning?.steps ?? 0) }) : {};
}

/** A plan was read: from now on it is the one of the conversation. */
export function takePlan(context: ConversationContext, { messageId, id, plan, unknown = [] }: EventOf<'plan.found'>): Changes {
  const { turn, parts } = context;
  const taken = takeOver(plan, placedPlan(context)?.plan);
  const here = (parts[messageId] ?? []).filter((part) => part.type !== 'plan' || part.id !== id);
  return {
    parts: { ...parts, [messageId]: [...here, { type: 'plan', id, plan: taken }] },
    ...(turn && planning(turn, { steps: Math.max(plan.steps.length, turn.planning?.steps ?? 0), unknown })),
  };
}

export function notePlanProblem({ turn }: ConversationContext, { problem }: EventOf<'plan.broken'>): Changes {
  return turn && !turn.planning?.told ? planning(turn, { problem }) : {};
}

export const pushOn = ({ turn }: ConversationContext): Changes => (turn ? planning(turn, { pushed: true }) : {});

function keep(context: ConversationContext, change: (plan: TaskPlan) => TaskPlan): Pick<Changes, 'parts'> {
  const placed = placedPlan(context);
  if (!placed) return {};
  const plan = change(placed.plan);
  const parts = context.parts[placed.messageId] ?? [];
  return {
    parts: {
      ...context.parts,
      [placed.messageId]: parts.map((part) => (part.type === 'plan' && part.id === placed.id ? { ...part, plan } : part)),
    },
  };
}

/** The step that a new call is for. Only an unfinished plan has any, and only calls of the model are for one. */
export function stepOfCall(context: ConversationContext, call: CallRecord): Pick<CallRecord, 'step'> {
  const { planning: now } = context.turn ?? {};
  const placed = now && now.steps > 0 ? placedPlan(context) : undefined;
  if (!placed) return {};
  const taken = context.calls.flatMap(({ step, result }) => (step !== undefined && !result ? [step] : []));
  const step = stepFor(placed.plan, call, taken);
  return step ? { step: step.id } : {};
}

export function stepBegins(context: ConversationContext, requestId: string): Pick<Changes, 'parts'> {
  const step = context.calls.findLast((call) => call.requestId === requestId)?.step;
  return step === undefined ? {} : keep(context, (plan) => withStep(withThinkingBefore(plan, step), step, 'doing'));
}

/** A call that was stopped leaves its step to be done; whether it happened all the same, its result says. */
export function stepEnds(context: ConversationContext, { step }: CallRecord, { status }: PublishedResult): Pick<Changes, 'parts'> {
  if (step === undefined) return {};
  return keep(context, (plan) =>
    stepOf(plan, step)?.status === 'skipped' ? plan : withStep(withThinkingBefore(plan, step), step, stepStatus(status)),
  );
}

const stepStatus = (status: PublishedResult['status']): StepStatus =>
  status === 'success' ? 'done' : status === 'error' || status === 'denied' ? 'failed' : 'todo';

/** After a reload: a step that nobody works on any more is as its call has ended. */
export function resumePlan(context: ConversationContext, open: readonly string[]): ConversationContext['parts'] {
  const doing = placedPlan(context)?.plan.steps.filter(({ status }) => status === 'doing') ?? [];
  return doing.reduce<ConversationContext>((now, { id }) => {
    const call = now.calls.findLast(({ step }) => step === id);
    if (call && open.includes(call.requestId)) return now;
    return { ...now, ...keep(now, (plan) => withStep(plan, id, call?.result ? stepStatus(call.result.status) : 'todo')) };
  }, context).parts;
}

/** An answer without calls, of a turn that worked on the plan. */
export function answered(context: ConversationContext): Pick<Changes, 'parts'> {
  return context.turn?.planning && context.turn.planning.steps > 0 && !context.turn.manual ? keep(context, withAnswer) : {};
}

/** Calls of the round, not started, whose step can no longer be done. */
export function lostCalls(context: ConversationContext, open: readonly CallRecord[]): readonly CallRecord[] {
  const placed = open.some(({ step }) => step !== undefined) ? placedPlan(context)?.plan : undefined;
  if (!placed) return [];
  // A failed step that has a call again may still be done.
  const plan = open.reduce(
    (now, { step }) => (step !== undefined && stepOf(now, step)?.status === 'failed' ? withStep(now, step, 'todo') : now),
    placed,
  );
  return open.filter(({ step, started }) => step !== undefined && !started && stepOf(plan, step)?.status === 'skipped');
}

/** Calls that wait for a step of this round to be over. A call that waits for nothing open is not among them, whatever is left to do. */
export function waitingForSteps(context: ConversationContext, open: readonly CallRecord[]): ReadonlySet<string> {
  const plan = open.some(({ step }) => step !== undefined) ? placedPlan(context)?.plan : undefined;
  const steps = new Set(open.map(({ step }) => step));
  const waits = ({ step }: CallRecord) => plan && step !== undefined && neededBy(plan, step).some(({ id }) => steps.has(id));
  return new Set(plan ? open.filter(waits).map(({ requestId }) => requestId) : []);
}

/** Why the call may not run, as the ids of the steps that stand in its way; empty if it may. */
export function inTheWay(context: ConversationContext, requestId: string): readonly { title: string; failed: boolean }[] {
  const call = context.calls.findLast((one) => one.requestId === requestId);
  const plan = call?.step === undefined ? undefined : placedPlan(context)?.plan;
  if (!plan || call?.step === undefined) return [];
  // What this reply itself is about to do is waited for.
  const coming = new Set(context.calls.flatMap(({ step, result }) => (step !== undefined && !result ? [step] : [])));
  return neededBy(plan, call.step)
    .filter(({ id }) => !coming.has(id))
    .map(({ title, status }) => ({ title, failed: status === 'failed' || status === 'skipped' }));
}
