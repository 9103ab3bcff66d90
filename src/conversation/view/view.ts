/** From what the chart keeps to what anybody may see: the one place where a snapshot becomes plain data. */
import type { CardStatus, ToolUse } from '../../model/calls.js';
import type { Grant } from '../../model/grants.js';
import type { Texts } from '../../i18n/en.js';
import type { ChatMessage, MessagePart, RequestStatus } from '../../model/messages.js';
import { isSettled, openCalls, roundOf } from '../chart/call-records.js';
import { branchesOf } from '../chart/branches.js';
import { isAtLimit, isCutOff, runningMessage } from '../chart/conversation-changes.js';
import { callSteps } from '../chart/later-steps.js';
import { createCards, type CardSurroundings } from './cards.js';
import { chatErrorOf, failureLines, limitLine } from './failure-text.js';
import { hiddenRepairs, withoutRepairs } from '../reply/hidden-repairs.js';
import type { LiveReply } from '../reply/live-reply.js';
import { placedPlan, withPlansOf } from '../chart/placed-plan.js';
import { sessionOf } from './session-view.js';
import type { Activity, MessageBranch, MessageView, NoticeView, Phase, RememberedView, ViewSnapshot } from '../../model/snapshot.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';

/** A first wait up to this, in milliseconds, is not spoken of: most are over before anybody has read about them. */
const SILENT_WAIT = 2000;

/** What is not in the chart, but on the screen. */
export interface Surroundings extends CardSurroundings {
  phase: Phase;
  activities: readonly Activity[];
  grants: readonly Grant[];
  queue: readonly string[];
  draft?: string;
  opened: number;
  remembered: readonly RememberedView[];
  hasTools: boolean;
  /** A model that has to be fetched first has come this far. */
  loaded?: number | undefined;
  /** What is to be sent waits for the network. */
  offline: boolean;
  notices: readonly NoticeView[];
  helpUrl?: string | undefined;
}

/** Draws a conversation, and remembers what it drew: what did not change is the same object as last time, and costs nothing. */
export function createDrawing(): (context: ConversationContext, around: Surroundings) => ViewSnapshot {
  const drawMessages = createMessages();
  const drawCards = createCards();
  return (context, around) => toView(context, around, drawMessages, drawCards);
}

function toView(
  context: ConversationContext,
  around: Surroundings,
  drawMessages: ReturnType<typeof createMessages>,
  drawCards: ReturnType<typeof createCards>,
): ViewSnapshot {
  const { texts, live } = around;
  const hidden = hiddenRepairs(context);
  const { messages, views } = drawMessages(context, around);
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
    views: withoutRepairs(views, hidden),
    cards: drawCards(context, around, hidden),
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
    ...(around.opened > 0 && { opened: around.opened }),
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

/** Calls by their message. */
export function callsByMessage<Call extends { messageId: string }>(calls: readonly Call[]): Map<string, Call[]> {
  const found = new Map<string, Call[]>();
  for (const call of calls) {
    const list = found.get(call.messageId);
    if (list) list.push(call);
    else found.set(call.messageId, [call]);
  }
  return found;
}

interface DrawnMessage {
  readonly given: ChatMessage;
  readonly calls: readonly CallRecord[];
  readonly parts: readonly MessagePart[] | undefined;
  readonly message: ChatMessage;
  readonly views: readonly MessageView[];
  /** Nothing but its own fields, its calls, the reply after it, tools, the language and the end of a turn changes how it looks. */
  readonly stays: boolean;
  readonly goesOn: boolean;
}

function createMessages() {
  let drawn: readonly DrawnMessage[] = [];
  let before: { texts?: Texts; hasTools?: boolean; isOver?: boolean; calls?: readonly CallRecord[] } = {};
  let callsOf: ReadonlyMap<string, readonly CallRecord[]> = new Map();

  return (context: ConversationContext, around: Surroundings): { messages: ChatMessage[]; views: MessageView[] } => {
    const { texts, hasTools, live } = around;
    const branches = branchesOf(context);
    const isOver = context.turn === null;
    const turned = before.isOver !== isOver;
    const spoken = before.texts !== texts || before.hasTools !== hasTools;
    if (before.calls !== context.calls) callsOf = callsByMessage(context.calls);
    before = { texts, hasTools, isOver, calls: context.calls };
    const standIns = context.calls.filter((call) => call.standsInFor !== undefined);
    const last = context.messages.findLast((one) => one.role === 'assistant')?.id;
    const end = context.messages.at(-1)?.id;
    const shown = context.messages.filter(({ role }) => role !== 'tool');
    const followed = new Set(shown.filter((_, at) => shown[at + 1]?.role === 'assistant').map(({ id }) => id));

    drawn = context.messages.map((given, at): DrawnMessage => {
      const calls = callsOf.get(given.id) ?? NONE;
      const parts = context.parts[given.id];
      const known = drawn[at];
      const isLive = given.status.type === 'running';
      const isKnown = known?.given === given && known.parts === parts && isList(known.calls, calls) && !isLive;
      const stays = !isLive && given.id !== last && given.id !== end && standIns.length === 0 && !branches.has(given.id);
      const goesOn = given.status.type === 'complete' && followed.has(given.id);
      const asBefore = isKnown && stays && known.stays && known.goesOn === goesOn;
      if (asBefore && !spoken && !(turned && given.role === 'user')) return known;
      const message = isKnown ? known.message : withCalls(withLiveText(given, live), calls);
      const view = () => viewOf(message, context, around, { last, standIns, branch: branches.get(given.id), goesOn });
      return { given, calls, parts, message, stays, goesOn, views: given.role === 'tool' ? [] : [...view(), ...wordsOf(calls)] };
    });
    return { messages: drawn.map(({ message }) => message), views: drawn.flatMap(({ views }) => views) };
  };
}

const NONE: readonly CallRecord[] = [];
const isList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one === other || (one.length === other.length && one.every((item, at) => item === other[at]));

interface Place {
  /** The id of the last answer. */
  readonly last: string | undefined;
  readonly standIns: readonly CallRecord[];
  readonly branch: MessageBranch | undefined;
  /** Another reply took its place: the model was told that no call had come. */
  readonly goesOn: boolean;
}

/** Nothing, of a reply that said nothing and that another one followed. */
function viewOf(message: ChatMessage, context: ConversationContext, { texts, live, hasTools }: Surroundings, place: Place): MessageView[] {
  const { standIns, branch, goesOn } = place;
  const parts =
    message.status.type === 'running' && live?.messageId === message.id ? live.parts : (context.parts[message.id] ?? textOf(message));
  const last = message.id === place.last;
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
    parts: withStandIns(withPlansOf(parts, context.parts[message.id]), standIns).map((part) => ({ ...part })),
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

const withStandIns = (parts: readonly MessagePart[], standIns: readonly CallRecord[]): readonly MessagePart[] =>
  standIns.length === 0 ? parts : (callSteps()?.fallback.withStandIns(parts, standIns) ?? parts);

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

function wordsToSay(context: ConversationContext): Pick<ViewSnapshot, 'confirmWords'> {
  const { settings } = context.turn ?? {};
  const { confirmBy, confirmWords } = callSteps()?.confirmation ?? {};
  const by = openCalls(context).map((record) => confirmBy?.(record, context));
  const first = by.find(Boolean);
  return settings && first && first !== 'button' && confirmWords ? { confirmWords: confirmWords(settings) } : {};
}
