/**
 * Turns the outcome of a request into an event for the chart: the reply has ended, was cut or failed, and whether it is requested again.
 */
import { failureOf } from '../../transports/failure.js';
import type { ReplyOutcome } from '../../transports/reply-request.js';
import { nextRetry } from '../../transports/retry.js';
import type { DegradedModes } from './degrade.js';
import { endpointSteps } from '../calls/strategies.js';
import type { ConversationEvent, TurnFailure, FinishedReply, Turn } from '../chart/chart-context.js';

/** Returns the event. Only `reply.ended` lets calls run. `elsewhere` tells whether a whole answer is requested at another address. */
export function classifyOutcome(
  outcome: ReplyOutcome,
  reply: FinishedReply,
  turn: Turn,
  withheld: boolean,
  filtered: boolean,
  degrading: DegradedModes,
  elsewhere: () => boolean,
): ConversationEvent {
  if (outcome.type !== 'failed' || outcome.afterFirstEvent) degrading.worked(turn.settings);
  if (outcome.type === 'ended') {
    if (!withheld) return { type: 'reply.ended', reply };
    return { type: 'reply.failed', failure: failureOf(filtered ? 'content-filter' : 'endpoint'), reply, retry: null };
  }
  if (outcome.type === 'aborted') return { type: 'reply.cut', failure: failureOf('stall'), reply };
  if (outcome.type === 'cut') return { type: 'reply.cut', failure: outcome.error, reply };
  const failure: TurnFailure = { ...outcome.error, ...(outcome.retryAfterMs !== undefined && { retryAfterMs: outcome.retryAfterMs }) };
  // After the first event, or once a tool of this turn has run, asking again could double something.
  if (outcome.afterFirstEvent || turn.iterations > 0) return { type: 'reply.failed', failure, reply, retry: null };
  const { table, hint, degrade } = endpointSteps(turn.settings, outcome);
  const next = nextRetry(table, turn.attempts, hint);
  const simpler = degrade ? degrading.failed(outcome.error, turn.settings, elsewhere) : undefined;
  if (next)
    return {
      type: 'reply.failed',
      failure,
      reply,
      retry: { ...next, attempt: turn.attempts[next.class] + 1, of: table[next.class].length },
    };
  // A request that failed without a network does not count as an attempt: the next one waits for the network (`connection.ts`).
  if (outcome.error.offline && table.network.length > 0)
    return { type: 'reply.failed', failure, reply, retry: { delayMs: 0, attempt: 1, of: 1, class: 'network' } };
  // The attempt after those of the table is the one in the simpler mode. A server that wants no retry gets none.
  const wanted = outcome.shouldRetry !== false && outcome.retryAfterMs === undefined;
  if (simpler === 'switched' && wanted)
    return { type: 'reply.failed', failure, reply, retry: { delayMs: 0, attempt: 1, of: 1, class: 'server' } };
  return { type: 'reply.failed', failure: { ...failure, ...(simpler === 'offer' && { offer: 'whole' }) }, reply, retry: null };
}
