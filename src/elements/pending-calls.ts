/** Decides when several approvals form one list. */
import type { CardView } from '../model/calls.js';
import type { ViewSnapshot } from '../model/snapshot.js';

/** Returns true for two or more waiting approvals. Approvals that need a confirmation word are asked one at a time. */
export function isApprovalList(cards: ViewSnapshot['cards']): boolean {
  const waiting = Object.values(cards).filter(({ status }) => status === 'awaiting_approval');
  return waiting.length > 1 && waiting.every(({ call, confirm }) => call !== undefined && confirm === undefined);
}

/** Returns the waiting calls that one decision can cover: all except those that only a confirmation word can allow. */
export const batchableCards = (cards: ViewSnapshot['cards']): CardView[] =>
  Object.values(cards).filter(({ status, confirm }) => status === 'awaiting_approval' && confirm !== 'keyword');

/** Returns true if exactly one call waits for approval. */
export const isOnlyPending = (cards: ViewSnapshot['cards']): boolean =>
  Object.values(cards).filter(({ status }) => status === 'awaiting_approval').length === 1;
