/** The list of permissions, which the user can revoke. */
import { html, nothing, css } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Grant } from '../../model/grants.js';
import { PanelElement } from '../context.js';
import { shared } from '../shared.styles.js';
import { renderVisible, valueStyles } from '../value-view.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  .grants {
    display: grid;
    gap: 8px;
    overflow-wrap: anywhere;
  }

  ul {
    display: grid;
    gap: 6px;
  }

  li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 6px 12px;
    padding: 8px 12px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
    background: var(--_raised);
  }

  .what {
    flex: 1 1 200px;
    min-width: 0;
    font-size: var(--_small);
  }

  .what code {
    display: block;
    width: fit-content;
    color: var(--_muted);
    font: var(--_tiny) / 1.4 var(--_mono);
  }

  .none {
    color: var(--_muted);
    font-size: var(--_small);
  }
`;

/** Longest delay of a timer, in milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * @summary Lists the permissions that skip approval, each with a button that revokes it.
 * @tagname tool-chat-grants
 * @csspart grants - The list of permissions.
 * @csspart grant - One permission, in words.
 * @csspart revoke-button - Revokes the permission.
 */
export class ToolChatGrants extends PanelElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = { grants: { attribute: false } };

  /** The permissions of the conversation. Expired ones are not shown. */
  declare grants: readonly Grant[];

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
    const texts = this.services?.texts;
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
    const services = this.services;
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
    this.services?.surface?.revoke(grant.id);
  }
}

defineOnce('tool-chat-grants', ToolChatGrants);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-grants': ToolChatGrants;
  }
}
