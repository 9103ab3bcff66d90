/**
 * Exports a session to a file and imports it again: to inspect it, to archive it or to continue it elsewhere. Loaded on the first use of
 * either.
 *
 * An exported file contains no sensitive value, and no field that is named like a password or a key. An imported file is untrusted: it is
 * validated completely before anything changes, calls that waited ask again, calls that were running become `interrupted`, and nothing in
 * the file is executed. A file cannot allow anything, so its grants are not imported.
 */
import type { Grant } from '../../model/grants.js';
import type { ChatMessage } from '../../model/messages.js';
import { addEndpointTexts } from '../../i18n/en-endpoint.js';
import type { Texts } from '../../i18n/en.js';
import { isObject, own } from '../../base/objects.js';
import { cutText } from '../../base/cut-text.js';
import { define, toPlain } from '../../base/plain.js';
import { hideSecrets, isSecretName } from '../../base/redact.js';
import { ValidationError } from '../../base/checks.js';
import { isSettledCall, recover, tellStoredResults } from '../../storage/recover.js';
import {
  FILE_FORMAT,
  readSessionFile,
  type Face,
  type FiledFailure,
  type KeyOrder,
  type SessionFile,
} from '../../storage/session-format.js';
import { emptyConversation, type StoredCall, type StoredConversation, type StoredTurn } from '../../storage/stored-conversation.js';
import { HIDDEN } from '../../tools/sensitive.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { failureLines } from '../view/failure-text.js';
import { sendEvent, toolNamed, type Chart, type ConversationServices } from '../chart/services.js';
import { countedByDigest, createSerializer } from './serialize-conversation.js';
import { rehydrate } from './rehydrate.js';
import { FOREIGN, NAMES, secretsOf, withoutSecrets } from './secrets.js';
import type { StreamingReply } from '../reply/streaming-reply.js';
import type { SessionRecords } from '../memory/session-records.js';
import type { Settings } from '../options/settings.js';
import type { SessionState, ViewSnapshot } from '../../model/snapshot.js';
import type { SessionParts } from './session-parts.js';
import type { Trace } from '../host/trace.js';
import type { ConversationContext, ConversationEvent, TurnFailure } from '../chart/chart-context.js';
import { callsByMessage, withCalls } from '../view/message-view.js';

addEndpointTexts();

export type { SessionFile } from '../../storage/session-format.js';

export interface SessionSource {
  sessionId: string;
  context: ConversationContext;
  session: SessionState;
  live: StreamingReply | null;
  records: Pick<SessionRecords, 'createdAt' | 'toolLog' | 'summaries'>;
  trace: Pick<Trace, 'entries'>;
  grants: readonly Grant[];
  toolNamed(name: string): ToolDefinition | undefined;
  hasSecrets(): boolean;
  face(toolName: string): Face;
  texts: Texts;
  /** Replaces private values with their tokens. */
  hide?: (text: string) => string;
}

/** The parts that a session is exported from and imported into. */
export interface SessionImportTarget {
  chart: Chart;
  services: ConversationServices;
  parts: SessionParts;
  face(toolName: string): Face;
}

export async function exportFrom({
  chart,
  services,
  parts,
  face,
  view,
}: SessionImportTarget & { view: () => ViewSnapshot }): Promise<SessionFile> {
  const { keeping, records, trace, arriving } = parts;
  if (keeping.pending) await keeping.ready();
  const { settings, texts, hasSecrets, privacy } = services;
  const guard = await privacy.ready();
  return writeSession({
    ...(guard && { hide: guard.hider() }),
    ...{ sessionId: settings().sessionId, records, trace, hasSecrets, face },
    toolNamed: (name) => toolNamed(chart, services, name),
    context: keeping.shown?.context ?? chart.getSnapshot().context,
    session: view().session,
    live: keeping.shown?.around.live ?? arriving.live,
    grants: view().grants,
    texts: texts(),
  });
}

/** @returns the file, checked, and what puts it in the place of the conversation */
export async function importInto(
  given: unknown,
  { chart, services, parts }: SessionImportTarget,
): Promise<{ file: SessionFile; begin(asItBegins: () => void): Promise<void> }> {
  const { keeping, queue, records, trace } = parts;
  const { settings, texts } = services;
  const { file, restore } = openSession(given, settings().sessionId);
  if (keeping.pending) await keeping.ready();
  if (keeping.shown) throw new Error(texts().elsewhere);
  return {
    file,
    begin(asItBegins) {
      // From here on it is another conversation, so end what is running in this one.
      queue.cancel();
      parts.stop();
      return new Promise<void>((resolve) => {
        const begun = queue.enqueue('', () => {
          const event = restore(settings());
          records.load(file);
          // The tokens in the file do not belong to this conversation.
          services.privacy.kept.load(undefined);
          asItBegins();
          trace.load(file.trace ?? []);
          sendEvent(chart, event);
          trace.note('import', texts().traceImported(file.messages.length));
          resolve();
          return event.type === 'restore' && event.context.turn !== null;
        });
        void begun.then(() => {
          resolve();
        });
      });
    },
  };
}

