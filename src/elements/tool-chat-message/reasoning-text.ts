/** Plain text that grows: a new node every few thousand characters, since one growing text node is laid out whole each time. */
import { withoutDirections } from '../../base/invisible.js';

const NODE_LENGTH = 4000;

/** A line that does not end is broken here. */
const LONGEST = 8000;

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
    const shown = withoutDirections(this.#node ? text : text.trimStart()); // models begin it on a line of its own
    if (!shown) return;
    this.#fold.hidden = false;
    for (let from = 0; from < shown.length;) {
      if (!this.#node || (this.#node.length > NODE_LENGTH && this.#node.data.endsWith('\n')) || this.#node.length >= LONGEST) this.#begin();
      const node = this.#node as Text;
      const piece = pieceOf(shown, from, LONGEST - node.length);
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

/** Up to `room` units, to the end of a line if there is one, and never half a character. */
function pieceOf(text: string, from: number, room: number): string {
  const to = from + room;
  if (to >= text.length) return text.slice(from);
  const line = text.lastIndexOf('\n', to - 1) + 1;
  if (line > from) return text.slice(from, line);
  const code = text.charCodeAt(to - 1);
  return text.slice(from, code >= 0xd800 && code <= 0xdbff ? to + 1 : to);
}
