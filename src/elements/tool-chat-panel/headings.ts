/** Where the focus goes when a question comes up, and when it is answered. */
import { matchesMedia } from '../../base/dom-features.js';
import type { ToolChatComposer } from '../tool-chat-composer/tool-chat-composer.js';

export class Headings {
  #known: HTMLElement[] = [];
  /** Somebody has just asked for a question, and waits for it. */
  #expected = false;
  readonly #panel: HTMLElement;
  readonly #composer: () => ToolChatComposer | null;

  constructor(panel: HTMLElement, composer: () => ToolChatComposer | null) {
    this.#panel = panel;
    this.#composer = composer;
  }

  /** A question has come up under this heading. False when the focus stays where it is: then it has to be told. */
  attend(heading: HTMLElement): boolean {
    this.#known = [...this.#known.filter((known) => known.isConnected), heading];
    const active = this.#panel.shadowRoot?.activeElement;
    // Not out of a sentence being written, and not from one question to another.
    const expected = this.#expected;
    this.#expected = false;
    if (!active && !(expected && document.activeElement === document.body)) return false;
    if (!this.#composer()?.empty || active?.localName === 'tool-chat-message') return false;
    heading.focus();
    return true;
  }

  /** The question in `from` is over: on to the next one, else back to the text field. */
  returnFocus(from: HTMLElement, asksAnew = false): void {
    const active = this.#panel.shadowRoot?.activeElement;
    // What had the focus may be gone with the form that it was in; nobody else's is taken.
    const elsewhere = document.activeElement !== document.body && document.activeElement !== null;
    if (asksAnew ? elsewhere : active?.localName !== 'tool-chat-message' && active !== from) return;
    const next = this.#known.find((heading) => heading.isConnected && heading.getRootNode() !== from.shadowRoot);
    if (next) next.focus();
    else if (asksAnew) this.#expected = true;
    // On a touch screen the field would bring up the keyboard.
    else if (!matchesMedia('(pointer: coarse)')) this.#composer()?.focus();
  }
}
