/** Builds the cards of calls as the user may see them. */
import type { CardView } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import { isSettled, mayHaveHappened, openCalls } from '../chart/call-records.js';
import { callSteps } from '../chart/lazy-call-steps.js';
import type { StreamingReply } from '../reply/streaming-reply.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';
import { NO_EDIT, type EditsOf } from '../chart/services.js';

/** Data that cards show and that the chart does not contain. */
export interface CardInputs {
  texts: Texts;
  live: StreamingReply | null;
  /** Returns label and icon of a tool, by the name that the model wrote. */
  face(toolName: string): { label: string; icon?: string };
  progress: ReadonlyMap<string, { fraction?: number; message?: string }>;
  /** A number that changes if undo or edit states may have changed while the call did not. */
  version: number;
  /** The state of undoing a call. */
  undo(record: CallRecord): CardView['undo'];
  /** The state of editing a call's arguments. */
  edit: EditsOf;
}

export type Cards = Record<string, CardView>;

export interface DrawnCard {
  readonly record: CallRecord;
  readonly card: CardView;
  readonly undo: CardView['undo'];
  readonly undoBack: boolean;
  readonly endedAt: number | undefined;
  /** True if the call is over and nothing else on its card can change. */
  readonly stays: boolean;
}

/**
 * Creates the function that builds all cards. An unchanged card is the same object as last time, because a long conversation has thousands
 * of them.
 */
export function createCards(): (context: ConversationContext, around: CardInputs, hidden: ReadonlySet<string>) => Cards {
  let drawn: readonly DrawnCard[] = [];
  let texts: Texts | undefined;

  return (context, around, hidden) => {
    const { calls, messages } = context;
    // An imported file or a service may name a call `__proto__`.
    const cards = Object.create(null) as Cards;
    const queued = openCalls(context).filter((call) => call.status === 'queued');
    const ends = new Map(messages.map(({ createdAt, metadata: { toolCall } }) => [toolCall?.requestId, createdAt]));
    const undos = calls.map((record) => undoOf(record, around));
    const lastOffered = undos.lastIndexOf('offered');
    const isSpoken = texts === around.texts;
    texts = around.texts;

    drawn = calls.map((record, at): DrawnCard => {
      const undo = undos[at];
      const undoBack = undo !== undefined && lastOffered > at;
      const endedAt = ends.get(record.requestId);
      const edit = around.edit(record);
      const stays = record.call !== undefined && isSettled(record) && edit === NO_EDIT && record.standsInFor === undefined;
      const known = drawn[at];
      const isKnown = isSpoken && stays && known?.stays && known.record === record && known.undo === undo;
      if (isKnown && known.undoBack === undoBack && known.endedAt === endedAt) return known;
      const position = queued.findIndex((one) => one.requestId === record.requestId);
      const card = cardOf(record, context, around, {
        ...(position >= 0 && { queuePosition: position + 1 }),
        ...(undo && { undo, ...(undoBack && { undoBack: true }) }),
        ...edit,
        ...(endedAt !== undefined && { endedAt }),
      });
      return { record, card, undo, undoBack, endedAt, stays };
    });
    for (const { record, card } of drawn) if (!hidden.has(record.requestId)) cards[record.requestId] = card;

    const open = around.live?.openCall;
    if (open) {
      const { requestId, name, params } = open;
      cards[requestId] = { requestId, toolName: name, status: 'pending', params: { ...params }, ...around.face(name) };
    }
    return cards;
  };
}

export const undoOf = (record: CallRecord, around: CardInputs): CardView['undo'] =>
  around.undo(record) ?? (record.fate === 'maybe-undone' ? 'unsure' : undefined);

export function cardOf(record: CallRecord, context: ConversationContext, around: CardInputs, more: Partial<CardView>): CardView {
  const { requestId, toolName, status, params, call, result } = record;
  const faceOf = (one: CallRecord) =>
    one.call ? { label: one.call.label, ...(one.call.icon && { icon: one.call.icon }) } : around.face(one.toolName);
  const failed = record.standsInFor === undefined ? undefined : context.calls.findLast((one) => one.requestId === record.standsInFor);
  const progress = around.progress.get(requestId);
  const confirm = callSteps()?.confirmation.confirmBy(record, context);
  return {
    requestId,
    toolName,
    status,
    params,
    ...faceOf(record),
    ...(call && {
      call: record.byPerson ? { ...call, status, decidedBy: 'person', reason: around.texts.reasonPerson } : { ...call, status },
    }),
    ...((record.served || record.approval) && { service: true as const }),
    ...(status === 'awaiting_approval' && record.offers?.length && { offers: record.offers }),
    ...(confirm && { confirm }),
    ...((record.fate === 'maybe-undone' || mayHaveHappened(record)) && { unsure: true as const }),
    ...more,
    ...callSteps()?.fallback.failureFieldsOf(record, failed && faceOf(failed).label, around.texts),
    ...(progress && !isSettled(record) && { progress }),
    ...(result?.code === 'MALFORMED_CALL' && { raw: record.raw }),
    ...(result && { result }),
  };
}
