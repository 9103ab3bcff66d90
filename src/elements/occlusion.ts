/**
 * Detects whether something covers an observed element, including elements that let clicks through and effects that make it transparent or
 * distorted. Only Chromium reports this (Intersection Observer v2); elsewhere nothing counts as covered.
 */

import { rectOf } from './platform-functions.js';

const canTrack = 'IntersectionObserverEntry' in globalThis && 'isVisible' in IntersectionObserverEntry.prototype;

/** The delay in milliseconds is the minimum that the platform allows. */
export const TRACK_VISIBILITY: IntersectionObserverInit = canTrack
  ? ({ trackVisibility: true, delay: 100 } as IntersectionObserverInit)
  : {};

/**
 * Returns what a click on an element of a card would hit first: an element of the page, another part of the same widget, or nothing else.
 * Elements that let clicks through are not hit.
 */
export function hitTest(card: Element, element: Element): 'page' | 'widget' | 'nothing' {
  const { left, right, top, bottom } = rectOf(element as HTMLElement);
  let result: 'widget' | 'nothing' = 'nothing';
  for (const x of [left + 2, (left + right) / 2, right - 2])
    for (const y of [top + 2, (top + bottom) / 2, bottom - 2]) {
      const hit = deepHit(x, y);
      if (hit && isAncestor(card, hit)) continue;
      if (!hit || !isAncestor(outermost(card), hit)) return 'page';
      result = 'widget';
    }
  return result;
}

function deepHit(x: number, y: number): Element | null {
  let hit = document.elementFromPoint(x, y);
  for (let inner = hit?.shadowRoot?.elementFromPoint(x, y); inner && inner !== hit; inner = inner.shadowRoot?.elementFromPoint(x, y))
    hit = inner;
  return hit;
}

/** Returns the host in the document whose shadow roots contain this element. */
function outermost(element: Element): Element {
  let at = element;
  for (let root = at.getRootNode(); root instanceof ShadowRoot; root = at.getRootNode()) at = root.host;
  return at;
}

function isAncestor(outer: Element, inner: Element): boolean {
  for (let at: Node | null = inner; at; at = at instanceof ShadowRoot ? at.host : at.parentNode) if (at === outer) return true;
  return false;
}

export function isUncovered(entry: IntersectionObserverEntry): boolean {
  return !canTrack || (entry as IntersectionObserverEntry & { isVisible: boolean }).isVisible;
}
