/**
 * Determines whether a request contains untrusted content: a result (or error) of an `untrusted` tool, a message of an imported file,
 * content that the provider fetched itself, or tool descriptions of services that the page does not vouch for.
 *
 * The result is determined once, when the request is made, and stored on the message that answers it: every call of that reply follows the
 * same content, whatever ends later. A reply that was written after untrusted content is untrusted itself, because it may repeat a sentence
 * of it. So the state ends when no such reply is sent any more, or with `clear()`. Summaries leave out all untrusted content.
 */
import type { TaintSource } from '../../model/calls.js';
import type { ChatMessage } from '../../model/messages.js';
import { callOf, callsIn } from './call-records.js';
import { windowOf } from './message-window.js';
import { isFinished, currentPlan } from './current-plan.js';
import type { Settings } from '../options/settings.js';
import type { CallRecord, ConversationContext } from './chart-context.js';

type ConversationSlice = Pick<ConversationContext, 'messages' | 'calls'>;
type WithParts = ConversationSlice & Pick<ConversationContext, 'parts'>;

/** Returns the newest untrusted content that a request would contain now, which the model most likely follows. */
export function untrustedSourceOf(
  { messages, calls, parts }: WithParts,
  policy: Pick<Settings, 'memory' | 'window'>,
): TaintSource | undefined {
  const first = windowOf(messages, policy)[0];
  if (!first) return undefined;
  // Check whole turns: if only the result left the window, the reply may still repeat its text.
  let start = messages.lastIndexOf(first);
  const isPartOfTurn = () => messages[start]?.role !== 'user';
  while (start > 0 && isPartOfTurn()) start -= 1;
  // An answer to the model's questions is made of the model's words, so check the turn before, too.
  while (start > 0 && offered(messages, parts, start)) {
    start -= 1;
    while (start > 0 && isPartOfTurn()) start -= 1;
  }
  let described: TaintSource | undefined;
  for (let at = messages.length - 1; at >= start; at -= 1) {
    const message = messages[at] as ChatMessage;
    const { taintedBy, toolCall } = message.metadata;
    const source =
      content(taintedBy) ?? broughtBy(message, callsIn({ calls }, message.id)) ?? readBy(callOf({ calls }, toolCall?.requestId ?? ''));
    if (source) return source;
    if (taintedBy) described = withDescriptions(described, taintedBy.requestId, taintedBy.hosts ?? []);
  }
  // Each request contains the plan, even if its message is no longer in the window.
  const placed = currentPlan({ messages, parts });
  const planned = placed && !isFinished(placed.plan) ? messages.find(({ id }) => id === placed.messageId) : undefined;
  return (planned && (content(planned.metadata.taintedBy) ?? broughtBy(planned, callsIn({ calls }, planned.id)))) ?? described;
}

/** Checks whether the turn before this message asked questions with answers to choose from. */
function offered(messages: readonly ChatMessage[], parts: WithParts['parts'], start: number): boolean {
  for (let at = start - 1; at >= 0 && messages[at]?.role !== 'user'; at -= 1)
    if (parts[messages[at]?.id ?? '']?.some(({ type }) => type === 'clarify')) return true;
  return false;
}

/** Filters out tool descriptions: they affect only calls of other services' tools, while content affects calls of every tool. */
const content = (source: TaintSource | undefined) => (source?.from === 'description' ? undefined : source);

/** Maximum number of hosts that are stored. */
const HOSTS = 100;

function withDescriptions(before: TaintSource | undefined, requestId: string, hosts: readonly string[]): TaintSource {
  if (before && content(before)) return before;
  const all = [...new Set([...hosts, ...(before?.hosts ?? [])])].slice(-HOSTS);
  return { requestId: before?.requestId ?? requestId, toolName: all.at(-1) ?? '', from: 'description', hosts: all };
}

/** Notes that the request of the current reply contains tool descriptions of these hosts. */
export function noteDescriptions(
  { messages }: Pick<ConversationContext, 'messages'>,
  hosts: readonly string[],
): Partial<ConversationContext> {
  const reply = messages.at(-1);
  if (reply?.status.type !== 'running') return {};
  const taintedBy = withDescriptions(reply.metadata.taintedBy, reply.id, hosts);
  return { messages: messages.with(-1, { ...reply, metadata: { ...reply.metadata, taintedBy } }) };
}

/** Returns the untrusted content that a call follows: that of its request, or what the provider added to the reply before the call. */
export function untrustedSourceOfCall(
  { messages, calls, parts }: Pick<ConversationContext, 'messages' | 'calls' | 'parts'>,
  { messageId, requestId }: Pick<CallRecord, 'messageId' | 'requestId'>,
): TaintSource | undefined {
  const reply = messages.findLast(({ id }) => id === messageId);
  const order = (parts[messageId] ?? []).flatMap((part) => (part.type === 'call' ? [part.requestId] : []));
  const own = order.indexOf(requestId);
  // While the reply is still being read, all known calls came before this one.
  const before = callsIn({ calls }, messageId).filter((call) => own === -1 || order.indexOf(call.requestId) < own);
  return reply && (content(reply.metadata.taintedBy) ?? broughtBy(reply, before) ?? reply.metadata.taintedBy);
}

/**
 * Returns the ids of messages that contain untrusted content or were written after it. With `also: 'descriptions'`, tool descriptions of
 * services count, too.
 */
export function untrustedMessageIds({ messages, calls }: ConversationSlice, also: 'descriptions' | 'no descriptions'): ReadonlySet<string> {
  const foreign = new Set(calls.flatMap((call) => (readBy(call) ? [call.messageId] : [])));
  for (const message of messages) {
    const { taintedBy } = message.metadata;
    if ((also === 'descriptions' ? taintedBy : content(taintedBy)) ?? broughtBy(message, callsIn({ calls }, message.id)))
      foreign.add(message.id);
  }
  return foreign;
}

/** @param calls the calls of the message */
function broughtBy({ id, metadata }: ChatMessage, calls: readonly CallRecord[]): TaintSource | undefined {
  if (metadata.imported) return { requestId: id, toolName: 'imported conversation', from: 'import' };
  const call = calls.findLast(({ served }) => served);
  return call && { requestId: call.requestId, toolName: call.toolName, from: 'service' };
}

/** Returns the source if the call's result is untrusted. Calls that the host made are excluded: the model does not get their results. */
function readBy(call: CallRecord | undefined): TaintSource | undefined {
  if (!call?.tainted || !call.started || !call.result || call.manual) return undefined;
  return { requestId: call.requestId, toolName: call.toolName };
}
