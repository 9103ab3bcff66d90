/** The checks of all saved data of a conversation. Types: `stored-conversation.ts`. */
import type { ChatMessage, Attachment, Feedback, MessagePart, RequestStatus, TurnLimit } from '../model/messages.js';
import {
  Damaged,
  data,
  flag,
  json,
  list,
  number,
  oneOf,
  optional,
  record,
  shape,
  text,
  time,
  whole,
  yes,
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
  text: shape<MessagePart & { type: 'text' }>({ type: oneOf('text'), text: text() }),
  call: shape<MessagePart & { type: 'call' }>({ type: oneOf('call'), requestId: id }),
  plan: shape<MessagePart & { type: 'plan' }>({ type: oneOf('plan'), id, plan: planOf }),
  clarify: shape<MessagePart & { type: 'clarify' }>({ type: oneOf('clarify'), clarify: clarifyOf }),
};

const part: Check<MessagePart> = (value) => {
  const { type } = shape<{ type: MessagePart['type'] }>({ type: oneOf('text', 'call', 'plan', 'clarify') })(value);
  return partShapes[type](value);
};
export const parts = list(part, 10_000);

type Metadata = ChatMessage['metadata'];
type Requested = NonNullable<Metadata['toolCallsRequested']>[number];

export const message: Check<ChatMessage> = shape<ChatMessage>({
  id,
  role: oneOf('user', 'assistant', 'tool', 'system'),
  text: text(),
  createdAt: time,
  status: shape<ChatMessage['status']>({ type: oneOf('running', 'complete', 'cut', 'cancelled', 'error') }),
  reasoning: optional(text()),
  raw: optional(text()),
  attachments: optional(list(shape<Attachment>({ type: name, name: text(), url: text() }), 1000)),
  metadata: shape<Metadata>({
    toolCallsRequested: optional(
      list(shape<Requested>({ requestId: id, toolName: name, args: data, status: requestStatus, error: optional(text()) }), 1000),
    ),
    toolCall: optional(
      shape<NonNullable<Metadata['toolCall']>>({
        requestId: id,
        toolName: name,
        status: oneOf(...callStatus),
        durationMs: number,
        rawArgs: optional(data),
      }),
    ),
    finishReason: optional(name),
    usage: optional(shape<NonNullable<Metadata['usage']>>({ input: number, output: number })),
    model: optional(name),
    cached: optional(yes),
    incomplete: optional(yes),
    imported: optional(yes),
    limit: optional(shape<TurnLimit>({ kind: oneOf('limit', 'repeat', 'fruitless', 'unreadable'), rounds: whole })),
    taintedBy: optional(source),
    feedback: optional(shape<Feedback>({ value: oneOf('up', 'down'), reason: optional(text(10_000)) })),
  }),
});

export const branch: Check<StoredBranch> = (value) => {
  const found = shape<StoredBranch>({
    from: text(1000),
    place: whole,
    messages: list(message, 20_000),
    parts: record(parts),
    calls: list(storedCall, 20_000),
  })(value);
  const homes = new Set(found.messages.map((one) => one.id));
  for (const { result, requestId, messageId, status } of found.calls)
    if (!homes.has(messageId) || result?.requestId !== requestId || result.status !== (status === 'undone' ? 'success' : status))
      throw new Damaged('one result for each call of a version', 'calls');
  if (found.messages.length === 0 || found.messages.some((one) => one.status.type === 'running'))
    throw new Damaged('messages of a version that is over', 'messages');
  return found;
};
export const branches = list(branch, 100);

const place = shape<NonNullable<StoredReply['place']>>({ lastEventId: text(1000), protocol: name, raw: whole, reasoning: whole });
const reply: Check<StoredReply> = shape<StoredReply>({
  messageId: id,
  text: text(),
  raw: text(),
  reasoning: text(),
  parts,
  place: optional(place),
});

const counts = record(whole, 10_000);
export const turn: Check<StoredTurn> = shape<StoredTurn>({
  id,
  round: list(id, 1000),
  proof: oneOf('proved', 'unproved'),
  iterations: whole,
  fruitless: whole,
  denied: counts,
  executed: counts,
  manual: flag,
  lock: optional(shape<NonNullable<StoredTurn['lock']>>({ tool: name, label: optional(name), asked: flag })),
  disabled: optional(list(name, 1000)),
  imported: optional(yes),
});

type Bounds = StoredGrant['where'][string];
export const grant: Check<StoredGrant> = shape<StoredGrant>({
  id,
  toolName: name,
  toolHost: optional(name),
  fingerprint: id,
  sentence: text(),
  scope: oneOf('session', 'always'),
  where: record(
    shape<Bounds>({ equals: optional(json), oneOf: optional(list(json, 1000)), min: optional(number), max: optional(number) }),
    1000,
  ),
  left: optional(whole),
  expiresAt: optional(number),
});

/** The conversation without the lists that grow. */
export type Head = Omit<StoredConversation, 'messages' | 'parts' | 'calls' | 'toolHistory'>;

export const head: Check<Head> = shape<Head>({
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
