/**
 * Converts the chart's context into the stored conversation. Sensitive arguments are not stored, and neither is any text that contains
 * them: the call's source, the raw reply, and the card's sentence and preview. Elsewhere the values are cut out of the text. All other text
 * is stored as it was written. An item that did not change is the same object as last time.
 */
import type { Texts } from '../../i18n/en.js';
import type { ChatMessage } from '../../model/messages.js';
import {
  emptyConversation,
  type StoredBranch,
  type StoredCall,
  type StoredConversation,
  type StoredReply,
  type StoredTurn,
} from '../../storage/stored-conversation.js';
import { isSettledCall } from '../../storage/recover.js';
import { HIDDEN, publicArguments } from '../../tools/sensitive.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { runningMessage } from '../chart/conversation-changes.js';
import type { StreamingReply } from '../reply/streaming-reply.js';
import type { Branch, CallRecord, ConversationContext, Turn } from '../chart/chart-context.js';
import { createScrubbing, secretsOf, type Scrub } from './secrets.js';

export interface ConversationSerializer {
  context: ConversationContext;
  live: StreamingReply | null;
  /** State that is not in the chart. */
  extras: Pick<StoredConversation, 'draft' | 'queue' | 'grants' | 'kept'>;
}

export interface SerializerOptions {
  sessionId: string;
  toolNamed(name: string): ToolDefinition | undefined;
  /** Checks whether a tool with sensitive arguments is registered. */
  hasSecrets(): boolean;
  texts(): Texts;
}

