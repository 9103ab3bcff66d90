/** Reducers for the events of a call: context in, changed fields out, as in `conversation-changes.ts`. */
import { addCallTexts } from '../../i18n/en-calls.js';
import { approvalDigest } from '../../model/approval-digest.js';
import { fastCopy } from '../../base/objects.js';
import type { PublishedResult } from '../../model/calls.js';
import type { ChatMessage } from '../../model/messages.js';
import { callOf, hasBegun, isKnown, isSettled, openCalls, recordOf, roundOf, endedWithoutResult } from './call-records.js';
import { planSteps } from './lazy-plan-steps.js';
import { untrustedSourceOfCall } from './untrusted-content.js';
import type { CallRecord, ConversationContext, ConversationEvent, FallbackCall } from './chart-context.js';

addCallTexts();

type Changes = Partial<ConversationContext>;
type EventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { type: Type }>;

const addCallToRound = (context: ConversationContext, requestId: string): Changes =>
  context.turn ? { turn: { ...context.turn, round: [...context.turn.round, requestId] } } : {};

export function holdCall(
  context: ConversationContext,
  event: EventOf<'call.found'>,
): { accepted: true; changes: Changes } | { accepted: false; changes: Changes; result: PublishedResult } {
  const found = recordOf(event.request, event.messageId);
  const record = { ...found, ...planSteps()?.stepOfCall(context, found) };
  // A call that needs the provider's approval replaces the earlier record of the same call.
  const others = event.request.approval ? context.calls.filter((call) => call.requestId !== record.requestId) : context.calls;
  const changes = { calls: [...others, record], ...addCallToRound(context, record.requestId) };
  const limit = context.turn?.settings.limits.callsPerReply ?? 0;
  if ((context.turn?.round.length ?? 0) < limit) return { accepted: true, changes };
  const told = context.turn?.settings.texts.tooManyCalls(limit) ?? '';
  const result = endedWithoutResult(record.requestId, record.toolName, 'cancelled', 'CANCELLED', told);
  return {
    accepted: false,
    changes: { ...changes, ...settleCall({ ...context, ...changes }, { requestId: record.requestId, result }) },
    result,
  };
}

/**
 * Releases the open calls of a reply for their checks. The untrusted content that each call follows is fixed here, whatever ends later.
 * Calls that were released before keep theirs, and so do calls that an earlier page has already asked about.
 */
export function releaseCalls(context: ConversationContext): Changes {
  const round = roundOf(context);
  const isDue = (call: CallRecord) => !isSettled(call) && !call.released;
  if (!round.some(isDue)) return {};
  const released = round.map((call): CallRecord => {
    if (!isDue(call)) return call;
    const taintedBy = call.taintedBy ?? untrustedSourceOfCall(context, call);
    return fastCopy({ ...call, released: true, ...(taintedBy && { taintedBy }) });
  });
  return { calls: context.calls.toSpliced(-round.length, round.length, ...released) };
}

export function noteBrokenCall(context: ConversationContext, event: EventOf<'call.broken'>): Changes {
  const {
    broken: { problem: _, ...asked },
    result,
    messageId,
  } = event;
  const { turn } = context;
  const policy = turn?.settings.onBrokenCall;
  // Only once per turn: repeating the example does not help a model that did not learn from it.
  const repair = policy === 'repair' && !turn?.results.some(({ code }) => code === 'MALFORMED_CALL');
  const record: CallRecord = {
    ...recordOf({ ...asked, arguments: {}, flags: [] }, messageId),
    status: result.status,
    result,
    ...(repair && { repair }),
  };
  if (policy === 'skip') return { calls: beforeRound(context, record), toolHistory: [...context.toolHistory, result] };
  return {
    calls: [...context.calls, record],
    toolHistory: [...context.toolHistory, result],
    ...(turn && { turn: { ...turn, round: [...turn.round, record.requestId], results: [...turn.results, result] } }),
  };
}

/** Returns the calls of this reply that have not begun. */
export const drafts = (context: ConversationContext): readonly CallRecord[] => roundOf(context).filter((call) => !hasBegun(call));

