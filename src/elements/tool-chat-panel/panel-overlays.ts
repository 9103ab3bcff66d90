/**
 * The buttons in the header and the views that they open over a conversation. Loaded with the conversation; each view is loaded when it is
 * first opened.
 */
import { html, nothing, type LitElement, type TemplateResult } from 'lit';
import { loadForUser } from '../../base/load.js';
import type { Texts } from '../../i18n/en.js';
import type { ConversationSurface, ViewSnapshot } from '../../model/snapshot.js';
import type { ComposerTemplate } from '../../conversation/options/option-shapes.js';
import { icon } from '../icons.js';
import { exportHistory, exportMenu } from '../parts.js';
import '../tool-chat-welcome/tool-chat-welcome.js';
import type { StartEvent } from '../tool-chat-welcome/tool-chat-welcome.js';
import type { SettingsController } from '../tool-chat-menu/menu-pages.js';

const newChatIcon = icon(
  'M8 2.8H4.3A1.8 1.8 0 0 0 2.5 4.6v7.1a1.8 1.8 0 0 0 1.8 1.8h7.1a1.8 1.8 0 0 0 1.8-1.8V8M6.5 9.5l.3-1.9 5-5 1.6 1.6-5 5z',
);
const historyIcon = icon('M2.6 8a5.4 5.4 0 1 0 1.7-3.9L2.6 5.7M2.6 2.8v2.9h2.9M8 5.2V8l2 1.3');
const menuIcon = icon(
  'M2.85 8a.35.35 0 1 0 .7 0 .35.35 0 1 0-.7 0zM7.65 8a.35.35 0 1 0 .7 0 .35.35 0 1 0-.7 0zM12.45 8a.35.35 0 1 0 .7 0 .35.35 0 1 0-.7 0z',
);

export interface OverlayHost {
  surface(): ConversationSurface | undefined;
  texts(): Texts | undefined;
  settings(): SettingsController | undefined;
  /** Moves the focus to the text field. */
  focusField(): void;
  announce(sentence: string): void;
  /** Writes text into the field, for the user to send or change. */
  write(text: string): void;
}

type Overlay = 'history' | 'menu';

export class PanelOverlays {
  /** The view that covers the rest of the panel. */
  open: Overlay | undefined;

  readonly #element: LitElement;
  readonly #host: OverlayHost;

  constructor(element: LitElement, host: OverlayHost) {
    this.#element = element;
    this.#host = host;
  }

  /** Renders the buttons of the header. */
  buttons(view: ViewSnapshot, texts: Texts): TemplateResult {
    const { conversations, files } = this.#host.surface() ?? {};
    const isNew = view.views.length + view.queue.length === 0;
    return html`${
      conversations?.kept
        ? html`<button
              type="button"
              part="new-chat-button"
              class="quiet square"
              aria-label=${texts.newChat}
              title=${texts.newChat}
              ?hidden=${isNew}
              @click=${() => this.#newChat()}
            >
              ${newChatIcon}</button
            >${this.#button('history', texts.history, historyIcon)}`
        : nothing
    }${files ? this.#button('menu', texts.menu, menuIcon) : nothing}`;
  }

  /** Renders the content before the first message. */
  welcome(templates: readonly ComposerTemplate[], hasTools = false): TemplateResult {
    return html`<tool-chat-welcome
      .templates=${templates}
      .hasTools=${hasTools}
      exportparts="starter"
      @tool-chat-start=${({ text }: StartEvent) => this.#host.write(text)}
    ></tool-chat-welcome>`;
  }

  /** Renders the open view. */
  renderOpen(): TemplateResult | typeof nothing {
    const surface = this.#host.surface();
    if (this.open === 'history')
      return html`<tool-chat-history
        .conversations=${surface?.conversations}
        exportparts=${exportHistory}
        @tool-chat-over-close=${({ toField }: Event & { toField?: boolean }) => this.#hide(toField)}
      ></tool-chat-history>`;
    if (this.open === 'menu')
      return html`<tool-chat-menu
        .surface=${surface}
        .settings=${this.#host.settings()}
        exportparts=${exportMenu}
        @tool-chat-over-close=${({ toField }: Event & { toField?: boolean }) => this.#hide(toField)}
      ></tool-chat-menu>`;
    return nothing;
  }

  #button(overlay: Overlay, label: string, sign: TemplateResult) {
    return html`<button
      type="button"
      part=${`${overlay}-button`}
      class="quiet square"
      aria-label=${label}
      title=${label}
      aria-haspopup="dialog"
      aria-expanded=${String(this.open === overlay)}
      @click=${() => this.#show(overlay)}
    >
      ${sign}
    </button>`;
  }

  #newChat() {
    this.#host
      .surface()
      ?.conversations?.newConversation()
      .then(
        () => {
          this.#host.announce(this.#host.texts()?.newChatBegun ?? '');
          this.#host.focusField();
        },
        // A notice shows the storage error.
        () => {},
      );
  }

  #show(overlay: Overlay) {
    this.open = overlay;
    this.#element.requestUpdate();
    const loading =
      overlay === 'history'
        ? loadForUser(() => import('../tool-chat-history/tool-chat-history.js'))
        : loadForUser(() => import('../tool-chat-menu/tool-chat-menu.js'));
    void loading.catch(() => {
      this.#host.announce(this.#host.texts()?.loadFailed ?? '');
      this.#hide();
    });
  }

  #hide(toField = false) {
    const from = this.open;
    this.open = undefined;
    this.#element.requestUpdate();
    void this.#element.updateComplete.then(() => {
      if (toField) this.#host.focusField();
      else this.#element.shadowRoot?.querySelector<HTMLElement>(`[part=${from}-button]`)?.focus();
    });
  }
}
