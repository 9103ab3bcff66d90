/** Reducers of the conversation chart, one per event: context in, changed fields out. No network, no actors. */
import { fastCopy } from '../../base/objects.js';
import type { ChatMessage, TurnLimit, TurnReason, TurnResult } from '../../model/messages.js';
import { isKnown, roundOf } from './call-records.js';
import { tellProblem, withPlansOf } from './current-plan.js';
import { untrustedSourceOf } from './untrusted-content.js';
import { cutFrom } from './branches.js';
import type { ConversationContext, ConversationEvent, TurnFailure, FinishedReply, Turn } from './chart-context.js';

type Changes = Partial<ConversationContext>;
type EventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { type: Type }>;

/** The maximum number of consecutive rounds without an executed call (broken calls, unknown tools) before the turn stops. */
const emptyRoundLimit = 3;

export const runningMessage = (context: ConversationContext): ChatMessage | undefined => {
  const last = context.messages.at(-1);
  return last?.role === 'assistant' && last.status.type === 'running' ? last : undefined;
};

// ——— Turns

export function newTurn(id: string, settings: Turn['settings'], manual: boolean): Turn {
  return {
    id,
    settings,
    round: [],
    proof: 'unproved',
    lock: null,
    iterations: 0,
    emptyRounds: 0,
    denied: {},
    executed: {},
    attempts: { network: 0, server: 0 },
    results: [],
    manual,
    outcome: null,
  };
}

/** Returns the settings of a turn that answers this message. */
export const settingsOf = (message: ChatMessage | undefined, settings: Turn['settings']): Turn['settings'] =>
  message?.metadata.withoutTools ? { ...settings, tools: 'off' } : settings;

export const beginTurn = (context: ConversationContext, event: EventOf<'user.send'>): Changes => ({
  turn: { ...newTurn(event.turnId, event.settings, false), lock: event.tool === undefined ? null : { ...event.tool, asked: false } },
  messages: [...context.messages, event.message],
  failure: null,
});

/**
 * Starts a retry. Failed replies are removed; the user's message is not repeated, and results of tools that ran remain in the conversation.
 */
export function resumeTurn(context: ConversationContext, event: EventOf<'user.retry'>): Changes {
  const nextMessage = context.messages[withoutFailed(context).messages.length];
  const left = nextMessage ? cutFrom(context, nextMessage.id, true) : {};
  const turn: Turn = {
    ...newTurn(event.turnId, event.settings, false),
    isRetry: true,
    ...(event.isContinuation ? { isContinuation: true } : nextMessage?.status.type === 'complete' && { regenerates: true }),
  };
  return { ...left, turn, failure: null };
}

export const userMessageIsLast = (context: ConversationContext): boolean => withoutFailed(context).messages.at(-1)?.role !== 'tool';

function withoutFailed(context: ConversationContext): ConversationContext {
  let kept = context;
  for (let failed = failedReply(kept); failed; failed = failedReply(kept)) kept = { ...kept, ...cutFrom(kept, failed.id, false) };
  return kept;
}

/** Returns the last reply if it must be requested again: the final answer, or a reply that broke off before any of its calls ran. */
function failedReply({ messages, calls }: ConversationContext): ChatMessage | undefined {
  const reply = messages.findLast((message) => message.role !== 'tool');
  if (reply?.role !== 'assistant') return undefined;
  if (reply === messages.at(-1)) return reply;
  if (reply.status.type === 'complete') return undefined;
  return calls.some((call) => call.messageId === reply.id && call.started) ? undefined : reply;
}

/** Sets the user's rating of a reply, or removes it. */
export function rateMessage(context: ConversationContext, { messageId, feedback }: EventOf<'user.rate'>): Changes {
  const messages = replaceMessage(context, messageId, (message) => {
    const { feedback: _, ...metadata } = message.metadata;
    return { ...message, metadata: { ...metadata, ...(feedback && { feedback }) } };
  });
  return { messages };
}

