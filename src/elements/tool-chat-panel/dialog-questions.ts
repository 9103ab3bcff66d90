/** Questions that stand in a dialog over the conversation (`approval-ui="dialog"`): which one, and when. */
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { DialogOrder } from './dialog-order.js';

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

  constructor(panel: AskingPanel) {
    this.#panel = panel;
  }

  /** What the dialog asks, and how many questions wait behind it. */
  get now(): { card: CardView; more: number } | undefined {
    const view = this.#panel.view();
    if (!view || !this.#panel.inDialog() || (this.#asked === undefined && this.#panel.isWriting())) return undefined;
    return this.#order.ask(view, () => this.#panel.changed());
  }

  /** Before drawing. True when another question is asked than before. */
  renew(): boolean {
    const before = this.#asked;
    this.#asked = this.now?.card.requestId;
    return before !== this.#asked;
  }

  asks(requestId: string): 'dialog' | 'later' | undefined {
    if (this.#order.isPutOff(requestId)) return 'later';
    return this.#asked === undefined ? undefined : 'dialog';
  }

  /** A sentence being written held the dialog back. */
  left(): void {
    if (this.#panel.inDialog() && this.#asked === undefined) this.#panel.changed();
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
