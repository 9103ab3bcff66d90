/** The language of an element without one of its own: the nearest `lang` of the page, through shadow roots, else the browser's, else `en`. */
export function pageLanguage(element: Element): string {
  for (let at: Element | null = element; at;) {
    const near: Element | null = at.closest('[lang]:not(tool-chat)');
    if (near) return near.getAttribute('lang') || 'en';
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return globalThis.navigator.language || 'en';
}