/** Returns the reason to end this turn after its results, or null to continue. */
export function stopReason(context: ConversationContext): TurnReason | null {
  const { turn } = context;
  if (!turn) return 'stop';
  if (turn.settings.resultLoop === 'single') return 'stop';
  if (turn.imported && roundOf(context).every((call) => call.offers === undefined)) return 'stop';
  const denied = roundOf(context).some((call) => call.status === 'denied');
  if (denied && turn.settings.onDeny === 'stop') return 'denied';
  // Quoted and repeated calls were only offers: if none of them was started, there is nothing more to say.
  if (roundOf(context).every((call) => (call.flags.includes('quoted') || call.repeats !== undefined) && !call.started)) return 'stop';
  if (Object.values(turn.denied).some((times) => times >= 2)) return 'denied';
  if (isRepeating(turn) || turn.emptyRounds >= emptyRoundLimit || isUnreadable(context)) return 'limit';
  return null;
}

/** True if the chosen tool was not called and only the prompt has asked for it so far. */
export const canAskForToolChoice = ({ turn }: ConversationContext): boolean => turn?.lock != null && !turn.lock.asked;

export const isToolChoicePending = ({ turn }: ConversationContext): boolean => turn?.lock != null;

/** True if a limit ended the turn before the task was done: the user decides whether it continues. */
export const isForUser = (context: ConversationContext): boolean => stopReason(context) === 'limit';

export const askForAnswer = ({ turn }: ConversationContext): Changes => (turn ? { turn: { ...turn, closing: true } } : {});

/**
 * True if a call was announced or only thought of and the model was not told in this turn. After the last round, the model is not asked to
 * call a tool.
 */
export const callIsMissing = ({ turn }: ConversationContext): boolean => turn?.missing !== undefined && !turn.reminded && !turn.closing;

export const remind = ({ turn }: ConversationContext): Changes => (turn ? { turn: { ...turn, reminded: true } } : {});

export const leaveProtocol = ({ turn }: ConversationContext, { protocol: left }: EventOf<'protocol.left'>): Changes =>
  turn ? { turn: { ...turn, abandonedProtocol: left } } : {};

export const askForToolChoice = ({ turn }: ConversationContext): Changes =>
  turn?.lock ? { turn: { ...turn, lock: { ...turn.lock, asked: true } } } : {};

/**
 * True if the model called only other tools, which were refused, instead of the chosen one. A call that could not be read may have been the
 * chosen one, so it does not count.
 */
export function isToolChoiceIgnored(context: ConversationContext): boolean {
  const lock = context.turn?.lock;
  const round = roundOf(context);
  return (
    lock != null && round.length > 0 && round.every(({ result }) => result?.toolName !== lock.tool && result?.code !== 'MALFORMED_CALL')
  );
}

export function concludeToolChoice(context: ConversationContext): Changes {
  const { tool: name, label: tool = name } = context.turn?.lock ?? { tool: '' };
  return concludeTurn(context, 'error', { kind: 'locked', code: 'LIMIT', layer: 'business', retryable: false, tool });
}

/** Ends a turn whose reply was cut by a reload. The user decides whether to retry, because the rest of the reply is unknown. */
export const concludeReload = (context: ConversationContext): Changes => concludeTurn(context, 'cut', reloadFailure);

export const reloadFailure: TurnFailure = { kind: 'reload', code: 'STREAM_CUT', layer: 'network', retryable: true };

/** True if no more rounds are allowed. The model may still answer, but not call again. */
export const roundsAreUsedUp = ({ turn }: ConversationContext): boolean =>
  turn !== null && turn.iterations >= Math.max(turn.settings.maxIterations, 2 * (turn.planning?.steps ?? 0));

const isRepeating = (turn: Turn): boolean => Object.values(turn.executed).some((times) => times >= turn.settings.repeatLimit);

