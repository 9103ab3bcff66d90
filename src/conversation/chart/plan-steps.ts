/** Registers the plan actions of the chart (`later-plan.ts`). */
import { setPlanSteps } from './later-plan.js';
import * as changes from './plan-changes.js';

/**
 * Registers the actions. Every module that can bring a plan runs this at its top; with a bare import, bundlers would drop this module as
 * unused.
 */
export function wholePlans(): void {
  setPlanSteps(changes);
}
