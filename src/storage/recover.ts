/**
 * Decides the state of a conversation after a reload, a crash or a kill. A pure function: nothing runs here, and nothing in its result
 * runs by itself. An approval is never restored: a call that waited for the user waits again.
 *
 * | the call was                                          | the journal says       | it becomes                                   |
 * | ----------------------------------------------------- | ---------------------- | -------------------------------------------- |
 * | open                                                  | it ended so            | ended so                                     |
 * | open, a query or idempotent                           | started, no end        | `pending`, question `again`                  |
 * | open, anything else                                   | started, no end        | `interrupted`, question `verify`             |
 * | marked as started                                     | nothing                | as if it were started, no end                |
 * | not started, of a reply that was cut, or not all kept | nothing                | `cancelled`: not executed                    |
 * | not started                                           | nothing                | `pending`, question `ask`, or `again` for a query |
 * | not known to the conversation                         | started, no end        | a new card, `interrupted`, question `verify` |
 * | allowed for a provider, not surely sent               | nothing                | `pending`, question `ask`                    |
 * | settled                                               | whatever               | unchanged; an open record is to be closed    |
 */
import type { PublishedResult } from '../model/calls.js';
import type { ChatMessage, MessagePart } from '../model/messages.js';
import { define } from '../base/plain.js';
import type { JournalEntry, LastingJournal } from './journal.js';
import { emptyConversation, type StoredCall, type StoredConversation } from './stored-conversation.js';

/** A question to settle before a call can end. The conversation asks the current tool or the user; never the storage. */
export type CallQuestion =
  /**
   * The call was never started. It is checked again and waits for the user, whatever the policy says. `wasAllowed`: a provider may already
   * know that the user allowed it.
   */
  | { type: 'ask'; requestId: string; wasAllowed?: true }
  /**
   * The call was declared repeatable (or never ran, and only reads). If the current tool agrees, it is checked like a new call and its
   * intent has `again: attempt`. If not, treat it as `ask` at attempt 0 and as `verify` after.
   */
  | { type: 'again'; requestId: string; attempt: number }
  /** The call may have taken effect: the tool's `verify()` or the user can tell. Its record is settled with the answer. */
  | { type: 'verify'; requestId: string; toolName: string; digest: string; startedAt?: number; args?: Readonly<Record<string, unknown>> };

export interface Recovery {
  /** Undefined if nothing was stored. It has no running messages, and no calls that execute or are allowed. */
  stored: StoredConversation | undefined;
  /** Questions in the order of the calls. */
  questions: readonly CallQuestion[];
  /** Results that the journal lacks: call `journal.settle` for each. */
  settle: readonly PublishedResult[];
}

export interface RecoverOptions {
  sessionId: string;
  /** Messages for calls without a result. */
  texts: { interrupted: string; notExecuted: string };
  /** Milliseconds since the epoch. */
  now?: number;
}

const SETTLED: ReadonlySet<string> = new Set(['success', 'error', 'denied', 'cancelled', 'interrupted', 'undone']);

/** Checks whether a stored call has ended. */
export const isSettledCall = ({ status }: Pick<StoredCall, 'status'>): boolean => SETTLED.has(status);

/** Returns the records that `recover` needs: those of calls that are open here, and all without a result. */
export async function recordsFor(
  stored: StoredConversation | undefined,
  journal: Pick<LastingJournal, 'unfinished' | 'recall'>,
): Promise<JournalEntry[]> {
  const open = (stored?.calls ?? []).filter((call) => !isSettledCall(call)).map((call) => call.requestId);
  const entries = [...(await journal.unfinished()), ...(await journal.recall(open))];
  return [...new Map(entries.map((entry) => [entry.requestId, entry])).values()];
}

