/** Subscribes to the conversation of a panel, and tracks which of its messages existed before. */
import type { ConversationSurface, ViewSnapshot } from '../../model/snapshot.js';
import { GROUP } from './lazy-messages.js';

export class ViewSubscription {
  readonly #show: (view: ViewSnapshot) => void;
  #unsubscribe: (() => void) | undefined;
  #shownCount = 0;
  /** Number of messages that existed when the panel was created. They appear without animation. */
  old = 0;

  constructor(show: (view: ViewSnapshot) => void) {
    this.#show = show;
  }

  subscribe(surface: ConversationSurface): void {
    this.stop();
    this.old = this.#shownCount = surface.view.views.length;
    this.#onView(surface.view);
    this.#unsubscribe = surface.subscribe((view) => this.#onView(view));
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #onView(view: ViewSnapshot): void {
    const { length } = view.views;
    // Messages restored at once, from storage or a file, also appear without animation.
    if (length > this.#shownCount + GROUP) this.old = length;
    this.#shownCount = length;
    this.#show(view);
  }
}
