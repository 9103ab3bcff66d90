/** The file format of an exported session and its checks. Files are untrusted until checked. */
import type { PublishedResult } from '../model/calls.js';
import type { ErrorLayer, ErrorType } from '../base/errors.js';
import type { Grant } from '../model/grants.js';
import type { ChatMessage, MessagePart } from '../model/messages.js';
import { isObject, own } from '../base/objects.js';
import type { ChatSummary, ToolCallLog, TraceEntry } from '../model/session.js';
import {
  ValidationError,
  data,
  boolean,
  list,
  number,
  oneOf,
  optional,
  read,
  record,
  object,
  text,
  time,
  count,
  type Check,
} from '../base/checks.js';
import type { StoredBranch, StoredCall, StoredTurn } from './stored-conversation.js';
import { publishedResult } from '../model/calls.js';
import { storedCall } from './stored-call.js';
import { branches, grant, message, parts, turn } from './stored-shapes.js';

export const FILE_FORMAT = 'tool-chat-session';

/** The reason why the last turn failed, without its messages. */
export interface FiledFailure {
  kind: string;
  code: string;
  layer: ErrorLayer;
  retryable: boolean;
  errorType?: ErrorType;
  status?: number;
  detail?: string;
  tool?: string;
  rounds?: number;
  budget?: number;
  retryAfterMs?: number;
  gate?: string;
  crossOrigin?: boolean;
  offline?: boolean;
  localNetwork?: boolean;
}

/** An exported session with sorted keys, redacted. The same conversation gives the same text. */
export interface SessionFile {
  format: typeof FILE_FORMAT;
  version: 1;
  id: string;
  createdAt: number;
  messages: ChatMessage[];
  /** `{state, requiresConfirm, lastTool, lastResultSummary, plan}`. */
  session: object;
  summaries: ChatSummary[];
  toolLog: ToolCallLog[];
  /** For information only. An import ignores them: a file is no approval. */
  grants: Grant[];
  trace?: TraceEntry[];
  /** Data for the display: texts and cards in order, by message; the cards; every result; an unfinished turn; its error. */
  parts?: Record<string, MessagePart[]>;
  calls?: StoredCall[];
  results?: PublishedResult[];
  /** Hidden versions of the conversation; see `StoredBranch`. */
  branches?: StoredBranch[];
  turn?: StoredTurn;
  failure?: FiledFailure;
  /** Labels and icons of tools whose calls were never checked, by name. */
  faces?: Record<string, Face>;
  /** The original order of keys in arguments and data, which sorting loses: the path of each object, and its keys in order. */
  order?: KeyOrder[];
}

export interface Face {
  label: string;
  icon?: string;
}

export interface KeyOrder {
  path: (string | number)[];
  keys: string[];
}

const id = text(1000);

const summary = object<ChatSummary>({ chatId: id, summary: text(), createdAt: time });
const line = object<ToolCallLog>({ chatId: id, toolName: id, status: id, errorType: optional(id), createdAt: time });
const entry = object<TraceEntry>({ at: time, turnId: id, what: id, requestId: optional(id), reason: text(4000) });

const records = {
  createdAt: time,
  summaries: list(summary, 10_000),
  toolLog: list(line, 10_000),
  trace: list(entry, 1000),
};

const failure = object<FiledFailure>({
  kind: id,
  code: id,
  layer: oneOf('network', 'parse', 'execution', 'business'),
  retryable: boolean,
  errorType: optional(oneOf('rate_limit', 'auth', 'network', 'timeout', 'empty_result', 'invalid_format')),
  status: optional(number),
  detail: optional(text()),
  tool: optional(id),
  rounds: optional(count),
  budget: optional(count),
  retryAfterMs: optional(number),
  gate: optional(id),
  crossOrigin: optional(boolean),
  offline: optional(boolean),
  localNetwork: optional(boolean),
});

const step: Check<string | number> = (value) => (typeof value === 'number' ? count(value) : text()(value));

