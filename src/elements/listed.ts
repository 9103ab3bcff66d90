/** When several questions are one list. */
import type { CardView } from '../model/calls.js';
import type { ViewSnapshot } from '../model/snapshot.js';

/** From two on; but those that a word confirms are asked one by one. */
export function isList(cards: ViewSnapshot['cards']): boolean {
  const waiting = Object.values(cards).filter(({ status }) => status === 'awaiting_approval');
  return waiting.length > 1 && waiting.every(({ call, confirm }) => call !== undefined && confirm === undefined);
}

/** Those that one decision may be made for: not what only a word of its own confirms. */
export const waitingTogether = (cards: ViewSnapshot['cards']): CardView[] =>
  Object.values(cards).filter(({ status, confirm }) => status === 'awaiting_approval' && confirm !== 'keyword');

/** Nothing else waits for a person. */
export const isAlone = (cards: ViewSnapshot['cards']): boolean =>
  Object.values(cards).filter(({ status }) => status === 'awaiting_approval').length === 1;
