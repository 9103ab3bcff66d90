/**
 * Converts a stored conversation into the context with which the chart continues. A call that `recover` left open becomes a call with its
 * own actor, which uses the tool as it is defined now. A turn whose reply was cut ends once its calls have ended, and the user may retry.
 */
import { registerCallSteps } from '../chart/call-steps.js';
import { deepFreeze } from '../../base/objects.js';
import { isSettledCall, tellStoredResults, type CallQuestion, type Recovery } from '../../storage/recover.js';
import { requestedOf } from '../../storage/stored-call.js';
import type { StoredCall, StoredConversation, StoredTurn } from '../../storage/stored-conversation.js';
import { endedWithoutResult } from '../chart/call-records.js';
import { registerPlanSteps } from '../chart/plan-steps.js';
import { reloadFailure, settingsOf } from '../chart/conversation-changes.js';
import type { Settings } from '../options/settings.js';
import type {
  CallRecord,
  ParsedCall,
  ConversationContext,
  ConversationEvent,
  Reopened,
  ResumableReply,
  Turn,
} from '../chart/chart-context.js';

registerCallSteps();
registerPlanSteps();

type Restore = Extract<ConversationEvent, { type: 'restore' }>;

/**
 * Returns the event that restores the conversation, if there is one. `before` is the stored conversation, `recovery` the result of
 * `recover` for it.
 */
export function rehydrate(
  before: StoredConversation | undefined,
  { stored, questions }: Recovery,
  settings: Settings,
): Restore | undefined {
  if (!stored) return undefined;
  const rest = before && resumableReplyOf(before, stored, questions, settings);
  if (rest) return restoreWithReply(before, rest, settings);
  const wereSettled = new Set(before?.calls.filter(isSettledCall).map(({ requestId }) => requestId));
  const open = new Map(
    questions.flatMap((one): [string, CallQuestion][] =>
      one.type === 'verify' && wereSettled.has(one.requestId) ? [] : [[one.requestId, one]],
    ),
  );
  const wasCut = before?.reply !== undefined || before?.messages.some(({ status }) => status.type === 'running') === true;

  const due = new Set([...(stored.turn?.round ?? []), ...open.keys()]);
  // The chart expects the calls of a round at the end of the list.
  const inRound = stored.calls.filter(({ requestId }) => due.has(requestId));
  const calls = [...stored.calls.filter(({ requestId }) => !due.has(requestId)), ...inRound].map((call) => recordOf(call, open, settings));
  const round = inRound.map(({ requestId }) => requestId);
  const goesOn = open.size > 0 || (stored.turn !== undefined && !wasCut && round.length > 0);
  const cut = wasCut || !stored.turn;
  const toolHistory = stored.toolHistory.filter(({ requestId }) => !open.has(requestId));
  const turn: Turn | null = goesOn
    ? {
        ...turnOf(stored.turn ?? { ...noTurn, id: `restored-${round[0] ?? ''}` }, settingsOf(lastQuestion(stored), settings)),
        round,
        results: toolHistory.filter(({ requestId }) => due.has(requestId)),
        ...(cut && { cut: true }),
      }
    : null;
  return {
    type: 'restore',
    context: {
      ...{ messages: stored.messages, parts: stored.parts, calls, toolHistory, turn, failure: wasCut ? reloadFailure : null },
      ...storedBranchesOf(stored),
    },
    open: calls.flatMap((call): Reopened[] => {
      const question = open.get(call.requestId);
      const { fingerprint, original } = call;
      const recovered = question && {
        ...{ question, started: call.started },
        ...(fingerprint !== undefined && { fingerprint }),
        ...(original && call.call && { edited: { args: call.call.args, original } }),
      };
      return recovered ? [{ request: requestOf(call), manual: call.manual, recovered }] : [];
    }),
  };
}

/**
 * Returns the reply if it can be resumed: none of its calls was started, nothing else is open, and its text contains everything that came
 * of it. `recover` would restore the same conversation with the reply cut.
 */
