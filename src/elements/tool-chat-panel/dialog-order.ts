/** Which question the dialog asks: the first that waits and was not put off. */
import { load } from '../../base/load.js';
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';

export class DialogOrder {
  /** Put off by the person: they wait in the conversation until one of them is opened again. */
  #later: ReadonlySet<string> = new Set();
  #fetched = false;
  /** For this question the dialog could not be fetched. */
  #missed = '';

  /**
   * The question to ask now, and how many wait behind it. Fetches the dialog when there first is one. Without it the questions stand in the
   * conversation, where they can be answered just as well: `missed` is told.
   */
  ask(view: ViewSnapshot, missed: () => void): { card: CardView; more: number } | undefined {
    const due = waiting(view).filter(({ requestId }) => !this.#later.has(requestId));
    const [card] = due;
    if (!card || card.requestId === this.#missed) return undefined;
    if (!this.#fetched) this.#fetch(card.requestId, missed);
    return { card, more: due.length - 1 };
  }

  /** None of those that wait now comes up by itself again. */
  putOff(view: ViewSnapshot): void {
    this.#later = new Set(waiting(view).map(({ requestId }) => requestId));
  }

  /** The dialog could not be fetched for this question. */
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
        this.#fetched = false; // the next question tries again
        this.#missed = requestId;
        missed();
      },
    );
  }
}

export const waiting = ({ cards }: ViewSnapshot): CardView[] =>
  Object.values(cards).filter(({ status, call }) => status === 'awaiting_approval' && call !== undefined);
