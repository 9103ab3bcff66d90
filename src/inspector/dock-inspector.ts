/**
 * Places the inspector that an element requests at the opposite side of the window, and removes it when the element stops requesting it.
 */
import { defineInspector } from './define-inspector.js';
import type { Inspected } from './inspected.js';
import type { ToolChatInspector } from './tool-chat-inspector.js';

const openInspectors = new Map<HTMLElement, HTMLElement>();
/** Elements that request an inspector, including those for which the page has placed one itself. */
const pendingOpens = new Set<HTMLElement>();

/** Opens an inspector for an element, unless the page itself has placed one for it. */
export async function openInspector(element: HTMLElement): Promise<void> {
  defineInspector();
  if (pendingOpens.has(element)) return;
  pendingOpens.add(element);
  const inspectors = [...element.ownerDocument.querySelectorAll<ToolChatInspector>('tool-chat-inspector')];
  // An element that was upgraded just now has its properties only after its first update.
  await Promise.all(inspectors.map((one) => one.updateComplete));
  if (!pendingOpens.has(element) || inspectors.some(({ chat }) => chat === element)) return;
  const inspector = document.createElement('tool-chat-inspector');
  const { left, right } = element.getBoundingClientRect();
  inspector.chat = element as Inspected;
  inspector.docked = (left + right) / 2 < innerWidth / 2 ? 'right' : 'left';
  inspector.addEventListener('tool-chat-inspector-close', () => {
    // Set the property and the attribute as the page would, so that the element's state stays true.
    (element as Inspected).inspect = 'off';
    element.removeAttribute('inspect');
    closeInspector(element);
  });
  openInspectors.set(element, inspector);
  document.body.append(inspector);
}

export function closeInspector(element: HTMLElement): void {
  pendingOpens.delete(element);
  openInspectors.get(element)?.remove();
  openInspectors.delete(element);
}
