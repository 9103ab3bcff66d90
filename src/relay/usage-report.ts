/** Writes one log line for each answer, and throttled lines about refused requests. */
import type { AnswerFigures } from './reply-stream.js';
import type { AnswerRecord, AnswerEnd } from './usage-record.js';
import type { RelayFault } from './errors.js';
import type { RelayLogger } from './relay-log.js';
import type { RelayTurn } from './relay-turn.js';

/** Shortens a stream's id for the log: the whole id would let a reader of the log fetch the conversation. */
export const shown = (id: string) => id.slice(0, 8);

const ended = { done: 'answered', 'client-left': 'client left', stopped: 'stopped' };

export interface ReportTo {
  logger: RelayLogger;
  /** Receive each record. If one throws, the error is logged and the answer is not affected. */
  listeners: readonly ((record: AnswerRecord) => void)[];
}

export function createAnswerReport(
  { logger, listeners }: ReportTo,
  about: Pick<AnswerRecord, 'id' | 'route' | 'origin' | 'tenant'>,
  turn: RelayTurn,
) {
  const started = Date.now();
  return (outcome: AnswerEnd, { firstMs, pieces, end }: AnswerFigures, fault?: RelayFault) => {
    const model = end?.model ?? turn.model;
    const record: AnswerRecord = {
      ...about,
      id: shown(about.id),
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
      try {
        listen({ ...record });
      } catch (error) {
        logger.error({ detail: error }, 'A listener of answers failed');
      }
    const data = { ...record, ...(fault && { detail: fault.detail }) };
    if (outcome === 'fault') logger[fault?.code === 'internal' ? 'error' : 'warn'](data, fault?.message ?? 'fault');
    else logger.info(data, ended[outcome]);
  };
}

/** Returns a function that logs once for each `key`, for at most 1,000 keys, because any client can trigger these lines. */
export function createOnce(): (key: string, say: () => void) => void {
  const said = new Set<string>();
  return (key, say) => {
    if (said.has(key) || said.size >= 1_000) return;
    said.add(key);
    say();
  };
}

/** Returns a function that calls `say` at most once in `everyMs` milliseconds, with the number of calls since the last time. */
export function createSparse(everyMs: number, say: (times: number) => void): () => void {
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
