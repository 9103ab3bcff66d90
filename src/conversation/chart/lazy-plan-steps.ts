/**
 * Holds the lazily loaded plan actions of the chart. They are loaded with the prompt and the parser for plans, and with a restored
 * conversation. Before that, there is no plan to act on.
 */
import type * as changes from './plan-changes.js';

type PlanSteps = typeof changes;

let steps: PlanSteps | undefined;

export const planSteps = (): PlanSteps | undefined => steps;

export function setPlanSteps(given: PlanSteps): void {
  steps = given;
}