/** Removes the drafts as if the reply had never contained them. */
export function withdrawDrafts(context: ConversationContext): Changes {
  const { turn } = context;
  const ids = new Set(drafts(context).map(({ requestId }) => requestId));
  const stays = ({ requestId }: { requestId: string }) => !ids.has(requestId);
  return {
    calls: context.calls.filter(stays),
    toolHistory: context.toolHistory.filter(stays),
    ...(turn && { turn: { ...turn, round: turn.round.filter((id) => !ids.has(id)), results: turn.results.filter(stays) } }),
  };
}

/** Inserts a call before those of the round, so that the model is not told about it. */
function beforeRound({ calls, turn }: ConversationContext, record: CallRecord): readonly CallRecord[] {
  return calls.toSpliced(calls.length - (turn?.round.length ?? 0), 0, record);
}

export function noteServedCall(context: ConversationContext, event: EventOf<'call.served'>): Changes {
  const { request, messageId, result } = event;
  const how = { status: result?.status ?? ('executing' as const), ...(result && { result }) };
  const toolHistory = result ? [...context.toolHistory, result] : context.toolHistory;
  if (isKnown(context, request.requestId))
    return {
      calls: changeCall(context, request.requestId, (call) => ({
        ...call,
        params: request.arguments,
        ...(request.signature !== undefined && { signature: request.signature }),
        ...how,
      })),
      toolHistory,
    };
  return { calls: beforeRound(context, { ...recordOf(request, messageId), served: true, ...how }), toolHistory };
}

function changeCall(context: ConversationContext, requestId: string, replace: (call: CallRecord) => CallRecord): readonly CallRecord[] {
  const at = context.calls.findLastIndex((call) => call.requestId === requestId);
  return at < 0 ? context.calls : context.calls.with(at, fastCopy(replace(context.calls[at]!)));
}

export function noteChange(context: ConversationContext, { type: _, requestId, ...change }: EventOf<'call.changed'>): Changes {
  // The call was about to run, but is checked again instead.
  const again = change.status === 'pending' && { byPerson: false, starting: false };
  return {
    ...(change.status === 'executing' && planSteps()?.stepBegins(context, requestId)),
    calls: changeCall(context, requestId, (call) => (isSettled(call) ? call : { ...call, ...change, ...again })),
  };
}

/** Checks whether a change asks the user a new question. A rejected edit returns to the question that was already there. */
export const isNewQuestion = (context: ConversationContext, event: EventOf<'call.changed'>): boolean => {
  const before = callOf(context, event.requestId);
  if (event.status !== 'awaiting_approval') return false;
  return (
    before?.status !== 'awaiting_approval' || !before.call || !event.call || approvalDigest(before.call) !== approvalDigest(event.call)
  );
};

/** Marks a successful call as undone. Its result keeps the status `success`. */
export function undoCall(context: ConversationContext, requestId: string): Changes {
  const call = callOf(context, requestId);
  if (call?.status !== 'success' || !call.result) return {};
  const result: PublishedResult = Object.freeze({ ...call.result, undone: true });
  return {
    calls: changeCall(context, requestId, ({ fate: _, ...one }) => ({ ...one, status: 'undone', result })),
    toolHistory: context.toolHistory.map((one) => (one.requestId === requestId ? result : one)),
  };
}

/** Marks a call whose undo has begun: its effect may be gone already. */
export const beginUndo = (context: ConversationContext, requestId: string): Changes => ({
  calls: changeCall(context, requestId, (call) => ({ ...call, fate: 'maybe-undone' as const })),
});

/** Removes the mark of `beginUndo` after the undo failed. Any other fate stays. */
export const failUndo = (context: ConversationContext, requestId: string): Changes => ({
  calls: changeCall(context, requestId, ({ fate, ...call }) => (fate && fate !== 'maybe-undone' ? { ...call, fate } : call)),
});

/** Checks whether the call is new. A call that the provider made becomes ours if the provider asks for approval. */
export const isNew = (context: ConversationContext, { requestId, approval }: EventOf<'call.found'>['request']): boolean => {
  const known = callOf(context, requestId);
  return !known || (approval !== undefined && known.served === true && !isSettled(known));
};

