/**
 * An approval that covers the messages if the panel has little room: its top is visible, its buttons are at the bottom. The style sheets
 * decide when. This class moves it back among the messages if the user wants to see what it covers.
 */
import type { LitElement, ReactiveController } from 'lit';
import { belongsToInputMethod } from '../keys.js';

export class Sheet implements ReactiveController {
  readonly #host: LitElement;
  #log: Element | undefined;
  /** True after the approval has moved back among the messages. */
  isDismissed = false;

  constructor(host: LitElement) {
    this.#host = host;
    host.addController(this);
  }

  hostUpdated(): void {
    if (!this.#log && this.#card) this.#log = logAround(this.#host);
    // Adding the same listener twice has no effect.
    this.#log?.addEventListener('focusin', this.#onFocusIn);
  }

  hostDisconnected(): void {
    this.#log?.removeEventListener('focusin', this.#onFocusIn);
    this.#log = undefined;
  }

  readonly escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || belongsToInputMethod(event) || !this.#isCovering) return;
    event.preventDefault();
    this.dismiss();
  };

  readonly dismiss = (): void => {
    const card = this.#card;
    const inside = this.#host.shadowRoot?.activeElement;
    this.isDismissed = true;
    this.#host.requestUpdate();
    void this.#host.updateComplete.then(() => {
      card?.scrollIntoView({ block: 'nearest' });
      // The button is gone, but the approval is still there.
      if (inside) card?.querySelector('tool-chat-approval')?.shadowRoot?.querySelector<HTMLElement>('#heading')?.focus();
    });
  };

  get #card(): HTMLElement | null {
    return this.#host.renderRoot.querySelector('[data-sheet]');
  }

  get #isCovering(): boolean {
    return this.#card !== null && getComputedStyle(this.#card).position === 'absolute';
  }

  /** Moves the approval back if it covers the focused element. */
  readonly #onFocusIn = (event: Event): void => {
    const path = event.composedPath();
    const [target] = path as Element[];
    const card = this.#card;
    if (!card || !target || target === this.#log || path.includes(card) || !this.#isCovering) return;
    if (target.getBoundingClientRect().bottom > card.getBoundingClientRect().top) this.dismiss();
  };
}

/** Returns the scrolling list of messages that contains the element, through shadow roots. */
function logAround(element: Element): Element | undefined {
  for (let at: Node | null = element; at; at = at instanceof ShadowRoot ? at.host : at.parentNode)
    if (at instanceof Element && at.role === 'log') return at;
  return undefined;
}
