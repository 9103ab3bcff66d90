/** How each event changes what the chart keeps. Context in, changed fields out; no network, no actors. */
import { even } from '../../base/objects.js';
import type { ChatMessage, TurnLimit, TurnReason, TurnResult } from '../../model/messages.js';
import { isKnown, roundOf } from './call-records.js';
import { tellProblem, withPlansOf } from './placed-plan.js';
import { taintOf } from './taint.js';
import { cutFrom } from './branches.js';
import type { ConversationContext, ConversationEvent, TurnFailure, FinishedReply, Turn } from './chart-context.js';

type Changes = Partial<ConversationContext>;
type EventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { type: Type }>;

/** Rounds in a row that may end without one executed call before the turn stops: broken calls, unknown tools. */
const fruitlessLimit = 3;

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
    fruitless: 0,
    denied: {},
    executed: {},
    attempts: { network: 0, server: 0 },
    results: [],
    manual,
    outcome: null,
  };
}

export const beginTurn = (context: ConversationContext, event: EventOf<'user.send'>): Changes => ({
  turn: { ...newTurn(event.turnId, event.settings, false), lock: event.tool === undefined ? null : { ...event.tool, asked: false } },
  messages: [...context.messages, event.message],
  failure: null,
});

/**
 * What failed is taken away; a user message is never repeated, and results of tools that ran stay told.
 */
export function resumeTurn(context: ConversationContext, event: EventOf<'user.retry'>): Changes {
  const anew = context.messages[withoutFailed(context).messages.length];
  const left = anew ? cutFrom(context, anew.id, true) : {};
  const turn: Turn = {
    ...newTurn(event.turnId, event.settings, false),
    anew: true,
    ...(event.goOn ? { goOn: true } : anew?.status.type === 'complete' && { regenerates: true }),
  };
  return { ...left, turn, failure: null };
}

export const userHadLastWord = (context: ConversationContext): boolean => withoutFailed(context).messages.at(-1)?.role !== 'tool';

function withoutFailed(context: ConversationContext): ConversationContext {
  let kept = context;
  for (let failed = failedReply(kept); failed; failed = failedReply(kept)) kept = { ...kept, ...cutFrom(kept, failed.id, false) };
  return kept;
}

/** The last reply, if it is to be asked for anew: the final answer, or one that broke off before any of its calls ran. */
function failedReply({ messages, calls }: ConversationContext): ChatMessage | undefined {
  const reply = messages.findLast((message) => message.role !== 'tool');
  if (reply?.role !== 'assistant') return undefined;
  if (reply === messages.at(-1)) return reply;
  if (reply.status.type === 'complete') return undefined;
  return calls.some((call) => call.messageId === reply.id && call.started) ? undefined : reply;
}

/** What the person thinks of a reply, or nothing any more. */
export function rate(context: ConversationContext, { messageId, feedback }: EventOf<'user.rate'>): Changes {
  const messages = replaceMessage(context, messageId, (message) => {
    const { feedback: _, ...metadata } = message.metadata;
    return { ...message, metadata: { ...metadata, ...(feedback && { feedback }) } };
  });
  return { messages };
}

/** Why the rules end this turn after its results, or null to go on. */
export function stopReason(context: ConversationContext): TurnReason | null {
  const { turn } = context;
  if (!turn) return 'stop';
  if (turn.settings.resultLoop === 'single') return 'stop';
  if (turn.imported && roundOf(context).every((call) => call.offers === undefined)) return 'stop';
  const denied = roundOf(context).some((call) => call.status === 'denied');
  if (denied && turn.settings.onDeny === 'stop') return 'denied';
  // A call that was only shown was an offer; turned down, there is nothing more to say.
  if (roundOf(context).every((call) => (call.flags.includes('quoted') || call.repeats !== undefined) && !call.started)) return 'stop';
  if (Object.values(turn.denied).some((times) => times >= 2)) return 'denied';
  if (isRepeating(turn) || turn.fruitless >= fruitlessLimit || isUnreadable(context)) return 'limit';
  return null;
}

/** The chosen tool was not called, and has been asked for only by the prompt so far. */
export const lockCanBeAsked = ({ turn }: ConversationContext): boolean => turn?.lock != null && !turn.lock.asked;

export const lockIsOpen = ({ turn }: ConversationContext): boolean => turn?.lock != null;

/** A rule has ended it before the task was done: whether it goes on is for the person to say. */
export const isForPerson = (context: ConversationContext): boolean => stopReason(context) === 'limit';

export const askForAnswer = ({ turn }: ConversationContext): Changes => (turn ? { turn: { ...turn, closing: true } } : {});

/** A call was announced or only thought of, and the model has not been told in this turn. Nobody is asked to call a tool after the last round. */
export const callIsMissing = ({ turn }: ConversationContext): boolean => turn?.missing !== undefined && !turn.reminded && !turn.closing;

export const remind = ({ turn }: ConversationContext): Changes => (turn ? { turn: { ...turn, reminded: true } } : {});

export const leaveProtocol = ({ turn }: ConversationContext, { protocol: left }: EventOf<'protocol.left'>): Changes =>
  turn ? { turn: { ...turn, left } } : {};

export const askForLock = ({ turn }: ConversationContext): Changes =>
  turn?.lock ? { turn: { ...turn, lock: { ...turn.lock, asked: true } } } : {};

