/** What stands around a conversation: the line at the top, the greeting before the first message, and messages in groups. */
import { html, nothing, type TemplateResult } from 'lit';
import type { MessageView, ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { icons } from '../icons.js';
import { exportMessage } from '../parts.js';
import { GROUP, STACK, type Backfill } from './backfill.js';

/** Without `close` there is no button for it; `more` are the other buttons. `covered`: something stands over it. */
export function panelHeader(
  heading: string,
  texts: Texts,
  more: unknown,
  close: (() => unknown) | undefined,
  covered = false,
): TemplateResult {
  return html`<header part="header" ?inert=${covered}>
    <slot name="header"
      ><span part="logo" class="logo">${icons.mark}</span>
      <h2 part="title" dir="auto">${heading}</h2></slot
    ><span class="more"></span>${more}${
      close
        ? html`<button
            type="button"
            part="close-button"
            class="quiet square"
            aria-label=${texts.closePanel}
            title=${texts.closePanel}
            @click=${close}
          >
            ${icons.close}
          </button>`
        : nothing
    }
  </header>`;
}

/** Beside the conversation: over it, it would cover what is about to be pressed there. */
export function jumpButton(texts: Texts, hidden: boolean, jump: () => void): TemplateResult {
  return html`<button type="button" class="latest" ?hidden=${hidden} @click=${jump}>${icons.down}${texts.newMessages}</button>`;
}

/** Before the first message; `starters`: what one can begin with. */
export function greeting(texts: Texts, starters: unknown): TemplateResult {
  return html`<div class="empty">
    <slot name="empty"
      ><span part="logo" class="logo large">${icons.mark}</span>
      <p>${texts.emptyTitle}</p>
      ${starters}</slot
    >
  </div>`;
}

/**
 * Groups that are full and finished are skipped by layout while they are off screen.
 * @param shown what is drawn of it; the rest is empty, and has no blanks either: there may be hundreds
 * @param old so many messages were there before, and do not move in
 */
export function messageGroups(view: ViewSnapshot, shown: Shown, old: number, lang: string): TemplateResult[][] {
  const begin = Math.floor(-shown.prepended / GROUP);
  const end = Math.ceil((view.views.length - shown.prepended) / GROUP);
  const group = (at: number) => messageGroup(view, shown, at, old, lang);
  const stack = (at: number) => {
    const isOpen = shown.open.has(at);
    const groups = isOpen ? range(Math.max(begin, at * STACK), Math.min(end, (at + 1) * STACK), group) : nothing;
    return html`<div class="stack" data-at=${at} ?data-empty=${!isOpen}>${groups}</div>`;
  };
  // Each list begins with the same element as before, whatever comes before it.
  return [range(Math.floor(begin / STACK), 0, stack), range(0, Math.ceil(end / STACK), stack)];
}

type Shown = ReturnType<Backfill['of']>;

const range = <T>(from: number, to: number, make: (at: number) => T): T[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, place) => make(from + place));

function messageGroup({ views }: ViewSnapshot, { prepended, drawn }: Shown, at: number, old: number, lang: string): TemplateResult {
  const isDrawn = drawn.has(at);
  const from = Math.max(0, at * GROUP + prepended);
  const end = (at + 1) * GROUP + prepended;
  const group = isDrawn ? views.slice(from, end) : [];
  const settled = !isDrawn || (end < views.length && group.every(isSettled));
  const messages = group.map(
    (message, place) =>
      html`${daySeparator(views[from + place - 1], message, lang)}<tool-chat-message
          .view=${message}
          ?fresh=${from + place >= old}
          exportparts=${exportMessage}
        ></tool-chat-message>`,
  );
  return html`<div class="group" data-at=${at} ?data-settled=${settled} ?data-empty=${!isDrawn}>${isDrawn ? messages : nothing}</div>`;
}

/** Between messages of two days. Those of no known time belong to the one before. */
function daySeparator(before: MessageView | undefined, { message: { createdAt } }: MessageView, lang: string) {
  const at = new Date(createdAt);
  if (!before?.message.createdAt || !createdAt || new Date(before.message.createdAt).toDateString() === at.toDateString()) return nothing;
  return html`<div class="day">${at.toLocaleDateString(lang || undefined, { weekday: 'long', month: 'long', day: 'numeric' })}</div>`;
}

function isSettled({ message }: MessageView): boolean {
  return message.status.type !== 'running';
}
