/**
 * Which questions have been read to the end. A mark stands at the start and at the end of every fact; one that has not been on screen,
 * because the value is folded, the card is taller than the window or something lies over it, keeps "allow" shut:
 * what a person has not seen is not allowed.
 */

import { isUncovered, SEES_COVERS } from './covers.js';
import { VisibilityObserver } from '../base/dom-features.js';

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

/** False if a card no longer shows what was read there: others have changed it since. */
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

  /** @param isAsDrawn whether the card shows what it was drawn with */
  constructor(isAsDrawn: () => boolean) {
    this.#isAsDrawn = isAsDrawn;
  }

  stands(key: string): boolean {
    return key !== this.#key || this.#isAsDrawn();
  }

  /** The marks now in the card. New ones have to be seen too. */
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
