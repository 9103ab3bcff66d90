/**
 * Divides long content into groups. A full group gets the class `frozen`, which lets the browser skip its layout and painting while it is
 * off screen; without that, each frame of a growing answer would cost as much as the whole. Containment for each single block would cost
 * more per frame than it saves. The end of a group depends on the text alone, and blocks never move.
 */
import { make } from './dom.js';

export class Groups {
  readonly #target: HTMLElement;
  readonly #size: number;
  #group: HTMLElement | null = null;
  #direct: number;
  #room = 0;

  /** @param direct number of blocks that go into `target` itself before the first group: a short quotation needs no group */
  constructor(target: HTMLElement, size: number, direct = 0) {
    this.#target = target;
    this.#size = size;
    this.#direct = direct;
  }

  append(block: HTMLElement): void {
    if (this.#direct > 0) {
      this.#direct--;
      this.#target.append(block);
      return;
    }
    if (!this.#group || this.#room === 0) {
      this.#group?.classList.add('frozen');
      this.#group = make(this.#target.ownerDocument, 'div', 'group');
      this.#room = this.#size;
      this.#target.append(this.#group);
    }
    this.#room--;
    this.#group.append(block);
  }
}
