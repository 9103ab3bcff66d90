/** Passes the user's decisions about waiting calls to the chart. */
import { approvalDigest } from '../../model/approval-digest.js';
import type { Decision } from '../../model/decision.js';
import { openCalls, endedWithoutResult } from './call-records.js';
import { wordCounts } from './keyword-confirmation.js';
import type { Texts } from '../../i18n/en.js';
import type { ConversationContext, ConversationEvent } from './chart-context.js';

type Say = (event: ConversationEvent) => void;

/** Allows or denies a waiting call. A word that is no valid confirmation is ignored. */
export function decide(
  say: Say,
  context: ConversationContext,
  texts: Texts,
  { requestId, digest, verdict, remember, word }: Decision,
): void {
  if (verdict === 'allow') {
    const record = context.calls.findLast((one) => one.requestId === requestId);
    if (word !== undefined && !(record && wordCounts(record, word, context))) return;
    say({
      ...({ type: 'user.allow', requestId, digest } as const),
      ...(remember !== undefined && { remember }),
      ...(word !== undefined && { word }),
    });
    return;
  }
  const call = context.calls.findLast((one) => one.requestId === requestId);
  if (!call) return;
  const result = endedWithoutResult(requestId, call.toolName, 'denied', 'DENIED', texts.declined);
  say({ type: 'user.deny', requestId, digest, result });
}

/** Closes calls that still wait as not executed, so that the results of the others go to the model. */
export function sendResults(say: Say, context: ConversationContext, texts: Texts): void {
  for (const { requestId, toolName, call, status } of openCalls(context)) {
    if (!call || status !== 'awaiting_approval') continue;
    const result = endedWithoutResult(requestId, toolName, 'cancelled', 'CANCELLED', texts.notExecuted);
    say({ type: 'user.deny', requestId, digest: approvalDigest(call), result });
  }
}
