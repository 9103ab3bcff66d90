/** What the page around an element says of its language and direction, through shadow roots. */
function nearest(element: Element, selector: string): Element | null {
  for (let at: Element | null = element; at;) {
    const near: Element | null = at.closest(selector);
    if (near) return near;
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return null;
}

/** The language of an element without one of its own: the nearest `lang` of the page, else the browser's, else `en`. */
export function pageLanguage(element: Element): string {
  const near = nearest(element, '[lang]:not(tool-chat)');
  return (near ? near.getAttribute('lang') : globalThis.navigator.language) || 'en';
}

/** `rtl` for words that are written from right to left in a page that states no `dir`: `lang` alone turns nothing. Otherwise the page decides. */
export const ownDirection = (element: Element, lang: string): 'rtl' | '' =>
  /^ar\b/i.test(lang) && !nearest(element, '[dir]') ? 'rtl' : '';
