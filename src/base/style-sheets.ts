/**
 * Adds constructed style sheets to an existing shadow root. A move to another document removes all constructed sheets, even if the element
 * returns in the same task, so each added sheet is remembered.
 */
const added = new WeakMap<ShadowRoot, Set<CSSStyleSheet>>();

export function createSheet(text: string): CSSStyleSheet {
  const sheet: Partial<CSSStyleSheet> = new CSSStyleSheet();
  // The DOM of a test runner may lack this method.
  sheet.replaceSync?.(text);
  return sheet as CSSStyleSheet;
}

/** Adds a sheet. Adding the same sheet twice has no effect. */
export function addSheet(root: ShadowRoot, sheet: CSSStyleSheet): void {
  added.set(root, (added.get(root) ?? new Set()).add(sheet));
  // The DOM of a test runner may lack this list.
  const sheets = root.adoptedStyleSheets as CSSStyleSheet[] | undefined;
  if (sheets?.includes(sheet) === false) sheets.push(sheet);
}

interface LitClass {
  readonly elementStyles?: readonly (CSSStyleSheet | { readonly styleSheet?: CSSStyleSheet })[];
}

/** Restores the sheets of an element and its descendants; `own` are the sheets that its root was created with. */
export function restoreSheets(element: Element, ...own: CSSStyleSheet[]): void {
  const root = element.shadowRoot;
  if (!root) return;
  const ofClass = (element.constructor as LitClass).elementStyles ?? [];
  const classSheets = ofClass.flatMap((style) => (style instanceof CSSStyleSheet ? style : (style.styleSheet ?? [])));
  root.adoptedStyleSheets = [...new Set([...own, ...classSheets, ...(added.get(root) ?? []), ...root.adoptedStyleSheets])];
  for (const inner of root.querySelectorAll('*')) restoreSheets(inner);
}
