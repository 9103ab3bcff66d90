/**
 * Versions of the conversation after a message. An edit or a regenerated answer moves everything after the message to a hidden branch: all
 * messages from there on, with their calls and results, stored under the id of the message before them. The branches are a flat list next
 * to the visible conversation. Ids are unique, so a branch that has branches of its own needs nothing more: they wait until it is shown
 * again. Places count from 1; the place that is missing in the list is the visible version. Calls have ended before a version is hidden, so
 * each version is complete by itself.
 */
import type { MessageBranch } from '../../model/snapshot.js';
import { mayHaveHappened } from './call-records.js';
import type { Branch, CallRecord, ConversationContext } from './chart-context.js';

type Changes = Partial<ConversationContext>;
type ActiveBranch = Pick<ConversationContext, 'messages' | 'parts' | 'calls' | 'branches'>;

/** The maximum number of hidden versions. The oldest is dropped first. */
const MOST = 50;

/** Removes this message and everything after it. With `keep`, they become a hidden version that can be shown again. */
export function cutFrom(context: ConversationContext, messageId: string, keep: boolean): Changes {
  const at = context.messages.findIndex((message) => message.id === messageId);
  if (at === -1) return {};
  const { rest, tail } = split(context, at);
  if (!keep || !isWorthKeeping(tail)) return { ...rest, failure: null };
  return { ...rest, branches: withinBounds([...(context.branches ?? []), tail], rest.messages), failure: null };
}

/** Shows the version at `place` after the message `from`. The version that was visible becomes a hidden one. */
export function switchBranch(context: ConversationContext, from: string, place: number): Changes {
  const branches = context.branches ?? [];
  const wanted = branches.find((one) => one.from === from && one.place === place);
  const at = context.messages.findIndex(({ id }) => id === from) + 1;
  if (!wanted || (at === 0 && from !== '')) return {};
  const { rest, tail } = split(context, at);
  const others = branches.filter((one) => one !== wanted);
  return {
    messages: [...rest.messages, ...wanted.messages],
    parts: { ...rest.parts, ...wanted.parts },
    calls: [...rest.calls, ...wanted.calls],
    branches: tail.messages.length > 0 ? [...others, tail] : others,
    failure: null,
  };
}

/** Shows the newest version again if a regenerated answer came back empty. The error stays visible. */
export function closeBranchGaps(context: ConversationContext): Changes {
  const last = context.messages.at(-1)?.id ?? '';
  const newest = versionsAt(context.branches ?? [], last).at(-1);
  if (!newest) return {};
  const { failure: _, ...changes } = switchBranch(context, last, newest.place);
  return changes;
}

/** Returns the version info by the id of the first message of each visible version. */
export function branchesOf({ messages, branches = [] }: Pick<ActiveBranch, 'messages' | 'branches'>): ReadonlyMap<string, MessageBranch> {
  const found = new Map<string, MessageBranch>();
  if (branches.length === 0) return found;
  const forks = new Set(branches.map(({ from }) => from));
  messages.forEach(({ id }, at) => {
    const from = messages[at - 1]?.id ?? '';
    if (!forks.has(from)) return;
    const others = versionsAt(branches, from);
    const place = nextBranchIndex(branches, from);
    const places = [...others.map((one) => one.place), place].sort((a, b) => a - b);
    const now = places.indexOf(place);
    const [previous, next] = [places[now - 1], places[now + 1]];
    const effects = others.flatMap((one) => effectsOf(one, branches));
    found.set(id, {
      ...{ from, at: now + 1, of: places.length },
      ...(previous !== undefined && { previous }),
      ...(next !== undefined && { next }),
      ...(effects.length > 0 && { stay: effects.length }),
      ...(effects.some((call) => !isDone(call)) && { unsure: true as const }),
    });
  });
  return found;
}

const versionsAt = (branches: readonly Branch[], from: string): Branch[] =>
  branches.filter((one) => one.from === from).sort((a, b) => a.place - b.place);

function nextBranchIndex(branches: readonly Branch[], from: string): number {
  const taken = new Set(branches.flatMap((one) => (one.from === from ? [one.place] : [])));
  let place = 1;
  while (taken.has(place)) place += 1;
  return place;
}

function split({ messages, parts, calls, branches = [] }: ActiveBranch, at: number) {
  const from = messages[at - 1]?.id ?? '';
  const gone = new Set(messages.slice(at).map(({ id }) => id));
  const chosen = (inTail: boolean) => ({
    parts: Object.fromEntries(Object.entries(parts).filter(([id]) => gone.has(id) === inTail)),
    calls: calls.filter((call) => gone.has(call.messageId) === inTail),
  });
  return {
    rest: { messages: messages.slice(0, at), ...chosen(false) },
    tail: { from, place: nextBranchIndex(branches, from), messages: messages.slice(at), ...chosen(true) } satisfies Branch,
  };
}

/** A reply that failed before it had any content is not worth a version. */
const isWorthKeeping = ({ messages, calls }: Branch): boolean =>
  calls.length > 0 || messages.some(({ role, text, status }) => role === 'user' || (text !== '' && status.type !== 'error'));

/** Drops the oldest versions, and those whose parent message was in a dropped one. */
function withinBounds(branches: readonly Branch[], live: ConversationContext['messages']): readonly Branch[] {
  if (branches.length <= MOST) return branches;
  const kept = branches.slice(-MOST);
  const known = new Set(['', ...[...kept.flatMap(({ messages }) => messages), ...live].map(({ id }) => id)]);
  return kept.filter(({ from }) => known.has(from));
}

const isDone = ({ started, status, fate }: CallRecord): boolean => started && status === 'success' && fate !== 'maybe-undone';

/** Returns the calls of a version and its sub-versions that changed something, or may have, and were not undone. */
function effectsOf(branch: Branch, branches: readonly Branch[]): readonly CallRecord[] {
  const ids = new Set(branch.messages.map(({ id }) => id));
  const hasEffect = (call: CallRecord) => (call.started && call.status === 'success') || mayHaveHappened(call);
  const own = branch.calls.filter((one) => one.call && one.call.risk !== 'query' && hasEffect(one));
  return [...own, ...branches.filter(({ from }) => ids.has(from)).flatMap((one) => effectsOf(one, branches))];
}
