/** Runs a tool's `fallback`: on screen a call of its own, for the model a part of the result of the call it stands in for. */
import type { CardView, PublishedResult } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import type { MessagePart } from '../../model/messages.js';
import type { CallRecord } from './chart-context.js';

/** What the model wrote does not name these calls; their cards stand below those they stand in for. */
export function withStandIns(parts: readonly MessagePart[], standIns: readonly CallRecord[]): readonly MessagePart[] {
  return parts.flatMap((part) => [
    part,
    ...standIns.flatMap(({ standsInFor, requestId }): MessagePart[] =>
      part.type === 'call' && part.requestId === standsInFor ? [{ type: 'call', requestId }] : [],
    ),
  ]);
}

/** One answer to one call: a service that is told of calls it never made refuses the whole conversation. */
export function foldStandIn(told: readonly CallRecord[], standIn: CallRecord, says: (toolName: string) => string): CallRecord[] {
  return told.map((call) => {
    if (call.requestId !== standIn.standsInFor || !call.result || !standIn.result) return call;
    const { status, success, result } = standIn.result;
    const { code: _, errorType: __, ...failed } = call.result;
    const both: PublishedResult = { ...failed, status, success, result: [failed.result, says(standIn.toolName), result].join('\n') };
    return { ...call, result: both };
  });
}

/** What a card says about a call that failed, or that another one stands in for. */
export function trouble(
  { status, failed, advice, call, standsInFor }: CallRecord,
  instead: string | undefined,
  texts: Texts,
): Partial<CardView> {
  const waits = failed !== undefined && status === 'awaiting_approval';
  return {
    ...(advice !== undefined && { advice }),
    ...(waits && { again: failed.message }),
    ...(waits && call && { call: { ...call, status, reason: texts.reasonFailed(failed.message) } }),
    ...(standsInFor !== undefined && { standsInFor: instead ?? standsInFor }),
  };
}
