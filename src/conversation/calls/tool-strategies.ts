/** What is done about an error of a tool, by its class. Loaded with the first attempt that fails. */
import type { ErrorType } from '../../base/errors.js';
import type { ErrorStrategies, Strategy } from '../options/option-shapes.js';
import { retryingOf, strategiesOf, type Retrying } from './strategies.js';

export type Matrix = Readonly<Record<ErrorType, readonly Strategy[]>>;

/** Of a tool that can be run again without harm: a query, or one that says it is idempotent. */
export const queryStrategies: Matrix = {
  rate_limit: [{ retry: 2 }, 'degrade', 'explain'],
  auth: ['explain'],
  network: [{ retry: 2 }, 'degrade', 'disable'],
  // Each attempt has taken the whole limit already.
  timeout: [{ retry: 1 }, 'degrade', 'disable'],
  empty_result: ['explain'],
  invalid_format: ['explain'],
};

/** Of a tool whose failed call may have had its effect. */
export const effectStrategies: Matrix = {
  rate_limit: ['ask', 'explain'],
  auth: ['explain'],
  network: ['ask', 'explain'],
  // It may be at work still: to offer it at once would be to offer it twice.
  timeout: ['explain'],
  empty_result: ['explain'],
  invalid_format: ['explain'],
};

/** What is done about a tool's error: the attempts, then the steps after them. */
export function toolSteps(
  type: ErrorType,
  rerun: boolean,
  overrides: ErrorStrategies,
): { retrying: Retrying; steps: readonly Exclude<Strategy, object>[] } {
  const row = strategiesOf(overrides, type) ?? (rerun ? queryStrategies : effectStrategies)[type];
  const steps = row.filter((step) => typeof step === 'string');
  if (!rerun) return { retrying: { times: 0, baseMs: 0 }, steps: steps.filter((step) => step !== 'degrade') };
  return { retrying: retryingOf(row), steps };
}
