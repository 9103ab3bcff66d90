/** The conversation that a panel draws, state by state, and which of its messages were there before. */
import type { ConversationSurface, ViewSnapshot } from '../../model/snapshot.js';
import { GROUP } from './backfill.js';

export class Following {
  readonly #show: (view: ViewSnapshot) => void;
  #unsubscribe: (() => void) | undefined;
  #shown = 0;
  /** So many messages were there when the panel came: they do not move in. */
  old = 0;

  constructor(show: (view: ViewSnapshot) => void) {
    this.#show = show;
  }

  follow(surface: ConversationSurface): void {
    this.stop();
    this.old = this.#shown = surface.view.views.length;
    this.#look(surface.view);
    this.#unsubscribe = surface.subscribe((view) => this.#look(view));
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #look(view: ViewSnapshot): void {
    const { length } = view.views;
    // Neither does what comes back all at once, from the storage or a file.
    if (length > this.#shown + GROUP) this.old = length;
    this.#shown = length;
    this.#show(view);
  }
}
