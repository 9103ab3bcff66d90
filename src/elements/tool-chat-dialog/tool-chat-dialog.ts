/** Questions in a dialog over the page, one at a time (`approval-ui="dialog"`). */
import { ContextConsumer, ContextProvider } from '@lit/context';
import { html, LitElement, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { CardView } from '../../model/calls.js';
import { servicesContext, type PanelServices } from '../context.js';
import { icons } from '../icons.js';
import { LEAST } from '../on-screen-keyboard.js';
import { exportApproval } from '../parts.js';
import { shared } from '../shared.styles.js';
import { styles } from './tool-chat-dialog.styles.js';
import { SizeObserver } from '../../base/dom-features.js';

/** The person has put the questions off: nothing was decided, they go on waiting in the conversation. */
export class PutOffEvent extends Event {
  static readonly type = 'tool-chat-put-off';

  constructor() {
    super(PutOffEvent.type);
  }
}

/**
 * @summary A modal dialog with the question of one call. The page behind it is inert; Escape closes it and decides nothing.
 * @tagname tool-chat-dialog
 */
export class ToolChatDialog extends LitElement {
  static override styles = [shared, styles];
  static override properties = { card: { attribute: false }, more: { attribute: false } };

  /** The call to ask about; undefined closes the dialog. */
  declare card: CardView | undefined;
  /** How many questions wait behind this one. */
  declare more: number;

  readonly #provided = new ContextProvider(this, { context: servicesContext });
  /** Behind a modal dialog nothing can be focused and nothing is read out: its own questions always get the focus. */
  readonly #services = new ContextConsumer(this, {
    context: servicesContext,
    subscribe: true,
    callback: (services) => {
      const inside: PanelServices = {
        ...services,
        attend: (heading) => {
          heading.focus();
        },
        // The next question takes it when it is drawn; if there is none, closing gives it back.
        returnFocus: () => {
          this.#dialog?.focus();
        },
      };
      this.#provided.setValue(inside);
    },
  });
  /** It was opened, and nothing but the person closes it. */
  #due = false;
  /** What had the focus then. */
  #before: HTMLElement | undefined;
  /** A panel that is put away must not leave the page inert behind nothing. */
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
    visualViewport?.addEventListener('resize', this.#fit);
    visualViewport?.addEventListener('scroll', this.#fit);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#resized.disconnect();
    visualViewport?.removeEventListener('resize', this.#fit);
    visualViewport?.removeEventListener('scroll', this.#fit);
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
      @close=${this.#closed}
    >
      <header>
        <h2 id="title">
          ${texts.waitingForConfirmation}${more > 0 ? html` <span class="more">${texts.moreQuestions(more)}</span>` : nothing}
        </h2>
        <button type="button" class="quiet square" aria-label=${texts.decideLater} title=${texts.decideLater} @click=${this.#putOff}>
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
      this.#due = false;
      return dialog.close();
    }
    this.#due = true;
    this.#fit();
    this.#before = focused();
    dialog.showModal();
    // The platform would take the first button. The question takes its heading when it is drawn.
    dialog.focus();
  }

  /** Above the keyboard of a phone, which covers the window without making it smaller; see `on-screen-keyboard.ts`. */
  readonly #fit = () => {
    const dialog = this.#dialog;
    if (!dialog || !visualViewport) return;
    const { height, offsetTop, scale } = visualViewport;
    const isCovered = scale < 1.01 && innerHeight - height > LEAST;
    dialog.style.maxBlockSize = isCovered ? `${String(height - 16)}px` : '';
    dialog.style.marginBlock = isCovered ? `${String(Math.max(0, offsetTop) + 8)}px auto` : '';
    const at = focused();
    if (isCovered && at?.matches('input, select, textarea')) at.scrollIntoView({ block: 'nearest' });
  };

  #putOff() {
    this.#dialog?.close();
  }

  /** By Escape, or by the button; not because it is no longer due. */
  #closed() {
    if (this.#due) this.dispatchEvent(new PutOffEvent());
    this.#due = false;
    // The platform gives the focus back, but not always what lies deep in other shadow roots.
    if (focused() === document.body && this.#before?.isConnected) this.#before.focus();
  }
}

function focused(): HTMLElement | undefined {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at instanceof HTMLElement ? at : undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-dialog': ToolChatDialog;
  }
}
