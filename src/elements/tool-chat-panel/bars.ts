/** What stands between the messages and the text field when something is not as usual: what failed, what waits, what the person can do. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ConversationSurface, FailureView, NoticeView, RetryView } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { icons } from '../icons.js';
import { exportFault } from '../parts.js';

export interface BarDependencies {
  texts: Texts;
  surface: ConversationSurface | undefined;
  /** Of the panel; a failure can have its own. */
  helpUrl: string;
  feedbackUrl: string;
}

export function failureBar(failure: FailureView, { surface, texts, helpUrl: defaultHelp, feedbackUrl }: BarDependencies): TemplateResult {
  const { lines, canRetry, helpUrl, offer } = failure;
  const help = httpUrl(helpUrl ?? defaultHelp);
  return html`<div part="error-bar" class="error">
    <span class="sign">${icons.warning}</span>
    <p>
      ${lines.map((line, at) => (at === 0 ? html`<strong><span class="unseen" aria-hidden="true">⚠️ </span>${line}</strong>` : html`<span>${line}</span>`))}
      ${help ? html`<a href=${help} target="_blank" rel="noopener noreferrer">${texts.help}</a>` : nothing}
    </p>
    <div class="choices">
      ${offer ? html`<button type="button" part="offer-button" @click=${() => surface?.takeOffer()}>${offer}</button>` : nothing}
      ${canRetry ? html`<button type="button" part="retry-button" @click=${() => surface?.retry()}>${texts.retry}</button>` : nothing}
      <button type="button" part="close-button" class="quiet" @click=${() => surface?.dismissError()}>${texts.close}</button>
    </div>
    <tool-chat-fault
      .failure=${failure}
      .surface=${surface}
      .feedbackUrl=${httpUrl(feedbackUrl)}
      exportparts=${exportFault}
    ></tool-chat-fault>
  </div>`;
}

export function offlineBar({ surface, texts }: BarDependencies): TemplateResult {
  return html`<div part="error-bar" class="error" data-offline>
    <span class="sign">${icons.warning}</span>
    <p><span>${texts.offline}</span></p>
    <div class="choices">
      <button type="button" part="retry-button" @click=${() => surface?.retry()}>${texts.retry}</button>
      <button type="button" part="close-button" class="quiet" @click=${() => surface?.stop()}>${texts.cancel}</button>
    </div>
  </div>`;
}

/** @param now milliseconds since the epoch */
export function retryBar({ attempt, of, at }: RetryView, now: number, { surface, texts }: BarDependencies): TemplateResult {
  const seconds = Math.max(0, Math.ceil((at - now) / 1000));
  return html`<div part="error-bar" class="error" data-retrying>
    <span class="spinner" aria-hidden="true"></span>
    <p><span>${seconds > 0 ? texts.retryingIn(seconds, attempt, of) : texts.reconnecting(attempt, of)}</span></p>
    <div class="choices">
      <button type="button" part="close-button" class="quiet" @click=${() => surface?.stop()}>${texts.cancel}</button>
    </div>
  </div>`;
}

export function noticeBar({ id, text, action }: NoticeView, { surface, texts }: BarDependencies): TemplateResult {
  return html`<div part="notice" class="error notice" data-notice=${id}>
    <p><span>${text}</span></p>
    <div class="choices">
      ${action ? html`<button type="button" class="quiet" @click=${() => surface?.answerNotice(id, 'act')}>${action}</button>` : nothing}
      <button
        type="button"
        part="close-button"
        class="quiet square"
        aria-label=${texts.closeNotice(text)}
        title=${texts.close}
        @click=${() => surface?.answerNotice(id, 'close')}
      >
        ${icons.close}
      </button>
    </div>
  </div>`;
}

/** Some have run, some wait: those that ran can be told as they are. */
export function resultsBar({ surface, texts }: BarDependencies): TemplateResult {
  return html`<div class="results">
    <span id="rest">${texts.sendResultsHint}</span>
    <button type="button" class="send-results" aria-describedby="rest" @click=${() => surface?.sendResults()}>${texts.sendResults}</button>
  </div>`;
}

/** A message that waits for its turn. */
export function queuedMessage(text: string, texts: Texts, remove: () => void): TemplateResult {
  return html`<div class="queued">
    <p>${text}</p>
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
