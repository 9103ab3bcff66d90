/** From what the chart keeps to what anybody may see: the one place where a snapshot becomes plain data. */
import type { CardStatus, CardView, ToolUse } from '../../model/calls.js';
import type { Grant } from '../../model/grants.js';
import type { Texts } from '../../i18n/en.js';
import type { ChatMessage, MessagePart, RequestStatus } from '../../model/messages.js';
import { isSettled, mayHaveHappened, openCalls, roundOf } from '../chart/call-records.js';
import { branchesOf } from '../chart/branches.js';
import { isAtLimit, isCutOff, runningMessage } from '../chart/conversation-changes.js';
import { callSteps } from '../chart/later-steps.js';
import { chatErrorOf, failureLines, limitLine } from './failure-text.js';
import { hiddenRepairs, withoutRepairs } from '../reply/hidden-repairs.js';
import type { LiveReply } from '../reply/live-reply.js';
import { placedPlan, withPlansOf } from '../chart/placed-plan.js';
import { sessionOf } from './session-view.js';
import type { Activity, MessageBranch, MessageView, NoticeView, Phase, RememberedView, ViewSnapshot } from '../../model/snapshot.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';
import type { EditsOf } from '../chart/services.js';

/** A first wait up to this, in milliseconds, is not spoken of: most are over before anybody has read about them. */
const SILENT_WAIT = 2000;

/** What is not in the chart, but on the screen. */
export interface Surroundings {
  texts: Texts;
  phase: Phase;
  activities: readonly Activity[];
  live: LiveReply | null;
  /** Label and icon of a tool, by the name the model wrote. */
  face(toolName: string): { label: string; icon?: string };
  progress: ReadonlyMap<string, { fraction?: number; message?: string }>;
  /** How far the taking back of a call has come. */
  undo(record: CallRecord): CardView['undo'];
  /** How far the editing of its arguments has come. */
  edit: EditsOf;
  grants: readonly Grant[];
  queue: readonly string[];
  draft?: string;
  remembered: readonly RememberedView[];
  hasTools: boolean;
  /** A model that has to be fetched first has come this far. */
  loaded?: number | undefined;
  /** What is to be sent waits for the network. */
  offline: boolean;
  notices: readonly NoticeView[];
  helpUrl?: string | undefined;
}

export function toView(context: ConversationContext, around: Surroundings): ViewSnapshot {
  const { texts, live } = around;
  const callsOf = new Map<string, CallRecord[]>();
  for (const call of context.calls) callsOf.set(call.messageId, [...(callsOf.get(call.messageId) ?? []), call]);
  const messages = context.messages.map((message) => withCalls(withLiveText(message, live), callsOf.get(message.id) ?? []));
  const shown = messages.filter(({ role }) => role !== 'tool');
  /** Another reply took its place: the model was told that no call had come. */
  const goesOn = (message: ChatMessage, at: number) => message.status.type === 'complete' && shown[at + 1]?.role === 'assistant';
  const hidden = hiddenRepairs(context);
  const branches = branchesOf(context);
  const lines = context.failure ? failureLines(context.failure, texts) : [];
  const error = context.failure ? chatErrorOf(context.failure, lines) : null;
  return {
    state: around.phase,
    activities: around.activities,
    messages,
    isLoading: context.turn !== null,
    // What the service says of itself, cleaned, is nearer than our words for all of them (S0-39).
    error: error ? (context.failure?.kind === 'endpoint' && lines[1]) || error.message : null,
    currentTool: currentTool(context, live),
    toolHistory: context.toolHistory,
    streamingText: runningMessage(context) ? (live?.text ?? '') : '',
    isToolExecuting: context.calls.some((call) => call.status === 'executing'),
    session: { ...sessionOf(context, around.phase), plan: placedPlan(context)?.plan ?? null },
    grants: around.grants,
    views: withoutRepairs(
      shown.flatMap((message, at) => [
        ...viewOf(message, context, around, branches.get(message.id), goesOn(message, at)),
        ...wordsOf(callsOf.get(message.id) ?? []),
      ]),
      hidden,
    ),
    cards: cardsOf(context, around, hidden),
    failure: error
      ? {
          error,
          lines,
          ...detailsOf(context.failure, lines),
          canRetry: error.code !== 'LIMIT' && context.failure?.kind !== 'setup' && context.messages.length > 0,
          ...(around.helpUrl && { helpUrl: around.helpUrl }),
          ...(context.failure?.offer && { offer: context.failure.offer === 'whole' ? texts.offerWhole : texts.offerPlain }),
        }
      : null,
    retry: context.retry
      ? {
          ...{ attempt: context.retry.attempt, of: context.retry.of, at: context.retry.at },
          visible: context.retry.attempt > 1 || context.retry.delayMs > SILENT_WAIT,
        }
      : null,
    queue: around.queue,
    ...(around.draft && { draft: around.draft }),
    ...(context.turn?.planning && (context.turn.planning.over || context.turn.planning.steps > 0) && { planning: true as const }),
    hasTools: around.hasTools,
    ...wordsToSay(context),
    ...(canSendResults(context) && { canSendResults: true }),
    ...(around.loaded !== undefined && { loaded: around.loaded }),
    ...(around.offline && { offline: true as const }),
    ...(around.notices.length > 0 && { notices: around.notices }),
    ...(around.remembered.length > 0 && { remembered: around.remembered }),
  };
}

