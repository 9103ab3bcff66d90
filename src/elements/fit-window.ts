import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';
import { html, nothing } from 'lit';
import { load } from '../base/load.js';
import { addSheet, createSheet } from '../base/style-sheets.js';
import { icon } from './icons.js';

/** Adapts a panel to its window: expands it on request, and keeps it above the keyboard of a phone. */
export function fitWindow(element: HTMLElement, panel: ToolChatPanel): void {
  enableExpand(element, panel);
  avoidKeyboard(panel);
}

const expandIcon = icon('M9.5 2.8h3.7v3.7M13.2 2.8 9.3 6.7M6.5 13.2H2.8V9.5M2.8 13.2l3.9-3.9');
const collapseIcon = icon('M13 6.7H9.3V3M9.3 6.7l4-4M3 9.3h3.7V13M6.7 9.3l-4 4');

/** In a window as small as that of a phone, a floating panel fills the window anyway. */
const css = `
:host(:state(floating)) tool-chat-panel::part(header){touch-action:pinch-zoom}
@media (prefers-reduced-motion:no-preference){:host(:state(floating):state(open)) tool-chat-panel{animation:tool-chat-open .18s ease-out}}
@keyframes tool-chat-open{from{opacity:0;transform:translateY(10px)}}
@media (max-width:480px),(max-height:480px){tool-chat-panel::part(expand-button){display:none}}
`;

/**
 * Makes a floating panel expandable, movable and resizable, and adds the button to its header. The user's choice is saved for the next
 * visit. The code is loaded if a choice was saved, the pointer reaches the header, or the user presses Tab.
 */
function enableExpand(element: HTMLElement, panel: ToolChatPanel): void {
  // Style sheets belong to the document of the script.
  if (element.ownerDocument !== document) return;
  if (element.shadowRoot) addSheet(element.shadowRoot, createSheet(css));
  const wasLarge = isStored('large');
  panel.toggleAttribute('data-large', wasLarge);
  let isWanted = wasLarge || isStored('place');
  let grips: Promise<() => void> | undefined;
  const loadGrips = (event?: Event) =>
    (grips ??= load(() => import('./drag-resize.js'))
      .then(({ enableDragResize }) => enableDragResize(element, panel, event))
      .catch((error: unknown) => {
        // Do not retry with every rendering, only when the user reaches the header or presses again.
        isWanted = false;
        grips = undefined;
        throw error;
      }));
  const loadIfWanted = (event?: Event) => {
    isWanted ||= (event as KeyboardEvent).key === 'Tab' || event!.composedPath().some((node) => (node as Element).localName === 'header');
    // If the code fails to load, the panel stays in its place.
    if (isWanted && !grips && panel.layout === 'floating') loadGrips(event).catch(() => undefined);
  };
  panel.addController({
    hostConnected() {
      // Events inside the panel are visible only in its shadow root, which exists only after it has been connected.
      for (const type of ['pointerover', 'keydown']) panel.renderRoot.addEventListener(type, loadIfWanted);
    },
  });
  panel.extra = (texts) => {
    if (panel.layout !== 'floating') return nothing;
    if (isWanted) loadIfWanted();
    const isLarge = panel.hasAttribute('data-large');
    const label = isLarge ? texts.shrink : texts.expand;
    return html`<button
      type="button"
      part="expand-button"
      class="quiet square"
      aria-label=${label}
      title=${label}
      @click=${() =>
        void loadGrips().then(
          (toggle) => toggle(),
          () => undefined,
        )}
    >
      ${isLarge ? collapseIcon : expandIcon}
    </button>`;
  };
  panel.requestUpdate();
}

/** Checks whether a value is saved. A page may have no storage: in a sandboxed frame, or if the user has blocked it. */
function isStored(name: string): boolean {
  try {
    return localStorage.getItem(`tool-chat.${name}`) !== null;
  } catch {
    return false;
  }
}

/** Minimum height of a keyboard, in CSS pixels. Anything smaller is a browser toolbar that appears and disappears. */
export const MIN_KEYBOARD_HEIGHT = 80;

/** Keeps the visible part of a panel above the keyboard, as long as the panel is in the page. */
function avoidKeyboard(panel: ToolChatPanel): void {
  panel.addEventListener('input', openBySlash);
  const { visualViewport: viewport } = window;
  if (!viewport) return;
  const update = () => {
    const { height, offsetTop, scale } = viewport;
    const covered = innerHeight - height - offsetTop;
    // Zooming in also reduces the visible area, so it is ignored.
    const isOpen = panel.layout !== 'inline' && scale < 1.01 && covered + offsetTop > MIN_KEYBOARD_HEIGHT;
    panel.style.maxBlockSize = isOpen ? `${String(height)}px` : '';
    panel.style.marginBlock = isOpen ? `${String(Math.max(0, offsetTop))}px ${String(Math.max(0, covered))}px` : '';
  };
  panel.addController({
    hostConnected() {
      for (const type of ['resize', 'scroll']) viewport.addEventListener(type, update);
    },
    hostDisconnected() {
      for (const type of ['resize', 'scroll']) viewport.removeEventListener(type, update);
    },
  });
}

/** Opens the list of prompts when a slash is typed. On-screen keyboards do not report the key, so the text is checked. */
function openBySlash(event: Event): void {
  const [field] = event.composedPath();
  if (!(field instanceof HTMLTextAreaElement) || field.value !== '/' || !(event instanceof InputEvent)) return;
  if (!/^insert(?:Composition)?Text$/.test(event.inputType)) return;
  const write = (text: string) => {
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  };
  write('');
  // Without prompts, the slash is an ordinary character.
  if (field.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, composed: true, cancelable: true }))) write('/');
}
