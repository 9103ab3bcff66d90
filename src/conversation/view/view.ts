/** From what the chart keeps to what anybody may see: the one place where a snapshot becomes plain data. */
import { createPicker, sharedLength } from '../../base/objects.js';
import type { CardStatus, ToolUse } from '../../model/calls.js';
import type { Grant } from '../../model/grants.js';
import type { Texts } from '../../i18n/en.js';
import type { ChatMessage, MessagePart, RequestStatus } from '../../model/messages.js';
import { isSettled, openCalls, roundOf } from '../chart/call-records.js';
import { branchesOf } from '../chart/branches.js';
import { isAtLimit, isCutOff, runningMessage } from '../chart/conversation-changes.js';
import { callSteps } from '../chart/later-steps.js';
import { createCards, type CardSurroundings, type SameAsBefore } from './cards.js';
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
  let before: Lists = { calls: [], messages: [] };
  const cache: Cache = {
    drawMessages: createMessages(),
    drawCards: createCards(),
    executing: createPicker(({ status }) => status === 'executing'),
    repairs: createPicker(({ repair }) => repair === true),
  };
  return (context, around) => {
    const same = { calls: sharedLength(context.calls, before.calls), messages: sharedLength(context.messages, before.messages) };
    before = context;
    return toView(context, around, same, cache);
  };
}

type Lists = Pick<ConversationContext, 'calls' | 'messages'>;

/** What was drawn last, of which most is drawn again. */
interface Cache {
  drawMessages: ReturnType<typeof createMessages>;
  drawCards: ReturnType<typeof createCards>;
  executing: Picker;
  repairs: Picker;
}

type Picker = (calls: readonly CallRecord[], same: number) => readonly CallRecord[];

function toView(context: ConversationContext, around: Surroundings, same: SameAsBefore, cache: Cache): ViewSnapshot {
  const { texts, live } = around;
  const hidden = hiddenRepairs(context, cache.repairs(context.calls, same.calls));
  const { messages, views } = cache.drawMessages(context, around, same);
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
    isToolExecuting: cache.executing(context.calls, same.calls).length > 0,
    session: { ...sessionOf(context, around.phase), plan: placedPlan(context)?.plan ?? null },
    grants: around.grants,
    views: withoutRepairs(views, hidden),
    cards: cache.drawCards(context, around, same, hidden),
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
  readonly branch: MessageBranch | undefined;
  readonly message: ChatMessage;
  readonly views: readonly MessageView[];
  /** Nothing but its own fields, its calls, the reply after it, and what all messages share (`Shared`) changes how it looks. */
  readonly stays: boolean;
  readonly goesOn: boolean;
}

/** What changes the look of any message. */
interface Shared {
  readonly texts: Texts;
  readonly hasTools: boolean;
  readonly isOver: boolean;
  readonly branches: ReadonlyMap<string, MessageBranch>;
  readonly standIns: readonly CallRecord[];
}

/**
 * A long conversation has thousands of messages, and each step of a turn draws them: those at the beginning that did not change are taken over as
 * one piece, so that a step costs what has changed.
 */
