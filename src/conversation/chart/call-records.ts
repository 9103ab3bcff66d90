/** Lookups in the calls of a conversation, and the initial record of a new call. */
import type { ErrorCode } from '../../base/errors.js';
import { findIndexes } from '../../base/find-indexes.js';
import type { PublishedResult } from '../../model/calls.js';
import type { CallRecord, ParsedCall, ConversationContext } from './chart-context.js';

/** Flag of a call of a provider whose arguments could not be read. */
export const UNREAD_FLAG = 'unread';

const settledStatuses = new Set(['success', 'error', 'denied', 'cancelled', 'interrupted', 'undone']);

export const isSettled = (call: CallRecord): boolean => settledStatuses.has(call.status);

export function roundOf(context: ConversationContext): readonly CallRecord[] {
  const ids = context.turn?.round ?? [];
  return ids.length === 0 ? [] : context.calls.slice(-ids.length); // a round's calls were added last
}

export const openCalls = (context: ConversationContext): readonly CallRecord[] => roundOf(context).filter((call) => !isSettled(call));

export const recordOf = ({ arguments: params, ...asked }: ParsedCall, messageId: string): CallRecord => ({
  ...{ ...asked, messageId, params, status: 'pending', manual: false },
  ...{ starting: false, started: false, byPerson: false, resources: [] },
});

/** True if the call was started and its outcome is unknown, also if it failed and the user was asked whether to run it again. */
export function mayHaveHappened({ started, status, result, failed, fate }: CallRecord): boolean {
  if (!started || fate === 'not-done') return false;
  if (status === 'cancelled' || status === 'interrupted') return true;
  const type = result?.errorType;
  return (
    status === 'error' &&
    (fate === 'at-work' || failed !== undefined || result?.code === 'TIMEOUT' || type === 'timeout' || type === 'network')
  );
}

type Calls = Pick<ConversationContext, 'calls'>;

const idOf = (call: CallRecord) => call.requestId;
const messageOf = (call: CallRecord) => call.messageId;

export const callOf = ({ calls }: Calls, requestId: string): CallRecord | undefined =>
  calls[findIndexes(calls, idOf, requestId).at(-1) ?? -1];

/** Returns the calls of a message. */
export const callsIn = ({ calls }: Calls, messageId: string): readonly CallRecord[] =>
  findIndexes(calls, messageOf, messageId).map((at) => calls[at] as CallRecord);

/** True if the call runs or has run: it may have had an effect. */
export const hasBegun = (call: CallRecord | undefined): boolean => call?.started === true || call?.starting === true;

/** Checks whether the chart has this call. Under `on-block`, calls run while the chart still reads the reply. */
export const isKnown = (context: ConversationContext, requestId: string): boolean => callOf(context, requestId) !== undefined;

export function isOpen(context: ConversationContext, requestId: string): boolean {
  const call = callOf(context, requestId);
  return call !== undefined && !isSettled(call);
}

/** Creates the result of a call whose tool returned none. It is frozen, as every published result is. */
export function endedWithoutResult(
  requestId: string,
  toolName: string,
  status: PublishedResult['status'],
  code: ErrorCode,
  message: string,
  /** The message for the model, if it differs from the one for the user. */
  told = message,
): PublishedResult {
  return Object.freeze({ requestId, toolName, success: false, status, code, message, result: told, durationMs: 0 });
}
