/** Shows the calls of a tool's `fallback`: on screen as separate calls, to the model as a part of the result of the failed call. */
import type { CardView, PublishedResult } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import type { MessagePart } from '../../model/messages.js';
import type { CallRecord } from './chart-context.js';

/** Adds the parts of fallback calls, which are not in the model's text. Each card follows that of the failed call. */
export function withFallbackCalls(parts: readonly MessagePart[], standIns: readonly CallRecord[]): readonly MessagePart[] {
  return parts.flatMap((part) => [
    part,
    ...standIns.flatMap(({ standsInFor, requestId }): MessagePart[] =>
      part.type === 'call' && part.requestId === standsInFor ? [{ type: 'call', requestId }] : [],
    ),
  ]);
}

/**
 * Merges the result of a fallback call into that of the failed call. Providers reject a conversation with results for calls that the model
 * never made.
 */
export function mergeFallbackCall(
  calls: readonly CallRecord[],
  fallbackCall: CallRecord,
  says: (toolName: string) => string,
): CallRecord[] {
  return calls.map((call) => {
    if (call.requestId !== fallbackCall.standsInFor || !call.result || !fallbackCall.result) return call;
    const { status, success, result } = fallbackCall.result;
    const { code: _, errorType: __, ...failed } = call.result;
    const both: PublishedResult = { ...failed, status, success, result: [failed.result, says(fallbackCall.toolName), result].join('\n') };
    return { ...call, result: both };
  });
}

/** Returns the card's fields for a failed call, or for a fallback call. */
export function failureFieldsOf(
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