/** The model called other tools instead of the chosen one, which they were refused for. One that could not be read may have been it. */
export function choiceWasIgnored(context: ConversationContext): boolean {
  const lock = context.turn?.lock;
  const round = roundOf(context);
  return (
    lock != null && round.length > 0 && round.every(({ result }) => result?.toolName !== lock.tool && result?.code !== 'MALFORMED_CALL')
  );
}

export function concludeLocked(context: ConversationContext): Changes {
  const { tool: name, label: tool = name } = context.turn?.lock ?? { tool: '' };
  return concludeTurn(context, 'error', { kind: 'locked', code: 'LIMIT', layer: 'business', retryable: false, tool });
}

/** Asking again is the person's to do: nobody knows what the model had still to say. */
export const concludeReload = (context: ConversationContext): Changes => concludeTurn(context, 'cut', reloadFailure);

export const reloadFailure: TurnFailure = { kind: 'reload', code: 'STREAM_CUT', layer: 'network', retryable: true };

/** After the last round the model may still answer; only another call is too much. */
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

/** Stands in the conversation, where the next page finds it, too. */
function withLimit(context: ConversationContext, limit: TurnLimit): ConversationContext['messages'] {
  const id = context.messages.findLast(({ role }) => role === 'assistant')?.id ?? '';
  return replaceMessage(context, id, (message) => ({ ...message, metadata: { ...message.metadata, limit } }));
}

/** The last turn ended at a limit, and nothing has come since: a person can let it go on. */
export const isAtLimit = ({ messages, turn }: ConversationContext): boolean =>
  turn === null && messages.findLast(({ role }) => role !== 'tool')?.metadata.limit !== undefined;

/** How a reply or a stop ended the turn. */
export function concludeBy(context: ConversationContext, event: ConversationEvent): Changes {
  if (event.type === 'user.stop') return concludeTurn(context, event.reason);
  if (event.type === 'reply.cut') return concludeTurn(context, 'cut', event.failure);
  if (event.type === 'reply.failed') return concludeTurn(context, event.failure.kind === 'budget' ? 'budget' : 'error', event.failure);
  return {};
}

function limitOf(context: ConversationContext, turn: Turn): TurnLimit {
  const stuck = turn.fruitless >= fruitlessLimit ? 'fruitless' : 'limit';
  return { kind: isRepeating(turn) ? 'repeat' : isUnreadable(context) ? 'unreadable' : stuck, rounds: turn.iterations };
}

function limitFailure({ messages }: ConversationContext, limit: TurnLimit): TurnFailure {
  const reply = messages.findLast(({ role }) => role === 'assistant');
  return { ...limit, code: 'LIMIT', layer: 'execution', retryable: false, ...(reply && isCutOff(reply, limit) && { isCutOff: true }) };
}

/** The last call could not be read because the answer had reached its length limit. */
export const isCutOff = ({ metadata }: ChatMessage, { kind }: TurnLimit): boolean =>
  kind === 'unreadable' && metadata.finishReason === 'length';

/** Nothing of the round could be read, and the model had been shown before how it is written: it is not asked a third time. */
function isUnreadable(context: ConversationContext): boolean {
  const round = roundOf(context);
  const unread = round.length > 0 && round.every(({ result }) => result?.code === 'MALFORMED_CALL');
  // The next request is in another protocol.
  if (round.some(({ protocol }) => protocol === context.turn?.left)) return false;
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
  const taintedBy = taintOf(context, context.turn.settings);
  const message: ChatMessage = {
    id: `${context.turn.id}-${String(context.messages.length)}`,
    role: 'assistant',
    text: '',
    createdAt: Date.now(),
    status: { type: 'running' },
    metadata: { ...(taintedBy && { taintedBy }) },
  };
  const { rest: _, ...turn } = tellProblem(context.turn);
  return { messages: [...context.messages, message], turn: { ...turn, round: [] } };
}

function replaceMessage(context: ConversationContext, id: string, replace: (message: ChatMessage) => ChatMessage): readonly ChatMessage[] {
  const at = context.messages.findLastIndex((message) => message.id === id);
  return at < 0 ? context.messages : context.messages.with(at, even(replace(context.messages[at] as ChatMessage)));
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
  // A call that had only begun, and never became one, leaves no empty place.
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

/** What another page had read of it is not lost where this one got less far. */
function arrived({ turn }: ConversationContext, event: ConversationEvent): FinishedReply | undefined {
  const reply = 'reply' in event ? event.reply : undefined;
  const rest = turn?.rest;
  const isLess = rest && (!reply || reply.text.length + reply.reasoning.length < rest.text.length + rest.reasoning.length);
  if (!isLess || event.type === 'reply.ended') return reply;
  const { messageId, text, raw, reasoning, parts } = rest;
  return { finish: '', proof: 'unproved', ...reply, messageId, text, raw, reasoning, parts };
}

/** What has arrived is never lost; a reply that said nothing leaves no empty bubble, unless it ended that way. */
export function keepWhatCame(context: ConversationContext, event: ConversationEvent): Changes {
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

/** Says why nobody can be asked; takes back only what it said itself. */
export function blockAsking(context: ConversationContext, failure: TurnFailure | null): Changes {
  const said = context.failure?.kind;
  if (failure) return { failure };
  return said === 'hidden' || said === 'framed' ? { failure: null } : {};
}
