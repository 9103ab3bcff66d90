/** Pure functions for the progress of a plan: the step of a call, the order of steps, and the fate of steps that cannot be done. */
import type { PlanStep, StepStatus, TaskPlan } from '../../model/plan.js';
import { bareName } from '../../tools/bare-name.js';
import { ended } from './current-plan.js';

/** Returns the next step that can start. */
export const nextStep = (plan: TaskPlan): PlanStep | undefined => plan.steps.find((step) => step.status === 'todo' && isReady(plan, step));

const isReady = (plan: TaskPlan, step: PlanStep): boolean => neededBy(plan, step.id).length === 0;

export const stepOf = ({ steps }: TaskPlan, id: string): PlanStep | undefined => steps.find((step) => step.id === id);

/**
 * Returns the step that a call is for: one with its tool whose input fits best, in the order of the plan. A failed step may be tried again.
 * Undefined for a call that is not part of the plan.
 * @param taken ids of steps that have a call already
 */
export function stepFor(
  plan: TaskPlan,
  call: { toolName: string; params: Readonly<Record<string, unknown>> },
  taken: readonly string[],
): PlanStep | undefined {
  const open = plan.steps.filter(
    (step) =>
      step.tool !== undefined && bareName(step.tool) === bareName(call.toolName) && step.status !== 'done' && !taken.includes(step.id),
  );
  const fits = (step: PlanStep) => step.input !== undefined && agrees(step.input, call.params);
  const ranked = [...open.filter((step) => step.status !== 'failed'), ...open.filter((step) => step.status === 'failed')];
  return ranked.find(fits) ?? ranked.find((step) => isReady(plan, step)) ?? ranked[0];
}

/** Checks whether the call has each value of the step's input. Values are compared as text, because some protocols have only text. */
function agrees(input: object, params: Readonly<Record<string, unknown>>): boolean {
  const entries = Object.entries(input as Record<string, unknown>);
  return entries.length > 0 && entries.every(([key, value]) => Object.hasOwn(params, key) && asText(params[key]) === asText(value));
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/**
 * Returns the unfinished steps that this one depends on. A step without a tool is the model's own reasoning. It is done as soon as its own
 * dependencies are, so those are returned instead.
 */
export function neededBy(plan: TaskPlan, id: string, seen = new Set<string>()): PlanStep[] {
  return (stepOf(plan, id)?.dependsOn ?? []).flatMap((other) => {
    const step = stepOf(plan, other);
    if (!step || step.status === 'done' || seen.has(other)) return [];
    seen.add(other);
    return step.tool === undefined && step.status === 'todo' ? neededBy(plan, other, seen) : [step];
  });
}

/** Sets the status of a step. Steps that depend on a failed step become `skipped`; they return to `todo` if that step succeeds later. */
export function withStep(plan: TaskPlan, id: string, status: StepStatus): TaskPlan {
  return settle({ ...plan, steps: plan.steps.map((step) => (step.id === id ? { ...step, status } : step)) });
}

function settle(plan: TaskPlan): TaskPlan {
  const known = new Map<string, StepStatus>();
  const bySteps = new Map(plan.steps.map((step) => [step.id, step]));
  const find = (step: PlanStep): StepStatus => {
    const before = known.get(step.id);
    if (before) return before;
    const open = step.status === 'todo' || step.status === 'skipped';
    const lost = open && step.dependsOn.some((id) => ['failed', 'skipped'].includes(find(bySteps.get(id) as PlanStep)));
    const status = open ? (lost ? 'skipped' : 'todo') : step.status;
    known.set(step.id, status);
    return status;
  };
  return { ...plan, steps: plan.steps.map((step) => ({ ...step, status: find(step) })) };
}

/** Marks the reasoning steps that a step depends on as done when it begins. */
export function withThinkingBefore(plan: TaskPlan, id: string): TaskPlan {
  const before = new Set<string>();
  const collect = (stepId: string) => {
    for (const other of stepOf(plan, stepId)?.dependsOn ?? []) {
      if (before.has(other)) continue;
      before.add(other);
      collect(other);
    }
  };
  collect(id);
  const isThought = (step: PlanStep) => before.has(step.id) && step.tool === undefined && step.status === 'todo';
  return { ...plan, steps: plan.steps.map((step) => (isThought(step) ? { ...step, status: 'done' } : step)) };
}

/** Marks the steps without a tool as done after an answer without calls, once no step with a tool is left. */
export function withAnswer(plan: TaskPlan): TaskPlan {
  if (plan.steps.some((step) => step.tool !== undefined && !ended.has(step.status))) return plan;
  return settle({ ...plan, steps: plan.steps.map((step) => (step.status === 'todo' ? { ...step, status: 'done' } : step)) });
}

/**
 * Returns a new plan with the known progress. The status of a step with a tool follows from its calls alone, so a model cannot change it.
 * For steps without a tool, the model's status counts.
 */
export function takeOver(plan: TaskPlan, before: TaskPlan | undefined): TaskPlan {
  return settle({
    ...plan,
    steps: plan.steps.map((step) => {
      const old = before && stepOf(before, step.id);
      const said = step.status === 'done' || step.status === 'failed' ? step.status : 'todo';
      // An id may be used again for other work.
      const isSame = old && old.tool === step.tool && (!old.input || !step.input || asText(old.input) === asText(step.input));
      const known = isSame && old.status !== 'skipped' ? old.status : 'todo';
      return { ...step, status: step.tool === undefined && before ? said : known };
    }),
  });
}
