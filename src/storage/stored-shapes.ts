/** The checks of all saved data of a conversation. Types: `stored-conversation.ts`. */
import type { ChatMessage, Attachment, Feedback, MessagePart, RequestStatus, TurnLimit } from '../model/messages.js';
import {
  ValidationError,
  data,
  boolean,
  json,
  list,
  number,
  oneOf,
  optional,
  record,
  object,
  text,
  time,
  count,
  literalTrue,
  type Check,
} from '../base/checks.js';
import { clarifyOf, planOf } from './plan-checks.js';
import { callStatus, id, name, source } from '../model/calls.js';
import { storedCall } from './stored-call.js';
import { FORMAT, VERSION } from './stored-conversation.js';
import type { StoredBranch, StoredConversation, StoredGrant, StoredPlan, StoredReply, StoredTurn } from './stored-conversation.js';

const requestStatus: Check<RequestStatus> = oneOf(
  ...(['pending', 'queued', 'awaiting_approval', 'executing', 'completed', 'denied', 'cancelled', 'error', 'interrupted'] as const),
);

const partShapes: { [Type in MessagePart['type']]: Check<MessagePart & { type: Type }> } = {
  text: object<MessagePart & { type: 'text' }>({ type: oneOf('text'), text: text() }),
  call: object<MessagePart & { type: 'call' }>({ type: oneOf('call'), requestId: id }),
  plan: object<MessagePart & { type: 'plan' }>({ type: oneOf('plan'), id, plan: planOf }),
  clarify: object<MessagePart & { type: 'clarify' }>({ type: oneOf('clarify'), clarify: clarifyOf }),
};

const part: Check<MessagePart> = (value) => {
  const { type } = object<{ type: MessagePart['type'] }>({ type: oneOf('text', 'call', 'plan', 'clarify') })(value);
  return partShapes[type](value);
};
export const parts = list(part, 10_000);

type Metadata = ChatMessage['metadata'];
type Requested = NonNullable<Metadata['toolCallsRequested']>[number];

export const message: Check<ChatMessage> = object<ChatMessage>({
  id,
  role: oneOf('user', 'assistant', 'tool', 'system'),
  text: text(),
  createdAt: time,
  status: object<ChatMessage['status']>({ type: oneOf('running', 'complete', 'cut', 'cancelled', 'error') }),
  reasoning: optional(text()),
  raw: optional(text()),
  attachments: optional(list(object<Attachment>({ type: name, name: text(), url: text() }), 1000)),
  metadata: object<Metadata>({
    toolCallsRequested: optional(
      list(object<Requested>({ requestId: id, toolName: name, args: data, status: requestStatus, error: optional(text()) }), 1000),
    ),
    toolCall: optional(
      object<NonNullable<Metadata['toolCall']>>({
        requestId: id,
        toolName: name,
        status: oneOf(...callStatus),
        durationMs: number,
        rawArgs: optional(data),
      }),
    ),
    finishReason: optional(name),
    usage: optional(object<NonNullable<Metadata['usage']>>({ input: number, output: number })),
    model: optional(name),
    cached: optional(literalTrue),
    incomplete: optional(literalTrue),
    imported: optional(literalTrue),
    withoutTools: optional(literalTrue),
    limit: optional(object<TurnLimit>({ kind: oneOf('limit', 'repeat', 'fruitless', 'unreadable'), rounds: count })),
    taintedBy: optional(source),
    feedback: optional(object<Feedback>({ value: oneOf('up', 'down'), reason: optional(text(10_000)) })),
  }),
});

export const branch: Check<StoredBranch> = (value) => {
  const found = object<StoredBranch>({
    from: text(1000),
    place: count,
    messages: list(message, 20_000),
    parts: record(parts),
    calls: list(storedCall, 20_000),
  })(value);
  const homes = new Set(found.messages.map((one) => one.id));
  for (const { result, requestId, messageId, status } of found.calls)
    if (!homes.has(messageId) || result?.requestId !== requestId || result.status !== (status === 'undone' ? 'success' : status))
      throw new ValidationError('one result for each call of a version', 'calls');
  if (found.messages.length === 0 || found.messages.some((one) => one.status.type === 'running'))
    throw new ValidationError('messages of a version that is over', 'messages');
  return found;
};
export const branches = list(branch, 100);

const place = object<NonNullable<StoredReply['place']>>({ lastEventId: text(1000), protocol: name, raw: count, reasoning: count });
const reply: Check<StoredReply> = object<StoredReply>({
  messageId: id,
  text: text(),
  raw: text(),
  reasoning: text(),
  parts,
  place: optional(place),
});

const counts = record(count, 10_000);
export const turn: Check<StoredTurn> = object<StoredTurn>({
  id,
  round: list(id, 1000),
  proof: oneOf('proved', 'unproved'),
  iterations: count,
  fruitless: count,
  denied: counts,
  executed: counts,
  manual: boolean,
  lock: optional(object<NonNullable<StoredTurn['lock']>>({ tool: name, label: optional(name), asked: boolean })),
  disabled: optional(list(name, 1000)),
  imported: optional(literalTrue),
});

type Bounds = StoredGrant['where'][string];
export const grant: Check<StoredGrant> = object<StoredGrant>({
  id,
  toolName: name,
  toolHost: optional(name),
  fingerprint: id,
  sentence: text(),
  scope: oneOf('session', 'always'),
  where: record(
    object<Bounds>({ equals: optional(json), oneOf: optional(list(json, 1000)), min: optional(number), max: optional(number) }),
    1000,
  ),
  left: optional(count),
  expiresAt: optional(number),
});

/** The conversation without the lists that grow. */
export type Head = Omit<StoredConversation, 'messages' | 'parts' | 'calls' | 'toolHistory'>;

export const head: Check<Head> = object<Head>({
  format: oneOf(FORMAT),
  version: oneOf(VERSION),
  sessionId: text(),
  branches: optional(branches),
  reply: optional(reply),
  turn: optional(turn),
  draft: text(),
  queue: list(text(), 1000),
  grants: list(grant, 1000),
  plan: optional<StoredPlan>(planOf),
  kept: optional(record(json, 100)),
});
