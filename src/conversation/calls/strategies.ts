/**
 * What is done about an error, by its class: here for the endpoint, for tools in `tool-strategies.ts`.
 *
 * Steps are taken in order, and the first that can be taken ends the row; `retry` is used up before the next one.
 * `fail`: the error stands as it is. `explain`: with advice for the person and for the model. `ask`: a person decides whether it runs
 * again. `degrade`: a tool's `fallback` runs instead; of the endpoint, the simpler mode. `disable`: the tool is not offered for the rest of
 * the turn. A host's row (`errorStrategies`) replaces ours for that class; nothing makes a call run twice by itself that may have had an effect.
 */
import type { ErrorType } from '../../base/errors.js';
import { own } from '../../base/objects.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { Failure } from '../../transports/failure.js';
import type { ReplyOutcome } from '../../transports/reply-request.js';
import { retryTables, type RetryHint, type RetryTable } from '../../transports/retry.js';
import type { Settings } from '../options/settings.js';
import type { ErrorStrategies } from '../options/option-shapes.js';
import type { Strategy } from '../options/option-shapes.js';

/** A query has no effect that could happen twice; of anything else only its maker knows. */
export const canRerun = ({ idempotent, risk }: Pick<ToolDefinition, 'idempotent' | 'risk'>): boolean => idempotent ?? risk === 'query';

/** First wait of a back-off in milliseconds; each further one is twice as long. */
export const BASE_MS = 1000;

/** More attempts than anybody waits for. */
const MOST_RETRIES = 10;

export interface Retrying {
  times: number;
  baseMs: number;
}

/**
 * The waits before an endpoint is asked again, and whether a simpler mode may follow. By default the table of `transports/retry.ts`; a host's row
 * for the class of the error counts instead, also for classes that are not repeated by default.
 */
export function endpointSteps(
  { errorStrategies, retries }: Pick<Settings, 'errorStrategies' | 'retries'>,
  outcome: ReplyOutcome & { type: 'failed' },
): { table: RetryTable; hint: RetryHint; degrade: boolean } {
  const table = retryTables[retries];
  const type = classOf(outcome.error);
  const row = type && strategiesOf(errorStrategies, type);
  if (!row) return { table, hint: outcome, degrade: true };
  const { times, baseMs } = retryingOf(row);
  const waits = Array.from({ length: times }, (_, at) => baseMs * 2 ** at);
  const hint: RetryHint = { ...outcome, retry: outcome.retry === 'none' && times > 0 ? 'server' : outcome.retry };
  return { table: { ...table, network: waits, server: waits, busy: waits }, hint, degrade: row.includes('degrade') };
}

/** A server's own fault has no class of its own; for who is waiting it is as good as not reached. */
const classOf = ({ errorType, kind }: Failure): ErrorType | undefined => errorType ?? (kind === 'server' ? 'network' : undefined);

export function strategiesOf(overrides: ErrorStrategies, type: ErrorType): readonly Strategy[] | undefined {
  const row = own(overrides, type);
  return Array.isArray(row) ? (row as readonly unknown[]).filter(isStrategy) : undefined;
}

const WORDS: readonly unknown[] = ['fail', 'explain', 'ask', 'degrade', 'disable'] satisfies Strategy[];
const isStrategy = (step: unknown): step is Strategy => WORDS.includes(step) || typeof own(step, 'retry') === 'number';

export function retryingOf(row: readonly Strategy[]): Retrying {
  const step = row.find((one) => typeof one === 'object');
  const times = Math.min(MOST_RETRIES, Math.max(0, Math.floor(step?.retry || 0)));
  return { times, baseMs: step?.baseMs !== undefined && step.baseMs >= 0 ? step.baseMs : BASE_MS };
}