/** Returns the session as a file. The same conversation always gives exactly the same file. */
export function writeSession(source: SessionSource): SessionFile {
  const { sessionId, context, session, live, records, trace, grants, toolNamed, hasSecrets, texts } = source;
  const extras = { draft: '', queue: [], grants: [] };
  const stored = createSerializer({ sessionId, toolNamed, hasSecrets, texts: () => texts })({ context, live, extras });
  const { reply } = stored;
  const made = callsByMessage(stored.calls);
  const withheld = new Set(stored.calls.flatMap((call) => (call.withheld && call.call ? [call.call.digest] : [])));
  const unchecked = stored.calls.filter((call) => !call.call).map(({ toolName }) => toolName);
  const file: SessionFile = {
    ...({ format: FILE_FORMAT, version: 1, id: sessionId, createdAt: records.createdAt } as const),
    messages: stored.messages
      .map((message) =>
        message.id === reply?.messageId
          ? { ...message, text: reply.text, raw: reply.raw, ...(reply.reasoning && { reasoning: reply.reasoning }) }
          : message,
      )
      .map((message) => withCalls(message, made.get(message.id) ?? [])),
    session,
    summaries: [...records.summaries],
    toolLog: [...records.toolLog],
    grants: [...grants],
    // Mask what looks like a key or an address in the log. Messages stay as they were written.
    trace: trace.entries.map((entry) => ({ ...entry, reason: hideSecrets(entry.reason) })),
    parts: { ...stored.parts, ...(reply && { [reply.messageId]: reply.parts }) } as NonNullable<SessionFile['parts']>,
    calls: stored.calls.map(filedOf),
    results: [...stored.toolHistory],
    ...(stored.branches && {
      branches: stored.branches.map((one) => ({ ...one, calls: one.calls.map(filedOf) })),
    }),
    ...(stored.turn && { turn: countedByDigest(stored.turn, withheld) }),
    ...(context.failure && { failure: context.failure as FiledFailure }),
    ...(unchecked.length > 0 && { faces: Object.fromEntries(unchecked.map((name) => [name, source.face(name)])) }),
  };
  const plain = hidden(file, secretsOf(callsIn(context), callsIn(stored)), source.hide);
  // Read the file as an import would, so that unknown fields are not exported.
  const order: KeyOrder[] = [];
  const known = sorted(readSessionFile(plain, records.createdAt), [], (path, keys) => order.push({ keys, path }));
  return (order.length > 0 ? sorted({ ...(known as SessionFile), order }) : known) as SessionFile;
}

/**
 * Returns a call as a file holds it. Only the page that ran a call can say whether its effect can be undone. A short sensitive value could
 * be guessed from the digest.
 */
function filedOf({ keepsEffect: _, ...call }: StoredCall): StoredCall {
  return call.withheld && call.call ? { ...call, call: { ...call.call, digest: call.requestId } } : call;
}

/** Returns the calls of all branches, always in the same order. */
const callsIn = <Call>({ calls, branches = [] }: { calls: readonly Call[]; branches?: readonly { calls: readonly Call[] }[] }): Call[] => [
  ...calls,
  ...branches.flatMap((one) => one.calls),
];

const LONGEST = 4_194_304;

function hidden(file: SessionFile, secrets: readonly string[], hide = (text: string) => text): unknown {
  const clean = (text: string) => {
    const safe = text.startsWith('data:') ? text : hide(text);
    return cutText(withoutSecrets(safe, secrets), LONGEST);
  };
  const walk = (value: unknown, foreign: boolean): unknown => {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return value.map((one) => walk(one, foreign));
    if (!isObject(value)) return value;
    const copy = {};
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      if (!foreign && NAMES.has(name)) define(copy, name, field);
      else if (foreign && isSecretName(name, field)) define(copy, name, HIDDEN);
      else if (foreign || !FOREIGN.has(name)) define(copy, name, walk(field, foreign));
      // Input and output of tools may be any data.
      else define(copy, name, walk(toPlain(field, { depth: 60, nodes: 15_000, chars: LONGEST }) ?? null, true));
    }
    return copy;
  };
  return walk(file, false);
}

