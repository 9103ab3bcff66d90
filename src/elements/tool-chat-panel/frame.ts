/** Renders the parts around a conversation: the header, the greeting before the first message, and the groups of messages. */
import { html, nothing, type TemplateResult } from 'lit';
import type { MessageView, ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { icons } from '../icons.js';
import { exportMessage } from '../parts.js';
import { GROUP, STACK, type LazyMessages } from './lazy-messages.js';

/** Renders the header. Without `close` it has no close button; `more` are the other buttons. `covered`: a view covers the header. */
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

/** Renders the button that scrolls to the end. It is next to the log, because over the log it would cover other buttons. */
export function jumpButton(texts: Texts, hidden: boolean, jump: () => void): TemplateResult {
  return html`<button type="button" class="latest" ?hidden=${hidden} @click=${jump}>${icons.down}${texts.newMessages}</button>`;
}

/** Renders the greeting before the first message. `starters`: suggestions to begin with. */
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
 * Renders the messages in groups. The browser skips the layout of complete groups while they are off screen.
 * @param shown the groups and stacks to render; the others are empty elements without white space, because there may be hundreds
 * @param old number of messages that existed before; they appear without animation
 */
export function messageGroups(view: ViewSnapshot, shown: RenderedGroups, old: number, lang: string): TemplateResult[][] {
  const begin = Math.floor(-shown.prepended / GROUP);
  const end = Math.ceil((view.views.length - shown.prepended) / GROUP);
  const group = (at: number) => messageGroup(view, shown, at, old, lang);
  const stack = (at: number) => {
    const isOpen = shown.open.has(at);
    const groups = isOpen ? range(Math.max(begin, at * STACK), Math.min(end, (at + 1) * STACK), group) : nothing;
    return html`<div class="stack" data-at=${at} ?data-empty=${!isOpen}>${groups}</div>`;
  };
  // Each list starts with the same element as before, so that adding earlier messages does not rebuild it.
  return [range(Math.floor(begin / STACK), 0, stack), range(0, Math.ceil(end / STACK), stack)];
}

type RenderedGroups = ReturnType<LazyMessages['update']>;

const range = <T>(from: number, to: number, make: (at: number) => T): T[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => make(from + index));

function messageGroup(
  { views }: ViewSnapshot,
  { prepended, rendered }: RenderedGroups,
  at: number,
  old: number,
  lang: string,
): TemplateResult {
  const isRendered = rendered.has(at);
  const from = Math.max(0, at * GROUP + prepended);
  const end = (at + 1) * GROUP + prepended;
  const group = isRendered ? views.slice(from, end) : [];
  const isComplete = !isRendered || (end < views.length && group.every(isFinished));
  const messages = group.map(
    (message, index) =>
      html`${daySeparator(views[from + index - 1], message, lang)}<tool-chat-message
          .view=${message}
          ?fresh=${from + index >= old}
          exportparts=${exportMessage}
        ></tool-chat-message>`,
  );
  return html`<div class="group" data-at=${at} ?data-settled=${isComplete} ?data-empty=${!isRendered}>
    ${isRendered ? messages : nothing}
  </div>`;
}

/** Renders the date between messages of two days. A message without a time belongs to the day of the previous one. */
function daySeparator(before: MessageView | undefined, { message: { createdAt } }: MessageView, lang: string) {
  const at = new Date(createdAt);
  if (!before?.message.createdAt || !createdAt || new Date(before.message.createdAt).toDateString() === at.toDateString()) return nothing;
  return html`<div class="day">${at.toLocaleDateString(lang || undefined, { weekday: 'long', month: 'long', day: 'numeric' })}</div>`;
}

function isFinished({ message }: MessageView): boolean {
  return message.status.type !== 'running';
}
