/**
 * A question that lies over the messages where the panel has little room: its top in view, its buttons at the bottom. Where that is, the style
 * sheets say; here it gives way to who wants to see what lies under it. Then it stands among the messages, as it does elsewhere.
 */
import type { LitElement, ReactiveController } from 'lit';
import { belongsToInputMethod } from '../keys.js';

export class Sheet implements ReactiveController {
  readonly #host: LitElement;
  #log: Element | undefined;
  /** It has given way. */
  isAside = false;

  constructor(host: LitElement) {
    this.#host = host;
    host.addController(this);
  }

  hostUpdated(): void {
    if (!this.#log && this.#card) this.#log = logAround(this.#host);
    // Again and again is once.
    this.#log?.addEventListener('focusin', this.#focused);
  }

  hostDisconnected(): void {
    this.#log?.removeEventListener('focusin', this.#focused);
    this.#log = undefined;
  }

  readonly escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || belongsToInputMethod(event) || !this.#lies) return;
    event.preventDefault();
    this.giveWay();
  };

  readonly giveWay = (): void => {
    const card = this.#card;
    const inside = this.#host.shadowRoot?.activeElement;
    this.isAside = true;
    this.#host.requestUpdate();
    void this.#host.updateComplete.then(() => {
      card?.scrollIntoView({ block: 'nearest' });
      // The button is gone, and the question is not.
      if (inside) card?.querySelector('tool-chat-approval')?.shadowRoot?.querySelector<HTMLElement>('#heading')?.focus();
    });
  };

  get #card(): HTMLElement | null {
    return this.#host.renderRoot.querySelector('[data-sheet]');
  }

  get #lies(): boolean {
    return this.#card !== null && getComputedStyle(this.#card).position === 'absolute';
  }

  /** What has the focus is not to lie under it. */
  readonly #focused = (event: Event): void => {
    const path = event.composedPath();
    const [target] = path as Element[];
    const card = this.#card;
    if (!card || !target || target === this.#log || path.includes(card) || !this.#lies) return;
    if (target.getBoundingClientRect().bottom > card.getBoundingClientRect().top) this.giveWay();
  };
}

/** The scrolling list of messages that an element stands in, however deep. */
function logAround(element: Element): Element | undefined {
  for (let at: Node | null = element; at; at = at instanceof ShadowRoot ? at.host : at.parentNode)
    if (at instanceof Element && at.role === 'log') return at;
  return undefined;
}
