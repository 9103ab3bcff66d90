/** A floating panel can be made large and small again; the person's choice holds for the next visit, too. */
import { html, nothing } from 'lit';
import { icon } from './icons.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

const larger = icon('M9.5 2.8h3.7v3.7M13.2 2.8 9.3 6.7M6.5 13.2H2.8V9.5M2.8 13.2l3.9-3.9');
const smaller = icon('M13 6.7H9.3V3M9.3 6.7l4-4M3 9.3h3.7V13M6.7 9.3l-4 4');

/** In a window as small as that of a phone a floating panel fills it anyway. */
const css = `
@media (min-width:480.02px) and (min-height:480.02px){
  :host([layout=floating]) tool-chat-panel[data-large]{position:fixed;inset:1.5rem 1rem 5.5rem auto;translate:none!important;inline-size:min(calc(100vw - 2rem),max(56rem,var(--tool-chat-width,0px)));block-size:auto}
  :host([layout=floating]) tool-chat-panel[data-large][data-from-left]{inset-inline:auto;left:1rem}
  :host([layout=floating]) tool-chat-panel[data-large][data-from-top]{inset-block:5.5rem 1.5rem}
}
@media (prefers-reduced-motion:no-preference){:host([layout=floating][open]) tool-chat-panel{animation:tool-chat-open .18s ease-out}}
@keyframes tool-chat-open{from{opacity:0;transform:translateY(10px)}}
@media (max-width:480px),(max-height:480px){tool-chat-panel::part(expand-button){display:none}}
`;

const KEY = 'tool-chat.large';

/** Puts the button into the header of a panel that stands in `element`; drawn only while it floats. */
export function letExpand(element: HTMLElement, panel: ToolChatPanel): void {
  // Style sheets belong to the document of the script.
  if (element.ownerDocument !== document) return;
  const rules = new CSSStyleSheet();
  rules.replaceSync(css);
  element.shadowRoot?.adoptedStyleSheets.push(rules);
  panel.toggleAttribute('data-large', wasLarge());
  const toggle = () => {
    remember(panel.toggleAttribute('data-large'));
    panel.requestUpdate();
  };
  panel.extra = (texts) => {
    if (panel.layout !== 'floating') return nothing;
    const isLarge = panel.hasAttribute('data-large');
    const label = isLarge ? texts.shrink : texts.expand;
    return html`<button type="button" part="expand-button" class="quiet square" aria-label=${label} title=${label} @click=${toggle}>
      ${isLarge ? smaller : larger}
    </button>`;
  };
  panel.requestUpdate();
}

/** A page may have no storage: a frame in a sandbox, or one that a person has shut. */
function wasLarge(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

function remember(isLarge: boolean): void {
  try {
    if (isLarge) localStorage.setItem(KEY, '1');
    else localStorage.removeItem(KEY);
  } catch {
    // It holds until the page is left.
  }
}
