/**
 * Which questions have been read to the end. A mark stands at the start and at the end of every fact; one that has not been on screen,
 * because the value is folded or the card is taller than the window, keeps "allow" shut (faults 115).
 */

/** Waiting questions of the page that have been read: `requestId digest`. Only marks that were on screen put one in. */
const read = new Set<string>();
const listeners = new Set<() => void>();

export function hasBeenRead(requestId: string, digest: string): boolean {
  return read.has(`${requestId} ${digest}`);
}

/** Called when any question has been read, or is gone. */
export function onRead(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export class Reading {
  #key = '';
  #unseen = new Set<Element>();
  #known = new WeakSet<Element>();
  readonly #observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries)
      if (isIntersecting) {
        this.#unseen.delete(target);
        this.#observer.unobserve(target);
      }
    if (this.#unseen.size === 0) this.#finish();
  });

  /** The marks now in the card. New ones have to be seen too. */
  watch(requestId: string, digest: string, marks: Iterable<Element>): void {
    const key = `${requestId} ${digest}`;
    if (key !== this.#key) this.stop();
    this.#key = key;
    for (const gone of this.#unseen) if (!gone.isConnected) this.#unseen.delete(gone);
    for (const mark of marks) {
      if (this.#known.has(mark)) continue;
      this.#known.add(mark);
      this.#unseen.add(mark);
      read.delete(key);
      this.#observer.observe(mark);
    }
    if (this.#unseen.size === 0) this.#finish(); // a call without arguments has nothing to read
  }

  stop(): void {
    this.#observer.disconnect();
    this.#unseen.clear();
    this.#known = new WeakSet();
    if (read.delete(this.#key)) notify();
    this.#key = '';
  }

  #finish(): void {
    if (!this.#key || read.has(this.#key)) return;
    read.add(this.#key);
    notify();
  }
}

function notify(): void {
  for (const listener of listeners) listener();
}
