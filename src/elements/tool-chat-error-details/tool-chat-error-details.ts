/** The second part of the error bar: details, "check configuration" and feedback. The first part works without it. */
import { html, nothing, type PropertyValues, css } from 'lit';
import type { ConversationSurface, FailureView } from '../../model/snapshot.js';
import type { CheckReport } from '../../model/config-findings.js';
import { errorsEn, errorTexts, type ErrorTexts } from '../../i18n/error-texts.js';
import { PanelElement } from '../context.js';
import { icons } from '../icons.js';
import { shared } from '../shared.styles.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  :host {
    display: flex;
    flex-wrap: wrap;
    align-items: start;
    gap: 4px 12px;
    font-size: var(--_small);
  }

  summary {
    display: flex;
    align-items: center;
    gap: 4px;
    min-height: 28px;
    color: var(--_muted);
    cursor: pointer;
  }

  summary svg {
    transition: rotate 0.15s;
  }

  details[open] summary svg {
    rotate: 90deg;
  }

  dl {
    display: grid;
    gap: 2px;
    margin: 0;
  }

  dl div {
    display: flex;
    gap: 6px;
  }

  dt {
    color: var(--_muted);
  }

  dd {
    margin: 0;
    font-family: var(--_mono);
    overflow-wrap: anywhere;
  }

  .more {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 10px;
    margin-block-start: 4px;
  }

  .more button {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    min-height: 28px;
    padding-inline: 8px;
  }

  a {
    color: var(--_accent);
  }

  .spinner {
    width: 12px;
    height: 12px;
  }

  .found {
    flex-basis: 100%;
    overflow-wrap: anywhere;
  }

  .found strong {
    font-weight: 580;
  }

  .found small {
    display: block;
    color: var(--_muted);
    font-size: var(--_tiny);
  }
`;

/** Error codes that are not related to the connection. */
const OTHER_CODES: readonly string[] = ['LIMIT', 'STORAGE'];

/**
 * @summary Shows details of an error of the conversation, and checks the connection to its endpoint.
 * @tagname tool-chat-error-details
 * @csspart error-details - Code, status and class.
 * @csspart check-button - Runs the configuration check.
 * @csspart check-result - Findings of the check, and what to do.
 * @csspart feedback-button - A link to `feedback-url`, or a button that dispatches `tool-chat-feedback`.
 */
export class ToolChatErrorDetails extends PanelElement {
  static override styles = [shared, styles];
  static override properties = {
    failure: { attribute: false },
    surface: { attribute: false },
    feedbackUrl: { attribute: false },
    report: { state: true },
    checking: { state: true },
  };

  /** The error shown in the bar. */
  declare failure: FailureView | undefined;
  declare surface: Pick<ConversationSurface, 'checkConfiguration' | 'giveFeedback'> | undefined;
  /** URL for feedback. The owner ensures that it is http or https. */
  declare feedbackUrl: string | undefined;
  declare protected report: CheckReport | undefined;
  declare protected checking: boolean;

  constructor() {
    super();
    this.checking = false;
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    const before = changed.get('failure');
    // Another error may have another cause.
    if (before && before.error.code !== this.failure?.error.code) this.report = undefined;
  }

  override render() {
    const services = this.services;
    const error = this.failure?.error;
    if (!services || !error) return nothing;
    const texts = errorTexts(services.texts);
    // If the page provides a language that we do not have, our texts stay English.
    const [lang, dir] = texts === errorsEn && !/^en\b/i.test(services.lang) ? ['en', 'ltr'] : [nothing, nothing];
    const rows = [
      [texts.code, error.code],
      [texts.status, error.status],
      [texts.errorType, error.errorType],
      [texts.said, this.failure?.details],
    ].filter(([, value]) => value !== undefined);
    return html`
      <details part="error-details">
        <summary>${icons.chevron}<span>${services.texts.showDetails}</span></summary>
        <dl lang=${lang} dir=${dir}>
          ${rows.map(
            ([name, value]) =>
              html`<div>
                <dt>${name}</dt>
                <dd><bdi>${value}</bdi></dd>
              </div>`,
          )}
        </dl>
        <div class="more" lang=${lang} dir=${dir}>
          ${
            OTHER_CODES.includes(error.code)
              ? nothing
              : html`<button
                  type="button"
                  part="check-button"
                  class="quiet"
                  dir="auto"
                  aria-disabled=${String(this.checking)}
                  @click=${this.#check}
                >
                  ${this.checking ? html`<span class="spinner" aria-hidden="true"></span>${texts.checking}` : texts.check}
                </button>`
          }
          ${
            this.feedbackUrl
              ? html`<a
                  part="feedback-button"
                  dir="auto"
                  href=${this.feedbackUrl}
                  target="_blank"
                  rel="noopener noreferrer"
                  @click=${this.#giveFeedback}
                  >${texts.feedback}</a
                >`
              : html`<button type="button" part="feedback-button" class="quiet" dir="auto" @click=${this.#giveFeedback}>
                  ${texts.feedback}
                </button>`
          }
        </div>
      </details>
      ${this.report ? html`<div class="found" lang=${lang} dir=${dir}>${this.#renderReport(this.report, texts)}</div>` : nothing}
    `;
  }

  #renderReport(report: CheckReport, texts: ErrorTexts) {
    const [what, advice] = texts.findings[report.finding](report);
    return html`<div part="check-result" data-finding=${report.finding}>
      <strong>${what}</strong> <span>${advice}</span>
      ${report.endpoint ? html`<small>${texts.asked} <bdi dir="ltr">${report.endpoint}</bdi></small>` : nothing}
    </div>`;
  }

  async #check() {
    const { surface } = this;
    const services = this.services;
    if (!surface || !services || this.checking) return;
    this.checking = true;
    services.announce(errorTexts(services.texts).checking);
    try {
      const report = await surface.checkConfiguration();
      this.report = report;
      services.announce(errorTexts(services.texts).findings[report.finding](report).join(' '));
    } finally {
      this.checking = false;
    }
  }

  #giveFeedback() {
    this.surface?.giveFeedback();
  }
}

defineOnce('tool-chat-error-details', ToolChatErrorDetails);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-error-details': ToolChatErrorDetails;
  }
}
