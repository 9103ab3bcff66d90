/**
 * Manages focus, Escape and position of a floating panel next to its launcher button. `open` of the element holds the state; the focus
 * moves into the panel and returns with the user.
 */
import { belongsToInputMethod } from './keys.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

/**
 * The position of the panel in each layout, loaded with the panel. Declarations that general rules of a page would override are important
 * here.
 */
export const layoutCss = `
:host{color-scheme:inherit}
:host(:state(light)){color-scheme:light}
:host(:state(dark)){color-scheme:dark}
:host(:is(:state(fullscreen),:state(sidebar))){position:fixed!important;inset:0;block-size:auto!important;margin:0!important;padding:0!important;max-inline-size:none!important;pointer-events:auto!important;contain:none!important;z-index:var(--tool-chat-z-index,2147483000)}
:host(:state(sidebar)){inset-inline-start:auto;inline-size:min(100vw,var(--tool-chat-width,clamp(416px,26rem,540px)))}
:host(:state(sidebar):state(start)){inset-inline:0 auto}
:host(:not(:state(floating),[hidden])){display:grid;grid:minmax(0,1fr)/minmax(0,1fr);min-block-size:min(20rem,320px,100dvh);max-block-size:100dvh}
:host(:is(:state(fullscreen),:state(sidebar)):not(:state(open))){display:none!important}
:host(:state(floating)) tool-chat-panel{position:absolute;inset-block-end:calc(var(--_button) + 16px);inset-inline-end:0;inline-size:min(calc(100vw / var(--_zoom,1) - 32px),var(--tool-chat-width,clamp(400px,25rem,520px)));block-size:min(calc(100dvh / var(--_zoom,1) - var(--_button) - 56px),var(--tool-chat-height,clamp(640px,40rem,800px)))}
:host(:state(floating)) tool-chat-panel[data-from-left]{inset-inline:auto;left:0}
:host(:state(floating)) tool-chat-panel[data-from-top]{inset-block:calc(var(--_button) + 16px) auto}
:host(:state(floating):not(:state(open))) tool-chat-panel{display:none}
@media (max-width:480px),(max-height:480px){
  :host(:state(floating):state(open)) tool-chat-panel{position:fixed;inset:0!important;translate:none!important;inline-size:auto;block-size:auto}
  :host(:state(floating):state(open)) [part=launcher]{visibility:hidden}
}
@media print{
  :host(:is(:state(floating),:state(sidebar),:state(fullscreen))){display:none!important}
  :host(:state(inline)){display:block!important;block-size:auto!important;max-block-size:none!important;overflow:visible!important}
}
`;

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
