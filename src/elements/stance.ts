/**
 * How an element that is more than a box in its page opens and closes: a floating one beside its round button, a sidebar or a full screen
 * over the page. Its `open` says which it is; the focus goes in with a person and comes back with them.
 */
import { belongsToInputMethod } from './keys.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

export interface Stance {
  /** The layout, `open`, or both may have changed. */
  follow(layout: ToolChatPanel['layout']): void;
}

/** Space that a floating panel keeps to the edge of the window, in CSS pixels. */
const EDGE = 16;

export function createStance(element: HTMLElement & { readonly open: boolean; hide(): void }, panel: ToolChatPanel): Stance {
  let wasOpen = false;

  panel.addEventListener('keydown', (event) => {
    // What is open inside of it, a list or a form, takes its own Escape first.
    if (event.key !== 'Escape' || event.defaultPrevented || belongsToInputMethod(event) || panel.layout !== 'floating') return;
    if (event.composedPath().some((node) => node instanceof HTMLDialogElement)) return;
    // What stands around it in the page has another Escape.
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
      if (floating && open) placeBeside(element, panel);
    },
  };
}

/** Only where a person is: a page that opens it by itself keeps its own focus. */
function moveFocus(element: HTMLElement, panel: ToolChatPanel, open: boolean): void {
  const inside = element.shadowRoot?.activeElement;
  const launcher = element.shadowRoot?.querySelector<HTMLElement>('[part=launcher]');
  const slotted = element.querySelector<HTMLElement>(':scope > [slot=launcher]');
  if (open && (inside === launcher || slotted?.matches(':focus-within'))) void panel.updateComplete.then(() => panel.focus());
  else if (!open && inside === panel) (slotted?.matches('button, a[href], [tabindex]') ? slotted : launcher)?.focus();
}

/** Away from the nearer edges of the window, wherever the page has put the button. */
export function placeBeside(element: HTMLElement, panel: ToolChatPanel): void {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  panel.toggleAttribute('data-from-left', left + right < innerWidth);
  panel.toggleAttribute('data-from-top', top + bottom < innerHeight);
  panel.style.translate = '';
  // Units of the window know nothing of the page's `zoom`.
  const zoom = element.currentCSSZoom ?? 1;
  panel.style.setProperty('--_zoom', String(zoom));
  const box = panel.getBoundingClientRect();
  // A window too narrow for it is left to the rules for phones.
  const shift = Math.max(EDGE - box.left, 0) || Math.min(innerWidth - EDGE - box.right, 0);
  // Of one that is not drawn yet nothing is known.
  if (shift !== 0 && box.width > 0 && box.width + 2 * EDGE <= innerWidth) panel.style.translate = `${String(shift / zoom)}px`;
}
