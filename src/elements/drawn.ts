/**
 * Content that is drawn as a whole into an element of its own. Page translation replaces text nodes, also in shadow roots; lit would go on writing
 * into the nodes that are gone, and what is shown would no longer be what runs.
 */
import { render } from 'lit';
import { Directive, directive, PartType, type ElementPart, type PartInfo } from 'lit/directive.js';

/** The text of each element as it was drawn. */
const texts = new WeakMap<Element, string>();

class Drawn extends Directive {
  #key: string | undefined;

  constructor(info: PartInfo) {
    super(info);
    if (info.type !== PartType.ELEMENT) throw new Error('`drawn` is for elements.');
  }

  override render(_key: string, _content: () => unknown): unknown {
    return undefined;
  }

  override update({ element }: ElementPart, [key, content]: [string, () => unknown]): unknown {
    const isExact = element.getAttribute('translate') === 'no';
    if (key === this.#key && !(isExact && isAltered(element))) return undefined;
    this.#key = key;
    const fresh = document.createDocumentFragment();
    render(content(), fresh);
    element.replaceChildren(fresh);
    texts.set(element, element.textContent ?? '');
    return undefined;
  }
}

/** `key` says what the content looks like. In an element with `translate="no"` a change by others is taken back with the next drawing. */
export const drawn = directive(Drawn);

const isAltered = (element: Element): boolean => texts.has(element) && texts.get(element) !== element.textContent;

/** True if all that must not be translated is still as it was drawn. */
export function standsAsDrawn(within: Element): boolean {
  for (const element of within.querySelectorAll('[translate="no"]')) if (isAltered(element)) return false;
  return true;
}