type Path = (string | number)[];

/** Sorts the keys of all objects. `moved` is called with each object whose order of keys may have meant something. */
function sorted(value: unknown, path: Path = [], moved?: (path: Path, keys: string[]) => void, foreign = false): unknown {
  if (Array.isArray(value)) return value.map((one, at) => sorted(one, [...path, at], moved, foreign));
  if (!isObject(value)) return value;
  const copy = {};
  const keys = Object.keys(value);
  const inOrder = keys.toSorted();
  if (foreign && keys.some((key, at) => key !== inOrder[at])) moved?.(path, keys);
  for (const name of inOrder) define(copy, name, sorted(value[name], [...path, name], moved, foreign || FOREIGN.has(name)));
  return copy;
}

/** Restores the order of keys in which the objects were written. An object with other keys stays as it is. */
function reorder(file: SessionFile): void {
  // Apply one order to each object: a file may name the same large object many times.
  const seen = new Set<object>();
  for (const { path, keys } of file.order ?? []) {
    const found = path.reduce<unknown>((value, step) => own(value, step), file);
    if (!isObject(found) || seen.has(found)) continue;
    seen.add(found);
    if (Object.keys(found).length !== keys.length || !keys.every((key) => Object.hasOwn(found, key))) continue;
    for (const key of keys) {
      const value = found[key];
      Reflect.deleteProperty(found, key);
      define(found, key, value);
    }
  }
}

// ——— Import

/** The session that an import puts in place of the conversation. */
export interface OpenedSession {
  file: SessionFile;
  /** Returns the event that restores it, with the current settings. */
  restore(settings: Settings): ConversationEvent;
}

/**
 * @param given the file, or its text
 * @throws TypeError for what is no session
 */
export function openSession(given: unknown, sessionId: string): OpenedSession {
  const file = readGiven(given);
  return {
    file,
    restore(settings) {
      const before = storedOf(file, sessionId);
      const { interrupted, notExecuted } = settings.texts;
      const recovery = recover(before, [], { sessionId, texts: { interrupted, notExecuted } });
      // Ask again only about calls that never began. Whether the others ran, only the page where they began could tell.
      const questions = recovery.questions.flatMap((one) =>
        one.type === 'verify' ? [] : [{ type: 'ask' as const, requestId: one.requestId }],
      );
      const due = [...(before.turn?.round ?? []), ...recovery.questions.map(({ requestId }) => requestId)];
      const stored = recovery.stored ?? before;
      const { turn: _, ...over } = stored;
      const event = rehydrate(
        before,
        { stored: questions.length > 0 ? stored : tellStoredResults(over, due), questions, settle: [] },
        settings,
      );
      const { context, open } = event as Extract<ConversationEvent, { type: 'restore' }>;
      const turn = context.turn && { ...context.turn, imported: true as const };
      // This includes messages that were only now written about calls of the file: the user of this page wrote none of them.
      const foreign = (message: ChatMessage) => ({ ...message, metadata: { ...message.metadata, imported: true as const } });
      const messages = context.messages.map(foreign);
      const branches = context.branches?.map((one) => ({ ...one, messages: one.messages.map(foreign) })) ?? [];
      return {
        type: 'restore',
        context: { ...context, messages, branches, turn, failure: (file.failure as TurnFailure | undefined) ?? null },
        open,
      };
    },
  };
}

function readGiven(given: unknown): SessionFile {
  let value = given;
  try {
    if (typeof given === 'string') value = JSON.parse(given);
    const file = readSessionFile(value, Date.now());
    reorder(file);
    // Reject a kind of failure for which there is no text.
    if (file.failure && !Array.isArray(failureLines(file.failure as TurnFailure, noTexts)))
      throw new ValidationError('one that is known', 'kind', 'failure');
    return file;
  } catch (error) {
    const why = error instanceof SyntaxError ? 'The text is no JSON' : `Here ${importErrorOf(value, error)}`;
    throw new TypeError(`importSession needs a file that exportSession wrote, or its text. ${why}.`, { cause: error });
  }
}

/** A `Texts` object in which every text exists and is empty. */
const noTexts = new Proxy({}, { get: () => () => '' }) as Texts;

