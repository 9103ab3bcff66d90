/**
 * Continues after a first attempt that did not succeed, by the strategies of the tool: retries if that does no harm, then another tool, an
 * approval, or advice. Loaded when it is first needed. All attempts are one call: one card, one record in the journal, one result.
 */
import type { PublishedResult } from '../../model/calls.js';
import type { ErrorType } from '../../base/errors.js';
import { fullEnglish, type Texts } from '../../i18n/en.js';
import { own, readField } from '../../base/objects.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { SetTimer } from '../../transports/read-reply.js';
import { readRetryHeaders } from '../../transports/retry-headers.js';
import { retryTables } from '../../transports/retry.js';
import { canRerun, retryingOf, strategiesOf, type Retrying } from './strategies.js';
import type { ErrorStrategies, Strategy } from '../options/option-shapes.js';
import type { Conclusion } from '../chart/chart-context.js';

fullEnglish();

/** One run of the tool. */
export interface Attempt {
  result: PublishedResult;
  /** The error that the tool threw. */
  thrown?: unknown;
  /** True if work that it started on another machine may still be running. */
  mayStillRun?: boolean;
}

export interface AttemptsOptions {
  tool: ToolDefinition;
  /** The result of the first attempt. */
  first: Attempt;
  attempt(): Promise<Attempt>;
  overrides: ErrorStrategies;
  texts: Texts;
  /** True if there is a user to ask. */
  hasPerson: boolean;
  /** Checks whether the tool's `fallback` can take over. */
  canRunAsFallback(name: string): boolean;
  /** Returns the label of a tool, for users. */
  labelOf(name: string): string;
  stop: AbortSignal;
  setTimer: SetTimer;
  onProgress(progress: { message: string }): void;
  /** Called when another attempt begins. */
  onRetry?(attempt: number, of: number): void;
  /** Returns a number x with 0 ≤ x < 1. */
  random?: () => number;
}

/** Retries the call as its strategies allow, and returns how it ends. Rejects only if `attempt` does. */
export async function runAttempts(options: AttemptsOptions): Promise<Conclusion> {
  const { tool, first, attempt, overrides, texts, stop, onProgress, random = Math.random } = options;
  const startedAt = performance.now() - first.result.durationMs;
  for (let made = 1; ; made++) {
    const { result, thrown, mayStillRun } = made === 1 ? first : await attempt();
    const type = result.errorType;
    if (!type || stop.aborted) {
      const advice = result.status === 'error' && !stop.aborted ? businessAdvice(thrown, texts) : undefined;
      const end = withAttempts(result, made, startedAt);
      return { type: 'concluded', result: advice === undefined ? end : addLines(end, [advice]), ...(advice !== undefined && { advice }) };
    }
    // An empty result has an error type of its own, but is not an error: it is reported as a success.
    if (type === 'empty_result') return isEmptyResult(result, options);
    if (result.status !== 'error') return { type: 'concluded', result: withAttempts(result, made, startedAt) };
    // Even a query must not run twice at the same time.
    const { retrying, steps } = toolSteps(type, canRerun(tool) && !mayStillRun, overrides);
    const delayMs = made > retrying.times ? undefined : waitFor(retrying.baseMs, made, thrown, random);
    if (delayMs === undefined) return conclude(withAttempts(result, made, startedAt), thrown, type, made, steps, options);
    const of = retrying.times + 1;
    await countDown(delayMs, options, (seconds) => onProgress({ message: texts.toolRetryIn(seconds, made + 1, of) }));
    if (stop.aborted) return { type: 'concluded', result: withAttempts(result, made, startedAt) };
    onProgress({ message: texts.toolRetrying(made + 1, of) });
    options.onRetry?.(made + 1, of);
  }
}

/** Returns the milliseconds before the next attempt; `undefined` if the service asks for a longer wait than a user accepts. */
function waitFor(baseMs: number, made: number, thrown: unknown, random: () => number): number | undefined {
  const { jitter, longestWait } = retryTables.balanced;
  const asked = retryAfter(thrown);
  if (asked !== undefined) return asked > longestWait ? undefined : asked;
  return Math.round(baseMs * 2 ** (made - 1) * (1 + jitter * (2 * random() - 1)));
}