export function createSerializer(
  { sessionId, toolNamed, hasSecrets, texts }: SerializerOptions,
  scrubbing = createScrubbing(),
): (now: ConversationSerializer) => StoredConversation {
  const calls = new WeakMap<CallRecord, StoredCall>();
  const messages = new WeakMap<ChatMessage, ChatMessage>();
  const shelved = new WeakMap<Branch, StoredBranch>();
  const isWithheld = (call: CallRecord) => call.withheld === true || Boolean(toolNamed(call.toolName)?.sensitive);

  /** Writes the user's decision into the card's data (`decidedBy`, `reason`). The card shows it, and it is not stored in any other form. */
  function decided(call: CallRecord): CallRecord {
    if (!call.byPerson || !call.call || !isSettledCall(call)) return call;
    return { ...call, call: { ...call.call, decidedBy: 'person', reason: texts().reasonPerson } };
  }

  function callOf(record: CallRecord): StoredCall {
    const known = calls.get(record);
    if (known) return known;
    const call = decided(record);
    const stored = isWithheld(call) ? withheldOf(call) : call;
    if (stored !== record) calls.set(record, stored);
    return stored;
  }

  function withheldOf(call: CallRecord): StoredCall {
    const sensitive = toolNamed(call.toolName)?.sensitive;
    // Without the tool's definition we cannot tell which arguments are sensitive, so hide all of them.
    const hide = (args: Readonly<Record<string, unknown>>) => publicArguments(args, sensitive || true);
    const { sentence: _, preview: __, ...shown } = call.call ?? ({} as NonNullable<CallRecord['call']>);
    return {
      ...call,
      params: hide(call.params),
      raw: '',
      withheld: true,
      ...(call.original && { original: hide(call.original) }),
      ...(call.call && { call: { ...shown, args: hide(call.call.args) } }),
    };
  }

  function messageOf(message: ChatMessage): ChatMessage {
    const known = messages.get(message);
    if (known) return known;
    const { raw: _, ...rest } = message;
    const { toolCall } = message.metadata;
    const hidden: ChatMessage = {
      ...rest,
      metadata: {
        ...message.metadata,
        ...(toolCall?.rawArgs && {
          toolCall: { ...toolCall, rawArgs: Object.fromEntries(Object.keys(toolCall.rawArgs).map((name) => [name, HIDDEN])) },
        }),
      },
    };
    messages.set(message, hidden);
    return hidden;
  }

  /** Returns the same object as last time if nothing changed, because a branch can be as long as a conversation. */
  function branchOf(one: Branch, withheld: ReadonlySet<string>, scrub: Scrub): StoredBranch {
    const messages = one.messages.map((message) => (withheld.has(message.id) ? messageOf(message) : message));
    const now: StoredBranch = {
      ...one,
      messages: scrub.messages(messages),
      parts: scrub.parts(one.parts),
      calls: one.calls.map((call) => scrub.call(callOf(call))),
    };
    const before = shelved.get(one);
    const isSame = (name: 'messages' | 'calls') => {
      const [known, found]: [readonly unknown[], readonly unknown[]] = [before?.[name] ?? [], now[name]];
      return known.length === found.length && known.every((item, at) => item === found[at]);
    };
    if (before && before.parts === now.parts && isSame('messages') && isSame('calls')) return before;
    shelved.set(one, now);
    return now;
  }

  function replyOf(context: ConversationContext, live: StreamingReply | null, scrub: Scrub): StoredReply | undefined {
    const running = runningMessage(context);
    const rest = context.turn?.resumableReply;
    const isBehind = live?.messageId !== running?.id || (live && rest && live.raw.length < rest.place.raw);
    if (running && isBehind && rest?.messageId === running.id) return rest;
    if (!running || live?.messageId !== running.id) return undefined;
    const { messageId, text, raw, reasoning, parts, resumePosition: place } = live;
    const kept = {
      ...{ messageId, text: scrub.arriving(text), reasoning: scrub.arriving(reasoning) },
      parts: parts.map((part) => (part.type === 'text' ? { ...part, text: scrub.arriving(part.text) } : part)),
    };
    // A reply can only be resumed from a position if all text before it is stored unchanged.
    const isWhole = !hasSecrets() && kept.text === text && kept.reasoning === reasoning && scrub.arriving(raw) === raw;
    return isWhole ? { ...kept, raw, ...(place && { place }) } : { ...kept, raw: kept.text };
  }

  return ({ context, live, extras }) => {
    const withheld = new Set<string>();
    for (const call of context.calls) if (isWithheld(call)) withheld.add(call.messageId).add(`${call.requestId}-result`);
    const shelf = context.branches ?? [];
    for (const call of shelf.flatMap(({ calls: left }) => left))
      if (isWithheld(call)) withheld.add(call.messageId).add(`${call.requestId}-result`);
    const kept = context.calls.map(callOf);
    const all = [...context.calls, ...shelf.flatMap(({ calls: left }) => left)];
    const scrub = scrubbing.of(secretsOf(all, all.map(callOf)));
    const branches = shelf.map((one) => branchOf(one, withheld, scrub));
    const reply = replyOf(context, live, scrub);
    const turn = context.turn && turnOf(context.turn);
    return {
      ...emptyConversation(sessionId),
      messages: scrub.messages(
        withheld.size === 0 ? context.messages : context.messages.map((one) => (withheld.has(one.id) ? messageOf(one) : one)),
      ),
      parts: scrub.parts(context.parts),
      calls: kept.map(scrub.call),
      toolHistory: context.toolHistory.map(scrub.data),
      ...(branches.length > 0 && { branches }),
      ...(reply && { reply }),
      ...(turn && { turn: hasSecrets() ? countedByDigest(turn) : turn }),
      ...extras,
      ...(extras.kept && { kept: scrub.data(extras.kept) }),
    };
  };
}

/** Drops the turn's settings, which belong to the page. */
const turnOf = ({ id, round, proof, iterations, emptyRounds: fruitless, denied, executed, manual, ...turn }: Turn): StoredTurn => {
  const { lock, disabled, imported } = turn;
  return {
    ...{ id, round, proof, iterations, fruitless, denied, executed, manual },
    ...(lock && { lock }),
    ...(disabled && { disabled }),
    ...(imported && { imported }),
  };
};

/**
 * Drops the counts whose key is not a digest: a call that could not be parsed is counted by its source, which may contain anything.
 *
 * @param but digests that are dropped, too
 */
export function countedByDigest(turn: StoredTurn, but?: ReadonlySet<string>): StoredTurn {
  const digests = (counts: StoredTurn['denied']) =>
    Object.fromEntries(Object.entries(counts).filter(([key]) => /^[0-9a-f]{64}$/.test(key) && !but?.has(key)));
  return { ...turn, denied: digests(turn.denied), executed: digests(turn.executed) };
}
