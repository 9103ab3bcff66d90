/**
 * Manages focus, Escape and position of a floating panel next to its launcher button. `open` of the element holds the state; the focus
 * moves into the panel and returns with the user.
 */
import { belongsToInputMethod } from './keys.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

export interface LayoutController {
  /** Applies a changed layout, `open`, or both. */
  follow(layout: ToolChatPanel['layout']): void;
}

/** Minimum distance between a floating panel and the edge of the window, in CSS pixels. */
const EDGE = 16;

export function createLayoutController(
  element: HTMLElement & { readonly open: boolean; hide(): void },
  panel: ToolChatPanel,
): LayoutController {
  let wasOpen = false;

  panel.addEventListener('keydown', (event) => {
    // An open list or form inside the panel handles Escape first.
    if (event.key !== 'Escape' || event.defaultPrevented || belongsToInputMethod(event) || panel.layout !== 'floating') return;
    if (event.composedPath().some((node) => node instanceof HTMLDialogElement)) return;
    // Keep Escape from closing a dialog of the page around the panel.
    event.preventDefault();
    element.hide();
  });

  return {
    follow(layout) {
      const floating = layout === 'floating';
      const { open } = element;
      if (open === wasOpen) return;
      wasOpen = open;
      if (floating) moveFocus(element, panel, open);
      if (floating && open) positionPanel(element, panel);
    },
  };
}

/** Moves the focus only if the user is at the chat: if a page opens it by script, the page keeps its focus. */
function moveFocus(element: HTMLElement, panel: ToolChatPanel, open: boolean): void {
  const inside = element.shadowRoot?.activeElement;
  const launcher = element.shadowRoot?.querySelector<HTMLElement>('[part=launcher]');
  const slotted = element.querySelector<HTMLElement>(':scope > [slot=launcher]');
  if (open && (inside === launcher || slotted?.matches(':focus-within'))) void panel.updateComplete.then(() => panel.focus());
  else if (!open && inside === panel) (slotted?.matches('button, a[href], [tabindex]') ? slotted : launcher)?.focus();
}

/** Places the panel away from the nearer edges of the window, wherever the page has put the button. */
export function positionPanel(element: HTMLElement, panel: ToolChatPanel): void {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  panel.toggleAttribute('data-from-left', left + right < innerWidth);
  panel.toggleAttribute('data-from-top', top + bottom < innerHeight);
  panel.style.translate = '';
  // Viewport units ignore the page's `zoom`.
  const zoom = element.currentCSSZoom ?? 1;
  panel.style.setProperty('--_zoom', String(zoom));
  const box = panel.getBoundingClientRect();
  // If the window is too narrow for the panel, the rules for phones apply.
  const shift = Math.max(EDGE - box.left, 0) || Math.min(innerWidth - EDGE - box.right, 0);
  // The size of a panel that is not rendered yet is unknown.
  if (shift !== 0 && box.width > 0 && box.width + 2 * EDGE <= innerWidth) panel.style.translate = `${String(shift / zoom)}px`;
}
