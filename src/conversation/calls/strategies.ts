/**
 * The handling of errors, by their type: here for the endpoint, for tools in `attempts.ts`.
 *
 * Steps are tried in order, and the first possible one ends the row; `retry` is used up before the next one. `fail`: the error is reported
 * as it is. `explain`: it is reported with advice for the user and the model. `ask`: the user decides whether the call runs again.
 * `degrade`: a tool's `fallback` runs instead; for the endpoint, the simpler mode is used. `disable`: the tool is not offered for the rest
 * of the turn. A host's row (`errorStrategies`) replaces ours for that type. No row makes a call that may have had an effect run twice by
 * itself.
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

/** Checks whether a tool may run again. A query has no effect that could happen twice. For all others, only their author knows. */
export const canRerun = ({ idempotent, risk }: Pick<ToolDefinition, 'idempotent' | 'risk'>): boolean => idempotent ?? risk === 'query';

/** The first wait of a backoff, in milliseconds. Each further wait is twice as long. */
export const BASE_MS = 1000;

/** The maximum number of retries. A user would not wait for more. */
const MOST_RETRIES = 10;

export interface Retrying {
  times: number;
  baseMs: number;
}

/**
 * Returns the waits before an endpoint is asked again, and whether a simpler mode may follow. The default is the table of
 * `transports/retry.ts`. A host's row for the type of the error replaces it, also for types that are not retried by default.
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

/**
 * Returns the type of a failure. A server error has none of its own: to a waiting user, it is the same as a server that cannot be reached.
 */
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
