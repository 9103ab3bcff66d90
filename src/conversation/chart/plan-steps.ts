/** Opens the door to what the chart does about plans (`later-plan.ts`). */
import { setPlanSteps } from './later-plan.js';
import * as changes from './plan-changes.js';

/** Every part that can bring a plan calls this at its top. A call and no bare import, for bundlers leave out a module of which nothing is used. */
export function wholePlans(): void {
  setPlanSteps(changes);
}
