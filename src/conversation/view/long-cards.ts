/** Builds the cards of a long conversation. */
import type { CardView } from '../../model/calls.js';
import type { ChatMessage } from '../../model/messages.js';
import { isSettled, openCalls } from '../chart/call-records.js';
import type { ConversationContext } from '../chart/chart-context.js';
import { NO_EDIT } from '../chart/services.js';
import { cardOf, undoOf, type Cards, type CardInputs, type DrawnCard } from './cards.js';
import { createPicker, sharedLength, type UnchangedSince } from './long-lists.js';

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