function storedOf(file: SessionFile, sessionId: string): StoredConversation {
  const running = file.messages.findLast(({ status }) => status.type === 'running');
  const calls = (file.calls ?? callsOf(file)).map((call) => (isSettledCall(call) ? call : { ...call, rerun: false }));
  const turn = file.turn ?? turnFor(calls);
  const inRound = new Set(turn?.round);
  return {
    ...emptyConversation(sessionId),
    messages: file.messages.map((message) => {
      const { toolCallsRequested: _, ...metadata } = message.metadata;
      const stale = message.status.type === 'running' && message !== running;
      return { ...message, metadata, ...(stale && { status: { type: 'cut' as const } }) };
    }),
    parts: { ...(file.parts ?? partsFor(file.messages, calls)) },
    // Calls that are not of the last round, or that only the provider could continue, are not asked again.
    calls: calls.map(({ taintedBy: _, ...call }) => ({
      ...call,
      keepsEffect: true,
      ...((call.approval || (!isSettledCall(call) && !inRound.has(call.requestId))) && { withheld: true }),
    })),
    ...(file.branches && {
      branches: file.branches.map((one) => ({
        ...one,
        calls: one.calls.map(({ taintedBy: _, ...call }) => ({ ...call, keepsEffect: true as const })),
      })),
    }),
    toolHistory: file.results ?? calls.flatMap(({ result }) => result ?? []),
    ...(running && {
      reply: {
        ...{ messageId: running.id, text: running.text, raw: running.raw ?? running.text, reasoning: running.reasoning ?? '' },
        parts: file.parts?.[running.id] ?? [],
      },
    }),
    ...(turn && { turn }),
  };
}

/** Returns the calls of a file that holds only the required fields, as its messages describe them. */
function callsOf({ messages }: SessionFile): StoredCall[] {
  const ended = new Map(
    messages.flatMap(({ text, metadata: { toolCall } }) => (toolCall ? [[toolCall.requestId, { ...toolCall, text }]] : [])),
  );
  return messages.flatMap(({ id, metadata }) =>
    (metadata.toolCallsRequested ?? []).map(({ requestId, toolName, args, status, error }): StoredCall => {
      const told = ended.get(requestId);
      const end = told?.status ?? (status === 'completed' ? 'success' : status);
      const message = told?.text ?? error ?? '';
      const call = { requestId, toolName, messageId: id, params: { ...args }, raw: '', flags: [], manual: false, protocol: '' };
      if (!isSettledCall({ status: end })) return { ...call, status: end, started: end === 'executing' };
      const result = { requestId, toolName, status: end as 'success', success: end === 'success', message, result: message };
      return { ...call, status: end, started: end === 'success', result: Object.freeze({ ...result, durationMs: told?.durationMs ?? 0 }) };
    }),
  );
}

function turnFor(calls: readonly StoredCall[]): StoredTurn | undefined {
  const last = calls.findLast((call) => !isSettledCall(call))?.messageId;
  const round = calls.filter(({ messageId }) => messageId === last).map(({ requestId }) => requestId);
  if (last === undefined) return undefined;
  return { ...{ id: 'imported', round, proof: 'unproved', iterations: 0, fruitless: 0 }, denied: {}, executed: {}, manual: false };
}

function partsFor(messages: SessionFile['messages'], calls: readonly StoredCall[]): Record<string, StoredConversation['parts'][string]> {
  const parts: Record<string, StoredConversation['parts'][string]> = {};
  for (const { id, text } of messages) {
    const made = calls.filter(({ messageId }) => messageId === id);
    if (made.length === 0) continue;
    const before = text ? [{ type: 'text' as const, text }] : [];
    define(parts, id, [...before, ...made.map(({ requestId }) => ({ type: 'call' as const, requestId }))]);
  }
  return parts;
}

/** Returns the continuation of a sentence that begins with “Here …”. */
export function importErrorOf(file: unknown, error: unknown): string {
  if (!(error instanceof ValidationError)) return 'something cannot be read';
  const path = error.path.toReversed();
  if (path.length === 0 && file !== null && typeof file === 'object') return `something is missing or wrong; expected ${error.message}`;
  const found = path.reduce<unknown>((value, step) => own(value, step), file);
  const name = path.length === 0 ? 'the file' : `\`${nameOf(path)}\``;
  return `${name} ${found === undefined ? 'is missing' : `is ${kindOf(found)}`}; expected ${error.message}`;
}

/** Formats a path as in code: `calls[0].call.label`. */
const nameOf = (path: readonly (string | number)[]): string =>
  path
    .map((step, at) => {
      if (typeof step === 'number') return `[${String(step)}]`;
      if (/^[A-Za-z_]\w*$/.test(step)) return at === 0 ? step : `.${step}`;
      return `[${JSON.stringify(cutText(step, 100))}]`;
    })
    .join('');

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${String(value.length)}`;
  const kind = typeof value;
  return kind === 'string' ? `a text of ${String((value as string).length)} characters` : kind === 'object' ? 'an object' : `a ${kind}`;
}
