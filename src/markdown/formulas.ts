/** Formulas as MathML, which browsers lay out and read aloud by themselves. What is not known stays as it was written. */
import { withoutHidden } from '../base/invisible.js';
import { lazyStyles } from './lazy-styles.js';
import type { MathNode } from './tex-nodes.js';
import { readTex } from './tex.js';

/** Length of source above which an inline formula may be wider than its line and can scroll. In UTF-16 units. */
const WIDE = 30;

const NAMESPACE = 'http://www.w3.org/1998/Math/MathML';

/** @param box holds the formula as it was written, with its delimiters */
export function finish(box: HTMLElement): void {
  const source = box.textContent;
  lazyStyles.adopt(box);
  const isEnvironment = source.startsWith('\\begin');
  const width = isEnvironment ? 0 : source.startsWith('\\') || source.startsWith('$$') ? 2 : 1;
  const tree = readTex(source.slice(width, source.length - width));
  if (!tree) return;
  const { ownerDocument: document } = box;
  const isBlock = isEnvironment || source.startsWith('$$') || source.startsWith('\\[');
  const maths = document.createElementNS(NAMESPACE, 'math');
  maths.append(draw(document, tree));
  if (isBlock) {
    maths.setAttribute('display', 'block');
    box.className = 'formula block';
    box.tabIndex = 0; // a box that scrolls has to be reachable by keyboard
  } else if (source.length > WIDE) {
    box.className = 'formula wide';
    box.tabIndex = 0;
  }
  box.replaceChildren(maths);
}

function draw(document: Document, { tag, text, attributes = {}, children = [] }: MathNode): Element {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = withoutHidden(text);
  for (const child of children) element.append(draw(document, child));
  return element;
}