const file: Check<SessionFile> = object<SessionFile>({
  format: oneOf(FILE_FORMAT),
  version: oneOf(1),
  id: text(),
  ...records,
  trace: optional(records.trace),
  messages: list(message),
  session: data,
  grants: list(grant, 1000) as unknown as Check<Grant[]>,
  parts: optional(record(parts)),
  calls: optional(list(storedCall)),
  results: optional(list(publishedResult)),
  branches: optional(branches),
  turn: optional(turn),
  failure: optional(failure),
  faces: optional(record(object<Face>({ label: text(), icon: optional(text()) }), 1000)),
  order: optional(list(object<KeyOrder>({ path: list(step, 100), keys: list(text()) }))),
});

const kept = object({ ...records, trace: list(entry, 2000), spent: number });

/** Checks the data stored about a session besides its conversation. Throws `Damaged`. */
export const readRecords = (value: unknown): Pick<Required<SessionFile>, keyof typeof records> & { spent: number } => read(kept, value);

const settled = new Set(['success', 'error', 'denied', 'cancelled', 'interrupted', 'undone']);

/**
 * Returns a checked copy of a file. Older histories, a list of `{role, content}` or an object with `messages`, are converted.
 *
 * @param now time for entries without one
 * @throws Damaged
 */
export function readSessionFile(value: unknown, now: number): SessionFile {
  const found = own(value, 'format') === undefined ? read((old) => ofHistory(old, now), value) : read(file, value);
  sensible(found);
  return found;
}

const said = object<{ role: ChatMessage['role']; content?: string; text?: string; createdAt?: number; timestamp?: number }>({
  role: oneOf('user', 'assistant', 'system', 'tool'),
  content: optional(text()),
  text: optional(text()),
  createdAt: optional(time),
  timestamp: optional(time),
});

const histories = list(said);

function ofHistory(value: unknown, now: number): SessionFile {
  if (isObject(value) && !Array.isArray(value) && own(value, 'messages') === undefined)
    throw new ValidationError(`${FILE_FORMAT}, or the \`messages\` of an older history`, 'format');
  const messages = Array.isArray(value) ? histories(value) : object({ messages: histories })(value).messages;
  const given = isObject(value) ? own(value, 'id') : undefined;
  return {
    ...({ format: FILE_FORMAT, version: 1, id: typeof given === 'string' ? given : '', createdAt: now } as const),
    messages: messages.map((one, at) => ({
      ...{ id: `imported-${String(at)}`, role: one.role, text: one.text ?? one.content ?? '' },
      createdAt: one.createdAt ?? one.timestamp ?? now,
      status: { type: 'complete' },
      metadata: {},
    })),
    ...{ session: {}, summaries: [], toolLog: [], grants: [] },
  };
}

/** Checks that the parts, each valid by itself, are consistent. */
function sensible({ messages: shown, calls: made = [], branches: shelf = [] }: SessionFile): void {
  const messages = [...shown, ...shelf.flatMap((one) => one.messages)];
  const calls = [...made, ...shelf.flatMap((one) => one.calls)];
  const homes = new Set(messages.map((one) => one.id));
  const ids = new Set(calls.map(({ requestId }) => requestId));
  if (homes.size < messages.length) throw new ValidationError('messages with an id of their own', 'messages');
  const places = new Set(shelf.map(({ from, place }) => `${String(place)} ${from}`));
  if (places.size < shelf.length || shelf.some(({ from }) => from !== '' && !homes.has(from)))
    throw new ValidationError('versions with a place of their own', 'branches');
  if (ids.size < calls.length) throw new ValidationError('calls with an id of their own', 'calls');
  made.forEach(({ messageId, status, result, requestId }, at) => {
    if (!homes.has(messageId)) throw new ValidationError('the id of one of its messages', 'messageId', at, 'calls');
    const ended = status === 'undone' ? 'success' : status;
    if (!settled.has(status)) return;
    if (result?.status !== ended)
      throw new ValidationError('the result of a call that ended so', ...(result ? ['status'] : []), 'result', at, 'calls');
    if (result.requestId !== requestId) throw new ValidationError('the id of its call', 'requestId', 'result', at, 'calls');
  });
}
