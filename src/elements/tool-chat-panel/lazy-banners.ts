/** The bars that only a conversation has: notices, offline, retry, and results that can be sent. */
import { html, nothing, type TemplateResult } from 'lit';
import type { NoticeView, RetryView, ViewSnapshot } from '../../model/snapshot.js';
import { icons } from '../icons.js';
import { banners, errorBanner, type BannerDependencies } from './banners.js';

/** Makes panels render these bars. */
export function defineBanners(): void {
  banners.render = renderBanners;
}

const renderBanners = ({ notices, failure, offline, retry, canSendResults }: ViewSnapshot, deps: BannerDependencies) => [
  notices?.map((notice) => noticeBanner(notice, deps)) ?? nothing,
  failure ? errorBanner(failure, deps) : offline ? offlineBanner(deps) : retry?.visible ? retryBanner(retry, Date.now(), deps) : nothing,
  canSendResults ? resultsBanner(deps) : nothing,
];

function offlineBanner({ surface, texts }: BannerDependencies): TemplateResult {
  return html`<div part="error-bar" class="error" data-offline>
    <span class="sign">${icons.warning}</span>
    <p><span>${texts.offline}</span></p>
    <div class="actions">
      <button type="button" part="retry-button" @click=${() => surface?.retry()}>${texts.retry}</button>
      <button type="button" part="close-button" class="quiet" @click=${() => surface?.stop()}>${texts.cancel}</button>
    </div>
  </div>`;
}

/** @param now milliseconds since the epoch */
function retryBanner({ attempt, of, at }: RetryView, now: number, { surface, texts }: BannerDependencies): TemplateResult {
  const seconds = Math.max(0, Math.ceil((at - now) / 1000));
  return html`<div part="error-bar" class="error" data-retrying>
    <span class="spinner" aria-hidden="true"></span>
    <p><span>${seconds > 0 ? texts.retryingIn(seconds, attempt, of) : texts.reconnecting(attempt, of)}</span></p>
    <div class="actions">
      <button type="button" part="close-button" class="quiet" @click=${() => surface?.stop()}>${texts.cancel}</button>
    </div>
  </div>`;
}

function noticeBanner({ id, text, action }: NoticeView, { surface, texts }: BannerDependencies): TemplateResult {
  return html`<div part="notice" class="error notice" data-notice=${id}>
    <p>
      <span><bdi>${text}</bdi></span>
    </p>
    <div class="actions">
      ${action ? html`<button type="button" class="quiet" dir="auto" @click=${() => surface?.answerNotice(id, 'act')}>${action}</button>` : nothing}
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

/** Renders the offer to send the results of completed calls while others still wait. */
function resultsBanner({ surface, texts }: BannerDependencies): TemplateResult {
  return html`<div class="results">
    <span id="rest">${texts.sendResultsHint}</span>
    <button type="button" class="send-results" aria-describedby="rest" @click=${() => surface?.sendResults()}>${texts.sendResults}</button>
  </div>`;
}