export function recover(
  stored: StoredConversation | undefined,
  records: readonly JournalEntry[],
  { sessionId, texts, now = Date.now() }: RecoverOptions,
): Recovery {
  const byId = new Map(records.map((entry) => [entry.requestId, entry]));
  if (!stored && byId.size === 0) return { stored: undefined, questions: [], settle: [] };
  const questions: CallQuestion[] = [];
  const settle: PublishedResult[] = [];
  const results: PublishedResult[] = [];
  const before = stored ?? emptyConversation(sessionId);
  const cut = before.reply?.messageId ?? before.messages.find((message) => message.status.type === 'running')?.id;

  const calls = before.calls.map((call) => {
    const entry = byId.get(call.requestId);
    byId.delete(call.requestId);
    if (isUnsent(call, before)) {
      questions.push({ type: 'ask', requestId: call.requestId, wasAllowed: true });
      return waiting(call, false);
    }
    return isSettledCall(call) ? leave(call, entry) : reopen(call, entry);
  });
  const asked = new Set(questions.map(({ requestId }) => requestId));

  function leave(call: StoredCall, entry: JournalEntry | undefined): StoredCall {
    if (!entry || entry.result) return call;
    // The outcome is still unknown.
    if (call.status === 'interrupted') questions.push(verifyQuestion(call, entry));
    else if (call.result) settle.push(call.result);
    return call;
  }

  function reopen(call: StoredCall, entry: JournalEntry | undefined): StoredCall {
    // Without its tool, the result may be untrusted content.
    if (entry?.result) return end({ ...call, started: true, ...(!call.call && { tainted: true }) }, entry.result);
    const isStarted = entry !== undefined || call.started || call.status === 'executing';
    // A call run by the provider is not ours to repeat or to ask about.
    if (call.served) return end(call, unfinished(call, 'interrupted', texts.interrupted));
    const rerun = entry ? entry.rerun === true : call.rerun === true;
    if (!isStarted) {
      if (call.messageId === cut || call.withheld) return end(call, unfinished(call, 'cancelled', texts.notExecuted));
      questions.push(rerun ? { type: 'again', requestId: call.requestId, attempt: 0 } : { type: 'ask', requestId: call.requestId });
      return waiting(call, false);
    }
    if (rerun && call.messageId !== cut && !call.withheld) {
      questions.push({ type: 'again', requestId: call.requestId, attempt: entry?.attempt ?? 0 });
      return waiting(call, true);
    }
    questions.push(verifyQuestion(call, entry));
    return end({ ...call, started: true }, unfinished(call, 'interrupted', texts.interrupted));
  }

  function end(call: StoredCall, result: PublishedResult): StoredCall {
    results.push(result);
    return { ...call, status: result.status, result };
  }

  // Calls in hidden versions have ended, whatever the journal says.
  for (const { requestId, status, result } of before.branches?.flatMap((one) => one.calls) ?? []) {
    const entry = byId.get(requestId);
    byId.delete(requestId);
    if (entry && !entry.result && result && status !== 'interrupted') settle.push(result);
  }

  // Calls that started just before the page went away are only in the journal.
  const lost = [...byId.values()].filter((entry) => !entry.result);
  const last = before.messages.findLast((message) => message.role !== 'tool');
  const home = last?.role === 'assistant' ? last.id : `recovered-${lost[0]?.requestId ?? ''}`;
  for (const entry of lost) calls.push(reopen(lostCall(entry, home), { ...entry, rerun: false }));

  const messages = before.messages
    .filter(({ metadata: { toolCall } }) => !toolCall || !asked.has(toolCall.requestId))
    .flatMap((message) => cutMessage(message, before, calls));
  if (lost.length > 0 && !messages.some((message) => message.id === home)) messages.push(lostMessage(home, lost[0]?.startedAt ?? now));
  const { reply, turn, ...rest } = before;
  const after: StoredConversation = {
    ...rest,
    messages,
    parts: partsOf(before, reply?.parts, cut, calls, home, lost),
    calls,
    toolHistory: [...before.toolHistory, ...results],
    ...(turn && (cut === undefined || questions.length > 0) && { turn: withLost(turn, lost) }),
  };
  const due = [...results.map(({ requestId }) => requestId), ...(turn?.round ?? [])];
  const isOpen = questions.some(({ requestId }) => due.includes(requestId));
  return { stored: isOpen ? after : tellStoredResults(after, due, now), questions, settle };
}

/**
 * Checks whether the user has allowed a provider's call and no request after that is known. The provider may wait for the answer, and the
 * consent is not stored, so the user is asked again.
 */
const isUnsent = ({ approval, status, withheld, requestId }: StoredCall, { turn }: StoredConversation): boolean =>
  approval !== undefined && status === 'success' && !withheld && turn?.round.includes(requestId) === true;

/** Resets a call to its initial state. An earlier approval does not count now. */
function waiting(call: StoredCall, started: boolean): StoredCall {
  const { call: checked, result: _, ...rest } = call;
  const { decidedBy: __, ...shown } = checked ?? {};
  return { ...rest, status: 'pending', started, ...(checked && { call: { ...(shown as typeof checked), status: 'pending' } }) };
}

function verifyQuestion({ requestId, toolName, call, params }: StoredCall, entry: JournalEntry | undefined): CallQuestion {
  return {
    type: 'verify',
    requestId,
    toolName: entry?.toolName ?? toolName,
    digest: entry?.digest ?? call?.digest ?? '',
    args: entry?.args ?? call?.args ?? params,
    ...(entry && { startedAt: entry.startedAt }),
  };
}

