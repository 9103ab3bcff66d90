/** Draws a long conversation: the cost of a step depends on what it has changed, not on the length of the conversation. */
import { setFindIndexes } from '../../base/find-indexes.js';
import { hiddenRetries } from '../reply/hidden-retries.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';
import { type Draw, callsByMessage, viewOf, withCalls, withLiveText, wordsOf, type ViewInputs } from './message-view.js';
import type { CardView } from '../../model/calls.js';
import type { ChatMessage, MessagePart } from '../../model/messages.js';
import { isSettled, openCalls } from '../chart/call-records.js';
import { NO_EDIT } from '../chart/services.js';
import { cardOf, undoOf, type Cards, type CardInputs, type DrawnCard } from './cards.js';
import type { Texts } from '../../i18n/en.js';
import type { MessageBranch, MessageView } from '../../model/snapshot.js';
import { branchesOf } from '../chart/branches.js';

/** The number of items at the beginning of each list that have not changed since the last drawing. */
export interface UnchangedSince {
  readonly calls: number;
  readonly messages: number;
}

/** @returns the number of identical objects at the beginning of both lists */
export function sharedLength(one: readonly unknown[], other: readonly unknown[]): number {
  const most = Math.min(one.length, other.length);
  let at = one === other ? most : 0;
  while (at < most && one[at] === other[at]) at += 1;
  return at;
}

interface Index {
  list: readonly object[];
  places: Map<string, number[]>;
}

/** Indexes by key function and first item; no two conversations share their first item. */
const indexes = new WeakMap<object, WeakMap<object, Index>>();

/**
 * Returns the indexes of the items with this key. Only the end that differs from the previous list is read, so the cost depends on what has
 * changed.
 */
export function findPlaces<Item extends object>(
  list: readonly Item[],
  keyOf: (item: Item) => string | undefined,
  key: string,
): readonly number[] {
  const [first] = list;
  if (!first) return [];
  const known = indexes.get(keyOf) ?? new WeakMap<object, Index>();
  indexes.set(keyOf, known);
  const index: Index = known.get(first) ?? { list: [], places: new Map() };
  known.set(first, index);
  const { places } = index;
  const same = sharedLength(list, index.list);
  for (const item of index.list.slice(same)) places.get(keyOf(item as Item) ?? '')?.pop();
  for (let at = same; at < list.length; at += 1) {
    const of = keyOf(list[at] as Item) ?? '';
    const found = places.get(of);
    if (found) found.push(at);
    else places.set(of, [at]);
  }
  index.list = list;
  return places.get(key) ?? [];
}

/**
 * Creates a function that picks items out of a list that grows at its end. It reuses its earlier picks for the unchanged beginning, which
 * makes them almost free.
 *
 * `same`: the number of items at the beginning that have not changed since the last call
 */
export function createPicker<Item>(isPicked: (item: Item) => boolean): (list: readonly Item[], same: number) => readonly Item[] {
  let places: number[] = [];
  let picked: readonly Item[] = [];
  return (list, same) => {
    const kept = (places.at(-1) ?? 0) < same ? places : places.filter((at) => at < same);
    const come: number[] = [];
    for (let at = same; at < list.length; at += 1) if (isPicked(list[at] as Item)) come.push(at);
    // The result is the same array as long as it contains the same items.
    if (come.length > 0 || kept.length < places.length) {
      places = [...kept, ...come];
      picked = places.map((at) => list[at] as Item);
    }
    return picked;
  };
}

export function createLongDrawing(): Draw {
  setFindIndexes(findPlaces);
  const drawMessages = createLongMessages();
  const drawCards = createLongCards();
  const executing = createPicker(({ status }: CallRecord) => status === 'executing');
  const repairs = createPicker(({ repair }: CallRecord) => repair === true);
  let before: Pick<ConversationContext, 'calls' | 'messages'> = { calls: [], messages: [] };
  return (context, around) => {
    const same = { calls: sharedLength(context.calls, before.calls), messages: sharedLength(context.messages, before.messages) };
    before = context;
    const hidden = hiddenRetries(context, repairs(context.calls, same.calls));
    const isExecuting = executing(context.calls, same.calls).length > 0;
    return { ...drawMessages(context, around, same), cards: drawCards(context, around, same, hidden), hidden, isExecuting };
  };
}

/**
 * Creates the function that builds the cards of a long conversation. It has thousands of cards, and each step of a turn draws them: an
 * unchanged card is the same object as last time, and the table is updated in place, because copying it would cost more than the step.
 */
