/** Where the inspector of an element stands that asks for one: at the side of the window where the element is not, until it asks no more. */
import { defineInspector } from './define-inspector.js';
import type { Inspected } from './inspected.js';
import type { ToolChatInspector } from './tool-chat-inspector.js';

const open = new Map<HTMLElement, HTMLElement>();
/** Elements that ask for one, also those whose page has put one somewhere. */
const asking = new Set<HTMLElement>();

/** An inspector that the page itself has put somewhere for this element is enough. */
export async function openInspector(element: HTMLElement): Promise<void> {
  defineInspector();
  if (asking.has(element)) return;
  asking.add(element);
  const inspectors = [...element.ownerDocument.querySelectorAll<ToolChatInspector>('tool-chat-inspector')];
  // One that has only now become what it is knows with its first update what it was given before.
  await Promise.all(inspectors.map((one) => one.updateComplete));
  if (!asking.has(element) || inspectors.some(({ chat }) => chat === element)) return;
  const inspector = document.createElement('tool-chat-inspector');
  const { left, right } = element.getBoundingClientRect();
  inspector.chat = element as Inspected;
  inspector.docked = (left + right) / 2 < innerWidth / 2 ? 'right' : 'left';
  inspector.addEventListener('tool-chat-inspector-close', () => {
    // As the page would: what it reads of the element is true.
    (element as Inspected).inspect = 'off';
    element.removeAttribute('inspect');
    closeInspector(element);
  });
  open.set(element, inspector);
  document.body.append(inspector);
}

export function closeInspector(element: HTMLElement): void {
  asking.delete(element);
  open.get(element)?.remove();
  open.delete(element);
}
