/**
 * Finds elements through open shadow roots: `a >>> b` is each `b` at any depth below an `a`. A selector without `>>>` searches the
 * whole page at any depth; a comma stands for alternatives of one step. Runs in the page, so it uses nothing from outside itself.
 */
export function deepQuery(selector: string): Element[] {
  function below(root: ParentNode, part: string, found: Set<Element>) {
    for (const element of root.querySelectorAll(part)) found.add(element);
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) below(element.shadowRoot, part, found);
    if (root instanceof Element && root.shadowRoot) below(root.shadowRoot, part, found);
  }
  let scopes: ParentNode[] = [document];
  for (const part of selector.split('>>>')) {
    const found = new Set<Element>();
    for (const scope of scopes) below(scope, part.trim(), found);
    scopes = [...found];
  }
  return scopes as Element[];
}

/** Where to click: the middle of the first match that can be seen, and whether a click there would reach it now. */
export function clickTarget(elements: Element[]): { x: number; y: number; ready: boolean; why: string } | undefined {
  const element = elements.find((each) => each.checkVisibility());
  if (!element) return undefined;
  element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const box = element.getBoundingClientRect();
  const x = Math.round(box.left + box.width / 2);
  const y = Math.round(box.top + box.height / 2);
  const disabled = element.matches(':disabled, [aria-disabled="true"]');
  let hit = document.elementFromPoint(x, y);
  while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit)
    hit = hit.shadowRoot.elementFromPoint(x, y);
  let node: Node | null = hit;
  while (node && node !== element) node = node instanceof ShadowRoot ? node.host : node.parentNode;
  const why = disabled ? 'it is disabled' : node ? '' : `${hit?.localName ?? 'nothing'} lies on top of it`;
  return { x, y, ready: why === '', why };
}
