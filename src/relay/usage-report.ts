/** Writes one log line for each answer, and throttled lines about refused requests. */
import type { ReplyFigures } from './reply-stream.js';
import type { UsageRecord, ReplyOutcome } from './usage-record.js';
import type { RelayError } from './errors.js';
import type { RelayLogger } from './relay-log.js';
import type { RelayTurn } from './relay-turn.js';
import { callHook } from './call-hook.js';

/** Shortens a stream's id for the log: the whole id would let a reader of the log fetch the conversation. */
export const shortId = (id: string) => id.slice(0, 8);

const outcomeTexts = { done: 'answered', 'client-left': 'client left', stopped: 'stopped' };

export interface ReportTo {
  logger: RelayLogger;
  /** Receive each record. If one throws or rejects, the error is logged and the answer is not affected. */
  listeners: readonly ((record: UsageRecord) => unknown)[];
}

export function createUsageReport(
  { logger, listeners }: ReportTo,
  about: Pick<UsageRecord, 'id' | 'route' | 'origin' | 'tenant'>,
  turn: RelayTurn,
) {
  const started = Date.now();
  return (outcome: ReplyOutcome, { firstMs, pieces, end }: ReplyFigures, fault?: RelayError) => {
    const model = end?.model ?? turn.model;
    const record: UsageRecord = {
      ...about,
      id: shortId(about.id),
      ...(model !== undefined && { model }),
      messages: turn.messages.length,
      outcome,
      ms: Date.now() - started,
      ...(firstMs !== undefined && { firstMs }),
      pieces,
      ...(end?.usage && { tokens: { input: end.usage.prompt_tokens, output: end.usage.completion_tokens } }),
      ...(fault && { code: fault.code }),
    };
    for (const listen of listeners)
      callHook(
        () => listen({ ...record }),
        (error) => logger.error({ detail: error }, 'A listener of answers failed'),
      );
    const data = { ...record, ...(fault && { detail: fault.detail }) };
    if (outcome === 'fault') logger[fault?.code === 'internal' ? 'error' : 'warn'](data, fault?.message ?? 'fault');
    else logger.info(data, outcomeTexts[outcome]);
  };
}

/** Returns a function that logs once for each `key`, for at most 1,000 keys, because any client can trigger these lines. */
export function logOnce(): (key: string, say: () => void) => void {
  const said = new Set<string>();
  return (key, say) => {
    if (said.has(key) || said.size >= 1_000) return;
    said.add(key);
    say();
  };
}

/** Returns a function that calls `say` at most once in `everyMs` milliseconds, with the number of calls since the last time. */
export function throttleLog(everyMs: number, say: (times: number) => void): () => void {
  let times = 0;
  let last = -Infinity;
  return () => {
    times += 1;
    const now = Date.now();
    if (now - last < everyMs) return;
    last = now;
    say(times);
    times = 0;
  };
}
