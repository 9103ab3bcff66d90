/** This file finds out what became of a call that the model asks for again: it was done a moment ago, or the user has to decide. */
import type { Call, PublishedResult } from '../../model/calls.js';
import { canonicalJson } from '../../tools/digest.js';
import type { Past } from '../../tools/gate.js';
import { mayHaveHappened } from '../chart/call-records.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';

/**
 * The first result of the same call, if it has succeeded since the person's last message, and was not taken back. Queries may be asked as
 * often as one likes.
 *
 * @param told only what the model has heard of; else also what stands before it in the same reply, where one call waits for the other
 */
export function doneBefore(
  { messages, calls, turn }: Pick<ConversationContext, 'messages' | 'calls' | 'turn'>,
  { requestId, digest, risk }: Pick<Call, 'requestId' | 'digest' | 'risk'>,
  told: boolean,
): PublishedResult | undefined {
  const at = calls.findIndex((call) => call.requestId === requestId);
  const self = calls[at];
  if (risk === 'query' || !self) return undefined;
  const said = messages.findLastIndex(({ role }) => role === 'user');
  const since = new Set(messages.slice(said + 1).map(({ id }) => id));
  const inOrder = !told && (turn?.settings.execution === 'serial' || self.resources.length > 0);
  return calls
    .slice(0, at)
    .find(
      (call) =>
        call.status === 'success' &&
        call.started &&
        call.fate !== 'maybe-undone' &&
        !call.manual &&
        call.call?.digest === digest &&
        since.has(call.messageId) &&
        (inOrder || call.messageId !== self.messageId),
    )?.result;
}

type Versions = Pick<ConversationContext, 'messages' | 'calls' | 'branches'>;
type Asked = Pick<Call, 'requestId' | 'toolName' | 'args' | 'digest'>;

/**
 * What became of the same call last. Where that is no reason to ask, another call of the tool may be one: as long as it is not known what came of
 * it, in its turn and the next, other arguments may mean the same thing.
 *
 * @param harmless running it twice does no harm
 */
export function pastOf(context: Versions, asked: Asked, harmless: boolean): Past | undefined {
  const past = pastOfSame(context, asked, harmless);
  if (past || harmless) return past;
  const { requestId, toolName } = asked;
  const isOther = ({ requestId: id, toolName: name, call }: CallRecord) => id !== requestId && (call?.toolName ?? name) === toolName;
  return recentCalls(context).some((one) => isOther(one) && mayHaveHappened(one)) ? 'unsure-tool' : undefined;
}

/** Calls of this turn and of the one before it, also of the versions of them that an edit or a new answer has replaced. */
function recentCalls({ messages, calls, branches = [] }: Versions): readonly CallRecord[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const start = Math.max(
    0,
    messages.findLastIndex(({ role }, at) => role === 'user' && at < last),
  );
  const ids = new Set(messages.slice(start).map(({ id }) => id));
  const forks = new Set([messages[start - 1]?.id ?? '', ...ids]);
  const replaced = branches.filter(({ from }) => forks.has(from)).flatMap((branch) => branch.calls);
  return [...calls.filter(({ messageId }) => ids.has(messageId)), ...replaced];
}

/**
 * What became of the same call last, in any version of the conversation, unless it was done. What never started, and was not denied or
 * changed by a person, says nothing; nor does what surely failed.
 */
function pastOfSame(
  { messages, calls, branches = [] }: Versions,
  { requestId, toolName, args, digest }: Asked,
  harmless: boolean,
): Past | undefined {
  const near = nearly(args);
  const written = calls.find((call) => call.requestId === requestId)?.toolName;
  const isSame = (one: CallRecord) => {
    if (one.requestId === requestId) return false;
    const { call, original, params, started, status, toolName: name } = one;
    // The model may call a tool by another name than its own.
    if (call?.toolName === toolName) {
      if (call.digest === digest || (original && nearly(original) === near)) return true;
      return !(started && status === 'success') && nearly(call.args) === near;
    }
    // Only the journal knew of it, and of its arguments perhaps nothing.
    return !call && started && (name === toolName || name === written) && (Object.keys(params).length === 0 || nearly(params) === near);
  };
  const versions = [...branches, { messages, calls }].flatMap((version) => {
    const same = version.calls.filter(isSame);
    if (same.length === 0) return [];
    const times = new Map(version.messages.map(({ id, createdAt }) => [id, createdAt]));
    return { same, at: Math.max(...same.map((call) => times.get(call.messageId) ?? 0)) };
  });
  // A version that is shown again may be older than one that is not. Within one only the order counts: clocks are set back.
  for (const { same } of versions.reverse().sort((one, other) => other.at - one.at))
    for (const call of same.reverse()) {
      if (call.fate === 'declined') return 'denied-before';
      if (call.call && call.call.digest !== digest && call.original) return 'changed-before';
      if (call.status === 'undone' || call.fate === 'maybe-undone') return 'undone-before';
      if (call.started && call.status === 'success') return undefined;
      if (!harmless && mayHaveHappened(call)) return 'unsure';
    }
  return undefined;
}

/** The same for arguments that differ in blanks, or in what is left empty. */
const nearly = (args: Readonly<Record<string, unknown>>): string =>
  canonicalJson(Object.fromEntries(Object.entries(args).flatMap(([name, value]) => (isEmpty(value) ? [] : [[name, plain(value)]]))));

const plain = (value: unknown): unknown => (typeof value === 'string' ? value.trim().replaceAll(/\s+/g, ' ') : value);

const isEmpty = (value: unknown): boolean => value === null || value === undefined || plain(value) === '';
