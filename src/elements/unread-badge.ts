/** The badge and bubble next to the launcher button of a closed chat: the number of waiting items, and the beginning of the first one. */
import { withoutHidden } from '../base/invisible.js';
import { addSheet, createSheet } from '../base/style-sheets.js';
import { fullEnglish } from '../i18n/en.js';
import type { ViewSnapshot } from '../model/snapshot.js';
import { headlineWithHost } from './sentences.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

fullEnglish();

/** Longest text in the bubble, in UTF-16 units. */
const MAX_PREVIEW = 140;

const css = `
[part=badge],[part=bubble]{position:absolute;box-sizing:border-box;font:500 14px/1.4 var(--tool-chat-font,system-ui,sans-serif)}
[part=badge]{inset:-4px -4px auto auto;min-inline-size:22px;padding:0 6px;border:2px solid var(--tool-chat-background,light-dark(#fff,#151619));border-radius:12px;color:light-dark(#fff,#1c1d21);background:var(--tool-chat-danger,light-dark(#bf2c2c,#ff8f88));font-size:12px;text-align:center;pointer-events:none}
[part=bubble]{inset-block-end:calc(100% + 14px);inset-inline-end:0;display:flex;align-items:flex-start;inline-size:max-content;max-inline-size:min(300px,calc(100vw - 32px));border-radius:calc(var(--tool-chat-radius,12px) + 2px);color:var(--tool-chat-color,light-dark(#1c1d21,#ededf0));background:var(--tool-chat-background,light-dark(#fff,#1d1e22));box-shadow:0 2px 4px #0002,0 10px 30px #0003}
[part=bubble] button{all:unset;box-sizing:border-box;cursor:pointer;border-radius:inherit}
[part=bubble] .text{padding:12px 4px 12px 16px;overflow-wrap:anywhere}
[part=bubble] .text b{display:block;font-weight:620}
[part=bubble] .away{flex:none;display:grid;place-items:center;inline-size:44px;block-size:44px;font-size:18px;opacity:.72}
[part=bubble] button:focus-visible{outline:2px solid var(--tool-chat-accent,light-dark(#4b4fd1,#989cff));outline-offset:-4px}
[part=bubble] [role=status]:empty,[part=bubble]:not(:has(b)){display:none}
:host(:state(start)) [part=bubble]{inset-inline:0 auto}
@media (forced-colors:active){[part=badge],[part=bubble]{border:2px solid}}
@media (prefers-reduced-motion:no-preference){[part=bubble]{animation:tool-chat-news .2s ease-out}}
@keyframes tool-chat-news{from{opacity:0;translate:0 6px}}
`;

export interface UnreadBadge {
  /** Shows the badge and bubble. `seen`: number of messages that the user has already seen. */
  show(seen: number): void;
  clear(): void;
}

export function createUnreadBadge(host: HTMLElement & { show(): void }, panel: () => ToolChatPanel): UnreadBadge {
  const root = host.shadowRoot as ShadowRoot;
  addSheet(root, createSheet(css));

  const badge = make('span', { part: 'badge', 'aria-hidden': 'true' });
  const bubble = make('div', { part: 'bubble' });
  // The live region is empty at first: some screen readers do not announce a region that appears together with its text.
  const status = make('div', { role: 'status' });
  const open = make('button', { type: 'button', class: 'text' });
  const dismiss = make('button', { type: 'button', class: 'away' });
  dismiss.textContent = '×';
  status.append(open);
  bubble.append(status, dismiss);
  /** Key of the item that the user dismissed. */
  let dismissed = '';
  let shownKey = '';
  open.addEventListener('click', () => {
    const launcher = root.querySelector<HTMLElement>('[part=launcher]');
    // Focus the launcher first, so that `show` moves the focus into the panel.
    launcher?.focus();
    host.show();
  });
  dismiss.addEventListener('click', () => {
    dismissed = shownKey;
    open.replaceChildren();
    root.querySelector<HTMLElement>('[part=launcher]')?.focus();
  });

  return {
    show(seen) {
      const { texts } = panel();
      const view = panel().surface?.view;
      const unread = view && texts && unreadOf(view, seen, texts);
      if (!unread) return;
      if (!badge.isConnected) root.append(badge, bubble);
      badge.textContent = unread.count > 9 ? '9+' : String(unread.count);
      dismiss.setAttribute('aria-label', texts.putAway);
      if (shownKey === unread.about || dismissed === unread.about) return;
      shownKey = unread.about;
      const heading = make('b', { dir: 'auto' });
      heading.textContent = unread.heading;
      const beginning = make('span', { dir: 'auto' });
      beginning.textContent = unread.text;
      open.replaceChildren(heading, beginning);
    },
    clear() {
      shownKey = '';
      open.replaceChildren();
      badge.remove();
      bubble.remove();
    },
  };
}

/** Returns the content of the badge and bubble. Approvals come before answers, because they block the turn. */
function unreadOf(view: ViewSnapshot, seen: number, texts: NonNullable<ToolChatPanel['texts']>) {
  const waiting = Object.values(view.cards).filter(({ status }) => status === 'awaiting_approval');
  const [first] = waiting;
  if (first)
    return {
      count: waiting.length,
      about: `call ${first.requestId}`,
      heading: texts.waitingForConfirmation,
      text: withoutHidden(headlineWithHost(first, texts)),
    };
  const answers = view.views.slice(seen).filter(({ message }) => message.role === 'assistant');
  const last = answers.at(-1)?.message;
  if (!last) return undefined;
  const text = withoutHidden(last.text)
    .replace(/[*_`#>|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return {
    ...{ count: answers.length, about: `answer ${last.id}`, heading: texts.newAnswer },
    text: text.length > MAX_PREVIEW ? `${text.slice(0, MAX_PREVIEW).trimEnd()}…` : text,
  };
}

function make(name: string, attributes: Readonly<Record<string, string>>): HTMLElement {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}
