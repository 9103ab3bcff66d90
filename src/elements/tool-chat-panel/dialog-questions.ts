/**
 * Questions in a dialog over the conversation: which one, and when. They are there under `approval-ui="dialog"`, and where the browser cannot prove
 * that a question is visible on its card: nothing of the page lies over the top layer, and none of its effects reaches there.
 */
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { DialogOrder, waiting } from './dialog-order.js';

/** The panel, as far as its questions need to know. */
export interface AskingPanel {
  view(): ViewSnapshot | undefined;
  inDialog(): boolean;
  /** A sentence is being written: no dialog comes over it. */
  isWriting(): boolean;
  /** To be drawn anew. */
  changed(): void;
}

export class DialogQuestions {
  readonly #order = new DialogOrder();
  readonly #panel: AskingPanel;
  #asked: string | undefined;
  /** The questions that wait now were moved into the dialog. */
  #lifted = false;
  /** The dialog stays once it was needed: it gives the focus back when it closes. */
  #hasDialog = false;

  constructor(panel: AskingPanel) {
    this.#panel = panel;
  }

  get areInDialog(): boolean {
    return this.#lifted || this.#panel.inDialog();
  }

  get hasDialog(): boolean {
    return (this.#hasDialog ||= this.areInDialog);
  }

  /** What the dialog asks, and how many questions wait behind it. */
  get now(): { card: CardView; more: number } | undefined {
    const view = this.#panel.view();
    if (!view || !this.areInDialog || (this.#asked === undefined && this.#panel.isWriting())) return undefined;
    return this.#order.ask(view, () => this.#panel.changed());
  }

  /** Before drawing. True when another question is asked than before, or at another place. */
  renew(): boolean {
    const before = this.#asked;
    const wasLifted = this.#lifted;
    const view = this.#panel.view();
    // The next question may be visible again.
    if (!view || waiting(view).length === 0) this.#lifted = false;
    this.#asked = this.now?.card.requestId;
    return before !== this.#asked || wasLifted !== this.#lifted;
  }

  /** Moves all that wait into the dialog. False if it could not be fetched. */
  lift(requestId: string): boolean {
    if (this.#order.isMissing(requestId)) return false;
    if (this.#lifted) return true;
    this.#lifted = true;
    this.#panel.changed();
    return true;
  }

  asks(requestId: string): 'dialog' | 'later' | undefined {
    if (this.#order.isPutOff(requestId)) return 'later';
    return this.#asked === undefined ? undefined : 'dialog';
  }

  /** A sentence being written held the dialog back. */
  left(): void {
    if (this.areInDialog && this.#asked === undefined) this.#panel.changed();
  }

  putOff(): void {
    const view = this.#panel.view();
    if (view) this.#order.putOff(view);
    this.#panel.changed();
  }

  takeUp(): void {
    this.#order.takeUp();
    this.#panel.changed();
  }
}
