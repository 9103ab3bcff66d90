/** Turns the chart's context into a snapshot: the only place where it becomes plain data. The host reads copies of it. */
import { loadFor } from '../../base/load.js';
import type { ToolUse } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import type { ChatMessage, MessagePart } from '../../model/messages.js';
import { isSettled, openCalls, roundOf } from '../chart/call-records.js';
import { branchesOf } from '../chart/branches.js';
import { runningMessage } from '../chart/conversation-changes.js';
import { callSteps } from '../chart/lazy-call-steps.js';
import { createCards } from './cards.js';
import { chatErrorOf, failureLines } from './failure-text.js';
import { hiddenRetries, withoutRetries } from '../reply/hidden-retries.js';
import type { StreamingReply } from '../reply/streaming-reply.js';
import { callsByMessage, viewOf, withCalls, withLiveText, wordsOf, type Draw, type Drawn, type ViewInputs } from './message-view.js';
import { currentPlan } from '../chart/current-plan.js';
import type { MessageView, ViewSnapshot, Phase, SessionState, ConversationSnapshot } from '../../model/snapshot.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';
import { cutText } from '../../base/cut-text.js';
import { plainCopy } from '../../base/plain-copy.js';

/** A first wait up to this, in milliseconds, is not shown: most are over before the user could read about them. */
const SILENT_WAIT = 2000;

/** The number of messages above which the incremental drawing of long conversations is loaded. */
const LONG = 200;

/** Creates the function that draws a conversation. Unchanged parts are the same objects as last time and cost nothing. */
export function createDrawing(): (context: ConversationContext, around: ViewInputs) => ViewSnapshot {
  let draw = createShortDrawing();
  let isLong = false;
  return (context, around) => {
    if (!isLong && context.messages.length > LONG) {
      isLong = true;
      // Until it is loaded, each step only takes longer.
      loadFor(
        () => import('./long-drawing.js'),
        ({ createLongDrawing }) => (draw = createLongDrawing()),
      );
    }
    return toView(context, around, draw(context, around));
  };
}

export function createShortDrawing(): Draw {
  const drawMessages = createMessages();
  const drawCards = createCards();
  return (context, around) => {
    const { calls } = context;
    const hidden = hiddenRetries(
      context,
      calls.filter(({ repair }) => repair),
    );
    const isExecuting = calls.some(({ status }) => status === 'executing');
    return { ...drawMessages(context, around), cards: drawCards(context, around, hidden), hidden, isExecuting };
  };
}

function toView(context: ConversationContext, around: ViewInputs, { messages, views, cards, hidden, isExecuting }: Drawn): ViewSnapshot {
  const { texts, live } = around;
  const lines = context.failure ? failureLines(context.failure, texts) : [];
  const error = context.failure ? chatErrorOf(context.failure, lines) : null;
  return {
    state: around.phase,
    activities: around.activities,
    messages,
    isLoading: context.turn !== null,
    // The service's own message, cleaned, is more specific than our generic text.
    error: error ? (context.failure?.kind === 'endpoint' && lines[1]) || error.message : null,
    currentTool: currentTool(context, live),
    toolHistory: context.toolHistory,
    streamingText: runningMessage(context) ? (live?.text ?? '') : '',
    isToolExecuting: isExecuting,
    session: { ...sessionOf(context, around.phase), plan: currentPlan(context)?.plan ?? null },
    grants: around.grants,
    views: withoutRetries(views, hidden),
    cards,
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
    ...confirmationOf(context),
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

function currentTool(context: ConversationContext, live: StreamingReply | null): ToolUse | null {
  if (live?.openCall) return { type: 'tool_use', name: live.openCall.name, params: { ...live.openCall.params }, partial: true };
  const open = openCalls(context);
  const call = open.find((one) => one.status === 'executing') ?? open[0];
  return call ? { type: 'tool_use', name: call.toolName, params: { ...call.params }, partial: false } : null;
}

interface DrawnMessage {
  readonly given: ChatMessage;
  readonly calls: readonly CallRecord[];
  readonly parts: readonly MessagePart[] | undefined;
  readonly message: ChatMessage;
  readonly views: readonly MessageView[];
  /**
   * True if only its own fields, its calls, the reply after it, the tools, the language and the end of a turn can still change its view.
   */
  readonly stays: boolean;
  readonly goesOn: boolean;
}

function createMessages() {
  let drawn: readonly DrawnMessage[] = [];
  let before: { texts?: Texts; hasTools?: boolean; isOver?: boolean } = {};

  return (context: ConversationContext, around: ViewInputs): { messages: ChatMessage[]; views: MessageView[] } => {
    const { texts, hasTools, live } = around;
    const branches = branchesOf(context);
    const isOver = context.turn === null;
    const turned = before.isOver !== isOver;
    const spoken = before.texts !== texts || before.hasTools !== hasTools;
    const callsOf = callsByMessage(context.calls);
    before = { texts, hasTools, isOver };
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

function canSendResults(context: ConversationContext): boolean {
  const round = roundOf(context);
  return (
    context.turn?.settings.approval === 'user-run' &&
    round.some((call) => call.status === 'awaiting_approval') &&
    round.some((call) => call.started && isSettled(call)) &&
    round.every((call) => call.status === 'awaiting_approval' || isSettled(call))
  );
}

function confirmationOf(context: ConversationContext): Pick<ViewSnapshot, 'confirmWords'> {
  const { settings } = context.turn ?? {};
  const { confirmBy, confirmWords } = callSteps()?.confirmation ?? {};
  const by = openCalls(context).map((record) => confirmBy?.(record, context));
  const first = by.find(Boolean);
  return settings && first && first !== 'button' && confirmWords ? { confirmWords: confirmWords(settings) } : {};
}

/** The maximum length of `lastResultSummary` in UTF-16 units. */
const SUMMARY_CHARS = 500;

function sessionOf(context: ConversationContext, state: Phase): Omit<SessionState, 'plan'> {
  const last = context.toolHistory.at(-1);
  return {
    state,
    requiresConfirm: openCalls(context).some((call) => call.status === 'awaiting_approval'),
    lastTool: last?.toolName ?? null,
    lastResultSummary: last ? shortened(last.message) : null,
  };
}

/** Returns the first sentence on one line, at most 500 UTF-16 units. The full result is stored with the results. */
export function shortened(text: string): string {
  // Only the beginning is read, because a result may be very long.
  const line = cutText(text, 4 * SUMMARY_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
  const end = /[.!?](?= )|[。！？]/.exec(line);
  const sentence = end ? line.slice(0, end.index + 1) : line;
  return sentence.length <= SUMMARY_CHARS ? sentence : `${cutText(sentence, SUMMARY_CHARS - 1)}…`;
}

/** @param isWaiting returns true if messages wait to be sent */
export function stateOf(view: () => ViewSnapshot, isWaiting: () => boolean): ConversationSnapshot {
  return {
    get state() {
      return view().state;
    },
    get activities() {
      return [...view().activities];
    },
    get messages() {
      return plainCopy(view().messages);
    },
    get isLoading() {
      return view().isLoading || isWaiting();
    },
    get error() {
      return view().error;
    },
    get currentTool() {
      return plainCopy(view().currentTool);
    },
    get toolHistory() {
      return plainCopy(view().toolHistory);
    },
    get streamingText() {
      return view().streamingText;
    },
    get isToolExecuting() {
      return view().isToolExecuting;
    },
    get session() {
      return plainCopy(view().session);
    },
    get grants() {
      return plainCopy(view().grants);
    },
  };
}
