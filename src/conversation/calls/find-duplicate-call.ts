/** Finds out what became of a call that the model asks for again: it was made just now, or the user has to decide. */
import { UNSEEN } from '../../base/invisible.js';
import { findIndexes } from '../../base/find-indexes.js';
import { own } from '../../base/objects.js';
import type { Call, PublishedResult } from '../../model/calls.js';
import type { JsonSchema } from '../../model/json-schema.js';
import type { HistoryReason } from '../../tools/approval-policy.js';
import { HIDDEN as NOT_SAVED } from '../../tools/sensitive.js';
import { callOf, callsIn, mayHaveHappened } from '../chart/call-records.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';

type ConversationSlice = Pick<ConversationContext, 'messages' | 'calls'> & Partial<Pick<ConversationContext, 'turn'>>;

/**
 * Returns the first result of the same call, if it has succeeded since the user's last message and was not undone. Queries may be repeated
 * as often as the model likes.
 *
 * @param told only what the model has heard of; else also what stands before it in the same reply, where one call waits for the other
 */
export function findDuplicateCall(
  context: ConversationSlice,
  { requestId, digest, risk }: Pick<Call, 'requestId' | 'digest' | 'risk'>,
  told: boolean,
): PublishedResult | undefined {
  return risk === 'query' ? undefined : findDoneSince(context, requestId, told).find(({ call }) => call?.digest === digest)?.result;
}

/** Returns the calls before this one that have succeeded since the user's last message. */
function findDoneSince({ messages, calls, turn }: ConversationSlice, requestId: string, told: boolean): CallRecord[] {
  const self = callOf({ calls }, requestId);
  if (!self) return [];
  const said = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(said + 1).flatMap(({ id }) => callsIn({ calls }, id));
  const inOrder = !told && (turn?.settings.execution === 'serial' || self.resources.length > 0);
  const at = since.indexOf(self);
  return since
    .slice(0, at < 0 ? since.length : at)
    .filter((call) => isDone(call) && !call.manual && (inOrder || call.messageId !== self.messageId));
}

const isDone = ({ status, started, fate }: CallRecord) => started && status === 'success' && fate !== 'maybe-undone';

type Versions = ConversationSlice & Pick<ConversationContext, 'branches'>;
type Asked = Pick<Call, 'requestId' | 'toolName' | 'args' | 'digest'>;

/**
 * Returns what became of the same call last. If that is no reason to ask, there are two more: nearly the same call was made just now, or
 * another call of the tool has an unknown outcome. In its turn and the next, other arguments may then mean the same thing.
 *
 * @param harmless running it twice does no harm
 * @param schema of the tool's arguments
 */
export function findPastCall(context: Versions, asked: Asked, harmless: boolean, schema?: JsonSchema): HistoryReason | undefined {
  const past = pastOfSame(context, asked, harmless, schema);
  if (past || harmless) return past;
  const { requestId, toolName, args } = asked;
  const isOfTool = ({ toolName: name, call }: CallRecord) => (call?.toolName ?? name) === toolName;
  if (recentCalls(context).some((one) => one.requestId !== requestId && isOfTool(one) && mayHaveHappened(one))) return 'unsure-tool';
  const done = findDoneSince(context, requestId, false).filter(({ call }) => call?.toolName === toolName && call.digest !== asked.digest);
  return done.some(({ call }) => areNear(call?.args ?? {}, args, schema)) ? 'done-before' : undefined;
}

/**
 * Returns the calls of this turn and of the one before it, including those in branches that an edit or a regenerated reply has replaced.
 */
function recentCalls({ messages, calls, branches = [] }: Versions): readonly CallRecord[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const start = Math.max(
    0,
    messages.findLastIndex(({ role }, at) => role === 'user' && at < last),
  );
  const ids = new Set(messages.slice(start).map(({ id }) => id));
  const forks = new Set([messages[start - 1]?.id ?? '', ...ids]);
  const replaced = branches.filter(({ from }) => forks.has(from)).flatMap((branch) => branch.calls);
  return [...[...ids].flatMap((id) => callsIn({ calls }, id)), ...replaced];
}

/**
 * Calls that can only match an identical one are indexed by digest. All others have an empty key, because they need a closer comparison.
 */
const keyOf = (call: CallRecord) => (isDone(call) && call.repeats === undefined && !call.original ? call.call?.digest : undefined) ?? '';

/**
 * Returns what became of the same call last, in any version of the conversation, unless it succeeded. A call that never started is ignored,
 * unless the user denied or changed it. So is one that surely failed.
 */
