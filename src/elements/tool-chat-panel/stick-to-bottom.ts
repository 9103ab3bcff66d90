/**
 * Keeps a scroller at its end while what is in it grows, until the reader scrolls away; then leaves it alone until they are back at the end.
 * One write of `scrollTop` a frame, in a ResizeObserver, when layout is clean anyway; it is read nowhere else.
 */
import { SizeObserver, VisibilityObserver } from '../../base/dom-features.js';
export class StickToBottom {
  readonly #scroller: HTMLElement;
  readonly #end: HTMLElement;
  readonly #changed: (atEnd: boolean) => void;
  readonly #resize = new SizeObserver(() => {
    // A hidden panel comes back at the position it had.
    if (this.#scroller.clientHeight === 0) return void (this.#hidden = true);
    if (this.#hidden) {
      this.#hidden = false;
      if (!this.#stuck) this.#scroller.scrollTop = this.#place;
    }
    // We never scroll up: a held scrollbar, find-in-page or a screen reader did.
    else if (this.#stuck && this.#scroller.scrollTop < this.#place - MOVED && !this.#isAtEnd()) this.#release();
    // What stands there before the first message is read from its beginning.
    if (this.#stuck) this.#scroller.scrollTop = this.#scroller.querySelector('.empty') ? 0 : FAR;
    this.#place = this.#scroller.scrollTop;
  });
  // Runs after the ResizeObserver of the same frame: what it sees out of view, the reader has scrolled out of view.
  readonly #ends: IntersectionObserver;
  #stuck = true;
  #hidden = false;
  /** The position at the last look. */
  #place = 0;
  #again = 0;

  /** `content` grows inside of `scroller`; `end` is an empty element after it. `changed` is told whether the end is in view. */
  constructor(scroller: HTMLElement, content: HTMLElement, end: HTMLElement, changed: (atEnd: boolean) => void) {
    this.#scroller = scroller;
    this.#end = end;
    this.#changed = changed;
    this.#ends = new VisibilityObserver((entries) => this.#look(entries.at(-1)?.isIntersecting ?? true), {
      root: scroller,
      rootMargin: '0px 0px 12px 0px',
    });
    this.#resize.observe(content);
    this.#resize.observe(scroller);
    this.#ends.observe(end);
    scroller.addEventListener('scroll', this.#note, { passive: true });
    scroller.addEventListener('wheel', this.#wheel, { passive: true });
    scroller.addEventListener('touchmove', this.#release, { passive: true });
    scroller.addEventListener('keydown', this.#release);
    // Who presses something in the log wants it to stay where it is, also when it unfolds.
    scroller.addEventListener('click', this.#release);
  }

  /** Back to the end, and stay there. */
  stick(): void {
    this.#stuck = true;
    this.#scroller.scrollTop = FAR;
    // Until the next look the content may become shorter by itself.
    this.#place = 0;
  }

  disconnect(): void {
    this.#resize.disconnect();
    this.#ends.disconnect();
    clearTimeout(this.#again);
    this.#scroller.removeEventListener('scroll', this.#note);
    this.#scroller.removeEventListener('wheel', this.#wheel);
    this.#scroller.removeEventListener('touchmove', this.#release);
    this.#scroller.removeEventListener('keydown', this.#release);
    this.#scroller.removeEventListener('click', this.#release);
  }

  #isAtEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return scrollTop + clientHeight > scrollHeight - MOVED;
  }

  /** Notes the position of a reader who has left the end; a hidden panel has none. */
  readonly #note = () => {
    if (!this.#stuck && this.#scroller.clientHeight > 0) this.#place = this.#scroller.scrollTop;
  };

  #look(atEnd: boolean): void {
    if (this.#scroller.clientHeight === 0) return;
    this.#stuck = atEnd;
    this.#changed(atEnd);
  }

  readonly #wheel = (event: WheelEvent) => {
    if (event.deltaY < 0) this.#release();
  };

  // Lets go at once, so that a growing answer does not pull the reader back; a little later looks whether they went anywhere.
  readonly #release = () => {
    this.#stuck = false;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      this.#ends.unobserve(this.#end);
      this.#ends.observe(this.#end);
    }, SETTLE) as unknown as number;
  };
}

/** Further than any conversation is long; the browser clamps it. */
const FAR = 1e9;
/** Fewer CSS pixels may be rounding. */
const MOVED = 2;
/** Milliseconds for a smooth scroll to begin to move. */
const SETTLE = 250;