/** Sets the terminal status of a call. Nothing else does, and settling a call twice has no effect. */
export function settleCall(context: ConversationContext, event: Omit<EventOf<'call.settled'>, 'type'>): Changes {
  const call = callOf(context, event.requestId);
  if (!call || isSettled(call)) return {};
  const { result } = event;
  const { turn } = context;
  const shown = event.call ?? call.call;
  const digest = shown?.digest ?? `${call.toolName} ${call.raw}`;
  const count = (counts: Readonly<Record<string, number>>) => ({ ...counts, [digest]: (counts[digest] ?? 0) + 1 });
  return {
    ...planSteps()?.stepEnds(context, call, result),
    calls: changeCall(context, event.requestId, (one) => ({
      ...one,
      status: result.status,
      result,
      ...(shown && { call: shown }),
      ...(event.advice !== undefined && { advice: event.advice }),
      ...(event.fate && { fate: event.fate }),
    })),
    toolHistory: [...context.toolHistory, result],
    ...(turn && {
      turn: {
        ...turn,
        results: [...turn.results, result],
        ...(result.status === 'denied' && { denied: count(turn.denied) }),
        // A repeated call that is answered with an earlier success counts, too: the model asked for it again.
        ...((call.started || result.success) && { executed: count(turn.executed) }),
        ...((call.call?.toolName ?? result.toolName) === turn.lock?.tool && settlesToolChoice(call, result) && { lock: null }),
        ...(event.disable && { disabled: [...(turn.disabled ?? []), call.call?.toolName ?? call.toolName] }),
      },
    }),
  };
}

/**
 * Ends the tool choice once the tool was executed, or the user or the page declined it. A call that ended before that leaves the choice
 * open.
 */
const settlesToolChoice = ({ started, status }: CallRecord, result: PublishedResult): boolean =>
  started || result.status === 'denied' || (status === 'awaiting_approval' && result.status === 'cancelled');

/** Takes back what the user has allowed a provider if the turn ends before the provider was told: nothing will tell it later. */
export function withdrawConsents(context: ConversationContext): Changes {
  const { turn } = context;
  const unsent = roundOf(context).filter(({ approval, status }) => approval && status === 'success');
  if (!turn || unsent.length === 0) return {};
  const message = turn.settings.texts.notExecuted;
  const ended = new Map(
    unsent.map(({ requestId, toolName }) => [requestId, endedWithoutResult(requestId, toolName, 'cancelled', 'CANCELLED', message)]),
  );
  const over = (result: PublishedResult) => ended.get(result.requestId) ?? result;
  return {
    calls: context.calls.map((call) => {
      const result = ended.get(call.requestId);
      return result ? { ...call, status: result.status, result, started: false } : call;
    }),
    messages: context.messages.map((one) => {
      const { toolCall } = one.metadata;
      if (!toolCall || !ended.has(toolCall.requestId)) return one;
      return {
        ...one,
        text: message,
        status: { type: 'cancelled' },
        metadata: { ...one.metadata, toolCall: { ...toolCall, status: 'cancelled' } },
      };
    }),
    toolHistory: context.toolHistory.map(over),
    turn: { ...turn, results: turn.results.map(over) },
  };
}

/** Returns the result of a call that is stopped. For a call that was started, it says that the call may have taken effect. */
export function cancelled(context: ConversationContext, call: CallRecord): PublishedResult {
  // The error of the failed run tells more than a cancellation.
  if (call.failed && call.status === 'awaiting_approval') return call.failed;
  const texts = context.turn?.settings.texts;
  const message = (call.started ? texts?.toolCancelled : texts?.notExecuted) ?? '';
  return endedWithoutResult(call.requestId, call.toolName, 'cancelled', 'CANCELLED', message);
}

/**
 * Returns the calls that may start now, by the setting `execution`. `serial`: one at a time; a call that the policy allows waits for all
 * before it, while one that the user allowed starts next. Calls that share a resource never overlap; `by-resource` also keeps them in text
 * order.
 */
