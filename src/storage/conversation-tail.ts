/**
 * The end of a long conversation, shown while the rest is loading. Continuing or saving a conversation needs all of it, so this is a
 * separate type that no store accepts.
 */
import { read } from '../base/checks.js';
import { own } from '../base/objects.js';
import { isSettledCall } from './recover.js';
import { extrasOf, partsOf, ROW_CHECKS, type ListName } from './conversation-rows.js';
import type { StoredConversation } from './stored-conversation.js';
import { head } from './stored-shapes.js';

export type ConversationTail = Pick<StoredConversation, 'messages' | 'parts' | 'calls' | 'branches'>;

/** Maximum number of messages, and of calls. */
const PAGE = 60;

/** Number of extra rows read for versions, which come first in that list. */
const MAX_VERSIONS = 100;

/** A conversation with fewer messages is loaded as a whole: that takes hardly longer. */
const LONG = 200;

/** Returns a check for rows that belong to the head: rows of its own writer, or valid rows of other writers. */
export function ownRows(first: unknown): (row: unknown) => boolean {
  const by = own(first, 'by');
  const hands = own(first, 'hands');
  return (row) => own(row, 'by') === by || Number(own(row, 'at')) <= Number(own(hands, String(own(row, 'by'))));
}

/**
 * Reads the end, beginning with a message of the user. Returns undefined if it would not be faster, if a turn is not over, or if anything
 * is wrong: such a conversation has to be loaded as a whole first.
 * @param first the row of its head
 * @param rows reads the rows of a list between two positions
 */
export async function readTail(
  first: unknown,
  sessionId: string,
  rows: (name: ListName, from: number, to: number) => Promise<readonly unknown[]>,
): Promise<ConversationTail | undefined> {
  const page = (nth: number) => {
    const [from, to] = [0, 1].map((at) => Number(own(own(own(first, 'ends'), nth), at))) as [number, number];
    return { from: Math.max(from, to - PAGE), to, isAll: to - from <= PAGE, length: to - from };
  };
  const [ofMessages, ofCalls, ofExtras] = [page(0), page(1), page(3)];
  if (!(ofMessages.length > LONG)) return undefined;
  const [messageRows, callRows, extraRows] = await Promise.all([
    rows('messages', ofMessages.from, ofMessages.to),
    ofCalls.length > 0 ? rows('calls', ofCalls.from, ofCalls.to) : [],
    ofExtras.length > 0 ? rows('extras', 0, Math.min(ofExtras.to, MAX_VERSIONS)) : [],
  ]);
  if (messageRows.length !== PAGE || callRows.length !== ofCalls.to - ofCalls.from) return undefined;
  if (![...messageRows, ...callRows, ...extraRows].every(ownRows(first))) return undefined;
  try {
    const { sessionId: id, turn, reply, queue, ...old } = read(head, own(first, 'row'));
    const branches = extrasOf(extraRows.map((row) => read(ROW_CHECKS.extras, own(row, 'row')))).branches ?? old.branches;
    if (id !== sessionId || turn || reply || queue.length > 0) return undefined;
    const found = messageRows.map((row) => read(ROW_CHECKS.messages, own(row, 'row')));
    const calls = callRows.map((row) => read(ROW_CHECKS.calls, own(row, 'row')));
    const known = new Set(calls.map(({ requestId }) => requestId));
    // A message needs all its calls to be shown.
    const cut = ofCalls.isAll
      ? -1
      : found.findLastIndex(({ parts }) => parts?.some((one) => one.type === 'call' && !known.has(one.requestId)));
    const begin = found.findIndex(({ message }, at) => at > cut && message.role === 'user');
    if (begin === -1) return undefined;
    const shown = found.slice(begin);
    const ids = new Set(shown.map(({ message }) => message.id));
    const made = calls.filter(({ messageId }) => ids.has(messageId));
    if (shown.some(({ message }) => message.status.type === 'running') || !made.every(isSettledCall)) return undefined;
    // Versions of the whole conversation do not belong to this part.
    const versions = branches?.filter(({ from }) => from !== '');
    return { messages: shown.map(({ message }) => message), parts: partsOf(shown), calls: made, ...(versions && { branches: versions }) };
  } catch {
    return undefined; // loading the whole conversation reports the error
  }
}
