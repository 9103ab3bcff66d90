/**
 * From what the chart keeps to what is stored. Sensitive arguments stay behind, and with them every text that holds them: the call's source,
 * the reply as it was written, the sentence and the preview of the card. What did not change is the same object as last time.
 */
import type { Texts } from '../../i18n/en.js';
import type { ChatMessage } from '../../messages.js';
import {
  emptyConversation,
  type StoredCall,
  type StoredConversation,
  type StoredReply,
  type StoredTurn,
} from '../../storage/stored-conversation.js';
import { isSettledCall } from '../../storage/recover.js';
import { HIDDEN, publicArguments } from '../../tools/sensitive.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { runningMessage } from '../changes.js';
import type { LiveReply } from '../live-reply.js';
import type { CallRecord, ConversationContext, Turn } from '../turn.js';

export interface Composed {
  context: ConversationContext;
  live: LiveReply | null;
  /** What is not in the chart. */
  beside: Pick<StoredConversation, 'draft' | 'queue' | 'grants' | 'kept'>;
}

export interface ComposerOptions {
  sessionId: string;
  toolNamed(name: string): ToolDefinition | undefined;
  /** Whether a tool with sensitive arguments is registered. */
  hasSecrets(): boolean;
  texts(): Texts;
}

export function createComposer({ sessionId, toolNamed, hasSecrets, texts }: ComposerOptions): (now: Composed) => StoredConversation {
  const calls = new WeakMap<CallRecord, StoredCall>();
  const messages = new WeakMap<ChatMessage, ChatMessage>();

  const isWithheld = (call: CallRecord) => call.withheld === true || Boolean(toolNamed(call.toolName)?.sensitive);

  /** A person's word is part of how a card looks; that it was given is not kept in any other way. */
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
    // Without the tool nobody knows which: then all.
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

  function replyOf(context: ConversationContext, live: LiveReply | null): StoredReply | undefined {
    const running = runningMessage(context);
    const rest = context.turn?.rest;
    const isBehind = live?.messageId !== running?.id || (live && rest && live.raw.length < rest.place.raw);
    if (running && isBehind && rest?.messageId === running.id) return rest;
    if (!running || live?.messageId !== running.id) return undefined;
    const { messageId, text, raw, reasoning, parts, place } = live;
    const known = { messageId, text, reasoning, parts };
    return hasSecrets() ? { ...known, raw: text } : { ...known, raw, ...(place && { place }) };
  }

  return ({ context, live, beside }) => {
    const withheld = new Set<string>();
    for (const call of context.calls) if (isWithheld(call)) withheld.add(call.messageId).add(`${call.requestId}-result`);
    const reply = replyOf(context, live);
    const { turn } = context;
    return {
      ...emptyConversation(sessionId),
      messages: withheld.size === 0 ? context.messages : context.messages.map((one) => (withheld.has(one.id) ? messageOf(one) : one)),
      parts: context.parts,
      calls: context.calls.map(callOf),
      toolHistory: context.toolHistory,
      ...(reply && { reply }),
      ...(turn && { turn: turnOf(turn) }),
      ...beside,
    };
  };
}

/** Without its settings: those are the page's. */
const turnOf = ({ id, round, proof, iterations, fruitless, denied, executed, manual, ...turn }: Turn): StoredTurn => {
  const { lock, disabled, imported } = turn;
  return {
    ...{ id, round, proof, iterations, fruitless, denied, executed, manual },
    ...(lock && { lock }),
    ...(disabled && { disabled }),
    ...(imported && { imported }),
  };
};
