/** Reducers for the plan, driven by the calls of its steps: context in, changed fields out, as in `conversation-changes.ts`. */
import type { PublishedResult } from '../../model/calls.js';
import type { StepStatus, TaskPlan } from '../../model/plan.js';
import { currentPlan } from './current-plan.js';
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

/** Stores a plan that was read. It becomes the plan of the conversation. */
export function takePlan(context: ConversationContext, { messageId, id, plan, unknown = [] }: EventOf<'plan.found'>): Changes {
  const { turn, parts } = context;
  const taken = takeOver(plan, currentPlan(context)?.plan);
  const here = (parts[messageId] ?? []).filter((part) => part.type !== 'plan' || part.id !== id);
  return {
    parts: { ...parts, [messageId]: [...here, { type: 'plan', id, plan: taken }] },
    ...(turn && planning(turn, { steps: Math.max(plan.steps.length, turn.planning?.steps ?? 0), unknown })),
  };
}

export function notePlanProblem({ turn }: ConversationContext, { problem }: EventOf<'plan.broken'>): Changes {
  return turn && !turn.planning?.told ? planning(turn, { problem }) : {};
}

export const remindOfPlan = ({ turn }: ConversationContext): Changes => (turn ? planning(turn, { pushed: true }) : {});

function keep(context: ConversationContext, change: (plan: TaskPlan) => TaskPlan): Pick<Changes, 'parts'> {
  const placed = currentPlan(context);
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

/** Returns the step that a new call is for. Only unfinished plans have one, and only for calls of the model. */
export function stepOfCall(context: ConversationContext, call: CallRecord): Pick<CallRecord, 'step'> {
  const { planning: now } = context.turn ?? {};
  const placed = now && now.steps > 0 ? currentPlan(context) : undefined;
  if (!placed) return {};
  const taken = context.calls.flatMap(({ step, result }) => (step !== undefined && !result ? [step] : []));
  const step = stepFor(placed.plan, call, taken);
  return step ? { step: step.id } : {};
}

export function stepBegins(context: ConversationContext, requestId: string): Pick<Changes, 'parts'> {
  const step = context.calls.findLast((call) => call.requestId === requestId)?.step;
  return step === undefined ? {} : keep(context, (plan) => withStep(withThinkingBefore(plan, step), step, 'doing'));
}

/** Sets the step of a call that has ended. A stopped call leaves its step to do; its result says whether it may have taken effect. */
export function stepEnds(context: ConversationContext, { step }: CallRecord, { status }: PublishedResult): Pick<Changes, 'parts'> {
  if (step === undefined) return {};
  return keep(context, (plan) =>
    stepOf(plan, step)?.status === 'skipped' ? plan : withStep(withThinkingBefore(plan, step), step, stepStatus(status)),
  );
}

const stepStatus = (status: PublishedResult['status']): StepStatus =>
  status === 'success' ? 'done' : status === 'error' || status === 'denied' ? 'failed' : 'todo';

/** Sets steps that were in progress before a reload to the outcome of their calls, unless the call continues. */
export function resumePlan(context: ConversationContext, open: readonly string[]): ConversationContext['parts'] {
  const doing = currentPlan(context)?.plan.steps.filter(({ status }) => status === 'doing') ?? [];
  return doing.reduce<ConversationContext>((now, { id }) => {
    const call = now.calls.findLast(({ step }) => step === id);
    if (call && open.includes(call.requestId)) return now;
    return { ...now, ...keep(now, (plan) => withStep(plan, id, call?.result ? stepStatus(call.result.status) : 'todo')) };
  }, context).parts;
}

/** Marks the steps that an answer without calls completes, in a turn that worked on the plan. */
export function answered(context: ConversationContext): Pick<Changes, 'parts'> {
  return context.turn?.planning && context.turn.planning.steps > 0 && !context.turn.manual ? keep(context, withAnswer) : {};
}

/** Returns the open calls that were not started and whose step can no longer be done. */
export function lostCalls(context: ConversationContext, open: readonly CallRecord[]): readonly CallRecord[] {
  const placed = open.some(({ step }) => step !== undefined) ? currentPlan(context)?.plan : undefined;
  if (!placed) return [];
  // A failed step with a new call may still be done.
  const plan = open.reduce(
    (now, { step }) => (step !== undefined && stepOf(now, step)?.status === 'failed' ? withStep(now, step, 'todo') : now),
    placed,
  );
  return open.filter(({ step, started }) => step !== undefined && !started && stepOf(plan, step)?.status === 'skipped');
}

/** Returns the ids of calls that wait for a step with an open call. A call that only waits for other steps is not among them. */
export function waitingForSteps(context: ConversationContext, open: readonly CallRecord[]): ReadonlySet<string> {
  const plan = open.some(({ step }) => step !== undefined) ? currentPlan(context)?.plan : undefined;
  const steps = new Set(open.map(({ step }) => step));
  const waits = ({ step }: CallRecord) => plan && step !== undefined && neededBy(plan, step).some(({ id }) => steps.has(id));
  return new Set(plan ? open.filter(waits).map(({ requestId }) => requestId) : []);
}

/** Returns the unfinished steps that block the call, with their titles; empty if it may run. */
export function blockingSteps(context: ConversationContext, requestId: string): readonly { title: string; failed: boolean }[] {
  const call = context.calls.findLast((one) => one.requestId === requestId);
  const plan = call?.step === undefined ? undefined : currentPlan(context)?.plan;
  if (!plan || call?.step === undefined) return [];
  // Steps with an open call do not block: the call waits for them.
  const coming = new Set(context.calls.flatMap(({ step, result }) => (step !== undefined && !result ? [step] : [])));
  return neededBy(plan, call.step)
    .filter(({ id }) => !coming.has(id))
    .map(({ title, status }) => ({ title, failed: status === 'failed' || status === 'skipped' }));
}
