/** The checks of everything a conversation keeps, piece by piece. Types: `stored-conversation.ts`. */
import type { Call, CallVerbs, CardStatus, Change, PublishedResult, TaintSource } from '../model/calls.js';
import type { ErrorCode, ErrorType } from '../base/errors.js';
import type { Attachment, ChatMessage, MessagePart, RequestStatus, TurnLimit } from '../model/messages.js';
import { data, flag, json, list, number, oneOf, optional, record, shape, text, whole, yes, type Check } from './checks.js';
import { clarifyOf, planOf } from './plan-checks.js';
import { FORMAT, VERSION } from './stored-conversation.js';
import type { StoredCall, StoredConversation, StoredGrant, StoredPlan, StoredReply, StoredTurn } from './stored-conversation.js';

const id = text(1000);
const name = text(1000);

const callStatus = ['success', 'error', 'denied', 'cancelled', 'interrupted'] as const;
const cardStatus: Check<CardStatus> = oneOf('pending', 'queued', 'awaiting_approval', 'executing', 'undone', ...callStatus);
const requestStatus: Check<RequestStatus> = oneOf(
  ...(['pending', 'queued', 'awaiting_approval', 'executing', 'completed', 'denied', 'cancelled', 'error', 'interrupted'] as const),
);
const errorCode: Check<ErrorCode> = oneOf(
  ...(['TOOL_NOT_FOUND', 'MISSING_PARAMETER', 'INVALID_PARAMETER', 'EXECUTION_FAILED', 'API_ERROR', 'TIMEOUT', 'DENIED'] as const),
  ...(['CANCELLED', 'INTERRUPTED', 'MALFORMED_CALL'] as const),
);
const errorType: Check<ErrorType> = oneOf('rate_limit', 'auth', 'network', 'timeout', 'empty_result', 'invalid_format');

export const publishedResult: Check<PublishedResult> = shape<PublishedResult>({
  requestId: id,
  toolName: name,
  status: oneOf(...callStatus),
  success: flag,
  message: text(),
  data: optional(json),
  code: optional(errorCode),
  errorType: optional(errorType),
  result: text(),
  durationMs: number,
  undone: optional(flag),
});

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

const source = shape<TaintSource>({ requestId: id, toolName: name, from: optional(oneOf('import', 'service')) });

type Metadata = ChatMessage['metadata'];
type Requested = NonNullable<Metadata['toolCallsRequested']>[number];

export const message: Check<ChatMessage> = shape<ChatMessage>({
  id,
  role: oneOf('user', 'assistant', 'tool', 'system'),
  text: text(),
  createdAt: number,
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
  }),
});

/** What a card needs to be drawn. Changes lose their `target`: the element was another page's. */
const call: Check<Call> = shape<Call>({
  requestId: id,
  toolName: name,
  label: text(),
  icon: optional(text()),
  risk: oneOf('query', 'write', 'danger', 'undeclared'),
  args: data,
  digest: id,
  status: cardStatus,
  sentence: optional(text()),
  verbs: optional(shape<CallVerbs>({ allow: text(), deny: text() })),
  undoable: optional(yes),
  preview: optional(
    list(
      shape<Omit<Change, 'target'>>({
        label: text(),
        path: optional(text()),
        before: optional(json),
        after: optional(json),
      }) as Check<Change>,
      1000,
    ),
  ),
  describeFailed: optional(yes),
  flags: optional(list(name, 100)),
  taintedBy: optional(source),
  decidedBy: optional(oneOf('policy', 'grant', 'host', 'person')),
  reason: text(),
  result: optional(publishedResult),
});

export const storedCall: Check<StoredCall> = shape<StoredCall>({
  requestId: id,
  toolName: name,
  messageId: id,
  params: data,
  raw: text(),
  flags: list(name, 100),
  status: cardStatus,
  started: flag,
  word: optional(text(1000)),
  manual: flag,
  protocol: name,
  providerId: optional(id),
  signature: optional(text()),
  approval: optional(shape<NonNullable<StoredCall['approval']>>({ id, reason: optional(text()), keep: optional(data) })),
  served: optional(yes),
  repair: optional(yes),
  tainted: optional(flag),
  taintedBy: optional(source),
  repeats: optional(id),
  original: optional(data),
  standsInFor: optional(id),
  failed: optional(publishedResult),
  advice: optional(text()),
  call: optional(call),
  result: optional(publishedResult),
  step: optional(id),
  fingerprint: optional(id),
  rerun: optional(flag),
  withheld: optional(flag),
  keepsEffect: optional(yes),
});

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

/** All but the lists that grow with the conversation. */
export type Head = Omit<StoredConversation, 'messages' | 'parts' | 'calls' | 'toolHistory'>;

export const head: Check<Head> = shape<Head>({
  format: oneOf(FORMAT),
  version: oneOf(VERSION),
  sessionId: text(),
  reply: optional(reply),
  turn: optional(turn),
  draft: text(),
  queue: list(text(), 1000),
  grants: list(grant, 1000),
  plan: optional<StoredPlan>(planOf),
  kept: optional(record(json, 100)),
});
