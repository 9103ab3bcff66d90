/**
 * Keeps a scroller at its end while its content grows, until the user scrolls away; resumes when they are back at the end. It writes
 * `scrollTop` once per frame in a ResizeObserver, when the layout is up to date, and reads it nowhere else.
 */
import { SizeObserver, VisibilityObserver } from '../../base/dom-features.js';
export class StickToBottom {
  readonly #scroller: HTMLElement;
  readonly #end: HTMLElement;
  readonly #changed: (atEnd: boolean) => void;
  readonly #resize = new SizeObserver(() => {
    // Restore the position after a panel was hidden.
    if (this.#scroller.clientHeight === 0) return void (this.#hidden = true);
    if (this.#hidden) {
      this.#hidden = false;
      if (!this.#stuck) this.#scroller.scrollTop = this.#position;
    }
    // We never scroll up, so a held scrollbar, find-in-page or a screen reader did.
    else if (this.#stuck && this.#scroller.scrollTop < this.#position - MOVED && !this.#isAtEnd()) this.#release();
    // The greeting before the first message is read from its beginning.
    if (this.#stuck) this.#scroller.scrollTop = this.#scroller.querySelector('.empty') ? 0 : FAR;
    this.#position = this.#scroller.scrollTop;
  });
  // This runs after the ResizeObserver of the same frame: if the end is out of view here, the user has scrolled.
  readonly #endObserver: IntersectionObserver;
  #stuck = true;
  #hidden = false;
  /** The scroll position after the last update. */
  #position = 0;
  #recheckTimer = 0;

  /** `content` grows inside `scroller`; `end` is an empty element after it. `changed` is called with true if the end is in view. */
  constructor(scroller: HTMLElement, content: HTMLElement, end: HTMLElement, changed: (atEnd: boolean) => void) {
    this.#scroller = scroller;
    this.#end = end;
    this.#changed = changed;
    this.#endObserver = new VisibilityObserver((entries) => this.#onIntersection(entries.at(-1)?.isIntersecting ?? true), {
      root: scroller,
      rootMargin: '0px 0px 12px 0px',
    });
    this.#resize.observe(content);
    this.#resize.observe(scroller);
    this.#endObserver.observe(end);
    scroller.addEventListener('scroll', this.#savePosition, { passive: true });
    scroller.addEventListener('wheel', this.#wheel, { passive: true });
    scroller.addEventListener('touchmove', this.#release, { passive: true });
    scroller.addEventListener('keydown', this.#release);
    // A pressed element in the log stays in place, even if it unfolds.
    scroller.addEventListener('click', this.#release);
  }

  /** Scrolls to the end and keeps it visible. */
  stick(): void {
    this.#stuck = true;
    this.#scroller.scrollTop = FAR;
    // The content may become shorter by itself before the next update.
    this.#position = 0;
  }

  disconnect(): void {
    this.#resize.disconnect();
    this.#endObserver.disconnect();
    clearTimeout(this.#recheckTimer);
    this.#scroller.removeEventListener('scroll', this.#savePosition);
    this.#scroller.removeEventListener('wheel', this.#wheel);
    this.#scroller.removeEventListener('touchmove', this.#release);
    this.#scroller.removeEventListener('keydown', this.#release);
    this.#scroller.removeEventListener('click', this.#release);
  }

  #isAtEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return scrollTop + clientHeight > scrollHeight - MOVED;
  }

  /** Saves the position of a user who has left the end. A hidden panel has none. */
  readonly #savePosition = () => {
    if (!this.#stuck && this.#scroller.clientHeight > 0) this.#position = this.#scroller.scrollTop;
  };

  #onIntersection(atEnd: boolean): void {
    if (this.#scroller.clientHeight === 0) return;
    this.#stuck = atEnd;
    this.#changed(atEnd);
  }

  readonly #wheel = (event: WheelEvent) => {
    if (event.deltaY < 0) this.#release();
  };

  // Releases the end immediately, so that a growing answer does not pull the user back. Shortly after, it checks whether they have
  // scrolled.
  readonly #release = () => {
    this.#stuck = false;
    clearTimeout(this.#recheckTimer);
    this.#recheckTimer = setTimeout(() => {
      this.#endObserver.unobserve(this.#end);
      this.#endObserver.observe(this.#end);
    }, SETTLE) as unknown as number;
  };
}

/** A position beyond any conversation, in CSS pixels. The browser clamps it. */
const FAR = 1e9;
/** Smaller differences may be rounding, in CSS pixels. */
const MOVED = 2;
/** Time for a smooth scroll to begin to move, in milliseconds. */
const SETTLE = 250;
