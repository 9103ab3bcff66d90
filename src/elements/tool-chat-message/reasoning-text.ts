/**
 * Text length per node in UTF-16 units. The growing text gets a new node every few thousand characters, because the browser lays out a
 * growing text node as a whole.
 */
import { withoutDirections } from '../../base/invisible.js';

const NODE_LENGTH = 4000;

/** Length at which a text without line breaks is split, in UTF-16 units. */
const MAX_NODE_LENGTH = 8000;

export class ReasoningText {
  readonly #fold: HTMLElement;
  readonly #target: HTMLElement;
  #node: Text | undefined;
  text = '';

  /** `fold` is hidden while `target` is empty. */
  constructor(fold: HTMLElement, target: HTMLElement) {
    this.#fold = fold;
    this.#target = target;
  }

  push(text: string): void {
    this.text += text;
    const shown = withoutDirections(this.#node ? text : text.trimStart()); // models begin it with a line break
    if (!shown) return;
    this.#fold.hidden = false;
    for (let from = 0; from < shown.length;) {
      if (!this.#node || (this.#node.length > NODE_LENGTH && this.#node.data.endsWith('\n')) || this.#node.length >= MAX_NODE_LENGTH)
        this.#begin();
      const node = this.#node as Text;
      const piece = pieceOf(shown, from, MAX_NODE_LENGTH - node.length);
      node.appendData(piece);
      from += piece.length;
    }
  }

  #begin(): void {
    const block = document.createElement('div');
    this.#node = document.createTextNode('');
    block.append(this.#node);
    this.#target.append(block);
  }

  clear(): void {
    this.text = '';
    this.#fold.hidden = true;
    this.#node = undefined;
    this.#target.replaceChildren();
  }
}

/** Returns up to `room` units, to the end of a line if there is one, and never splits a surrogate pair. */
function pieceOf(text: string, from: number, room: number): string {
  const to = from + room;
  if (to >= text.length) return text.slice(from);
  const line = text.lastIndexOf('\n', to - 1) + 1;
  if (line > from) return text.slice(from, line);
  const code = text.charCodeAt(to - 1);
  return text.slice(from, code >= 0xd800 && code <= 0xdbff ? to + 1 : to);
}
