/** Decides which approval the dialog shows: the first waiting one that the user has not postponed. */
import { load } from '../../base/load.js';
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';

export class DialogOrder {
  /** Ids of postponed approvals. They wait in the conversation until the user opens one of them again. */
  #postponed: ReadonlySet<string> = new Set();
  #isRequested = false;
  /** Id of the approval for which the dialog could not be loaded. */
  #failedId = '';

  /**
   * Returns the approval to show now, and the number of others that wait. Loads the dialog for the first one. If it cannot be loaded,
   * approvals stay in the conversation, where they work as well, and `onFailed` is called.
   */
  next(view: ViewSnapshot, onFailed: () => void): { card: CardView; more: number } | undefined {
    const waiting = waitingCards(view).filter(({ requestId }) => !this.#postponed.has(requestId));
    const [card] = waiting;
    if (!card || card.requestId === this.#failedId) return undefined;
    if (!this.#isRequested) this.#loadDialog(card.requestId, onFailed);
    return { card, more: waiting.length - 1 };
  }

  /** Postpones all waiting approvals, so that none of them opens by itself. */
  postpone(view: ViewSnapshot): void {
    this.#postponed = new Set(waitingCards(view).map(({ requestId }) => requestId));
  }

  /** Returns true if the dialog could not be loaded for this approval. */
  isMissing(requestId: string): boolean {
    return requestId === this.#failedId;
  }

  isPostponed(requestId: string): boolean {
    return this.#postponed.has(requestId);
  }

  resume(): void {
    this.#postponed = new Set();
  }

  #loadDialog(requestId: string, onFailed: () => void): void {
    this.#isRequested = true;
    load(() => import('../define-dialog.js')).then(
      ({ defineDialog }) => {
        defineDialog();
      },
      () => {
        this.#isRequested = false; // the next approval tries again
        this.#failedId = requestId;
        onFailed();
      },
    );
  }
}

export const waitingCards = ({ cards }: ViewSnapshot): CardView[] =>
  Object.values(cards).filter(({ status, call }) => status === 'awaiting_approval' && call !== undefined);
