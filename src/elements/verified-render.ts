/**
 * Renders content as a whole into its own element. Page translation replaces text nodes, also in shadow roots; lit would keep writing into
 * the removed nodes, and the displayed arguments would no longer be those that run.
 */
import { render } from 'lit';
import { Directive, directive, PartType, type ElementPart, type PartInfo } from 'lit/directive.js';

/** The text of each element at its last rendering. */
const renderedTexts = new WeakMap<Element, string>();

class VerifiedRender extends Directive {
  #key: string | undefined;

  constructor(info: PartInfo) {
    super(info);
    if (info.type !== PartType.ELEMENT) throw new Error('`verifiedRender` is for elements.');
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
    renderedTexts.set(element, element.textContent ?? '');
    return undefined;
  }
}

/**
 * Renders the content if `key`, which identifies it, has changed. In an element with `translate="no"`, the next rendering reverts changes
 * made by others.
 */
export const verifiedRender = directive(VerifiedRender);

const isAltered = (element: Element): boolean => renderedTexts.has(element) && renderedTexts.get(element) !== element.textContent;

/** Returns true if all content that must not be translated is unchanged since its rendering. */
export function isUnaltered(within: Element): boolean {
  for (const element of within.querySelectorAll('[translate="no"]')) if (isAltered(element)) return false;
  return true;
}
