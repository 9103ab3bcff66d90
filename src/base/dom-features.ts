/** Browser features that the DOM of a test runner lacks (jsdom, happy-dom), so that the element renders and responds there, too. */

/** An observer that reports nothing. With it, no approval ever counts as seen. */
const NoObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
  takeRecords(): [] {
    return [];
  }
};
const dom: Partial<Pick<typeof globalThis, 'IntersectionObserver' | 'ResizeObserver' | 'matchMedia'>> = globalThis;

export const VisibilityObserver = dom.IntersectionObserver ?? (NoObserver as unknown as typeof IntersectionObserver);
export const SizeObserver = dom.ResizeObserver ?? (NoObserver as unknown as typeof ResizeObserver);

export const matchesMedia = (query: string): boolean => dom.matchMedia?.(query).matches ?? false;
