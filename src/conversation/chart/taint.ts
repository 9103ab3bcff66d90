/**
 * Says whether a request holds outside content: a result (or error) of an `untrusted` tool, a message of an imported file, what a service
 * fetched by itself, what services that the page does not vouch for say of their tools. That is worked out once, when the request is made, and kept on the message that answers it: every call of that reply
 * follows the same content, whatever ends when. A reply that was written in view of untrusted content is untrusted itself: it may repeat a
 * sentence of it. So it is over when no such reply is sent any more, or with `clear()`. Summaries leave all of it out.
 */
import type { TaintSource } from '../../model/calls.js';
import type { ChatMessage } from '../../model/messages.js';
import { callOf, callsIn } from './call-records.js';
import { windowOf } from './message-window.js';
import { isFinished, placedPlan } from './placed-plan.js';
import type { Settings } from '../options/settings.js';
import type { CallRecord, ConversationContext } from './chart-context.js';

type Talk = Pick<ConversationContext, 'messages' | 'calls'>;
type WithParts = Talk & Pick<ConversationContext, 'parts'>;

/** What a request made now would carry; the newest of it, which most likely is what the model follows. */
export function taintOf({ messages, calls, parts }: WithParts, policy: Pick<Settings, 'memory' | 'window'>): TaintSource | undefined {
  const first = windowOf(messages, policy)[0];
  if (!first) return undefined;
  // What a reply has repeated goes with its turn: a result that fell out of the window alone would leave its words behind.
  let start = messages.lastIndexOf(first);
  const isPartOfTurn = () => messages[start]?.role !== 'user';
  while (start > 0 && isPartOfTurn()) start -= 1;
  // An answer to questions of the model is made of its words.
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
  // Each request tells the plan, however long ago it was written.
  const placed = placedPlan({ messages, parts });
  const planned = placed && !isFinished(placed.plan) ? messages.find(({ id }) => id === placed.messageId) : undefined;
  return (planned && (content(planned.metadata.taintedBy) ?? broughtBy(planned, callsIn({ calls }, planned.id)))) ?? described;
}

/** The turn before this message put questions with answers to choose from. */
function offered(messages: readonly ChatMessage[], parts: WithParts['parts'], start: number): boolean {
  for (let at = start - 1; at >= 0 && messages[at]?.role !== 'user'; at -= 1)
    if (parts[messages[at]?.id ?? '']?.some(({ type }) => type === 'clarify')) return true;
  return false;
}

/** Content counts for calls of every tool, what a service says of its own tools only for those of others. */
const content = (source: TaintSource | undefined) => (source?.from === 'description' ? undefined : source);

/** So many services are remembered. */
const HOSTS = 100;

function withDescriptions(before: TaintSource | undefined, requestId: string, hosts: readonly string[]): TaintSource {
  if (before && content(before)) return before;
  const all = [...new Set([...hosts, ...(before?.hosts ?? [])])].slice(-HOSTS);
  return { requestId: before?.requestId ?? requestId, toolName: all.at(-1) ?? '', from: 'description', hosts: all };
}

/** The request of the reply that is read tells of tools of these hosts in words of theirs. */
export function noteDescriptions(
  { messages }: Pick<ConversationContext, 'messages'>,
  hosts: readonly string[],
): Partial<ConversationContext> {
  const reply = messages.at(-1);
  if (reply?.status.type !== 'running') return {};
  const taintedBy = withDescriptions(reply.metadata.taintedBy, reply.id, hosts);
  return { messages: messages.with(-1, { ...reply, metadata: { ...reply.metadata, taintedBy } }) };
}

/** What a call follows: what the request of its reply carried, or what the service had put into the reply before it. */
export function taintOfCall(
  { messages, calls, parts }: Pick<ConversationContext, 'messages' | 'calls' | 'parts'>,
  { messageId, requestId }: Pick<CallRecord, 'messageId' | 'requestId'>,
): TaintSource | undefined {
  const reply = messages.findLast(({ id }) => id === messageId);
  const order = (parts[messageId] ?? []).flatMap((part) => (part.type === 'call' ? [part.requestId] : []));
  const own = order.indexOf(requestId);
  // As long as the reply is still being read, all that is known of came before.
  const before = callsIn({ calls }, messageId).filter((call) => own === -1 || order.indexOf(call.requestId) < own);
  return reply && (content(reply.metadata.taintedBy) ?? broughtBy(reply, before) ?? reply.metadata.taintedBy);
}

/** Messages that hold untrusted content, or were written in view of it; `also`: even of what services say of their tools. */
export function foreignMessages({ messages, calls }: Talk, also: 'descriptions' | 'no descriptions'): ReadonlySet<string> {
  const foreign = new Set(calls.flatMap((call) => (readBy(call) ? [call.messageId] : [])));
  for (const message of messages) {
    const { taintedBy } = message.metadata;
    if ((also === 'descriptions' ? taintedBy : content(taintedBy)) ?? broughtBy(message, callsIn({ calls }, message.id)))
      foreign.add(message.id);
  }
  return foreign;
}

/** @param calls of the message */
function broughtBy({ id, metadata }: ChatMessage, calls: readonly CallRecord[]): TaintSource | undefined {
  if (metadata.imported) return { requestId: id, toolName: 'imported conversation', from: 'import' };
  const call = calls.findLast(({ served }) => served);
  return call && { requestId: call.requestId, toolName: call.toolName, from: 'service' };
}

/** What the host has run by itself the model does not hear of. */
function readBy(call: CallRecord | undefined): TaintSource | undefined {
  if (!call?.tainted || !call.started || !call.result || call.manual) return undefined;
  return { requestId: call.requestId, toolName: call.toolName };
}
