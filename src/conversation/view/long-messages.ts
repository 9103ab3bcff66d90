/** Builds the message views of a long conversation. */
import type { Texts } from '../../i18n/en.js';
import type { ChatMessage, MessagePart } from '../../model/messages.js';
import type { MessageBranch, MessageView } from '../../model/snapshot.js';
import { branchesOf } from '../chart/branches.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';
import { createPicker, sharedLength, type UnchangedSince } from './long-lists.js';
import { callsByMessage, viewOf, withCalls, withLiveText, wordsOf, type ViewInputs } from './message-view.js';

interface DrawnMessage {
  readonly given: ChatMessage;
  readonly calls: readonly CallRecord[];
  readonly parts: readonly MessagePart[] | undefined;
  readonly branch: MessageBranch | undefined;
  readonly message: ChatMessage;
  readonly views: readonly MessageView[];
  /** True if only its own fields, its calls, the reply after it, and the `Shared` values can still change its view. */
  readonly stays: boolean;
  readonly goesOn: boolean;
}

/** Values that affect every message. */
interface Shared {
  readonly texts: Texts;
  readonly hasTools: boolean;
  readonly isOver: boolean;
  readonly branches: ReadonlyMap<string, MessageBranch>;
  readonly standIns: readonly CallRecord[];
}

/**
 * Creates the function that builds the message views of a long conversation. It has thousands of messages, and each step of a turn draws
 * them: the unchanged ones at the beginning are taken over as a whole, so the cost of a step depends on what it has changed.
 */
export function createLongMessages() {
  const drawn: DrawnMessage[] = [];
  const messages: ChatMessage[] = [];
  const views: MessageView[] = [];
  /** The length of `views` up to and including each message. */
  const ends: number[] = [];
  /** The number of messages at the beginning that can no longer change. */
  let settled = 0;
  let shared: Shared | undefined;
  let before: Pick<ConversationContext, 'messages' | 'calls' | 'parts' | 'branches'> = { messages: [], calls: [], parts: {} };
  const callsOf = new Map<string, readonly CallRecord[]>();
  const standInsOf = createPicker((call: CallRecord) => call.standsInFor !== undefined);

  /** Updates `callsOf`. @returns the ids of messages whose calls have changed */
  function regroup(calls: readonly CallRecord[], same: number): ReadonlySet<string> {
    const [gone, come] = [new Set(before.calls.slice(same)), callsByMessage(calls.slice(same))];
    const ids = new Set([...[...gone].map(({ messageId }) => messageId), ...come.keys()]);
    for (const id of ids) callsOf.set(id, [...(callsOf.get(id) ?? []).filter((call) => !gone.has(call)), ...(come.get(id) ?? [])]);
    return ids;
  }

  function share(context: ConversationContext, { texts, hasTools }: ViewInputs, same: UnchangedSince): Shared {
    const isSame = context.messages === before.messages && context.branches === before.branches;
    const found = shared && isSame ? shared.branches : branchesOf(context);
    const branches = shared?.branches.size === 0 && found.size === 0 ? shared.branches : found;
    return { texts, hasTools, isOver: context.turn === null, branches, standIns: standInsOf(context.calls, same.calls) };
  }

  /** @returns the number of messages at the beginning whose views have not changed */
  function unchanged({ messages: given, parts }: ConversationContext, same: number, touched: ReadonlySet<string>): number {
    let most = Math.min(same, settled);
    const others = parts === before.parts ? [] : Object.keys(parts).filter((id) => parts[id] !== before.parts[id]);
    for (const id of new Set([...touched, ...others])) {
      const at = given.findLastIndex((one) => one.id === id);
      if (at >= 0) most = Math.min(most, at);
    }
    // A message may look different when another one follows it, so the one before is drawn again.
    while (most > 0 && given[(most -= 1)]?.role === 'tool');
    return most;
  }

  /** Redraws a user message, because it can be edited only between turns. */
  function redrawQuestion(at: number, context: ConversationContext, around: ViewInputs, { standIns }: Shared): void {
    const one = drawn[at] as DrawnMessage;
    const [view] = viewOf(one.message, context, around, { last: undefined, standIns, branch: one.branch, goesOn: false });
    drawn[at] = { ...one, views: [view as MessageView, ...one.views.slice(1)] };
    views[ends[at - 1] ?? 0] = view as MessageView;
  }

  return (
    context: ConversationContext,
    around: ViewInputs,
    sameLists: UnchangedSince,
  ): { messages: ChatMessage[]; views: MessageView[] } => {
    const { live } = around;
    const given = context.messages;
    const touched = regroup(context.calls, sameLists.calls);
    const now = share(context, around, sameLists);
    const spoken = shared?.texts !== now.texts || shared.hasTools !== now.hasTools || shared.standIns !== now.standIns;
    const turned = shared?.isOver !== now.isOver;
    const forked = shared?.branches !== now.branches;
    const lastAnswer = given.findLastIndex((one) => one.role === 'assistant');
    const [last, end] = [given[lastAnswer]?.id, given.at(-1)?.id];
    const least = Math.min(sameLists.messages, lastAnswer < 0 ? given.length : lastAnswer, Math.max(0, given.length - 1));
    const same = spoken || forked ? 0 : unchanged(context, least, touched);
    [shared, before] = [now, context];

    const known = drawn.slice(same);
    const rest = given.slice(same);
    const shown = rest.filter(({ role }) => role !== 'tool');
    const followed = new Set(shown.filter((_, at) => shown[at + 1]?.role === 'assistant').map(({ id }) => id));
    const redrawn = rest.map((one, at): DrawnMessage => {
      const calls = callsOf.get(one.id) ?? NONE;
      const parts = context.parts[one.id];
      const old = known[at];
      const isLive = one.status.type === 'running';
      const isKnown = old?.given === one && old.parts === parts && isList(old.calls, calls) && !isLive;
      const stays = !isLive && one.id !== last && one.id !== end;
      const goesOn = one.status.type === 'complete' && followed.has(one.id);
      const branch = now.branches.get(one.id);
      const asBefore = isKnown && stays && old.stays && old.goesOn === goesOn && isSameBranch(old.branch, branch);
      if (asBefore && !spoken && !(turned && one.role === 'user')) return old;
      const message = isKnown ? old.message : withCalls(withLiveText(one, live), calls);
      const view = () => viewOf(message, context, around, { last, standIns: now.standIns, branch, goesOn });
      const drawnViews = one.role === 'tool' ? [] : [...view(), ...wordsOf(calls)];
      return { given: one, calls, parts, message, branch, stays, goesOn, views: drawnViews };
    });
    drawn.length = messages.length = ends.length = same;
    views.length = ends.at(-1) ?? 0;
    for (const one of redrawn) {
      drawn.push(one);
      messages.push(one.message);
      for (const view of one.views) views.push(view);
      ends.push(views.length);
    }
    for (settled = same; drawn[settled]?.stays;) settled += 1;
    if (turned) for (let at = 0; at < same; at += 1) if (drawn[at]?.given.role === 'user') redrawQuestion(at, context, around, now);
    return { messages: messages.slice(), views: views.slice() };
  };
}

const NONE: readonly CallRecord[] = [];
const isList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one === other || (one.length === other.length && sharedLength(one, other) === one.length);
const isSameBranch = (one: MessageBranch | undefined, other: MessageBranch | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
