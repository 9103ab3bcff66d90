/** Renders the parts of a panel around its messages (header, greeting, status line), and the groups of messages. */
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

/** Returns the number of calls that wait for approval. */
export const countWaiting = (view: ViewSnapshot): number =>
  Object.values(view.cards).filter((card) => card.status === 'awaiting_approval').length;

/**
 * Renders the status line. It is not a live region, because the announcer speaks the important changes.
 *
 * @param waiting number of calls that wait for approval. `fetching`: a model is being downloaded
 */
export function statusRow(view: ViewSnapshot, waiting: number, fetching: boolean, texts: Texts): TemplateResult {
  const status = statusLine(view, texts);
  return html`<div part="status" class="status" data-state=${view.state} ?data-waiting=${waiting > 0 && !view.isToolExecuting}>
    ${view.isLoading && status && !fetching ? html`<span class="spinner" aria-hidden="true"></span>` : nothing}<span
      id="status"
      dir="auto"
      class=${view.isLoading ? '' : 'visually-hidden'}
      aria-live="off"
      .textContent=${status}
    ></span>
    ${view.planning ? html`<span class="words mode" dir="auto">${texts.planMode}</span>` : nothing}
    ${view.confirmWords && waiting > 0 ? html`<span class="words" dir="auto">${view.confirmWords.join(' · ')}</span>` : nothing}
    ${fetching ? html`<progress max="1" .value=${view.loaded} aria-labelledby="status"></progress>` : nothing}
  </div>`;
}

export function statusLine(view: ViewSnapshot, texts: Texts): string {
  const activities = new Set(view.activities);
  if (view.retry?.visible || view.offline) return ''; // the bar above shows the countdown or the reason
  if (view.loaded !== undefined) return texts.loadingModel(Math.round(view.loaded * 100));
  if (activities.has('parsing')) return texts.readingCall;
  // A running tool has priority over a waiting card, because it ends by itself.
  if (view.isToolExecuting || activities.has('executing')) return texts.runningAnyTool;
  if (activities.has('awaitingApproval')) return waitingLine(view, texts);
  if (activities.has('streaming')) return view.streamingText ? texts.answering : texts.thinking;
  return stateLine(view, texts);
}

/** Returns the text for each of the six states, however short it lasts. */
function stateLine({ state, isLoading }: ViewSnapshot, texts: Texts): string {
  if (state === 'tool_call') return texts.stateToolCall;
  if (state === 'tool_result') return texts.stateToolResult;
  if (state === 'decide') return texts.stateDecide;
  return isLoading ? texts.working : texts.stateIdle;
}

/** Returns how the first waiting link of a chain can be confirmed. */
function waitingLine({ cards }: ViewSnapshot, texts: Texts): string {
  const link = Object.values(cards).find(({ status, confirm }) => status === 'awaiting_approval' && confirm);
  if (!link) return texts.waitingForConfirmation;
  return link.confirm === 'button' ? texts.stepNeedsButton : texts.replyToContinue;
}
