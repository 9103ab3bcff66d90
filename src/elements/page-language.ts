/** Reads the language and direction of the page around an element, through shadow roots. */
function nearest(element: Element, selector: string): Element | null {
  for (let at: Element | null = element; at;) {
    const near: Element | null = at.closest(selector);
    if (near) return near;
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return null;
}

/** Returns the language for an element without its own: the nearest `lang` of the page, else the browser's language, else `en`. */
export function pageLanguage(element: Element): string {
  const near = nearest(element, '[lang]:not(tool-chat)');
  return (near ? near.getAttribute('lang') : globalThis.navigator.language) || 'en';
}

/**
 * Returns `rtl` for a right-to-left language in a page without `dir`, because `lang` alone does not change the direction. Otherwise the
 * page decides.
 */
export const ownDirection = (element: Element, lang: string): 'rtl' | '' =>
  /^ar\b/i.test(lang) && !nearest(element, '[dir]') ? 'rtl' : '';
