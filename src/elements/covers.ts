/**
 * Whether something lies over what is watched, also what lets clicks through, or makes it transparent or distorted. Only Chromium tells
 * (Intersection Observer v2); elsewhere nothing is said to be covered.
 */

const tells = 'isVisible' in IntersectionObserverEntry.prototype;

/** The delay in milliseconds is the least the platform allows. */
export const SEES_COVERS: IntersectionObserverInit = tells ? ({ trackVisibility: true, delay: 100 } as IntersectionObserverInit) : {};

export function isUncovered(entry: IntersectionObserverEntry): boolean {
  return !tells || (entry as IntersectionObserverEntry & { isVisible: boolean }).isVisible;
}
