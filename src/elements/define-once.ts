/** Registers an element unless its name is taken: a second copy of the script on one page changes nothing. */
export function defineOnce(tag: string, element: CustomElementConstructor): void {
  if (!customElements.get(tag)) customElements.define(tag, element);
}
