/** The text field, as the panel around it uses it: what was being written comes back once, and nothing that was written is lost. */
import type { ToolChatComposer } from '../tool-chat-composer/tool-chat-composer.js';

export class Field {
  readonly #root: () => ParentNode;
  #restored = '';

  constructor(root: () => ParentNode) {
    this.#root = root;
  }

  get element(): ToolChatComposer | null {
    return this.#root().querySelector('tool-chat-composer');
  }

  focus(options?: FocusOptions): void {
    this.element?.focus(options);
  }

  /** Once, and not over anything. The same text comes back again if there was none in between. */
  restore(draft = ''): void {
    const { element } = this;
    if (!draft) this.#restored = '';
    if (!draft || draft === this.#restored || !element?.empty) return;
    this.#restored = element.draft = draft;
  }

  /** The text there belongs to another conversation, which keeps it. */
  startOver(): void {
    this.#restored = '';
    this.element?.startOver();
  }

  write(text: string): void {
    if (this.element) this.element.draft = text;
    this.focus();
  }

  /** Back to where it was written, if nothing else stands there. */
  takeBack(text: string): void {
    if (this.element?.empty) this.element.draft = text;
    this.focus();
  }
}
