/** Shows approvals in a dialog over the page, one at a time (`approval-ui="dialog"`). */
import { ContextConsumer, ContextProvider } from '@lit/context';
import { html, LitElement, nothing, css } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { CardView } from '../../model/calls.js';
import { servicesContext, type PanelServices } from '../context.js';
import { icons } from '../icons.js';
import { MIN_KEYBOARD_HEIGHT } from '../fit-window.js';
import { exportApproval } from '../parts.js';
import { shared } from '../shared.styles.js';
import { SizeObserver } from '../../base/dom-features.js';
import { fullEnglish } from '../../i18n/en.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  :host {
    display: contents;
  }

  dialog {
    box-sizing: border-box;
    width: min(560px, 100vw - 24px);
    max-height: min(86dvh, 100dvh - 24px);
    margin: auto;
    padding: 0;
    border: 1px solid var(--_line-strong);
    border-radius: calc(var(--_radius) * 1.33);
    background: var(--_raised);
    color: var(--_text);
    box-shadow: var(--_shadow);
    overflow: auto;
    overscroll-behavior: contain;
  }

  dialog[data-risk='danger'] {
    border-color: color-mix(in oklab, var(--_bad) 45%, var(--_line));
  }

  dialog[data-risk='danger'] h2 {
    color: var(--_bad);
  }

  dialog:focus {
    outline: none;
  }

  dialog::backdrop {
    background: rgb(12 13 20 / 52%);
  }

  header {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 12px;
    padding-block: 12px 6px;
    padding-inline: 14px 10px;
  }

  h2 {
    color: var(--_warn);
    font: 550 var(--_small) / 1.4 var(--_font);
  }

  .more {
    color: var(--_muted);
    font-weight: 400;
  }

  .question {
    container-type: inline-size;
    padding-block-end: 4px;
  }

  /* With little room, the text scrolls between the header and the buttons. */
  @media (max-height: 420px) {
    dialog {
      max-height: 100dvh;
    }

    header {
      padding-block: 4px 0;
    }

    .question {
      container-type: size;
      block-size: min(288px, 100dvh - 48px);
      padding: 0;
    }

    tool-chat-approval {
      max-block-size: 100%;
    }
  }

  @media (max-width: 480px) {
    dialog {
      margin-block-end: 12px;
    }
  }
`;

/** The user has postponed the approvals: nothing was decided, and they wait in the conversation. */
export class PostponeEvent extends Event {
  static readonly type = 'tool-chat-postpone';

  constructor() {
    super(PostponeEvent.type);
  }
}

/**
 * @summary A modal dialog with the approval of one call. The page behind it is inert; Escape closes it without a decision.
 * @tagname tool-chat-dialog
 */
export class ToolChatDialog extends LitElement {
  static override styles = [shared, styles];
  static override properties = { card: { attribute: false }, more: { attribute: false } };

  /** The call to ask about; undefined closes the dialog. */
  declare card: CardView | undefined;
  /** The number of other approvals that wait. */
  declare more: number;

  readonly #provided = new ContextProvider(this, { context: servicesContext });
  /** Elements behind a modal dialog cannot be focused and are not announced, so approvals in the dialog always get the focus. */
  readonly #services = new ContextConsumer(this, {
    context: servicesContext,
    subscribe: true,
    callback: (services) => {
      const inside: PanelServices = {
        ...services,
        present: (heading) => {
          heading.focus();
        },
        // The next approval takes the focus when it is rendered. If there is none, closing the dialog restores it.
        returnFocus: () => {
          this.#dialog?.focus();
        },
      };
      this.#provided.setValue(inside);
    },
  });
  /** True while the dialog is open and only the user may close it. */
  #isDue = false;
  /** The element that had the focus before the dialog opened. */
  #previousFocus: HTMLElement | undefined;
  /** Closes the dialog when its panel is hidden. Otherwise the page would stay inert without a visible dialog. */
  readonly #resized = new SizeObserver(() => {
    this.#sync();
  });

  constructor() {
    super();
    this.more = 0;
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#resized.observe((this.getRootNode() as ShadowRoot).host);
    visualViewport?.addEventListener('resize', this.#fitAboveKeyboard);
    visualViewport?.addEventListener('scroll', this.#fitAboveKeyboard);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#resized.disconnect();
    visualViewport?.removeEventListener('resize', this.#fitAboveKeyboard);
    visualViewport?.removeEventListener('scroll', this.#fitAboveKeyboard);
  }

  override render() {
    const texts = this.#services.value?.texts;
    if (!texts) return nothing;
    const { card, more } = this;
    return html`<dialog
      aria-labelledby="title"
      role=${card?.call?.risk === 'danger' ? 'alertdialog' : nothing}
      data-risk=${card?.call?.risk ?? nothing}
      tabindex="-1"
      @close=${this.#onClose}
    >
      <header>
        <h2 id="title">
          ${texts.waitingForConfirmation}${more > 0 ? html` <span class="more">${texts.moreQuestions(more)}</span>` : nothing}
        </h2>
        <button type="button" class="quiet square" aria-label=${texts.decideLater} title=${texts.decideLater} @click=${this.#postpone}>
          ${icons.close}
        </button>
      </header>
      <div class="question">
        ${card ? keyed(card.requestId, html`<tool-chat-approval .card=${card} .inDialog=${true} data-sheet exportparts=${exportApproval}></tool-chat-approval>`) : nothing}
      </div>
    </dialog>`;
  }

  protected override updated() {
    this.#sync();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  #sync() {
    const dialog = this.#dialog;
    if (!dialog || !this.isConnected) return;
    const { host } = this.getRootNode() as ShadowRoot;
    const due = this.card !== undefined && host.checkVisibility();
    if (due === dialog.open) return;
    if (!due) {
      this.#isDue = false;
      return dialog.close();
    }
    this.#isDue = true;
    this.#fitAboveKeyboard();
    this.#previousFocus = deepActiveElement();
    dialog.showModal();
    // The browser would focus the first button. The approval focuses its heading when it is rendered.
    dialog.focus();
  }

  /** Keeps the dialog above the keyboard of a phone, which covers the window without resizing it; see `on-screen-keyboard.ts`. */
  readonly #fitAboveKeyboard = () => {
    const dialog = this.#dialog;
    if (!dialog || !visualViewport) return;
    const { height, offsetTop, scale } = visualViewport;
    const isCovered = scale < 1.01 && innerHeight - height > MIN_KEYBOARD_HEIGHT;
    dialog.style.maxBlockSize = isCovered ? `${String(height - 16)}px` : '';
    dialog.style.marginBlock = isCovered ? `${String(Math.max(0, offsetTop) + 8)}px auto` : '';
    const at = deepActiveElement();
    if (isCovered && at?.matches('input, select, textarea')) at.scrollIntoView({ block: 'nearest' });
  };

  #postpone() {
    this.#dialog?.close();
  }

  /** Reports that the user closed the dialog by Escape or the button. Closing it because the approval is over is not reported. */
  #onClose() {
    if (this.#isDue) this.dispatchEvent(new PostponeEvent());
    this.#isDue = false;
    // The browser restores the focus, but not always in nested shadow roots.
    if (deepActiveElement() === document.body && this.#previousFocus?.isConnected) this.#previousFocus.focus();
  }
}

function deepActiveElement(): HTMLElement | undefined {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at instanceof HTMLElement ? at : undefined;
}

fullEnglish();
defineOnce('tool-chat-dialog', ToolChatDialog);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-dialog': ToolChatDialog;
  }
}
