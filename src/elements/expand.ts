/**
 * A floating panel can be made large and small again, moved and sized; the person's choice holds for the next visit, too. What does it is loaded
 * for whoever chose once, comes to the header, or goes about by keys.
 */
import { html, nothing } from 'lit';
import { load } from '../base/load.js';
import { addSheet, createSheet } from '../base/style-sheets.js';
import { icon } from './icons.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

const larger = icon('M9.5 2.8h3.7v3.7M13.2 2.8 9.3 6.7M6.5 13.2H2.8V9.5M2.8 13.2l3.9-3.9');
const smaller = icon('M13 6.7H9.3V3M9.3 6.7l4-4M3 9.3h3.7V13M6.7 9.3l-4 4');

/** In a window as small as that of a phone a floating panel fills it anyway. */
const css = `
:host(:state(floating)) tool-chat-panel::part(header){touch-action:pinch-zoom}
@media (prefers-reduced-motion:no-preference){:host(:state(floating):state(open)) tool-chat-panel{animation:tool-chat-open .18s ease-out}}
@keyframes tool-chat-open{from{opacity:0;transform:translateY(10px)}}
@media (max-width:480px),(max-height:480px){tool-chat-panel::part(expand-button){display:none}}
`;

/** Puts the button into the header of a panel that stands in `element`; drawn only while it floats. */
export function letExpand(element: HTMLElement, panel: ToolChatPanel): void {
  // Style sheets belong to the document of the script.
  if (element.ownerDocument !== document) return;
  if (element.shadowRoot) addSheet(element.shadowRoot, createSheet(css));
  const wasLarge = isKept('large');
  panel.toggleAttribute('data-large', wasLarge);
  let wanted = wasLarge || isKept('place');
  let grips: Promise<() => void> | undefined;
  const come = (event?: Event) =>
    (grips ??= load(() => import('./grips.js'))
      .then(({ letMove }) => letMove(element, panel, event))
      .catch((error: unknown) => {
        // Not with every drawing: when somebody comes to the header again, or presses.
        wanted = false;
        grips = undefined;
        throw error;
      }));
  const look = (event?: Event) => {
    wanted ||= (event as KeyboardEvent).key === 'Tab' || event!.composedPath().some((node) => (node as Element).localName === 'header');
    // What does not come leaves it where it is.
    if (wanted && !grips && panel.layout === 'floating') come(event).catch(() => undefined);
  };
  panel.addController({
    hostConnected() {
      // What moves within the panel is heard only inside, and there is an inside only in a page.
      for (const type of ['pointerover', 'keydown']) panel.renderRoot.addEventListener(type, look);
    },
  });
  panel.extra = (texts) => {
    if (panel.layout !== 'floating') return nothing;
    if (wanted) look();
    const isLarge = panel.hasAttribute('data-large');
    const label = isLarge ? texts.shrink : texts.expand;
    return html`<button
      type="button"
      part="expand-button"
      class="quiet square"
      aria-label=${label}
      title=${label}
      @click=${() =>
        void come().then(
          (toggle) => toggle(),
          () => undefined,
        )}
    >
      ${isLarge ? smaller : larger}
    </button>`;
  };
  panel.requestUpdate();
}

/** A page may have no storage: a frame in a sandbox, or one that a person has shut. */
function isKept(name: string): boolean {
  try {
    return localStorage.getItem(`tool-chat.${name}`) !== null;
  } catch {
    return false;
  }
}
