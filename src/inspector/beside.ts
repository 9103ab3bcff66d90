/** Where the inspector of an element stands that asks for one: at the side of the window where the element is not, until it asks no more. */
import { defineInspector } from './define-inspector.js';
import type { Inspected } from './inspected.js';
import type { ToolChatInspector } from './tool-chat-inspector.js';

const open = new Map<HTMLElement, HTMLElement>();

/** An inspector that the page itself has put somewhere for this element is enough. */
export function openInspector(element: HTMLElement): void {
  defineInspector();
  const inspectors = [...element.ownerDocument.querySelectorAll<ToolChatInspector>('tool-chat-inspector')];
  if (open.has(element) || inspectors.some(({ chat, htmlFor }) => chat === element || (htmlFor !== '' && htmlFor === element.id))) return;
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
  open.get(element)?.remove();
  open.delete(element);
}
