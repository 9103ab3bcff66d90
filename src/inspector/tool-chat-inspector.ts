/** The inspector for developers: tools, prompts, parsing, calls and decisions of a chat. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { load } from '../base/load.js';
import { icons } from '../elements/icons.js';
import { pageLanguage } from '../elements/page-language.js';
import { shared } from '../elements/shared.styles.js';
import { tokens } from '../elements/tokens.styles.js';
import { subscribeTo, internalsOfChat, type Inspected } from './inspected.js';
import { inspectorStringsFor } from './inspector-strings.js';
import { inspectorStyles } from './tool-chat-inspector.styles.js';
import { recordRows, type Recorder, type TraceRow } from './trace-rows.js';

const TABS = ['tools', 'prompt', 'bench', 'run', 'chart', 'trace', 'decisions', 'session'] as const;
type Tab = (typeof TABS)[number];

/**
 * @summary Inspects a `<tool-chat>`: tools, prompt, parser, manual calls, statechart, trace, decisions, sessions.
 * @tagname tool-chat-inspector
 * @fires tool-chat-inspector-close - The close button of a docked one was pressed.
 */
export class ToolChatInspector extends LitElement {
  static override styles = [tokens, shared, inspectorStyles];
  static override properties = {
    htmlFor: { attribute: 'for' },
    chat: { attribute: false },
    corpus: {},
    tab: { reflect: true },
    docked: { reflect: true },
    isThere: { state: true },
    rows: { state: true },
  };

  /** Id of the `<tool-chat>` to inspect, if `chat` is not set. */
  declare htmlFor: string;
  /** The `<tool-chat>` to inspect. It must come from the same copy of the script. */
  declare chat: Inspected | undefined;
  /** URL of the test cases for the parsers: `protocol-corpus.json` of the package. Default: no cases. */
  declare corpus: string;
  /** The page that is open. */
  declare tab: Tab;
  /** Side of the window at which it covers the page; undefined: its own place in the page. */
  declare docked: 'left' | 'right' | undefined;
  declare protected isThere: boolean;
  declare protected rows: readonly TraceRow[];

  #recorder: Recorder | undefined;
  #unsubscribe: (() => void) | undefined;
  /** The element to inspect, compared after each `await` because it may have changed. */
  #inspectedChat: Inspected | undefined;

  constructor() {
    super();
    this.htmlFor = this.corpus = '';
    this.tab = 'tools';
    this.isThere = false;
    this.rows = [];
  }

  override connectedCallback() {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#stopInspecting();
  }

  protected override willUpdate(_changed: PropertyValues) {
    const root = this.getRootNode() as Document | ShadowRoot;
    if (!this.chat && this.htmlFor) this.chat = (root.getElementById?.(this.htmlFor) ?? undefined) as Inspected | undefined;
    if (!TABS.includes(this.tab)) this.tab = 'tools';
    if (this.chat !== this.#inspectedChat && this.isConnected) void this.#inspect(this.chat);
  }

  protected override updated(changed: PropertyValues) {
    const chosen = changed.has('tab') && this.renderRoot.querySelector(`[data-tab=${this.tab}]`);
    const tabs = chosen && chosen.parentElement;
    if (chosen instanceof HTMLElement && tabs)
      tabs.scrollLeft = chosen.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - chosen.offsetWidth) / 2;
  }

  async #inspect(chat: Inspected | undefined) {
    this.#stopInspecting();
    this.#inspectedChat = chat;
    this.isThere = false;
    if (!chat) return;
    await customElements.whenDefined('tool-chat');
    // Loads the element's implementation if it has not been used yet.
    await chat.getToolDescriptions().catch(() => '');
    const { makeEntry } = await load(() => import('../base/log-entry.js'));
    if (chat !== this.#inspectedChat) return;
    this.isThere = internalsOfChat(chat) !== undefined;
    this.#recorder = recordRows(chat, makeEntry, () => this.#scheduleUpdate());
    this.#unsubscribe = subscribeTo(chat, () => this.requestUpdate());
  }