export function createLongCards() {
  const drawn: DrawnCard[] = [];
  /** The number of cards at the beginning that can no longer change. */
  let settled = 0;
  /** The index of the last call that can be undone; -1 without one. */
  let lastOffered = -1;
  let cards = Object.create(null) as Cards;
  /** The id of the call that is being written; empty without one. */
  let open = '';
  let before: Partial<Pick<CardInputs, 'texts' | 'version'> & { hidden: ReadonlySet<string> }> = {};
  const ends = new Map<string, number>();
  let endings: readonly ChatMessage[] = [];
  const endingsOf = createPicker(({ metadata }: ChatMessage) => metadata.toolCall !== undefined);

  /** Updates `ends`. @returns the index of the first call whose end has changed */
  function noteEnds({ calls, messages }: ConversationContext, sameMessages: number): number {
    const old = endings;
    endings = endingsOf(messages, sameMessages);
    const isGone = sharedLength(old, endings) < old.length;
    if (isGone) ends.clear();
    let first = isGone ? 0 : calls.length;
    for (const { createdAt, metadata } of endings.slice(isGone ? 0 : old.length)) {
      const { requestId } = metadata.toolCall!;
      ends.set(requestId, createdAt);
      const at = calls.findLastIndex((call) => call.requestId === requestId);
      if (at >= 0) first = Math.min(first, at);
    }
    return first;
  }

  /** Updates `lastOffered`. @returns the index of the first card whose `undoBack` may have changed */
  function noteOffers(undos: readonly CardView['undo'][], from: number): number {
    const offered = undos.lastIndexOf('offered');
    const was = lastOffered;
    if (offered >= 0) lastOffered = from + offered;
    else if (was >= from) lastOffered = drawn.findLastIndex(({ undo }, at) => at < from && undo === 'offered');
    return lastOffered === was ? from : Math.max(0, Math.min(from, lastOffered, was));
  }

  return (context: ConversationContext, around: CardInputs, same: UnchangedSince, hidden: ReadonlySet<string>): Cards => {
    const { calls } = context;
    const { texts, version } = around;
    const isSpoken = before.texts === texts;
    const isAround = isSpoken && before.version === version;
    const isTable = before.hidden === hidden && drawn.length <= calls.length;
    before = { texts, version, hidden };
    const ended = noteEnds(context, same.messages);
    const looked = isAround ? Math.min(same.calls, settled, ended) : 0;
    const undos = calls.slice(looked).map((record) => undoOf(record, around));
    const from = noteOffers(undos, looked);

    const queued = openCalls(context).filter((call) => call.status === 'queued');
    const redrawn = calls.slice(from).map((record, place): DrawnCard => {
      const at = from + place;
      const known = drawn[at];
      const undo = at < looked ? known?.undo : undos[at - looked];
      const undoBack = undo !== undefined && lastOffered > at;
      const endedAt = ends.get(record.requestId);
      const edit = around.edit(record);
      const stays = record.call !== undefined && isSettled(record) && edit === NO_EDIT && record.standsInFor === undefined;
      const isKnown = isSpoken && stays && known?.stays && known.record === record;
      if (isKnown && known.undo === undo && known.undoBack === undoBack && known.endedAt === endedAt) return known;
      const position = queued.findIndex((one) => one.requestId === record.requestId);
      const card = cardOf(record, context, around, {
        ...(position >= 0 && { queuePosition: position + 1 }),
        ...(undo && { undo, ...(undoBack && { undoBack: true }) }),
        ...edit,
        ...(endedAt !== undefined && { endedAt }),
      });
      return { record, card, undo, undoBack, endedAt, stays };
    });

    // The table keeps its order, which is the order of the calls.
    const isOther = !isTable || drawn.slice(from).some(({ record }, at) => record.requestId !== redrawn[at]?.record.requestId);
    drawn.length = from;
    for (const one of redrawn) drawn.push(one);
    for (settled = Math.min(settled, from); drawn[settled]?.stays;) settled += 1;
    // An imported file or a service may name a call `__proto__`.
    if (isOther) cards = Object.create(null) as Cards;
    else if (open) delete cards[open];
    for (const { record, card } of isOther ? drawn : redrawn) if (!hidden.has(record.requestId)) cards[record.requestId] = card;
    const { requestId = '', name = '', params } = around.live?.openCall ?? {};
    open = requestId in cards ? '' : requestId;
    if (open) cards[open] = { requestId, toolName: name, status: 'pending', params: { ...params }, ...around.face(name) };
    return cards;
  };
}

/** Builds the message views of a long conversation. */
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
