/** Which question the dialog asks: the first that waits and was not put off. */
import type { CardView } from '../../calls.js';
import type { ViewSnapshot } from '../../conversation/snapshot.js';

export class DialogOrder {
  /** Put off by the person: they wait in the conversation until one of them is opened again. */
  #later: ReadonlySet<string> = new Set();
  #fetched: 'no' | 'coming' | 'yes' = 'no';

  /** The question to ask now, and how many wait behind it. Fetches the dialog when there first is one; `ready` is told. */
  ask(view: ViewSnapshot, ready: () => void): { card: CardView; more: number } | undefined {
    const due = waiting(view).filter(({ requestId }) => !this.#later.has(requestId));
    const [card] = due;
    if (!card) return undefined;
    if (this.#fetched === 'no') this.#fetch(ready);
    return this.#fetched === 'yes' ? { card, more: due.length - 1 } : undefined;
  }

  /** None of those that wait now comes up by itself again. */
  putOff(view: ViewSnapshot): void {
    this.#later = new Set(waiting(view).map(({ requestId }) => requestId));
  }

  isPutOff(requestId: string): boolean {
    return this.#later.has(requestId);
  }

  takeUp(): void {
    this.#later = new Set();
  }

  /** Without it the questions stand in the conversation, where they can be answered just as well. */
  #fetch(ready: () => void): void {
    this.#fetched = 'coming';
    import('../question-dialog.js').then(
      ({ defineQuestionDialog }) => {
        defineQuestionDialog();
        this.#fetched = 'yes';
        ready();
      },
      () => {
        this.#fetched = 'no';
      },
    );
  }
}

const waiting = ({ cards }: ViewSnapshot): CardView[] =>
  Object.values(cards).filter(({ status, call }) => status === 'awaiting_approval' && call !== undefined);