function detailsOf(failure: ConversationContext['failure'], lines: readonly string[]): { details?: string } {
  const details = failure?.detail;
  return details && !lines.some((line) => line.includes(details)) ? { details } : {};
}

function withLiveText(message: ChatMessage, live: LiveReply | null): ChatMessage {
  if (message.status.type !== 'running' || live?.messageId !== message.id) return message;
  return { ...message, text: live.text, ...(live.reasoning && { reasoning: live.reasoning }) };
}

export function withCalls(
  message: ChatMessage,
  calls: readonly Pick<CallRecord, 'requestId' | 'toolName' | 'call' | 'params' | 'status' | 'result'>[],
): ChatMessage {
  if (calls.length === 0) return message;
  const toolCallsRequested = calls.map((call) => ({
    requestId: call.requestId,
    toolName: call.toolName,
    args: call.call?.args ?? call.params,
    status: requestStatus(call.status),
    ...(call.result && !call.result.success && { error: call.result.message }),
  }));
  return { ...message, metadata: { ...message.metadata, toolCallsRequested } };
}

function requestStatus(status: CardStatus): RequestStatus {
  return status === 'success' || status === 'undone' ? 'completed' : status;
}

function currentTool(context: ConversationContext, live: LiveReply | null): ToolUse | null {
  if (live?.openCall) return { type: 'tool_use', name: live.openCall.name, params: { ...live.openCall.params }, partial: true };
  const open = openCalls(context);
  const call = open.find((one) => one.status === 'executing') ?? open[0];
  return call ? { type: 'tool_use', name: call.toolName, params: { ...call.params }, partial: false } : null;
}

/** Nothing, of a reply that said nothing and that another one followed. */
function viewOf(
  message: ChatMessage,
  context: ConversationContext,
  { texts, live, hasTools }: Surroundings,
  branch: MessageBranch | undefined,
  goesOn: boolean,
): MessageView[] {
  const parts =
    message.status.type === 'running' && live?.messageId === message.id ? live.parts : (context.parts[message.id] ?? textOf(message));
  const last = message.id === context.messages.findLast((one) => one.role === 'assistant')?.id;
  const { limit, finishReason } = message.metadata;
  const said = last && context.failure?.kind === limit?.kind; // by the bar
  if (goesOn && message.role === 'assistant' && isSilent(parts) && !message.reasoning) return [];
  const note = limit && !said ? limitLine(limit, texts, isCutOff(message, limit)) : noteOf(message, parts, texts, { hasTools, goesOn });
  const over = last && context.turn === null;
  const broken = message.text !== '' && (message.status.type === 'cancelled' || message.status.type === 'cut');
  const canContinue =
    (last && isAtLimit(context)) || (over && (finishReason === 'length' || (broken && context.messages.at(-1)?.id === message.id)));
  const view: MessageView = {
    message,
    parts: withStandIns(withPlansOf(parts, context.parts[message.id]), context).map((part) => ({ ...part })),
    ...(note && { note }),
    ...(message.role === 'assistant' && canContinue && { canContinue: true }),
    ...(context.turn === null && message.role === 'user' && { canEdit: true as const }),
    ...(context.turn === null &&
      message.id === context.messages.at(-1)?.id &&
      message.role === 'assistant' && { canRegenerate: true as const }),
    ...(branch && { branch }),
  };
  return [view];
}

/** Confirmation words stand where they were said: below the reply whose calls they confirmed. */
function wordsOf(calls: readonly CallRecord[]): MessageView[] {
  return calls.flatMap(({ requestId, word: text }) =>
    text === undefined
      ? []
      : {
          message: { id: `${requestId}-word`, role: 'user', text, createdAt: 0, status: { type: 'complete' }, metadata: {} },
          parts: [{ type: 'text', text }],
        },
  );
}

function canSendResults(context: ConversationContext): boolean {
  const round = roundOf(context);
  return (
    context.turn?.settings.approval === 'user-run' &&
    round.some((call) => call.status === 'awaiting_approval') &&
    round.some((call) => call.started && isSettled(call)) &&
    round.every((call) => call.status === 'awaiting_approval' || isSettled(call))
  );
}