/** Returns the wait in milliseconds if the tool threw an HTTP response, or an error with its headers. */
function retryAfter(thrown: unknown): number | undefined {
  try {
    const headers = readField(thrown, 'headers') ?? readField(readField(thrown, 'response'), 'headers');
    return headers instanceof Headers ? readRetryHeaders(headers).retryAfterMs : undefined;
  } catch {
    return undefined;
  }
}

/** Waits one second at a time, so that the card can count down. Ends at once if the turn is stopped. */
async function countDown(ms: number, { stop, setTimer }: AttemptsOptions, tell: (seconds: number) => void): Promise<void> {
  for (let left = ms; left > 0 && !stop.aborted; left -= 1000) {
    tell(Math.ceil(left / 1000));
    await new Promise<void>((resolve) => {
      const done = () => {
        stop.removeEventListener('abort', done);
        cancel();
        resolve();
      };
      const cancel = setTimer(done, Math.min(left, 1000));
      stop.addEventListener('abort', done);
    });
  }
}

function conclude(
  result: PublishedResult,
  thrown: unknown,
  type: ErrorType,
  made: number,
  steps: ReturnType<typeof toolSteps>['steps'],
  { tool, texts, hasPerson, canRunAsFallback, labelOf }: AttemptsOptions,
): Conclusion {
  const tried = made > 1 ? [texts.toolTried(made)] : [];
  const advice = adviceForError(type, statusOf(thrown), texts);
  const end = (more: Partial<Conclusion>, ...forModel: string[]): Conclusion => ({
    type: 'concluded',
    result: addLines(result, [...tried, ...forModel]),
    ...more,
  });
  for (const step of steps) {
    if (step === 'fail') return end({});
    if (step === 'explain') return end({ advice }, advice);
    if (step === 'ask' && hasPerson) return end({ ask: true, advice });
    if (step === 'disable') return end({ advice, disable: true }, texts.toolDisabled(tool.name));
    if (step === 'degrade' && tool.fallback !== undefined && canRunAsFallback(tool.fallback))
      return end({ instead: tool.fallback, advice: texts.toolStandIn(labelOf(tool.fallback)) });
  }
  return end({});
}

function isEmptyResult(result: PublishedResult, { texts, overrides }: AttemptsOptions): Conclusion {
  const { code: _, ...rest } = result;
  const found: PublishedResult = Object.freeze({
    ...rest,
    success: true,
    status: 'success',
    result: result.success ? result.result : [result.message, texts.noResults].join('\n'),
  });
  const { steps } = toolSteps('empty_result', true, overrides);
  if (!steps.includes('explain')) return { type: 'concluded', result: found };
  return { type: 'concluded', result: addLines(found, [texts.adviceEmpty]), advice: texts.adviceEmpty };
}

/** Returns advice for the user. The status of the service's response says more than the type of the error. */
export function adviceForError(type: ErrorType, status: number | undefined, texts: Texts): string {
  const business = { 403: texts.adviceForbidden, 404: texts.adviceMissing, 409: texts.adviceConflict, 410: texts.adviceMissing };
  const byType: Record<ErrorType, string> = {
    rate_limit: texts.adviceRateLimit,
    auth: texts.adviceAuth,
    network: texts.adviceNetwork,
    timeout: texts.adviceTimeout,
    empty_result: texts.adviceEmpty,
    invalid_format: texts.adviceFormat,
  };
  return (own(business, status ?? '') as string | undefined) ?? byType[type];
}

function statusOf(thrown: unknown): number | undefined {
  const status = readField(thrown, 'status');
  return typeof status === 'number' ? status : undefined;
}

/** Returns advice for errors without a type: not found, or in conflict. They are never retried. */
function businessAdvice(thrown: unknown, texts: Texts): string | undefined {
  const status = statusOf(thrown);
  return status === 404 || status === 409 || status === 410 ? adviceForError('invalid_format', status, texts) : undefined;
}

/** Sets the duration to the time of all attempts. */
function withAttempts(result: PublishedResult, made: number, startedAt: number): PublishedResult {
  return made === 1 ? result : Object.freeze({ ...result, durationMs: Math.round(performance.now() - startedAt) });
}

/** Appends lines for the model to what the tool returned. */
function addLines(result: PublishedResult, lines: readonly string[]): PublishedResult {
  return lines.length === 0 ? result : Object.freeze({ ...result, result: [result.result, ...lines].join('\n') });
}

/** The handling of tool errors, by their type. Loaded with the first attempt that fails. */
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
