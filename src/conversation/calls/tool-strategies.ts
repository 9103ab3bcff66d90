/** The handling of tool errors, by their type. Loaded with the first attempt that fails. */
import type { ErrorType } from '../../base/errors.js';
import type { ErrorStrategies, Strategy } from '../options/option-shapes.js';
import { retryingOf, strategiesOf, type Retrying } from './strategies.js';

export type Matrix = Readonly<Record<ErrorType, readonly Strategy[]>>;

/** Strategies for a tool that can run again without harm: a query, or a tool that is declared idempotent. */
export const queryStrategies: Matrix = {
  rate_limit: [{ retry: 2 }, 'degrade', 'explain'],
  auth: ['explain'],
  network: [{ retry: 2 }, 'degrade', 'disable'],
  // Each attempt has already taken the full timeout.
  timeout: [{ retry: 1 }, 'degrade', 'disable'],
  empty_result: ['explain'],
  invalid_format: ['explain'],
};

/** Strategies for a tool whose failed call may have had its effect. */
export const effectStrategies: Matrix = {
  rate_limit: ['ask', 'explain'],
  auth: ['explain'],
  network: ['ask', 'explain'],
  // The call may still be running: offering it at once could make it run twice.
  timeout: ['explain'],
  empty_result: ['explain'],
  invalid_format: ['explain'],
};

/** Returns the handling of a tool's error: the retries, then the steps after them. */
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
