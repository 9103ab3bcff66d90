/** Controls the text field for the panel: restores a saved draft once, and never overwrites text. */
import type { ToolChatComposer } from '../tool-chat-composer/tool-chat-composer.js';

export class TextField {
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

  /** Restores a saved draft once, if the field is empty. The same draft is restored again only after an empty one. */
  restore(draft = ''): void {
    const { element } = this;
    if (!draft) this.#restored = '';
    if (!draft || draft === this.#restored || !element?.empty) return;
    this.#restored = element.draft = draft;
  }

  /** Clears the field, because its text belongs to another conversation, which saves it. */
  startOver(): void {
    this.#restored = '';
    this.element?.startOver();
  }

  write(text: string): void {
    if (this.element) this.element.draft = text;
    this.focus();
  }

  /** Puts the text of a message back into the field, if the field is empty. */
  putBack(text: string): void {
    if (this.element?.empty) this.element.draft = text;
    this.focus();
  }
}