export function concludeTurn(context: ConversationContext, reason: TurnReason, failure?: TurnFailure): Changes {
  if (!context.turn) return {};
  const limit = !failure && reason === 'limit' ? limitOf(context, context.turn) : undefined;
  const why = failure ?? (limit && limitFailure(context, limit));
  return {
    turn: { ...context.turn, outcome: { reason, ...(why && { failure: why }) } },
    failure: why ?? null,
    ...(limit && { messages: withLimit(context, limit) }),
  };
}

/** Saves the limit with the last reply, so that the next page finds it, too. */
function withLimit(context: ConversationContext, limit: TurnLimit): ConversationContext['messages'] {
  const id = context.messages.findLast(({ role }) => role === 'assistant')?.id ?? '';
  return replaceMessage(context, id, (message) => ({ ...message, metadata: { ...message.metadata, limit } }));
}

/** True if the last turn ended at a limit and no message has followed: the user can continue it. */
export const isAtLimit = ({ messages, turn }: ConversationContext): boolean =>
  turn === null && messages.findLast(({ role }) => role !== 'tool')?.metadata.limit !== undefined;

/** Ends the turn with the reason of the event: a stop, or a cut or failed reply. */
export function concludeBy(context: ConversationContext, event: ConversationEvent): Changes {
  if (event.type === 'user.stop') return concludeTurn(context, event.reason);
  if (event.type === 'reply.cut') return concludeTurn(context, 'cut', event.failure);
  if (event.type === 'reply.failed') return concludeTurn(context, event.failure.kind === 'budget' ? 'budget' : 'error', event.failure);
  return {};
}

function limitOf(context: ConversationContext, turn: Turn): TurnLimit {
  const stuck = turn.emptyRounds >= emptyRoundLimit ? 'fruitless' : 'limit';
  return { kind: isRepeating(turn) ? 'repeat' : isUnreadable(context) ? 'unreadable' : stuck, rounds: turn.iterations };
}

function limitFailure({ messages }: ConversationContext, limit: TurnLimit): TurnFailure {
  const reply = messages.findLast(({ role }) => role === 'assistant');
  return { ...limit, code: 'LIMIT', layer: 'execution', retryable: false, ...(reply && isCutOff(reply, limit) && { isCutOff: true }) };
}

/** True if the last call could not be read because the answer had reached its length limit. */
export const isCutOff = ({ metadata }: ChatMessage, { kind }: TurnLimit): boolean =>
  kind === 'unreadable' && metadata.finishReason === 'length';

/** True if no call of the round could be read although the model had been shown the format before: it is not asked a third time. */
function isUnreadable(context: ConversationContext): boolean {
  const round = roundOf(context);
  const unread = round.length > 0 && round.every(({ result }) => result?.code === 'MALFORMED_CALL');
  // The next request uses another protocol, so the model gets a new chance.
  if (round.some(({ protocol }) => protocol === context.turn?.abandonedProtocol)) return false;
  return context.turn?.settings.onBrokenCall === 'repair' && unread && !round.some(({ repair }) => repair);
}

export function finishReason(context: ConversationContext): TurnReason {
  return context.messages.at(-1)?.metadata.finishReason === 'length' ? 'length' : 'stop';
}

export function turnOutcome(context: ConversationContext): Omit<TurnResult, 'error'> & { failure?: TurnFailure } {
  const turn = context.turn as Turn;
  const reason = turn.outcome?.reason ?? 'cancelled';
  const failure = turn.outcome?.failure;
  const last = context.messages.findLast((message) => message.role === 'assistant');
  return {
    success: reason === 'stop' || reason === 'length',
    reason,
    text: last?.text ?? '',
    results: [...turn.results],
    ...(failure && { failure }),
  };
}

// ——— Replies

export function openMessage(context: ConversationContext): Changes {
  if (runningMessage(context) || !context.turn) return {};
  const taintedBy = untrustedSourceOf(context, context.turn.settings);
  const message: ChatMessage = {
    id: `${context.turn.id}-${String(context.messages.length)}`,
    role: 'assistant',
    text: '',
    createdAt: Date.now(),
    status: { type: 'running' },
    metadata: { ...(taintedBy && { taintedBy }) },
  };
  const { resumableReply: _, ...turn } = tellProblem(context.turn);
  return { messages: [...context.messages, message], turn: { ...turn, round: [] } };
}