const textOf = (message: ChatMessage): readonly MessagePart[] => (message.text ? [{ type: 'text', text: message.text }] : []);

const isSilent = (parts: readonly MessagePart[]): boolean => parts.every((part) => part.type === 'text' && part.text.trim() === '');

function noteOf(
  message: ChatMessage,
  parts: readonly MessagePart[],
  texts: Texts,
  { hasTools, goesOn }: { hasTools: boolean; goesOn: boolean },
): string | undefined {
  if (message.role !== 'assistant') return undefined;
  // For good: the bar that says why can be closed, and is gone with the next message.
  if (message.status.type === 'cut' || (message.status.type === 'error' && message.text !== '')) return texts.answerCut;
  if (message.status.type === 'cancelled') return texts.answerStopped;
  if (message.metadata.finishReason === 'length') return texts.answerTooLong;
  if (message.metadata.incomplete) return texts.answerIncomplete;
  if (message.metadata.cached) return texts.answerCached;
  if (message.status.type !== 'complete' || goesOn) return undefined;
  if (isSilent(parts)) return message.reasoning ? texts.onlyReasoning : texts.noAnswer;
  const isAnnounced = message.metadata.finishReason === 'tool-calls' && parts.every(({ type }) => type === 'text');
  return hasTools && isAnnounced ? texts.noCall : undefined;
}

function undoOf(record: CallRecord, { calls }: ConversationContext, around: Surroundings): Pick<CardView, 'undo' | 'undoBack'> {
  const undo = around.undo(record) ?? (record.fate === 'maybe-undone' ? 'unsure' : undefined);
  if (!undo) return {};
  const later = calls.slice(calls.indexOf(record) + 1).some((call) => around.undo(call) === 'offered');
  return { undo, ...(later && { undoBack: true }) };
}

const withStandIns = (parts: readonly MessagePart[], { calls }: ConversationContext): readonly MessagePart[] =>
  callSteps()?.fallback.withStandIns(parts, calls) ?? parts;

function wordsToSay(context: ConversationContext): Pick<ViewSnapshot, 'confirmWords'> {
  const { settings } = context.turn ?? {};
  const { confirmBy, confirmWords } = callSteps()?.confirmation ?? {};
  const by = openCalls(context).map((record) => confirmBy?.(record, context));
  const first = by.find(Boolean);
  return settings && first && first !== 'button' && confirmWords ? { confirmWords: confirmWords(settings) } : {};
}

function confirmOf(record: CallRecord, context: ConversationContext): Pick<CardView, 'confirm'> {
  const confirm = callSteps()?.confirmation.confirmBy(record, context);
  return confirm ? { confirm } : {};
}

function cardsOf(context: ConversationContext, around: Surroundings, hidden: ReadonlySet<string>): Record<string, CardView> {
  // A file or a service may name a call `__proto__`.
  const cards = Object.create(null) as Record<string, CardView>;
  const queued = openCalls(context).filter((call) => call.status === 'queued');
  const ended = new Map(context.messages.map(({ createdAt, metadata }) => [metadata.toolCall?.requestId, createdAt]));
  for (const record of context.calls) {
    const { requestId, toolName, status, params, call, result } = record;
    if (hidden.has(requestId)) continue;
    const face = call ? { label: call.label, ...(call.icon && { icon: call.icon }) } : around.face(toolName);
    const position = queued.findIndex((one) => one.requestId === requestId);
    const progress = around.progress.get(requestId);
    const endedAt = ended.get(requestId);
    cards[requestId] = {
      requestId,
      toolName,
      status,
      params,
      ...face,
      ...(call && {
        call: record.byPerson ? { ...call, status, decidedBy: 'person', reason: around.texts.reasonPerson } : { ...call, status },
      }),
      ...(position >= 0 && { queuePosition: position + 1 }),
      ...((record.served || record.approval) && { service: true as const }),
      ...(status === 'awaiting_approval' && record.offers?.length && { offers: record.offers }),
      ...confirmOf(record, context),
      ...undoOf(record, context, around),
      ...((record.fate === 'maybe-undone' || mayHaveHappened(record)) && { unsure: true as const }),
      ...around.edit(record),
      ...callSteps()?.fallback.trouble(record, cards, around.texts),
      ...(progress && !isSettled(record) && { progress }),
      ...(result?.code === 'MALFORMED_CALL' && { raw: record.raw }),
      ...(result && { result }),
      ...(endedAt !== undefined && { endedAt }),
    };
  }
  const open = around.live?.openCall;
  if (open) {
    const { requestId, name, params } = open;
    cards[requestId] = { requestId, toolName: name, status: 'pending', params: { ...params }, ...around.face(name) };
  }
  return cards;
}
