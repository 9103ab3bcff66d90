/** Loads parts of a panel with the first view that needs them. */
import { loadFor } from '../../base/load.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { isApprovalList, batchableCards } from '../pending-calls.js';

/** Number of waiting calls from which one bar decides all of them, even if they are not one list. */
const BATCH_FROM = 4;

export const hasBatch = (view: ViewSnapshot): boolean => isApprovalList(view.cards) || batchableCards(view.cards).length >= BATCH_FROM;

export function loadElementsFor(view: ViewSnapshot): void {
  if (hasBatch(view) && !customElements.get('tool-chat-batch')) loadFor(() => import('../define-batch.js'), useBatch);
  // The error bar works without it, in case nothing can be loaded.
  if (view.failure && !customElements.get('tool-chat-error-details')) loadFor(() => import('../define-error-details.js'), useErrorDetails);
}

const useBatch = ({ defineBatch }: typeof import('../define-batch.js')) => defineBatch();
const useErrorDetails = ({ defineErrorDetails }: typeof import('../define-error-details.js')) => defineErrorDetails();
