/** The round button of a floating chat, loaded only if there is one. */
import { launcherAr, launcherDe, launcherEn, launcherEs, launcherFr, launcherJa, launcherZh } from '../../i18n/launcher.js';
import { pageLanguage } from '../page-language.js';
import type { ToolChat } from './tool-chat.js';

const css = `
:host(:state(floating)){--_button:clamp(48px,3.5rem,72px);display:block!important;position:fixed!important;inset:auto min(1rem,24px) max(min(1rem,24px),env(safe-area-inset-bottom)) auto;z-index:var(--tool-chat-z-index,2147483000);inline-size:auto!important;block-size:auto!important;min-inline-size:0!important;min-block-size:0!important;max-inline-size:none!important;max-block-size:none!important;margin:0!important;padding:0!important;border:0!important;overflow:visible!important;pointer-events:auto!important;contain:none!important}
:host(:state(floating):dir(rtl)){inset-inline:auto min(1rem,24px)}
:host(:state(floating):state(start)){inset-inline:min(1rem,24px) auto}
:host([hidden]){display:none!important}
@media print{:host(:state(floating)){display:none!important}}
[part=launcher]{all:unset;cursor:pointer;display:grid;place-items:center;inline-size:var(--_button);block-size:var(--_button);border-radius:50%;color:var(--tool-chat-on-accent,light-dark(#fff,#14151c));background:var(--tool-chat-accent,light-dark(#4b4fd1,#989cff));box-shadow:0 6px 20px #0003}
[part=launcher]:focus-visible{outline:3px solid var(--tool-chat-accent,light-dark(#4b4fd1,#989cff));outline-offset:3px}
@media (forced-colors:active){[part=launcher]{border:2px solid}}
`;

let sheet: CSSStyleSheet | undefined;

function makeSheet(): CSSStyleSheet {
  const created: Partial<CSSStyleSheet> = new CSSStyleSheet();
  created.replaceSync?.(css);
  return created as CSSStyleSheet;
}

/** Renders, updates or removes the button. `preload` is called once when the pointer reaches it, so that the chat can load. */
export function renderLauncher(chat: ToolChat, wanted: boolean, preload: () => void): void {
  const root = chat.shadowRoot as ShadowRoot;
  let slot = root.querySelector<HTMLSlotElement>('slot[name=launcher]');
  if (!wanted) {
    slot?.remove();
    return;
  }
  if (!slot) {
    slot = document.createElement('slot');
    slot.name = 'launcher';
    const button = document.createElement('button');
    button.setAttribute('part', 'launcher');
    button.append(icon());
    slot.append(button);
    slot.addEventListener('click', () => {
      if (chat.open) chat.hide();
      else chat.show();
    });
    slot.addEventListener('keydown', pressByKey);
    slot.addEventListener('slotchange', () => {
      makeButton(chat);
    });
    slot.addEventListener('pointerenter', preload, { once: true });
    root.append(slot);
  }
  // Moving the element to another document and back removes its style sheets, but keeps its content.
  if (chat.ownerDocument === document && !root.adoptedStyleSheets.includes((sheet ??= makeSheet()))) root.adoptedStyleSheets.push(sheet);
  const texts = textsOf(chat);
  slot.querySelector('path')?.setAttribute('d', chat.open ? CLOSE : TALK);
  const button = slot.querySelector('button');
  button?.setAttribute('aria-label', chat.open ? texts.closePanel : texts.open);
  button?.setAttribute('aria-expanded', String(chat.open));
  makeButton(chat);
}

const TALK = 'M20 11.5a7.5 7.5 0 0 1-7.5 7.5H5l1.6-2.7A7.5 7.5 0 1 1 20 11.5ZM9 10h7M9 13h4';
const CLOSE = 'm6 9 6 6 6-6';
const NATIVE = 'button, a[href], summary, input';

/** Makes the page's replacement of the button focusable and accessible like a button, whatever element it is. */
function makeButton(chat: ToolChat): void {
  const slotted = chat.querySelector<HTMLElement>(':scope > [slot=launcher]');
  const inner = slotted?.matches(NATIVE) ? slotted : (slotted?.querySelector<HTMLElement>(NATIVE) ?? slotted);
  if (!inner) return;
  if (!inner.matches(NATIVE)) {
    inner.role ??= 'button';
    if (!inner.hasAttribute('tabindex')) inner.tabIndex = 0;
    const texts = textsOf(chat);
    if (!inner.textContent.trim()) inner.ariaLabel ??= texts.open;
  }
  inner.ariaExpanded = String(chat.open);
}

/** Lets Enter and Space press a replacement that is not a native button. */
function pressByKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if ((event.key !== 'Enter' && event.key !== ' ') || event.repeat || target.matches(NATIVE) || target.role !== 'button') return;
  event.preventDefault();
  target.click();
}

const languages: Readonly<Record<string, typeof launcherEn>> = {
  __proto__: null as never,
  ...{ ar: launcherAr, de: launcherDe, es: launcherEs, fr: launcherFr, ja: launcherJa, zh: launcherZh },
};

/** Returns the texts of the button. The page's own texts override those of its language. */
const textsOf = (chat: ToolChat) => {
  const [language = ''] = (chat.lang || pageLanguage(chat)).toLowerCase().split(/[-_]/);
  return { ...(languages[language] ?? launcherEn), ...chat.texts };
};

function icon(): SVGElement {
  const create = (name: string, attributes: Record<string, string>) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
    return element;
  };
  const shape = {
    viewBox: '0 0 24 24',
    width: '26',
    height: '26',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '1.8',
    'aria-hidden': 'true',
  };
  const svg = create('svg', shape);
  svg.append(create('path', {}));
  return svg;
}
