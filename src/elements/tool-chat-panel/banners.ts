/** The bars between the messages and the text field: an error with the user's options, a queued message, and what loads with them. */
import { html, nothing, type TemplateResult, type ReactiveController, type ReactiveControllerHost } from 'lit';
import type { ConversationSurface, FailureView, ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { icons } from '../icons.js';
import { exportErrorDetails } from '../parts.js';
import { loadFor } from '../../base/load.js';
import { isApprovalList, batchableCards } from '../pending-calls.js';

export interface BannerDependencies {
  texts: Texts;
  surface: ConversationSurface | undefined;
  /** The panel's help URL. A failure can have its own. */
  helpUrl: string;
  feedbackUrl: string;
}

/** The bars that the panel currently supports. Before there is a conversation, only loading it can fail; `lazy-banners.ts` adds the others. */
export const banners = {
  render: ({ failure }: ViewSnapshot, deps: BannerDependencies): unknown => (failure ? errorBanner(failure, deps) : nothing),
};

export function errorBanner(
  failure: FailureView,
  { surface, texts, helpUrl: defaultHelp, feedbackUrl }: BannerDependencies,
): TemplateResult {
  const { lines, canRetry, helpUrl, offer } = failure;
  const help = httpUrl(helpUrl ?? defaultHelp);
  return html`<div part="error-bar" class="error">
    <span class="sign">${icons.warning}</span>
    <p>
      ${lines.map((line, at) => (at === 0 ? html`<strong><span class="visually-hidden" aria-hidden="true">⚠️ </span><bdi>${line}</bdi></strong>` : html`<span><bdi>${line}</bdi></span>`))}
      ${help ? html`<a href=${help} target="_blank" rel="noopener noreferrer">${texts.help}</a>` : nothing}
    </p>
    <div class="actions">
      ${offer ? html`<button type="button" part="offer-button" dir="auto" @click=${() => surface?.takeOffer()}>${offer}</button>` : nothing}
      ${canRetry ? html`<button type="button" part="retry-button" @click=${() => surface?.retry()}>${texts.retry}</button>` : nothing}
      <button type="button" part="close-button" class="quiet" @click=${() => surface?.dismissError()}>${texts.close}</button>
    </div>
    <tool-chat-error-details
      .failure=${failure}
      .surface=${surface}
      .feedbackUrl=${httpUrl(feedbackUrl)}
      exportparts=${exportErrorDetails}
    ></tool-chat-error-details>
  </div>`;
}

/** Renders a queued message. */
export function queuedMessage(text: string, texts: Texts, remove: () => void): TemplateResult {
  return html`<div class="queued">
    <p dir="auto">${text}</p>
    <small
      >${texts.messageQueued}
      <button type="button" class="quiet square" aria-label=${texts.removeQueued(text)} title=${texts.removeQueued(text)} @click=${remove}>
        ${icons.close}
      </button></small
    >
  </div>`;
}

function httpUrl(text: string): string | undefined {
  const url = URL.canParse(text, document.baseURI) ? new URL(text, document.baseURI) : undefined;
  return text && url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
}

/** Updates its host four times a second, only while a countdown is shown. */
export class Countdown implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #timer = 0;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  run(isVisible: boolean): void {
    if (isVisible === Boolean(this.#timer)) return;
    this.hostDisconnected();
    if (isVisible) this.#timer = setInterval(() => this.#host.requestUpdate(), 250) as unknown as number;
  }

  hostDisconnected(): void {
    clearInterval(this.#timer);
    this.#timer = 0;
  }
}

/** Number of waiting calls from which one bar decides all of them, even if they are not one list. */
const BATCH_FROM = 4;

export const hasBatch = (view: ViewSnapshot): boolean => isApprovalList(view.cards) || batchableCards(view.cards).length >= BATCH_FROM;

export function loadElementsFor(view: ViewSnapshot): void {
  if (hasBatch(view) && !customElements.get('tool-chat-batch')) loadFor(() => import('../tool-chat-approval/tool-chat-batch.js'));
  // The error bar works without it, in case nothing can be loaded.
  if (view.failure && !customElements.get('tool-chat-error-details'))
    loadFor(() => import('../tool-chat-error-details/tool-chat-error-details.js'));
}
