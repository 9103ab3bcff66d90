/** The list of permissions, which the user can revoke. */
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Grant } from '../../model/grants.js';
import { servicesContext } from '../context.js';
import { shared } from '../shared.styles.js';
import { renderVisible } from '../value-view.js';
import { valueStyles } from '../value-view.styles.js';
import { styles } from './tool-chat-grants.styles.js';

/** Longest delay of a timer, in milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Requests that a permission is revoked. It bubbles to the panel and no further. Any script may send it, like `revoke(grantId)`. */
export class RevokeRequestEvent extends Event {
  static readonly type = 'tool-chat-revoke-request';

  readonly grantId: string;

  constructor(grantId: string) {
    super(RevokeRequestEvent.type, { bubbles: true });
    this.grantId = grantId;
  }
}

/**
 * @summary Lists the permissions that skip approval, each with a button that revokes it.
 * @tagname tool-chat-grants
 * @csspart grants - The list of permissions.
 * @csspart grant - One permission, in words.
 * @csspart revoke-button - Revokes the permission.
 */
export class ToolChatGrants extends LitElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = { grants: { attribute: false } };

  /** The permissions of the conversation. Expired ones are not shown. */
  declare grants: readonly Grant[];

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  #timer: ReturnType<typeof setTimeout> | undefined;
  #rows: readonly Grant[] = [];
  #previousRows: readonly Grant[] = [];
  /** Index of the row whose button has the focus. */
  #focusedRow = -1;
  /** The permission that the user wants to revoke. */
  #revoking: Grant | undefined;

  constructor() {
    super();
    this.grants = [];
  }

  override connectedCallback() {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  override render() {
    const texts = this.#services.value?.texts;
    if (!texts) return nothing;
    const rows = this.#rows;
    return html`<section part="grants" class="grants" aria-label=${texts.grants}>
      ${
        rows.length === 0
          ? html`<p class="none" tabindex="-1">${texts.noGrants}</p>`
          : html`<ul>
              ${repeat(
                rows,
                ({ id }) => id,
                (grant) =>
                  html`<li part="grant">
                    <span class="what"
                      ><span dir="auto" translate="no">${renderVisible(grant.sentence)}</span
                      ><code>${renderVisible(grant.toolName)}</code></span
                    >
                    <button
                      type="button"
                      part="revoke-button"
                      aria-label=${texts.revokeGrant(grant.sentence)}
                      @click=${() => this.#revoke(grant)}
                    >
                      ${texts.revoke}
                    </button>
                  </li>`,
              )}
            </ul>`
      }
    </section>`;
  }

  protected override willUpdate() {
    const now = Date.now();
    const focused = (this.renderRoot as ShadowRoot).activeElement?.closest('li');
    this.#focusedRow = focused ? [...this.renderRoot.querySelectorAll('li')].indexOf(focused) : -1;
    this.#previousRows = this.#rows;
    this.#rows = this.grants.filter(({ expiresAt = Infinity }) => now < expiresAt);
  }

  protected override updated() {
    const isGone = (id: string | undefined) => id !== undefined && this.#rows.every((grant) => grant.id !== id);
    if (isGone(this.#previousRows[this.#focusedRow]?.id)) this.#focusInstead();
    if (isGone(this.#revoking?.id)) this.#announceRevoked();
    this.#scheduleExpiry();
  }

  /** Moves the focus to the row that replaces the removed one. */
  #focusInstead() {
    const buttons = this.renderRoot.querySelectorAll<HTMLElement>('li button');
    const next = buttons[Math.min(this.#focusedRow, buttons.length - 1)] ?? this.renderRoot.querySelector<HTMLElement>('.none');
    next?.focus();
  }

  #announceRevoked() {
    const services = this.#services.value;
    if (this.#revoking) services?.announce(services.texts.saidRevoked(this.#revoking.sentence));
    this.#revoking = undefined;
  }

  /** Renders again when the next permission expires. */
  #scheduleExpiry() {
    clearTimeout(this.#timer);
    const next = Math.min(...this.#rows.map(({ expiresAt = Infinity }) => expiresAt));
    if (!this.isConnected || next === Infinity) return;
    this.#timer = setTimeout(() => this.requestUpdate(), Math.min(MAX_TIMEOUT, Math.max(0, next - Date.now()) + 1));
  }

  #revoke(grant: Grant) {
    this.#revoking = grant;
    this.dispatchEvent(new RevokeRequestEvent(grant.id));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-grants': ToolChatGrants;
  }
}
