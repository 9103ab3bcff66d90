/** A replacement for a card whose code could not be loaded: it says so, and lets the user cancel a waiting call. */
import { ContextConsumer } from '@lit/context';
import { css, html, LitElement, nothing } from 'lit';
import type { CardStatus } from '../../model/calls.js';
import { servicesContext, viewContext } from '../context.js';
import { PanelRequestEvent } from '../panel-requests.js';
import { shared } from '../shared.styles.js';

const OPEN: readonly CardStatus[] = ['pending', 'queued', 'awaiting_approval', 'executing'];

/** The element. The card hides it as soon as it renders. */
export class MissingCard extends LitElement {
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

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  readonly #view = new ContextConsumer(this, { context: viewContext, subscribe: true });

  override render() {
    const { texts } = this.#services.value ?? {};
    if (!texts) return nothing;
    const card = this.#view.value?.cards[this.requestId ?? ''];
    const { status, toolName } = card ?? {};
    const isOff = status === 'denied' || status === 'cancelled';
    return html`<section data-status=${status ?? nothing} data-request-id=${this.requestId ?? nothing}>
      <span>${toolName ? html`<bdi>${toolName}</bdi>: ` : nothing}${isOff ? texts.notExecuted : texts.loadFailed}</span>
      ${
        status && OPEN.includes(status)
          ? html`<button type="button" @click=${() => this.dispatchEvent(new PanelRequestEvent({ type: 'stop' }))}>${texts.cancel}</button>`
          : nothing
      }
    </section>`;
  }
}
