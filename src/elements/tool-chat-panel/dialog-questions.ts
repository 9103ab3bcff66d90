/**
 * Decides when approvals are in a dialog over the conversation: with `approval-ui="dialog"`, and if the browser cannot prove that an
 * approval is visible on its card. No element of the page covers the top layer, and none of its effects applies there.
 */
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { DialogOrder, waiting } from './dialog-order.js';

/** The part of the panel that this class needs. */
export interface AskingPanel {
  view(): ViewSnapshot | undefined;
  inDialog(): boolean;
  /** Returns true while the user types a message: no dialog opens then. */
  isWriting(): boolean;
  /** Requests an update of the panel. */
  changed(): void;
}

export class DialogQuestions {
  readonly #order = new DialogOrder();
  readonly #panel: AskingPanel;
  #asked: string | undefined;
  /** True if the waiting approvals were moved into the dialog. */
  #lifted = false;
  /** True once the dialog was needed. It stays in the panel, because it restores the focus when it closes. */
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

  /** The approval in the dialog, and the number of others that wait. */
  get now(): { card: CardView; more: number } | undefined {
    const view = this.#panel.view();
    if (!view || !this.areInDialog || (this.#asked === undefined && this.#panel.isWriting())) return undefined;
    return this.#order.ask(view, () => this.#panel.changed());
  }

  /** Updates the state before rendering. Returns true if the approval or its place has changed. */
  renew(): boolean {
    const before = this.#asked;
    const wasLifted = this.#lifted;
    const view = this.#panel.view();
    // The next approval may be visible on its card again.
    if (!view || waiting(view).length === 0) this.#lifted = false;
    this.#asked = this.now?.card.requestId;
    return before !== this.#asked || wasLifted !== this.#lifted;
  }

  /** Moves all waiting approvals into the dialog. Returns false if the dialog could not be loaded. */
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

  /** Called when the user has left the text field: typing may have delayed the dialog. */
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