function resumableReplyOf(
  { reply, turn, messages }: StoredConversation,
  { calls }: StoredConversation,
  questions: readonly CallQuestion[],
  { dispatch }: Settings,
): ResumableReply | undefined {
  const place = reply?.place;
  const last = messages.at(-1);
  if (!place || !turn || turn.manual || questions.length > 0) return undefined;
  if (last?.id !== reply.messageId || last.status.type !== 'running') return undefined;
  if (place.raw > reply.raw.length || place.reasoning > reply.reasoning.length) return undefined;
  // `calls` are as the journal knows them. A call that was checked had already been released by the `dispatch` setting of that time.
  const made = calls.filter((call) => call.messageId === last.id);
  if (made.some((call) => call.started || call.served || call.approval || call.call || dispatch === 'on-block')) return undefined;
  return { ...reply, place };
}

/**
 * Restores the conversation as if the page had never been left. Its calls are found again, under the same ids, when its text is read again.
 */
function restoreWithReply(before: StoredConversation, rest: ResumableReply, settings: Settings): Restore {
  const { messageId } = rest;
  const gone = new Set(before.calls.filter((call) => call.messageId === messageId).map(({ requestId }) => requestId));
  const { [messageId]: _, ...parts } = before.parts;
  return {
    type: 'restore',
    context: {
      messages: before.messages.map((one) => (one.id === messageId ? { ...one, text: rest.text } : one)),
      parts,
      calls: before.calls.filter(({ requestId }) => !gone.has(requestId)).map((call) => recordOf(call, new Map(), settings)),
      // A call that could not be parsed has already ended, and will end again.
      toolHistory: before.toolHistory.filter(({ requestId }) => !gone.has(requestId)),
      turn: { ...turnOf(before.turn ?? noTurn, settingsOf(lastQuestion(before), settings)), round: [], resumableReply: rest },
      failure: null,
      ...storedBranchesOf(before),
    },
    open: [],
  };
}

export const storedBranchesOf = ({ branches }: Pick<StoredConversation, 'branches'>): Pick<ConversationContext, 'branches'> =>
  branches ? { branches: branches.map((one) => ({ ...one, calls: one.calls.map(plainRecord) })) } : {};

/** Returns a copy of a conversation that is active in another tab. Calls that are open there are not open here. */
export function withoutQuestions({ turn: _, ...stored }: StoredConversation, { texts }: Settings): StoredConversation {
  const results = stored.calls.flatMap((call) =>
    isSettledCall(call) ? [] : [endedWithoutResult(call.requestId, call.toolName, 'cancelled', 'CANCELLED', texts.handledElsewhere)],
  );
  const ended = new Map(results.map((result) => [result.requestId, result]));
  const calls = stored.calls.map((call): StoredCall => {
    const result = ended.get(call.requestId);
    return result ? { ...call, status: result.status, result } : call;
  });
  return tellStoredResults({ ...stored, queue: [], calls, toolHistory: [...stored.toolHistory, ...results] }, [...ended.keys()]);
}

const lastQuestion = ({ messages }: StoredConversation) => messages.findLast(({ role }) => role === 'user');

const noTurn: StoredTurn = { id: '', round: [], proof: 'unproved', iterations: 0, fruitless: 0, denied: {}, executed: {}, manual: false };

export const turnOf = (
  { id, round, proof, iterations, fruitless, denied, executed, manual, ...turn }: StoredTurn,
  settings: Settings,
): Turn => ({
  ...{ id, settings, round, proof, lock: turn.lock ?? null, iterations, emptyRounds: fruitless, denied, executed, manual },
  ...(turn.disabled && { disabled: turn.disabled }),
  ...(turn.imported && { imported: true }),
  ...{ attempts: { network: 0, server: 0 }, results: [], outcome: null },
});

/** Converts a stored call into a record of the chart. An open call that is not asked about is ended, so that nothing waits forever. */
function recordOf(call: StoredCall, open: ReadonlyMap<string, CallQuestion>, { texts }: Settings): CallRecord {
  const record = plainRecord(call);
  if (open.has(call.requestId)) {
    const { result: _, failed: __, ...rest } = record;
    return { ...rest, status: 'pending' };
  }
  if (isSettledCall(call)) return record;
  const result = endedWithoutResult(call.requestId, call.toolName, 'cancelled', 'CANCELLED', texts.notExecuted);
  return { ...record, status: result.status, result };
}

export const plainRecord = (call: StoredCall): CallRecord => ({ ...call, starting: false, byPerson: false, resources: [] });

function requestOf(call: CallRecord): ParsedCall {
  return deepFreeze({ ...requestedOf(call), arguments: call.params });
}
