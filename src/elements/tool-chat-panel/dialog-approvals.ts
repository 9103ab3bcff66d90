/**
 * Decides when approvals are in a dialog over the conversation: with `approval-ui="dialog"`, and if the browser cannot prove that an
 * approval is visible on its card. No element of the page covers the top layer, and none of its effects applies there.
 */
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { load } from '../../base/load.js';

/** The part of the panel that this class needs. */
export interface DialogPanel {
  view(): ViewSnapshot | undefined;
  inDialog(): boolean;
  /** Returns true while the user types a message: no dialog opens then. */
  isWriting(): boolean;
  /** Requests an update of the panel. */
  changed(): void;
}

export class DialogApprovals {
  readonly #order = new DialogOrder();
  readonly #panel: DialogPanel;
  #currentId: string | undefined;
  /** True if the waiting approvals were moved into the dialog. */
  #isLifted = false;
  /** True once the dialog was needed. It stays in the panel, because it restores the focus when it closes. */
  #hasDialog = false;

  constructor(panel: DialogPanel) {
    this.#panel = panel;
  }

  get areInDialog(): boolean {
    return this.#isLifted || this.#panel.inDialog();
  }

  get hasDialog(): boolean {
    return (this.#hasDialog ||= this.areInDialog);
  }

  /** The approval in the dialog, and the number of others that wait. */
  get current(): { card: CardView; more: number } | undefined {
    const view = this.#panel.view();
    if (!view || !this.areInDialog || (this.#currentId === undefined && this.#panel.isWriting())) return undefined;
    return this.#order.next(view, () => this.#panel.changed());
  }

  /** Updates the state before rendering. Returns true if the approval or its place has changed. */
  update(): boolean {
    const before = this.#currentId;
    const wasLifted = this.#isLifted;
    const view = this.#panel.view();
    // The next approval may be visible on its card again.
    if (!view || waitingCards(view).length === 0) this.#isLifted = false;
    this.#currentId = this.current?.card.requestId;
    return before !== this.#currentId || wasLifted !== this.#isLifted;
  }

  /** Moves all waiting approvals into the dialog. Returns false if the dialog could not be loaded. */
  lift(requestId: string): boolean {
    if (this.#order.isMissing(requestId)) return false;
    if (this.#isLifted) return true;
    this.#isLifted = true;
    this.#panel.changed();
    return true;
  }

  placement(requestId: string): 'dialog' | 'later' | undefined {
    if (this.#order.isPostponed(requestId)) return 'later';
    return this.#currentId === undefined ? undefined : 'dialog';
  }

  /** Called when the user has left the text field: typing may have delayed the dialog. */
  onBlur(): void {
    if (this.areInDialog && this.#currentId === undefined) this.#panel.changed();
  }

  postpone(): void {
    const view = this.#panel.view();
    if (view) this.#order.postpone(view);
    this.#panel.changed();
  }

  resume(): void {
    this.#order.resume();
    this.#panel.changed();
  }
}

/** Decides which approval the dialog shows: the first waiting one that the user has not postponed. */
class DialogOrder {
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
    load(() => import('../tool-chat-dialog/tool-chat-dialog.js')).catch(() => {
      this.#isRequested = false; // the next approval tries again
      this.#failedId = requestId;
      onFailed();
    });
  }
}

const waitingCards = ({ cards }: ViewSnapshot): CardView[] =>
  Object.values(cards).filter(({ status, call }) => status === 'awaiting_approval' && call !== undefined);