function unfinished({ requestId, toolName }: StoredCall, status: 'interrupted' | 'cancelled', message: string): PublishedResult {
  const code = status === 'interrupted' ? 'INTERRUPTED' : 'CANCELLED';
  return Object.freeze({ requestId, toolName, success: false, status, code, message, result: message, durationMs: 0 });
}

function lostCall({ requestId, toolName, args }: JournalEntry, messageId: string): StoredCall {
  return {
    ...{ requestId, toolName, messageId, params: args ?? {}, raw: '', flags: [], protocol: '' },
    ...({ status: 'executing', started: true, manual: false } as const),
  };
}

const lostMessage = (id: string, createdAt: number): ChatMessage => ({
  ...{ id, role: 'assistant', text: '', createdAt },
  status: { type: 'complete' },
  metadata: {},
});

/** Marks a running reply as cut. Removes it if it has no content. */
function cutMessage(message: ChatMessage, { reply }: StoredConversation, calls: readonly StoredCall[]): ChatMessage[] {
  if (message.status.type !== 'running') return [message];
  const said = reply?.messageId === message.id ? reply : undefined;
  if (!said?.text && !said?.reasoning && !calls.some((call) => call.messageId === message.id)) return [];
  return [
    {
      ...message,
      ...(said && { text: said.text, raw: said.raw, ...(said.reasoning && { reasoning: said.reasoning }) }),
      status: { type: 'cut' },
    },
  ];
}

function partsOf(
  before: StoredConversation,
  arrived: readonly MessagePart[] | undefined,
  cut: string | undefined,
  calls: readonly StoredCall[],
  home: string,
  lost: readonly JournalEntry[],
): StoredConversation['parts'] {
  if (cut === undefined && lost.length === 0) return before.parts;
  const parts = { ...before.parts };
  const known = new Set(calls.map((call) => call.requestId));
  // A call whose text was incomplete does not exist.
  if (cut !== undefined && arrived)
    define(
      parts,
      cut,
      arrived.filter((part) => part.type !== 'call' || known.has(part.requestId)).map((part) => kept(part, before.parts, cut)),
    );
  if (lost.length > 0) {
    const placed: readonly MessagePart[] = Object.hasOwn(parts, home) ? (parts[home] ?? []) : [];
    const there = new Set(placed.flatMap((part) => (part.type === 'call' ? [part.requestId] : [])));
    const missing = lost.filter(({ requestId }) => !there.has(requestId));
    define(parts, home, [...placed, ...missing.map(({ requestId }): MessagePart => ({ type: 'call', requestId }))]);
  }
  return parts;
}

/** Returns the plan in its latest state, which calls may have changed while the reply was arriving. */
function kept(part: MessagePart, parts: StoredConversation['parts'], home: string): MessagePart {
  if (part.type !== 'plan' || !Object.hasOwn(parts, home)) return part;
  return parts[home]?.find((one) => one.type === 'plan' && one.id === part.id) ?? part;
}

type Turn = NonNullable<StoredConversation['turn']>;
const withLost = (turn: Turn, lost: readonly JournalEntry[]): Turn =>
  lost.length === 0 ? turn : { ...turn, round: [...turn.round, ...lost.map(({ requestId }) => requestId)] };

/**
 * Adds a `tool` message for each of these calls that has ended and has none yet, in the order of the calls, so that the model gets the
 * results. `recover` leaves this to the conversation while a question about one of them is open.
 */
export function tellStoredResults(stored: StoredConversation, requestIds: readonly string[], now = Date.now()): StoredConversation {
  const told = new Set(stored.messages.flatMap((message) => message.metadata.toolCall?.requestId ?? []));
  const due = new Set(requestIds);
  const messages = stored.calls.flatMap((call): ChatMessage[] => {
    const { requestId, toolName, result, params, served } = call;
    if (!result || served || !due.has(requestId) || told.has(requestId)) return [];
    const { status, durationMs } = result;
    return [
      {
        ...{ id: `${requestId}-result`, role: 'tool', text: result.message, createdAt: now },
        status: { type: status === 'error' ? 'error' : status === 'cancelled' ? 'cancelled' : 'complete' },
        metadata: { toolCall: { requestId, toolName, status, durationMs, rawArgs: params } },
      },
    ];
  });
  return messages.length === 0 ? stored : { ...stored, messages: [...stored.messages, ...messages] };
}
