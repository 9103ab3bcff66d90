/**
 * The door to what the chart does about plans. It comes with what teaches and reads them, and with a conversation that is restored; before that
 * there is no plan to do anything about.
 */
import type * as changes from './plan-changes.js';

type PlanSteps = typeof changes;

let steps: PlanSteps | undefined;

export const planSteps = (): PlanSteps | undefined => steps;

export function setPlanSteps(given: PlanSteps): void {
  steps = given;
}
