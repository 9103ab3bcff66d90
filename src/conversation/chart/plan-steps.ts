/** Registers the plan actions of the chart (`lazy-plan-steps.ts`). */
import { setPlanSteps } from './lazy-plan-steps.js';
import * as changes from './plan-changes.js';

/**
 * Registers the actions. Every module that can bring a plan runs this at its top; with a bare import, bundlers would drop this module as
 * unused.
 */
export function registerPlanSteps(): void {
  setPlanSteps(changes);
}
