/** The second part of the error bar: details, "check configuration" and feedback. The first part works without it. */
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { ConversationSurface, FailureView } from '../../model/snapshot.js';
import type { CheckReport } from '../../model/config-findings.js';
import { errorsEn, errorTexts, type ErrorTexts } from '../../i18n/error-texts.js';
import { servicesContext } from '../context.js';
import { icons } from '../icons.js';
import { shared } from '../shared.styles.js';
import { styles } from './tool-chat-error-details.styles.js';

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
export class ToolChatErrorDetails extends LitElement {
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

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });

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
    const services = this.#services.value;
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
    const services = this.#services.value;
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

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-error-details': ToolChatErrorDetails;
  }
}
