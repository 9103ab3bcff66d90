/**
 * Keeps the visible messages in place while groups above them change their height. Browsers cannot be relied on for this: WebKit has no
 * scroll anchoring, and Chromium's does not always work.
 */
import { SizeObserver } from '../../base/dom-features.js';
export class ScrollAnchor {
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

  /** Corrects the scroll position. The layout is up to date here, so reading it is cheap. */
  #correct(entries: readonly ResizeObserverEntry[]): void {
    const scroller = this.#scroller;
    // A hidden panel has no heights. The old ones are valid again when it is shown.
    if (scroller.clientHeight === 0) return;
    const { top, bottom } = scroller.getBoundingClientRect();
    let grown = 0;
    for (const { target, borderBoxSize } of entries) {
      const height = borderBoxSize[0]?.blockSize ?? 0;
      const before = this.#heights.get(target);
      this.#heights.set(target, { height, isEmpty: target.hasAttribute('data-empty') });
      if (!before) continue;
      // The group's end before this frame. Entries are in list order, so growth above it is already counted.
      const end = target.getBoundingClientRect().top - grown + before.height;
      // The user has seen nothing of an empty group, so the content below it is kept in place.
      if (end <= (before.isEmpty ? bottom : top)) grown += height - before.height;
    }
    if (grown === 0 || scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 2) return;
    scroller.scrollTop += grown;
  }
}