  #stopInspecting() {
    this.#recorder?.stop();
    this.#unsubscribe?.();
    this.#recorder = this.#unsubscribe = this.#inspectedChat = undefined;
  }

  #isUpdateScheduled = false;
  #scheduleUpdate() {
    if (this.#isUpdateScheduled) return;
    this.#isUpdateScheduled = true;
    requestAnimationFrame(() => {
      this.#isUpdateScheduled = false;
      this.rows = this.#recorder?.rows ?? [];
    });
  }

  override render(): TemplateResult {
    const { chat, docked } = this;
    const lang = chat?.lang || pageLanguage(chat ?? this);
    const strings = inspectorStringsFor(lang);
    const theme = chat?.theme;
    return html`<section lang=${lang} data-theme=${theme === 'light' || theme === 'dark' ? theme : nothing} aria-label=${strings.inspector}>
      <header>
        <h2>${strings.inspector}</h2>
        ${this.isThere ? html`<span class="phase" data-busy=${String(chat?.isLoading)}>${chat?.state}</span>` : nothing}
        ${
          docked
            ? html`<button
                type="button"
                class="quiet square close"
                aria-label=${strings.close}
                title=${strings.close}
                @click=${() => this.dispatchEvent(new Event('tool-chat-inspector-close'))}
              >
                ${icons.close}
              </button>`
            : nothing
        }
      </header>
      <div class="tabs" role="tablist" aria-label=${strings.inspector} @keydown=${this.#key}>
        ${TABS.map(
          (tab) =>
            html`<button
              type="button"
              role="tab"
              id=${`tab-${tab}`}
              data-tab=${tab}
              aria-selected=${String(tab === this.tab)}
              aria-controls="page"
              tabindex=${tab === this.tab ? 0 : -1}
              @click=${() => (this.tab = tab)}
            >
              ${strings[tab]}
            </button>`,
        )}
      </div>
      <div class="page" id="page" role="tabpanel" tabindex="0" aria-labelledby=${`tab-${this.tab}`}>
        ${this.isThere && chat ? this.#page(chat, strings, lang) : html`<p class="none">${chat ? strings.notYet : strings.noChat}</p>`}
      </div>
    </section>`;
  }

  #page(chat: Inspected, strings: ReturnType<typeof inspectorStringsFor>, lang: string) {
    switch (this.tab) {
      case 'tools':
        return html`<tool-chat-inspector-tools .chat=${chat} .strings=${strings}></tool-chat-inspector-tools>`;
      case 'prompt':
        return html`<tool-chat-inspector-prompt .chat=${chat} .strings=${strings}></tool-chat-inspector-prompt>`;
      case 'bench':
        return html`<tool-chat-inspector-bench .chat=${chat} .strings=${strings}></tool-chat-inspector-bench>
          ${this.corpus ? html`<tool-chat-inspector-matrix .strings=${strings} corpus=${this.corpus}></tool-chat-inspector-matrix>` : nothing}`;
      case 'run':
        return html`<tool-chat-inspector-run .chat=${chat} .strings=${strings}></tool-chat-inspector-run>
          <tool-chat-inspector-check .chat=${chat} .strings=${strings}></tool-chat-inspector-check>`;
      case 'chart':
        return html`<tool-chat-inspector-chart .chat=${chat} .strings=${strings}></tool-chat-inspector-chart>`;
      case 'trace':
        return html`<tool-chat-inspector-trace
          .strings=${strings}
          .rows=${this.rows}
          @tool-chat-inspector-clear=${() => this.#recorder?.clear()}
        ></tool-chat-inspector-trace>`;
      case 'decisions':
        return html`<tool-chat-inspector-decisions .chat=${chat} .strings=${strings}></tool-chat-inspector-decisions>`;
      case 'session':
        return html`<tool-chat-inspector-session
          .chat=${chat}
          .strings=${strings}
          .rows=${this.rows}
          lang=${lang}
        ></tool-chat-inspector-session>`;
    }
  }

  readonly #key = (event: KeyboardEvent) => {
    const forward = this.matches(':dir(rtl)') ? 'ArrowLeft' : 'ArrowRight';
    const back = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    const at = TABS.indexOf(this.tab);
    const to = { [forward]: at + 1, [back]: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.tab = TABS.at(to % TABS.length) as Tab;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(`[data-tab=${this.tab}]`)?.focus());
  };
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector': ToolChatInspector;
  }
}
