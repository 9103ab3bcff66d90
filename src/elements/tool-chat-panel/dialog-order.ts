/** Decides which approval the dialog shows: the first waiting one that the user has not postponed. */
import { load } from '../../base/load.js';
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';

export class DialogOrder {
  /** Ids of postponed approvals. They wait in the conversation until the user opens one of them again. */
  #later: ReadonlySet<string> = new Set();
  #fetched = false;
  /** Id of the approval for which the dialog could not be loaded. */
  #missed = '';

  /**
   * Returns the approval to show now, and the number of others that wait. Loads the dialog for the first one. If it cannot be loaded,
   * approvals stay in the conversation, where they work as well, and `missed` is called.
   */
  ask(view: ViewSnapshot, missed: () => void): { card: CardView; more: number } | undefined {
    const due = waiting(view).filter(({ requestId }) => !this.#later.has(requestId));
    const [card] = due;
    if (!card || card.requestId === this.#missed) return undefined;
    if (!this.#fetched) this.#fetch(card.requestId, missed);
    return { card, more: due.length - 1 };
  }

  /** Postpones all waiting approvals, so that none of them opens by itself. */
  putOff(view: ViewSnapshot): void {
    this.#later = new Set(waiting(view).map(({ requestId }) => requestId));
  }

  /** Returns true if the dialog could not be loaded for this approval. */
  isMissing(requestId: string): boolean {
    return requestId === this.#missed;
  }

  isPutOff(requestId: string): boolean {
    return this.#later.has(requestId);
  }

  takeUp(): void {
    this.#later = new Set();
  }

  #fetch(requestId: string, missed: () => void): void {
    this.#fetched = true;
    load(() => import('../question-dialog.js')).then(
      ({ defineQuestionDialog }) => {
        defineQuestionDialog();
      },
      () => {
        this.#fetched = false; // the next approval tries again
        this.#missed = requestId;
        missed();
      },
    );
  }
}

export const waiting = ({ cards }: ViewSnapshot): CardView[] =>
  Object.values(cards).filter(({ status, call }) => status === 'awaiting_approval' && call !== undefined);
