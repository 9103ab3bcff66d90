/** Subscribes to the conversation of a panel, and tracks which of its messages existed before. */
import type { ConversationSurface, ViewSnapshot } from '../../model/snapshot.js';
import { GROUP } from './lazy-messages.js';

export class Following {
  readonly #show: (view: ViewSnapshot) => void;
  #unsubscribe: (() => void) | undefined;
  #shown = 0;
  /** Number of messages that existed when the panel was created. They appear without animation. */
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
    // Messages restored at once, from storage or a file, also appear without animation.
    if (length > this.#shown + GROUP) this.old = length;
    this.#shown = length;
    this.#show(view);
  }
}