function replaceMessage(context: ConversationContext, id: string, replace: (message: ChatMessage) => ChatMessage): readonly ChatMessage[] {
  const at = context.messages.findLastIndex((message) => message.id === id);
  return at < 0 ? context.messages : context.messages.with(at, fastCopy(replace(context.messages[at] as ChatMessage)));
}

function keepReply(context: ConversationContext, reply: FinishedReply, status: 'complete' | 'cut' | 'cancelled' | 'error'): Changes {
  const { missing: _, ...turn } = context.turn ?? {};
  const { missing } = reply;
  const messages = replaceMessage(context, reply.messageId, (message) => ({
    ...message,
    text: reply.text,
    ...(reply.raw !== undefined && { raw: reply.raw }),
    ...(reply.reasoning && { reasoning: reply.reasoning }),
    status: { type: status },
    metadata: {
      ...(message.metadata.taintedBy && { taintedBy: message.metadata.taintedBy }),
      ...(reply.finish && { finishReason: reply.finish }),
      ...(reply.usage && { usage: reply.usage }),
      ...(reply.model && { model: reply.model }),
      ...(reply.cached && { cached: true }),
      ...(reply.incomplete && { incomplete: true }),
    },
  }));
  // Drop the parts of calls that began but were never completed.
  const parts = reply.parts.filter((part) => part.type !== 'call' || isKnown(context, part.requestId));
  return {
    messages,
    parts: { ...context.parts, [reply.messageId]: withPlansOf(parts, context.parts[reply.messageId]) },
    retry: null,
    ...(context.turn && {
      turn: { ...(turn as Turn), proof: reply.proof, attempts: { network: 0, server: 0 }, ...(missing && { missing }) },
    }),
  };
}

/** Returns the received reply. If another page had read more of it before, its text is used instead. */
function arrived({ turn }: ConversationContext, event: ConversationEvent): FinishedReply | undefined {
  const reply = 'reply' in event ? event.reply : undefined;
  const rest = turn?.resumableReply;
  const isLess = rest && (!reply || reply.text.length + reply.reasoning.length < rest.text.length + rest.reasoning.length);
  if (!isLess || event.type === 'reply.ended') return reply;
  const { messageId, text, raw, reasoning, parts } = rest;
  return { finish: '', proof: 'unproved', ...reply, messageId, text, raw, reasoning, parts };
}

/** Stores the received part of the reply. A reply without any content is removed, unless it ended normally. */
export function keepPartialReply(context: ConversationContext, event: ConversationEvent): Changes {
  const running = runningMessage(context);
  const reply = arrived(context, event);
  if (!reply || reply.messageId !== running?.id) return running ? { messages: context.messages.slice(0, -1) } : {};
  if (event.type === 'reply.ended') return keepReply(context, reply, 'complete');
  if (!reply.text && !reply.reasoning && reply.parts.length === 0) return { messages: context.messages.slice(0, -1) };
  return keepReply(context, reply, event.type === 'reply.cut' ? 'cut' : event.type === 'user.stop' ? 'cancelled' : 'error');
}

export function scheduleRetry(
  context: ConversationContext,
  retry: { delayMs: number; attempt: number; of: number; class: 'network' | 'server' },
  now: number,
): Changes {
  const { turn } = context;
  if (!turn) return {};
  const attempts = { ...turn.attempts, [retry.class]: turn.attempts[retry.class] + 1 };
  return { turn: { ...turn, attempts }, retry: { attempt: retry.attempt, of: retry.of, delayMs: retry.delayMs, at: now + retry.delayMs } };
}

/** Sets the reason why no approval can be shown, or removes it. Other errors are not removed. */
export function blockConversation(context: ConversationContext, failure: TurnFailure | null): Changes {
  const said = context.failure?.kind;
  if (failure) return { failure };
  return said === 'hidden' || said === 'framed' ? { failure: null } : {};
}
