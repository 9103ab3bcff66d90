/** A replacement for a card whose code could not be loaded: it says so, and lets the user cancel a waiting call. */
import { css, html, nothing } from 'lit';
import type { CardStatus } from '../../model/calls.js';
import { ViewElement } from '../context.js';
import { shared } from '../shared.styles.js';

const OPEN: readonly CardStatus[] = ['pending', 'queued', 'awaiting_approval', 'executing'];

/** The element. The card hides it as soon as it renders. */
export class MissingCard extends ViewElement {
  static override styles = [
    shared,
    css`
      section {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 8px;
        margin-block: 8px;
        padding: 8px 12px;
        border: 1px solid var(--_line-strong);
        border-radius: var(--_radius);
      }
    `,
  ];
  static override properties = { requestId: { attribute: false } };

  /** The call's id; absent for a plan or questions, which the user answers in the text field. */
  declare requestId: string | undefined;

  override render() {
    const { texts, surface } = this.services ?? {};
    if (!texts) return nothing;
    const card = this.snapshot?.cards[this.requestId ?? ''];
    const { status, toolName } = card ?? {};
    const isOff = status === 'denied' || status === 'cancelled';
    return html`<section data-status=${status ?? nothing} data-request-id=${this.requestId ?? nothing}>
      <span>${toolName ? html`<bdi>${toolName}</bdi>: ` : nothing}${isOff ? texts.notExecuted : texts.loadFailed}</span>
      ${status && OPEN.includes(status) ? html`<button type="button" @click=${() => surface?.stop()}>${texts.cancel}</button>` : nothing}
    </section>`;
  }
}