export function readyToStart(context: ConversationContext): readonly CallRecord[] {
  const all = openCalls(context);
  const waiting = planSteps()?.waitingForSteps(context, all);
  // The steps of a dry run were shown in order, so they run in that order.
  const first = all.find((call) => call.call?.rehearsed ?? call.standsInFor);
  const open = all.filter((call) => !waiting?.has(call.requestId) && (!call.call?.rehearsed || call === first));
  const queued = open.filter((call) => call.status === 'queued' && !call.starting);
  const busy = open.filter((call) => call.starting);
  switch (context.turn?.settings.execution) {
    case 'parallel': {
      const busyWith = new Set(busy.flatMap(({ resources }) => resources));
      return byPriority(queued).filter((call) => {
        const free = isFree(call, busyWith);
        for (const resource of free ? call.resources : []) busyWith.add(resource);
        return free;
      });
    }
    case 'by-resource': {
      const busyWith = new Set(busy.flatMap(({ resources }) => resources));
      const taken = new Set(busyWith);
      let unknown = false;
      return open.filter((call) => {
        if (call.starting) return false;
        // The resources of an earlier call are unknown until it is checked.
        const free = call.byPerson ? isFree(call, busyWith) : !unknown && isFree(call, taken);
        for (const resource of call.resources) taken.add(resource);
        unknown ||= call.status === 'pending';
        if (!free || call.status !== 'queued') return false;
        for (const resource of call.resources) busyWith.add(resource);
        return true;
      });
    }
    default:
      return busy.length > 0 ? [] : byPriority(queued.filter((call) => call.byPerson || call === open[0])).slice(0, 1);
  }
}

/** Sorts calls that the user allowed before those that the policy allowed. */
const byPriority = (calls: readonly CallRecord[]) => [...calls].sort((a, b) => Number(b.byPerson) - Number(a.byPerson));

const isFree = ({ resources }: CallRecord, taken: ReadonlySet<string>) => !resources.some((resource) => taken.has(resource));

/** Marks a call as starting before its actor responds, so that no second call takes the same turn. */
export const markStarting = (context: ConversationContext, requestId: string): Changes => ({
  calls: changeCall(context, requestId, (call) => ({ ...call, starting: true })),
});

/** Adds one `tool` message per result of the round after the reply, in the order of the calls. */
export function sendableResults(context: ConversationContext): Changes {
  const { turn } = context;
  if (!turn) return {};
  const told = new Set(context.messages.slice(-turn.round.length - 1).map((message) => message.metadata.toolCall?.requestId));
  const calls = roundOf(context).filter((call) => call.result && !told.has(call.requestId));
  if (calls.length === 0) return {};
  const messages = calls.map((call): ChatMessage => {
    const result = call.result as PublishedResult;
    return {
      id: `${call.requestId}-result`,
      role: 'tool',
      text: result.message,
      createdAt: Date.now(),
      status: { type: result.status === 'error' ? 'error' : result.status === 'cancelled' ? 'cancelled' : 'complete' },
      metadata: {
        toolCall: {
          requestId: call.requestId,
          toolName: call.toolName,
          status: result.status,
          durationMs: result.durationMs,
          rawArgs: call.params,
        },
      },
    };
  });
  const executed = calls.some((call) => call.started);
  return {
    messages: [...context.messages, ...messages],
    turn: { ...turn, iterations: turn.iterations + (executed ? 1 : 0), emptyRounds: executed ? 0 : turn.emptyRounds + 1 },
  };
}

/** Adds the call of a tool's `fallback` right after the failed call in its round, so that later calls in the text still follow both. */
export function addFallbackCall({ calls, turn }: ConversationContext, { request }: FallbackCall): Partial<ConversationContext> {
  const at = calls.findIndex((call) => call.requestId === request.standsInFor);
  const place = turn?.round.indexOf(request.standsInFor ?? '') ?? -1;
  const failed = calls[at];
  if (!failed || !turn || place === -1) return {};
  return {
    calls: calls.toSpliced(at + 1, 0, {
      ...{ ...recordOf(request, failed.messageId), released: true },
      ...(failed.taintedBy && { taintedBy: failed.taintedBy }),
      ...(failed.step !== undefined && { step: failed.step }),
    }),
    turn: { ...turn, round: turn.round.toSpliced(place + 1, 0, request.requestId) },
  };
}
