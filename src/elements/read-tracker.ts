/**
 * Tracks which approvals have been read to the end. A mark is at the start and at the end of every fact. While a mark has not been on
 * screen, because the value is folded, the card is taller than the window or something covers it, "allow" stays disabled: the user cannot
 * allow content that was never visible.
 */

import { isUncovered, TRACK_VISIBILITY } from './occlusion.js';
import { VisibilityObserver } from '../base/dom-features.js';

/** Keys of the waiting approvals of the page that have been read: `requestId digest`. Only marks that were on screen add one. */
const readKeys = new Set<string>();
const listeners = new Set<() => void>();

export function hasBeenRead(requestId: string, digest: string): boolean {
  return readKeys.has(`${requestId} ${digest}`);
}

/** Adds a listener, called when any approval has been read or is gone. Returns a function that removes it. */
export function onRead(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns false if other scripts have changed a card since it was read. */
export function isUnchangedSinceRead(requestId: string, digest: string): boolean {
  return [...trackers].every((tracker) => tracker.isUnchanged(`${requestId} ${digest}`));
}

const trackers = new Set<ReadTracker>();

export class ReadTracker {
  #key = '';
  #unreadMarks = new Set<Element>();
  #observedMarks = new WeakSet<Element>();
  readonly #observer = new VisibilityObserver((entries) => {
    for (const entry of entries)
      if (entry.isIntersecting && isUncovered(entry)) {
        this.#unreadMarks.delete(entry.target);
        this.#observer.unobserve(entry.target);
      }
    if (this.#unreadMarks.size === 0) this.#finish();
  }, TRACK_VISIBILITY);

  readonly #isUnaltered: () => boolean;

  /** @param isAsDrawn returns true if the card still shows the content that was rendered */
  constructor(isUnaltered: () => boolean) {
    this.#isUnaltered = isUnaltered;
  }

  isUnchanged(key: string): boolean {
    return key !== this.#key || this.#isUnaltered();
  }

  /** Observes the marks now in the card. New marks must be seen too. */
  watch(requestId: string, digest: string, marks: Iterable<Element>): void {
    const key = `${requestId} ${digest}`;
    if (key !== this.#key) this.stop();
    this.#key = key;
    trackers.add(this);
    for (const gone of this.#unreadMarks) if (!gone.isConnected) this.#unreadMarks.delete(gone);
    for (const mark of marks) {
      if (this.#observedMarks.has(mark)) continue;
      this.#observedMarks.add(mark);
      this.#unreadMarks.add(mark);
      readKeys.delete(key);
      this.#observer.observe(mark);
    }
    if (this.#unreadMarks.size === 0) this.#finish(); // a call without arguments has nothing to read
  }

  stop(): void {
    this.#observer.disconnect();
    this.#unreadMarks.clear();
    this.#observedMarks = new WeakSet();
    if (readKeys.delete(this.#key)) notify();
    this.#key = '';
    trackers.delete(this);
  }

  #finish(): void {
    if (!this.#key || readKeys.has(this.#key)) return;
    readKeys.add(this.#key);
    notify();
  }
}

function notify(): void {
  for (const listener of listeners) listener();
}
