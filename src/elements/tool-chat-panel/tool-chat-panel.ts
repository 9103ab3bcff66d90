/** The panel of the chat: renders its properties and forwards requests. It has no business logic. */
import { ContextProvider } from '@lit/context';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { ConversationSurface, ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { loadFor } from '../../base/load.js';
import { servicesContext, viewContext } from '../context.js';
import { exportApproval, exportBatch, exportComposer } from '../parts.js';
import { PanelAdoptedEvent, PanelCloseEvent } from '../panel-requests.js';
import { shared } from '../shared.styles.js';
import { tokens } from '../tokens.styles.js';
import type { SettingsController } from '../tool-chat-menu/menu-pages.js';
import type { ModelChoice } from '../tool-chat-models/tool-chat-models.js';
import type { ToolChatComposer } from '../tool-chat-composer/tool-chat-composer.js';
import { Announcer, ChangeAnnouncer } from './announcer.js';
import { banners, queuedMessage, type BannerDependencies, Countdown, hasBatch, loadElementsFor } from './banners.js';
import { LazyMessages, revealCard, ViewSubscription } from './lazy-messages.js';
import { DialogApprovals } from './dialog-approvals.js';
import { footerStyles } from './footer.styles.js';
import { greeting, jumpButton, messageGroups, panelHeader, statusRow, countWaiting } from './frame.js';
import { ApprovalFocus, createServices } from './panel-services.js';
import type { PanelOverlays } from './panel-overlays.js';
import { ColorSchemeController } from './color-scheme.js';
import { StickToBottom } from './stick-to-bottom.js';
import { styles } from './tool-chat-panel.styles.js';
import '../tool-chat-composer/tool-chat-composer.js';
import { defineOnce } from '../define-once.js';

/**
 * @summary The window of the chat: header, messages, errors, status and the text field.
 * @tagname tool-chat-panel
 * @slot header - Instead of the heading.
 * @slot empty - Before the first message, instead of the greeting.
 * @slot composer-start - Before the text field.
 * @slot composer-end - After the text field.
 * @slot footer - Below the text field.
 * @csspart panel - The whole panel.
 * @csspart header - The line at the top of the panel.
 * @csspart logo - The icon in the header and above the greeting.
 * @csspart title - The heading in the header.
 * @csspart new-chat-button - Begins a new conversation; shown if conversations are saved.
 * @csspart history-button - Shows the saved conversations.
 * @csspart menu-button - Opens the menu.
 * @csspart expand-button - Expands and collapses a floating panel.
 * @csspart grip - Moves or sizes a floating panel.
 * @csspart messages - The scrolling list of messages.
 * @csspart status - What happens now, in a few words.
 * @csspart error-bar - What went wrong, with `retry-button` and `close-button`.
 * @csspart notice - A quiet line about the conversation, with its `close-button`.
 * @csspart offer-button - Tries again in a simpler mode.
 * @csspart retry-button - Sends the failed request again.
 * @csspart close-button - Closes the panel (in the header) or the error bar, or cancels a pending retry.
 * @cssprop [--tool-chat-accent=light-dark(#4b4fd1, #989cff)] - Color of buttons, links and the focus ring.
 * @cssprop [--tool-chat-background=light-dark(#ffffff, #151619)] - Background behind the messages.
 * @cssprop [--tool-chat-background-raised] - Background of cards and fields. Default: the background; in dark mode a little lighter.
 * @cssprop [--tool-chat-background-subtle] - Background of boxes inside cards. Default: the text color at 5 % on the background.
 * @cssprop [--tool-chat-user-background] - Background of messages of the user. Default: `--tool-chat-background-hover`.
 * @cssprop [--tool-chat-color=light-dark(#1c1d21, #ededf0)] - Color of the text.
 * @cssprop [--tool-chat-color-muted] - Color of secondary text; keep 4.5:1 against the backgrounds. Default: the text color at 68 %.
 * @cssprop [--tool-chat-border-color] - Color of quiet lines. Default: the text color at 10 %.
 * @cssprop [--tool-chat-field-border-color] - Borders of fields and choices; keep 3:1 against the backgrounds. Default: the text color at 52 %.
 * @cssprop [--tool-chat-success=light-dark(#17734a, #62d29b)] - Color of success.
 * @cssprop [--tool-chat-warning=light-dark(#8a5300, #eebb62)] - Color of warnings and waiting calls.
 * @cssprop [--tool-chat-danger=light-dark(#bf2c2c, #ff8f88)] - Color of errors and dangerous actions.
 * @cssprop [--tool-chat-code-keyword=light-dark(#8b2a9e, #d9a5f5)] - Keywords and tags in code; keep 4.5:1 against the subtle background, as for the next four.
 * @cssprop [--tool-chat-code-string=light-dark(#17734a, #7fd6a4)] - Strings in code.
 * @cssprop [--tool-chat-code-number=light-dark(#9a4a00, #f2b36b)] - Numbers in code, and values such as true.
 * @cssprop [--tool-chat-code-comment=light-dark(#61646e, #a3a6b1)] - Comments in code.
 * @cssprop [--tool-chat-code-name=light-dark(#1d5bb0, #8ab8ff)] - Functions, types, keys and attributes in code.
 * @cssprop [--tool-chat-font] - Font of the text. Default: the system's.
 * @cssprop [--tool-chat-font-mono] - Font of code. Default: the system's.
 * @cssprop [--tool-chat-font-size=15px] - Font size; all other sizes follow it.
 * @cssprop [--tool-chat-radius=12px] - Corner radius; all other radii follow it.
 * @cssprop [--tool-chat-background-hover] - Background under the pointer. Default: the text color at 8 %.
 * @cssprop [--tool-chat-border-color-strong] - Borders of fields and buttons. Default: the text color at 18 %.
 * @cssprop [--tool-chat-on-accent] - Text on the accent color. Default: black or white, whichever is readable.
 * @cssprop [--tool-chat-accent-soft] - Tint of the accent, behind chosen items. Default: the accent at 11 %.
 * @cssprop [--tool-chat-success-soft] - Tint of the success color. Default: success at 8 %.
 * @cssprop [--tool-chat-warning-soft] - Tint of the warning color. Default: warning at 8 %.
 * @cssprop [--tool-chat-danger-soft] - Tint of the danger color. Default: danger at 8 %.
 * @cssprop [--tool-chat-on-danger] - Text on the danger color. Default: black or white, whichever is readable.
 * @cssprop [--tool-chat-line-height] - Line height of the text.
 * @cssprop [--tool-chat-shadow] - Shadow of a floating panel and of the round button.
 * @cssprop [--tool-chat-density=1] - Factor for spacing, 0.8 to 1.2.
 * @cssprop [--tool-chat-gutter] - Space at the sides. Default: 20 px times the density.
 * @cssprop [--tool-chat-max-width=760px] - Width of the column of messages.
 */
export class ToolChatPanel extends LitElement {
  static override styles = [tokens, shared, styles, footerStyles];
  static override properties = {
    surface: { attribute: false },
    texts: { attribute: false },
    lang: { reflect: true },
    direction: { attribute: false },
    layout: { reflect: true },
    theme: { reflect: true },
    heading: {},
    placeholder: {},
    helpUrl: { attribute: 'help-url' },
    feedbackUrl: { attribute: 'feedback-url' },
    quickCommands: { attribute: false },
    whileBusy: { attribute: 'while-busy' },
    approvalUi: { attribute: 'approval-ui' },
    templates: { attribute: false },
    suggestions: { attribute: false },
    models: { attribute: false },
    settings: { attribute: false },
    attaches: { type: Boolean },
    toolPicker: { type: Boolean, attribute: 'tool-picker' },
    atEnd: { state: true },
    view: { state: true },
  };

  /** The state to render and the actions on the conversation. */
  declare surface: ConversationSurface | undefined;
  /** The catalog; nothing is rendered without it. */
  declare texts: Texts | undefined;
  /** Text direction; empty for that of the page. */
  declare direction: 'rtl' | '';
  /** The layout. `floating` has a close button. The owner of the panel positions it. */
  declare layout: 'inline' | 'floating' | 'sidebar' | 'fullscreen';
  /** `auto` follows the page's `color-scheme`, or the system if the page sets none. */
  declare theme: 'auto' | 'light' | 'dark';
  /** Default: from the catalog. */
  declare heading: string;
  /** Default: from the catalog. */
  declare placeholder: string;
  /** URL of a help page, offered in the error bar. Only http and https are accepted. */
  declare helpUrl: string;
  /** URL for reporting a problem, with the same restriction. Without it, only an event is dispatched. */
  declare feedbackUrl: string;
  declare quickCommands: readonly string[];
  /** Suggestions for the next message. */
  declare suggestions: readonly string[];
  /** Models to choose from; undefined if there is no choice. */
  declare models: ModelChoice | undefined;
  /** The settings that the user can change; undefined hides the settings page. */
  declare settings: SettingsController | undefined;
  /** Renders an additional button in the header. The code that sets it requests an update. */
  declare extra: ((texts: Texts) => unknown) | undefined;
  /** See `ToolChatComposer.attaches`. */
  declare attaches: boolean;
  /** See `ToolChatComposer.toolPicker`. */
  declare toolPicker: boolean;
  /** See `ToolChatComposer.whileBusy`. */
  declare whileBusy: ToolChatComposer['whileBusy'];
  /** See `ToolChatComposer.templates`. */
  declare templates: ToolChatComposer['templates'];
  /** Place of approvals: on their cards, or in a dialog over the page. */
  declare approvalUi: 'inline' | 'dialog';
  declare protected atEnd: boolean;
  declare protected view: ViewSnapshot | undefined;

  readonly #services = new ContextProvider(this, { context: servicesContext });
  readonly #views = new ContextProvider(this, { context: viewContext });
  readonly #subscription = new ViewSubscription((view) => {
    this.view = view;
    loadElementsFor(view);
    this.#views.setValue(view);
  });
  #stick: StickToBottom | undefined;
  #announcer: Announcer | undefined;
  readonly #dialogApprovals = new DialogApprovals({
    view: () => this.view,
    inDialog: () => this.approvalUi === 'dialog',
    isWriting: () => this.shadowRoot?.activeElement === this.#composer && this.#composer?.empty === false,
    changed: () => this.requestUpdate('approvalUi'),
  });
  readonly #changeAnnouncer = new ChangeAnnouncer({
    texts: () => this.texts,
    lang: () => this.lang,
    announcer: () => this.#announcer,
    messages: () => [...this.renderRoot.querySelectorAll('tool-chat-message')],
  });
  readonly #lazyMessages = new LazyMessages(this);
  readonly #colorScheme = new ColorSchemeController(this);
  readonly #countdown = new Countdown(this);
  #overlays: PanelOverlays | undefined;
  readonly #approvalFocus = new ApprovalFocus(this, () => this.#composer);

  constructor() {
    super();
    this.layout = 'inline';
    this.theme = 'auto';
    this.lang = this.direction = '';
    this.heading = this.placeholder = this.helpUrl = this.feedbackUrl = '';
    this.quickCommands = this.suggestions = [];
    this.attaches = this.toolPicker = false;
    this.whileBusy = 'draft';
    this.approvalUi = 'inline';
    this.templates = [];
    this.atEnd = true;
  }

  get #composer(): ToolChatComposer | null {
    return this.renderRoot.querySelector('tool-chat-composer');
  }

  /** Focuses the text field. */
  override focus(options?: FocusOptions) {
    this.#composer?.focus(options);
  }

  override connectedCallback() {
    super.connectedCallback();
    this.requestUpdate('surface');
  }

  adoptedCallback() {
    this.dispatchEvent(new PanelAdoptedEvent());
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#subscription.stop();
    this.#stick?.disconnect();
    this.#stick = undefined;
    this.#announcer?.disconnect();
    this.#announcer = undefined;
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    if (changed.has('theme')) this.#colorScheme.update();
    if (changed.has('surface') && this.isConnected) this.#subscribe();
    const hasNewApproval = this.#dialogApprovals.update();
    if (
      this.texts &&
      (hasNewApproval || (['approvalUi', 'texts', 'lang', 'feedbackUrl', 'surface'] as const).some((name) => changed.has(name)))
    )
      this.#services.setValue(createServices(this, this.#serviceActions(this.texts)));
  }

  override render() {
    const { texts, view } = this;
    if (!texts || !view) return nothing;
    const heading = this.heading || texts.heading;
    const waiting = countWaiting(view);
    const approval = this.#dialogApprovals.current;
    const deps: BannerDependencies = { texts, surface: this.surface, helpUrl: this.helpUrl, feedbackUrl: this.feedbackUrl };
    const fetching = view.loaded !== undefined && !view.retry?.visible;
    const covered = this.#overlays?.open !== undefined;
    const empty = view.views.length + view.queue.length === 0;
    return html`
      <section
        part="panel"
        class="panel"
        dir=${this.direction || nothing}
        aria-label=${heading}
        ?data-asks=${waiting > 0 && !view.confirmWords && !this.#dialogApprovals.areInDialog}
        @focusout=${() => this.#dialogApprovals.onBlur()}
        @dragover=${this.#drag}
        @drop=${this.#drag}
      >
        ${panelHeader(heading, texts, [this.#overlays?.buttons(view, texts), this.extra?.(texts)], this.layout === 'inline' ? undefined : () => this.dispatchEvent(new PanelCloseEvent()), covered)}
        <div class="stage" ?inert=${covered}>
          <div
            part="messages"
            class="messages"
            role="log"
            aria-label=${texts.messages}
            aria-live="polite"
            aria-busy=${String(view.isLoading)}
            tabindex="0"
          >
            <div class="list" aria-live="off">
              ${empty ? greeting(texts, this.#overlays?.welcome(this.templates, view.hasTools)) : this.#messages(view, texts)}
            </div>
            <div class="end"></div>
          </div>
        </div>
        <footer ?inert=${covered}>
          <div class="banners">
            ${hasBatch(view) ? html`<tool-chat-batch exportparts=${exportBatch}></tool-chat-batch>` : nothing} ${banners.render(view, deps)}
          </div>
          <div class="line">
            ${statusRow(view, waiting, fetching, texts)}${jumpButton(texts, empty || this.atEnd, () => this.#jumpToEnd())}
          </div>
          <tool-chat-composer
            exportparts=${exportComposer}
            .placeholder=${this.placeholder}
            .quickCommands=${view.views.length === 0 ? this.quickCommands : this.suggestions}
            .commands=${this.quickCommands}
            .attaches=${this.attaches}
            .toolPicker=${this.toolPicker}
            .whileBusy=${this.whileBusy}
            .templates=${this.templates}
          >
            <slot name="composer-start" slot="start"></slot>
            <slot name="composer-end" slot="end"></slot>
          </tool-chat-composer>
          ${this.models ? html`<tool-chat-models exportparts="model-menu" .choice=${this.models}></tool-chat-models>` : nothing}
          <slot name="footer"></slot>
        </footer>
        ${this.#dialogApprovals.hasDialog ? html`<tool-chat-dialog .card=${approval?.card} .more=${approval?.more ?? 0} exportparts=${exportApproval} @tool-chat-postpone=${() => this.#dialogApprovals.postpone()}></tool-chat-dialog>` : nothing}
        ${this.#overlays?.renderOpen() ?? nothing}
        <div class="visually-hidden said"></div>
      </section>
    `;
  }

  protected override updated(changed: PropertyValues) {
    const { view } = this;
    if (!view || !this.texts || !this.isConnected) return;
    this.#stick ??= this.#createStick();
    const liveRegion = this.renderRoot.querySelector<HTMLElement>('.said');
    if (liveRegion) this.#announcer ??= new Announcer(liveRegion);
    if (changed.has('view')) this.#announceChanges(changed.get('view') as ViewSnapshot | undefined, view);
    this.#countdown.run(Boolean(view.retry?.visible));
    this.#composer?.restore(view.draft);
  }

  // ---- state

  #subscribe() {
    this.#subscription.stop();
    const { surface } = this;
    if (!surface) return;
    this.#subscription.subscribe(surface);
    if (surface.conversations && !this.#overlays) loadFor(() => import('./panel-overlays.js'), this.#createOverlays);
  }

  readonly #createOverlays = ({ PanelOverlays }: typeof import('./panel-overlays.js')) => {
    this.#overlays ??= new PanelOverlays(this, {
      surface: () => this.surface,
      texts: () => this.texts,
      settings: () => this.settings,
      focusField: () => this.focus(),
      write: (text) => this.#composer?.write(text),
      announce: (sentence) => this.#announcer?.say(sentence),
    });
    this.requestUpdate();
  };

  // ---- rendering

  #messages(view: ViewSnapshot, texts: Texts): unknown[] {
    const queued = view.queue.map((text, at) => queuedMessage(text, texts, () => this.#unqueue(at, text)));
    return [messageGroups(view, this.#lazyMessages.update(view), this.#subscription.old, this.lang), queued];
  }

  #announceChanges(before: ViewSnapshot | undefined, view: ViewSnapshot) {
    if (before && before.opened !== view.opened) this.#composer?.startOver();
    this.#changeAnnouncer.announce(before, view);
    // Show the result to a user who has answered the last approval. This runs after the click, which releases the end.
    if (before && countWaiting(before) > 0 && countWaiting(view) === 0) requestAnimationFrame(() => this.#stick?.stick());
  }

  // ---- what its parts ask for

  #serviceActions(texts: Texts): Parameters<typeof createServices>[1] {
    return {
      ...{ texts, approvalFocus: this.#approvalFocus, dialogApprovals: this.#dialogApprovals },
      announce: (sentence) => this.#announcer?.say(sentence),
      stick: () => this.#stick?.stick(),
      reveal: (requestId) =>
        void this.#lazyMessages
          .renderCall(this.view, requestId)
          .then(() => revealCard(this.renderRoot.querySelectorAll('tool-chat-message'), requestId)),
    };
  }

  /** Handles files dropped outside of the text field. The browser would otherwise navigate to the file. */
  readonly #drag = (event: DragEvent) => {
    const { dataTransfer: data } = event;
    if (!this.attaches || !data?.types.includes('Files')) return;
    if (event.type === 'drop') this.#composer?.addFiles(event, data);
    else event.preventDefault();
  };

  #unqueue(at: number, text: string) {
    if (this.surface?.unqueue(at, text) !== false) this.#composer?.putBack(text);
  }

  // ---- scrolling

  #createStick(): StickToBottom | undefined {
    const [scroller, list, end] = ['.messages', '.list', '.end'].map((name) => this.renderRoot.querySelector<HTMLElement>(name));
    if (!scroller || !list || !end) return undefined;
    return new StickToBottom(scroller, list, end, (atEnd) => {
      this.atEnd = atEnd;
    });
  }

  #jumpToEnd() {
    this.#stick?.stick();
    this.#composer?.focus();
  }
}

defineOnce('tool-chat-panel', ToolChatPanel);

/** Creates a panel without calling its class, because another copy of the script may have registered the element. */
export const createPanel = (): ToolChatPanel => document.createElement('tool-chat-panel');

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-panel': ToolChatPanel;
  }
}