function pastOfSame(
  { messages, calls, branches = [] }: Versions,
  { requestId, toolName, args, digest }: Asked,
  harmless: boolean,
  schema: JsonSchema | undefined,
): HistoryReason | undefined {
  const isNear = (one: Arguments) => areNear(one, args, schema);
  const all = [...branches, { messages, calls }];
  const originalOf = createOriginals(all);
  const written = callOf({ calls }, requestId)?.toolName;
  const isSame = (one: CallRecord) => {
    if (one.requestId === requestId) return false;
    const { call, params, started, toolName: name } = one;
    // The model may call a tool by a name other than its own.
    if (call?.toolName === toolName) {
      const original = originalOf(one);
      if (call.digest === digest || (original && isNear(original))) return true;
      return !isDone(one) && isNear(call.args);
    }
    // Only the journal knew of this call, and perhaps not of its arguments.
    return !call && started && (name === toolName || name === written) && (Object.keys(params).length === 0 || isNear(params));
  };
  const versions = all.flatMap((version) => {
    const places = ['', digest].flatMap((key) => findIndexes(version.calls, keyOf, key)).sort((one, other) => one - other);
    const same = places.map((at) => version.calls[at] as CallRecord).filter(isSame);
    if (same.length === 0) return [];
    const times = new Map(version.messages.map(({ id, createdAt }) => [id, createdAt]));
    return { same, at: Math.max(...same.map((call) => times.get(call.messageId) ?? 0)) };
  });
  // A version that is shown again may be older than one that is not. Within a version only the order counts, because clocks may be set
  // back.
  for (const { same } of versions.reverse().sort((one, other) => other.at - one.at))
    for (const call of same.reverse()) {
      if (call.fate === 'declined') return 'denied-before';
      if (call.call && call.call.digest !== digest && originalOf(call)) return 'changed-before';
      if (call.status === 'undone' || call.fate === 'maybe-undone') return 'undone-before';
      if (call.started && call.status === 'success') return undefined;
      if (!harmless && mayHaveHappened(call)) return 'unsure';
    }
  return undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Returns a function that finds the arguments before the user changed them: while the call waited, or when it had failed and was to run
 * again.
 */
function createOriginals(versions: readonly Pick<ConversationContext, 'calls'>[]) {
  return ({ original, repeats }: CallRecord): Arguments | undefined => {
    if (original ?? repeats === undefined) return original;
    const failed = versions.flatMap((version) => callOf(version, repeats) ?? []).at(-1);
    return failed?.call?.args ?? failed?.params;
  };
}

/** Compares arguments of an earlier call with those asked for now. A reload loses sensitive values, so any value may have been there. */
function areNear(earlier: Arguments, asked: Arguments, schema: JsonSchema | undefined): boolean {
  const text = nearly(earlier, schema);
  if (!text.includes(`"${NOT_SAVED}"`)) return text === nearly(asked, schema);
  const savedOf = (args: Arguments) => Object.fromEntries(Object.entries(args).filter(([name]) => own(earlier, name) !== NOT_SAVED));
  return nearly(savedOf(earlier), schema) === nearly(savedOf(asked), schema);
}

const texts = new WeakMap<Arguments, { schema: JsonSchema | undefined; text: string }>();

/**
 * Returns the same text for arguments that differ only in blanks, invisible characters, letter case, letter width, the encoding of accents,
 * empty fields or defaults that are written out. It is computed once per call, because a grant compares all waiting calls in one task.
 */
function nearly(args: Arguments, schema: JsonSchema | undefined): string {
  const known = texts.get(args);
  if (known && known.schema === schema) return known.text;
  const text = textOf(args, schema);
  texts.set(args, { schema, text });
  return text;
}

const HIDDEN = new RegExp(`[${UNSEEN}]+`, 'gu');

/** Returns '' for a value without content. */
function textOf(value: unknown, schema: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') {
    const text = value.replace(HIDDEN, '').normalize('NFKC').toLowerCase();
    return text && JSON.stringify(text);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => textOf(item, own(schema, 'items'))).filter(Boolean);
    return items.length > 0 ? `[${items.join()}]` : '';
  }
  if (typeof value !== 'object') return JSON.stringify(value) ?? '';
  const properties = own(schema, 'properties');
  const fields = Object.keys(value)
    .sort()
    .flatMap((name) => {
      const [field, property] = [textOf(own(value, name), own(properties, name)), own(properties, name)];
      return field === '' || field === textOf(own(property, 'default'), property) ? [] : [`${JSON.stringify(name)}:${field}`];
    });
  return fields.length > 0 ? `{${fields.join()}}` : '';
}