function createMessages() {
  const drawn: DrawnMessage[] = [];
  const messages: ChatMessage[] = [];
  const views: MessageView[] = [];
  /** How many of `views` belong to the messages up to each of them. */
  const ends: number[] = [];
  /** How many at the beginning stay. */
  let settled = 0;
  let shared: Shared | undefined;
  let before: Pick<ConversationContext, 'messages' | 'calls' | 'parts' | 'branches'> = { messages: [], calls: [], parts: {} };
  const callsOf = new Map<string, readonly CallRecord[]>();
  const standInsOf = createPicker((call: CallRecord) => call.standsInFor !== undefined);

  /** Brings `callsOf` up to date. @returns ids of the messages whose calls are others now */
  function regroup(calls: readonly CallRecord[], same: number): ReadonlySet<string> {
    const [gone, come] = [new Set(before.calls.slice(same)), callsByMessage(calls.slice(same))];
    const ids = new Set([...[...gone].map(({ messageId }) => messageId), ...come.keys()]);
    for (const id of ids) callsOf.set(id, [...(callsOf.get(id) ?? []).filter((call) => !gone.has(call)), ...(come.get(id) ?? [])]);
    return ids;
  }

  function share(context: ConversationContext, { texts, hasTools }: Surroundings, same: SameAsBefore): Shared {
    const isSame = context.messages === before.messages && context.branches === before.branches;
    const found = shared && isSame ? shared.branches : branchesOf(context);
    const branches = shared?.branches.size === 0 && found.size === 0 ? shared.branches : found;
    return { texts, hasTools, isOver: context.turn === null, branches, standIns: standInsOf(context.calls, same.calls) };
  }

  /** How many messages at the beginning look as they did. */
  function unchanged({ messages: given, parts }: ConversationContext, same: number, touched: ReadonlySet<string>): number {
    let most = Math.min(same, settled);
    const others = parts === before.parts ? [] : Object.keys(parts).filter((id) => parts[id] !== before.parts[id]);
    for (const id of new Set([...touched, ...others])) {
      const at = given.findLastIndex((one) => one.id === id);
      if (at >= 0) most = Math.min(most, at);
    }
    // The message before it may look otherwise with another one behind it.
    while (most > 0 && given[(most -= 1)]?.role === 'tool');
    return most;
  }

  /** What a person said can be edited only between turns. */
  function redrawQuestion(at: number, context: ConversationContext, around: Surroundings, { standIns }: Shared): void {
    const one = drawn[at] as DrawnMessage;
    const [view] = viewOf(one.message, context, around, { last: undefined, standIns, branch: one.branch, goesOn: false });
    drawn[at] = { ...one, views: [view as MessageView, ...one.views.slice(1)] };
    views[ends[at - 1] ?? 0] = view as MessageView;
  }

  return (
    context: ConversationContext,
    around: Surroundings,
    sameLists: SameAsBefore,
  ): { messages: ChatMessage[]; views: MessageView[] } => {
    const { live } = around;
    const given = context.messages;
    const touched = regroup(context.calls, sameLists.calls);
    const now = share(context, around, sameLists);
    const spoken = shared?.texts !== now.texts || shared.hasTools !== now.hasTools || shared.standIns !== now.standIns;
    const turned = shared?.isOver !== now.isOver;
    const forked = shared?.branches !== now.branches;
    const lastAnswer = given.findLastIndex((one) => one.role === 'assistant');
    const [last, end] = [given[lastAnswer]?.id, given.at(-1)?.id];
    const least = Math.min(sameLists.messages, lastAnswer < 0 ? given.length : lastAnswer, Math.max(0, given.length - 1));
    const same = spoken || forked ? 0 : unchanged(context, least, touched);
    [shared, before] = [now, context];

    const known = drawn.slice(same);
    const rest = given.slice(same);
    const shown = rest.filter(({ role }) => role !== 'tool');
    const followed = new Set(shown.filter((_, at) => shown[at + 1]?.role === 'assistant').map(({ id }) => id));
    const redrawn = rest.map((one, at): DrawnMessage => {
      const calls = callsOf.get(one.id) ?? NONE;
      const parts = context.parts[one.id];
      const old = known[at];
      const isLive = one.status.type === 'running';
      const isKnown = old?.given === one && old.parts === parts && isList(old.calls, calls) && !isLive;
      const stays = !isLive && one.id !== last && one.id !== end;
      const goesOn = one.status.type === 'complete' && followed.has(one.id);
      const branch = now.branches.get(one.id);
      const asBefore = isKnown && stays && old.stays && old.goesOn === goesOn && isSameBranch(old.branch, branch);
      if (asBefore && !spoken && !(turned && one.role === 'user')) return old;
      const message = isKnown ? old.message : withCalls(withLiveText(one, live), calls);
      const view = () => viewOf(message, context, around, { last, standIns: now.standIns, branch, goesOn });
      const drawnViews = one.role === 'tool' ? [] : [...view(), ...wordsOf(calls)];
      return { given: one, calls, parts, message, branch, stays, goesOn, views: drawnViews };
    });
    drawn.length = messages.length = ends.length = same;
    views.length = ends.at(-1) ?? 0;
    for (const one of redrawn) {
      drawn.push(one);
      messages.push(one.message);
      for (const view of one.views) views.push(view);
      ends.push(views.length);
    }
    for (settled = same; drawn[settled]?.stays;) settled += 1;
    if (turned) for (let at = 0; at < same; at += 1) if (drawn[at]?.given.role === 'user') redrawQuestion(at, context, around, now);
    return { messages: messages.slice(), views: views.slice() };
  };
}

const NONE: readonly CallRecord[] = [];
const isList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one === other || (one.length === other.length && sharedLength(one, other) === one.length);
const isSameBranch = (one: MessageBranch | undefined, other: MessageBranch | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

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
