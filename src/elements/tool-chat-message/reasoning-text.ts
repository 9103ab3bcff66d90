/** Plain text that grows: a new node every few thousand characters, since one growing text node is laid out whole each time. */
const NODE_LENGTH = 4000;

export class ReasoningText {
  readonly #fold: HTMLElement;
  readonly #target: HTMLElement;
  #node: Text | undefined;
  text = '';

  /** `fold` is hidden while there is nothing in `target`. */
  constructor(fold: HTMLElement, target: HTMLElement) {
    this.#fold = fold;
    this.#target = target;
  }

  push(text: string): void {
    this.text += text;
    const shown = this.#node ? text : text.trimStart(); // models begin it on a line of its own
    if (!shown) return;
    this.#fold.hidden = false;
    if (!this.#node || (this.#node.length > NODE_LENGTH && this.#node.data.endsWith('\n'))) {
      const block = document.createElement('div');
      this.#node = document.createTextNode('');
      block.append(this.#node);
      this.#target.append(block);
    }
    this.#node.appendData(shown);
  }

  clear(): void {
    this.text = '';
    this.#fold.hidden = true;
    this.#node = undefined;
    this.#target.replaceChildren();
  }
}
