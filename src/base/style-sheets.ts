/**
 * Constructed style sheets that a shadow root gets later than it was made. A move to another document takes all constructed sheets away, also
 * when the element is back in the same task; so each that is added is remembered.
 */
const added = new WeakMap<ShadowRoot, Set<CSSStyleSheet>>();

export function createSheet(text: string): CSSStyleSheet {
  const made: Partial<CSSStyleSheet> = new CSSStyleSheet();
  // The DOM of a test runner may have no way to fill it.
  made.replaceSync?.(text);
  return made as CSSStyleSheet;
}

/** Adding one twice has no effect. */
export function addSheet(root: ShadowRoot, sheet: CSSStyleSheet): void {
  added.set(root, (added.get(root) ?? new Set()).add(sheet));
  // The DOM of a test runner may have none.
  const sheets = root.adoptedStyleSheets as CSSStyleSheet[] | undefined;
  if (sheets?.includes(sheet) === false) sheets.push(sheet);
}

interface LitClass {
  readonly elementStyles?: readonly (CSSStyleSheet | { readonly styleSheet?: CSSStyleSheet })[];
}

/** Gives an element and all that it holds the sheets back; `own` is what its root was made with. */
export function restoreSheets(element: Element, ...own: CSSStyleSheet[]): void {
  const root = element.shadowRoot;
  if (!root) return;
  const ofClass = (element.constructor as LitClass).elementStyles ?? [];
  const made = ofClass.flatMap((style) => (style instanceof CSSStyleSheet ? style : (style.styleSheet ?? [])));
  root.adoptedStyleSheets = [...new Set([...own, ...made, ...(added.get(root) ?? []), ...root.adoptedStyleSheets])];
  for (const inner of root.querySelectorAll('*')) restoreSheets(inner);
}
