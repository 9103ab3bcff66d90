/** Holds what is in view where it is while groups above it change their height. Not left to browsers: WebKit does not, and Chromium not always. */
import { SizeObserver } from '../../base/dom-features.js';
export class HoldPosition {
  readonly #scroller: Element;
  readonly #heights = new WeakMap<Element, { height: number; isEmpty: boolean }>();
  readonly #resize = new SizeObserver((entries) => this.#correct(entries));

  constructor(scroller: Element) {
    this.#scroller = scroller;
  }

  observe(group: Element): void {
    this.#resize.observe(group);
  }

  unobserve(group: Element): void {
    this.#resize.unobserve(group);
  }

  disconnect(): void {
    this.#resize.disconnect();
  }

  /** Layout is clean here, so reading it costs nothing. */
  #correct(entries: readonly ResizeObserverEntry[]): void {
    const scroller = this.#scroller;
    // A hidden panel has no heights; the old ones still hold when it is shown again.
    if (scroller.clientHeight === 0) return;
    const { top, bottom } = scroller.getBoundingClientRect();
    let grown = 0;
    for (const { target, borderBoxSize } of entries) {
      const height = borderBoxSize[0]?.blockSize ?? 0;
      const before = this.#heights.get(target);
      this.#heights.set(target, { height, isEmpty: target.hasAttribute('data-empty') });
      if (!before) continue;
      // Its end as it was before this frame: entries come in the order of the list, so those above are counted.
      const end = target.getBoundingClientRect().top - grown + before.height;
      // Of one that was empty nothing was read but what stands below it.
      if (end <= (before.isEmpty ? bottom : top)) grown += height - before.height;
    }
    if (grown === 0 || scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 2) return;
    scroller.scrollTop += grown;
  }
}
