/**
 * Whether something lies over what is watched, also what lets clicks through, or makes it transparent or distorted. Only Chromium tells
 * (Intersection Observer v2); elsewhere nothing is said to be covered.
 */

import { rectOf } from './platform-functions.js';

const tells = 'IntersectionObserverEntry' in globalThis && 'isVisible' in IntersectionObserverEntry.prototype;

/** The delay in milliseconds is the least the platform allows. */
export const SEES_COVERS: IntersectionObserverInit = tells ? ({ trackVisibility: true, delay: 100 } as IntersectionObserverInit) : {};

/**
 * Says what a click on an element of a card would meet before it: something of the page, another part of the same widget, or nothing. What lets clicks
 * through is met by none.
 */
export function hitOver(card: Element, element: Element): 'page' | 'widget' | 'nothing' {
  const { left, right, top, bottom } = rectOf(element as HTMLElement);
  let result: 'widget' | 'nothing' = 'nothing';
  for (const x of [left + 2, (left + right) / 2, right - 2])
    for (const y of [top + 2, (top + bottom) / 2, bottom - 2]) {
      const hit = deepHit(x, y);
      if (hit && isAround(card, hit)) continue;
      if (!hit || !isAround(outermost(card), hit)) return 'page';
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

/** The element of the document in whose shadow roots this one is. */
function outermost(element: Element): Element {
  let at = element;
  for (let root = at.getRootNode(); root instanceof ShadowRoot; root = at.getRootNode()) at = root.host;
  return at;
}

function isAround(outer: Element, inner: Element): boolean {
  for (let at: Node | null = inner; at; at = at instanceof ShadowRoot ? at.host : at.parentNode) if (at === outer) return true;
  return false;
}

export function isUncovered(entry: IntersectionObserverEntry): boolean {
  return !tells || (entry as IntersectionObserverEntry & { isVisible: boolean }).isVisible;
}
