/** Builds the view of one message. */
import type { CardStatus } from '../../model/calls.js';
import type { Grant } from '../../model/grants.js';
import type { Texts } from '../../i18n/en.js';
import type { ChatMessage, MessagePart, RequestStatus } from '../../model/messages.js';
import { isAtLimit, isCutOff } from '../chart/conversation-changes.js';
import { callSteps } from '../chart/lazy-call-steps.js';
import type { CardInputs } from './cards.js';
import { limitLine } from './failure-text.js';
import type { StreamingReply } from '../reply/streaming-reply.js';
import { withPlansOf } from '../chart/current-plan.js';
import type { Activity, MessageBranch, MessageView, NoticeView, Phase, RememberedView, ViewSnapshot } from '../../model/snapshot.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';

/** Data that the view shows and that the chart does not contain. */
export interface ViewInputs extends CardInputs {
  phase: Phase;
  activities: readonly Activity[];
  grants: readonly Grant[];
  queue: readonly string[];
  draft?: string;
  opened: number;
  remembered: readonly RememberedView[];
  hasTools: boolean;
  /** The progress of downloading a model. */
  loaded?: number | undefined;
  /** True if messages to be sent wait for the network. */
  offline: boolean;
  notices: readonly NoticeView[];
  helpUrl?: string | undefined;
}

/** The drawn messages and calls. */
export interface Drawn {
  messages: ChatMessage[];
  views: MessageView[];
  cards: ViewSnapshot['cards'];
  /** Ids of calls that are not shown. */
  hidden: ReadonlySet<string>;
  isExecuting: boolean;
}

export type Draw = (context: ConversationContext, around: ViewInputs) => Drawn;

export function withLiveText(message: ChatMessage, live: StreamingReply | null): ChatMessage {
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

/** Groups calls by their message. */
export function callsByMessage<Call extends { messageId: string }>(calls: readonly Call[]): Map<string, Call[]> {
  const found = new Map<string, Call[]>();
  for (const call of calls) {
    const list = found.get(call.messageId);
    if (list) list.push(call);
    else found.set(call.messageId, [call]);
  }
  return found;
}

export interface Place {
  /** The id of the last answer. */
  readonly last: string | undefined;
  readonly standIns: readonly CallRecord[];
  readonly branch: MessageBranch | undefined;
  /** True if another reply replaced this one, because the model was told that its call was missing. */
  readonly goesOn: boolean;
}

/** Returns the views of a message; none for an empty reply that another one followed. */
export function viewOf(
  message: ChatMessage,
  context: ConversationContext,
  { texts, live, hasTools }: ViewInputs,
  place: Place,
): MessageView[] {
  const { standIns, branch, goesOn } = place;
  const parts =
    message.status.type === 'running' && live?.messageId === message.id ? live.parts : (context.parts[message.id] ?? textOf(message));
  const last = message.id === place.last;
  const { limit, finishReason } = message.metadata;
  const said = last && context.failure?.kind === limit?.kind; // the error bar shows it
  if (goesOn && message.role === 'assistant' && isSilent(parts) && !message.reasoning) return [];
  const note = limit && !said ? limitLine(limit, texts, isCutOff(message, limit)) : noteOf(message, parts, texts, { hasTools, goesOn });
  const over = last && context.turn === null;
  const broken = message.text !== '' && (message.status.type === 'cancelled' || message.status.type === 'cut');
  const canContinue =
    (last && isAtLimit(context)) || (over && (finishReason === 'length' || (broken && context.messages.at(-1)?.id === message.id)));
  const view: MessageView = {
    message,
    parts: withFallbackCalls(withPlansOf(parts, context.parts[message.id]), standIns).map((part) => ({ ...part })),
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

/** Returns confirmation words as user messages. They follow the reply whose calls they confirmed. */
export function wordsOf(calls: readonly CallRecord[]): MessageView[] {
  return calls.flatMap(({ requestId, word: text }) =>
    text === undefined
      ? []
      : {
          message: { id: `${requestId}-word`, role: 'user', text, createdAt: 0, status: { type: 'complete' }, metadata: {} },
          parts: [{ type: 'text', text }],
        },
  );
}

const withFallbackCalls = (parts: readonly MessagePart[], standIns: readonly CallRecord[]): readonly MessagePart[] =>
  standIns.length === 0 ? parts : (callSteps()?.fallback.withFallbackCalls(parts, standIns) ?? parts);

const textOf = (message: ChatMessage): readonly MessagePart[] => (message.text ? [{ type: 'text', text: message.text }] : []);

const isSilent = (parts: readonly MessagePart[]): boolean => parts.every((part) => part.type === 'text' && part.text.trim() === '');

function noteOf(
  message: ChatMessage,
  parts: readonly MessagePart[],
  texts: Texts,
  { hasTools, goesOn }: { hasTools: boolean; goesOn: boolean },
): string | undefined {
  if (message.role !== 'assistant') return undefined;
  // This note is permanent, while the bar that gives the reason can be closed and disappears with the next message.
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
