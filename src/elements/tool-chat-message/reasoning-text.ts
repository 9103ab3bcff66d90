/** Plain text that grows: a new node every few thousand characters, since one growing text node is laid out whole each time. */
const NODE_LENGTH = 4000;

export class ReasoningText {
  readonly #target: HTMLElement;
  #node: Text | undefined;
  text = '';

  constructor(target: HTMLElement) {
    this.#target = target;
  }

  push(text: string): void {
    this.text += text;
    if (!this.#node || (this.#node.length > NODE_LENGTH && this.#node.data.endsWith('\n'))) {
      const block = document.createElement('div');
      this.#node = document.createTextNode('');
      block.append(this.#node);
      this.#target.append(block);
    }
    this.#node.appendData(text);
  }

  clear(): void {
    this.text = '';
    this.#node = undefined;
    this.#target.replaceChildren();
  }
}
