/**
 * The way to other conversations: two buttons at the top, and the list of them over the panel. Loaded where conversations are kept; the list,
 * when it is first wanted.
 */
import { html, nothing, svg, type LitElement, type TemplateResult } from 'lit';
import { wholeEnglish } from '../../i18n/en.js';
import { load } from '../../base/load.js';
import type { Texts } from '../../i18n/en.js';
import type { ConversationSurface, ViewSnapshot } from '../../model/snapshot.js';
import { icon } from '../icons.js';
import { exportHistory } from '../parts.js';

const begin = icon(
  svg`<path d="M8 2.8H4.3A1.8 1.8 0 0 0 2.5 4.6v7.1a1.8 1.8 0 0 0 1.8 1.8h7.1a1.8 1.8 0 0 0 1.8-1.8V8M6.5 9.5l.3-1.9 5-5 1.6 1.6-5 5z"/>`,
);
const past = icon(svg`<path d="M2.6 8a5.4 5.4 0 1 0 1.7-3.9L2.6 5.7M2.6 2.8v2.9h2.9M8 5.2V8l2 1.3"/>`);

wholeEnglish();

export interface HistoryHost {
  surface(): ConversationSurface | undefined;
  texts(): Texts | undefined;
  /** Puts the cursor into the text field. */
  focusField(): void;
  announce(sentence: string): void;
}

export class HistoryDoor {
  /** The list covers the rest of the panel. */
  open = false;

  readonly #element: LitElement;
  readonly #host: HistoryHost;

  constructor(element: LitElement, host: HistoryHost) {
    this.#element = element;
    this.#host = host;
  }

  /** For the line at the top; nothing where no conversation is kept. */
  buttons(view: ViewSnapshot, texts: Texts): TemplateResult | typeof nothing {
    const isNew = view.views.length + view.queue.length === 0;
    return html`<button
        type="button"
        part="new-chat-button"
        class="quiet square"
        aria-label=${texts.newChat}
        title=${texts.newChat}
        ?hidden=${isNew}
        @click=${() => this.#begin()}
      >
        ${begin}</button
      ><button
        type="button"
        part="history-button"
        class="quiet square"
        aria-label=${texts.history}
        title=${texts.history}
        aria-haspopup="dialog"
        aria-expanded=${String(this.open)}
        @click=${() => this.#show()}
      >
        ${past}
      </button>`;
  }

  /** Over the panel. */
  list(): TemplateResult | typeof nothing {
    if (!this.open) return nothing;
    return html`<tool-chat-history
      .desk=${this.#host.surface()?.conversations}
      exportparts=${exportHistory}
      @tool-chat-history-close=${({ toField }: Event & { toField?: boolean }) => this.#hide(toField)}
    ></tool-chat-history>`;
  }

  #begin() {
    this.#host
      .surface()
      ?.conversations?.newConversation()
      .then(
        () => {
          this.#host.announce(this.#host.texts()?.newChatBegun ?? '');
          this.#host.focusField();
        },
        // What the storage says stands in a notice.
        () => {},
      );
  }

  #show() {
    this.open = true;
    this.#element.requestUpdate();
    void load(() => import('../define-history.js')).then(
      ({ defineHistory }) => defineHistory(),
      () => {
        this.#host.announce(this.#host.texts()?.loadFailed ?? '');
        this.#hide();
      },
    );
  }

  #hide(toField = false) {
    this.open = false;
    this.#element.requestUpdate();
    void this.#element.updateComplete.then(() => {
      if (toField) this.#host.focusField();
      else this.#element.shadowRoot?.querySelector<HTMLElement>('[part=history-button]')?.focus();
    });
  }
}
