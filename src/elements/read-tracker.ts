/**
 * Tracks which approvals have been read to the end. A mark is at the start and at the end of every fact. While a mark has not been on
 * screen, because the value is folded, the card is taller than the window or something covers it, "allow" stays disabled: the user cannot
 * allow content that was never visible.
 */

import { isUncovered, SEES_COVERS } from './occlusion.js';
import { VisibilityObserver } from '../base/dom-features.js';

/** Keys of the waiting approvals of the page that have been read: `requestId digest`. Only marks that were on screen add one. */
const read = new Set<string>();
const listeners = new Set<() => void>();

export function hasBeenRead(requestId: string, digest: string): boolean {
  return read.has(`${requestId} ${digest}`);
}

/** Adds a listener, called when any approval has been read or is gone. Returns a function that removes it. */
export function onRead(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns false if other scripts have changed a card since it was read. */
export function standsAsRead(requestId: string, digest: string): boolean {
  return [...places].every((place) => place.stands(`${requestId} ${digest}`));
}

const places = new Set<ReadingPlace>();

export class ReadingPlace {
  #key = '';
  #unseen = new Set<Element>();
  #known = new WeakSet<Element>();
  readonly #observer = new VisibilityObserver((entries) => {
    for (const entry of entries)
      if (entry.isIntersecting && isUncovered(entry)) {
        this.#unseen.delete(entry.target);
        this.#observer.unobserve(entry.target);
      }
    if (this.#unseen.size === 0) this.#finish();
  }, SEES_COVERS);

  readonly #isAsDrawn: () => boolean;

  /** @param isAsDrawn returns true if the card still shows the content that was rendered */
  constructor(isAsDrawn: () => boolean) {
    this.#isAsDrawn = isAsDrawn;
  }

  stands(key: string): boolean {
    return key !== this.#key || this.#isAsDrawn();
  }

  /** Observes the marks now in the card. New marks must be seen too. */
  watch(requestId: string, digest: string, marks: Iterable<Element>): void {
    const key = `${requestId} ${digest}`;
    if (key !== this.#key) this.stop();
    this.#key = key;
    places.add(this);
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
    places.delete(this);
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
