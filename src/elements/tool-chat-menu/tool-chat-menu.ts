/** The menu of a conversation other than chatting: activity log, permissions, memory, settings, export, import, clear. */
import { html, nothing, type PropertyValues } from 'lit';
import type { CardView } from '../../model/calls.js';
import type { ConversationSurface } from '../../model/snapshot.js';
import { fullEnglish, type Texts } from '../../i18n/en.js';
import { ViewElement } from '../context.js';
import { isolateText } from '../isolate-text.js';
import { icon, icons } from '../icons.js';
import { belongsToInputMethod } from '../keys.js';
import { exportGrants, exportMemory } from '../parts.js';
import { OverlayCloseEvent, overlayStyles } from '../overlay.js';
import { shared } from '../shared.styles.js';
import { headlineOf, renderSentence } from '../sentences.js';
import '../tool-chat-grants/tool-chat-grants.js';
import '../tool-chat-memory/tool-chat-memory.js';
import { activitiesOf, activityOutcome, settingsPage, type SettingsController, type SettingsState, shortcutsPage } from './menu-pages.js';
import { styles } from './tool-chat-menu.styles.js';
import { defineOnce } from '../define-once.js';

type Page = 'menu' | 'acts' | 'grants' | 'memory' | 'settings' | 'shortcuts' | 'clear';

const menuIcons = {
  acts: icon('M3 4.2h.01M6 4.2h7.5M3 8h.01M6 8h7.5M3 11.8h.01M6 11.8h7.5'),
  grants: icon('M8 2.3 3 4.2v3.5c0 2.9 2 5 5 6 3-1 5-3.1 5-6V4.2zM5.7 8l1.6 1.6 3-3.2'),
  memory: icon('M4 2.6h8v10.8L8 10.6l-4 2.8z'),
  settings: icon(
    'M2.5 5h5M11.5 5h2M2.5 11h2M8.5 11h5M7.6 5a1.9 1.9 0 1 0 3.8 0 1.9 1.9 0 1 0-3.8 0zM4.6 11a1.9 1.9 0 1 0 3.8 0 1.9 1.9 0 1 0-3.8 0z',
  ),
  export: icon('M8 2.5v7.2M4.8 6.8 8 9.9l3.2-3.1M2.8 12.8h10.4'),
  import: icon('M8 9.9V2.7M4.8 5.6 8 2.5l3.2 3.1M2.8 12.8h10.4'),
  shortcuts: icon(
    'M3.3 4h9.4a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5h-9.4a1.5 1.5 0 0 1-1.5-1.5v-5a1.5 1.5 0 0 1 1.5-1.5zM4.5 6.8h.01M7 6.8h.01M9.3 6.8h.01M11.6 6.8h.01M5.5 9.4h5',
  ),
  clear: icon('M3 4.5h10M6.3 4.2V3h3.4v1.2M4.3 4.5l.6 8.3h6.2l.6-8.3M6.9 7v3.4M9.1 7v3.4'),
};

/**
 * @summary A menu over the panel, with its pages: activity, permissions, memory, settings, export and import.
 * @tagname tool-chat-menu
 * @csspart menu - The open page of the menu.
 * @csspart menu-item - An entry of the menu.
 * @csspart jump-button - Scrolls to the card of the call.
 * @fires tool-chat-over-close - The user goes back to the conversation.
 */
export class ToolChatMenu extends ViewElement {
  static override styles = [shared, overlayStyles, styles];
  static override properties = {
    surface: { attribute: false },
    settings: { attribute: false },
    page: { state: true },
    problem: { state: true },
    state: { state: true },
  };

  declare surface: ConversationSurface | undefined;
  declare settings: SettingsController | undefined;
  declare protected page: Page;
  /** The error message of the last failed action. */
  declare protected problem: unknown;
  declare protected state: SettingsState;

  /** Selector of the element that gets the focus after the next rendering. */
  #focusTarget: string | undefined = '.item';

  constructor() {
    super();
    this.page = 'menu';
    this.problem = '';
    this.state = { preview: undefined, refused: new Set() };
  }

  override render() {
    const { services } = this;
    if (!services) return nothing;
    const { texts } = services;
    const title = {
      menu: texts.menu,
      acts: texts.acts,
      grants: texts.grants,
      memory: texts.remembered(this.snapshot?.remembered?.length ?? 0),
      settings: texts.settingsTitle,
      shortcuts: texts.shortcuts,
      clear: texts.clearChat,
    }[this.page];
    const toMenu = this.page !== 'menu';
    return html`<section part="menu" role="dialog" aria-label=${title} @keydown=${this.#onKey}>
      <header>
        ${
          toMenu
            ? html`<button
                type="button"
                class="quiet square up"
                aria-label=${texts.menuBack}
                title=${texts.menuBack}
                @click=${() => this.#openPage('menu')}
              >
                ${icons.chevron}
              </button>`
            : nothing
        }
        <h2>${title}</h2>
        <button
          type="button"
          class="quiet square back"
          aria-label=${texts.historyBack}
          title=${texts.historyBack}
          @click=${() => this.#close()}
        >
          ${icons.close}
        </button>
      </header>
      <div class="page">
        ${this.problem ? html`<p class="none" role="alert">${this.problem}</p>` : nothing} ${this.#renderPage(texts, services.lang)}
      </div>
    </section>`;
  }

  protected override updated(_changed: PropertyValues) {
    if (!this.#focusTarget) return;
    const target = this.renderRoot.querySelector<HTMLElement>(this.#focusTarget);
    if (!target) return;
    this.#focusTarget = undefined;
    target.focus();
  }

  #renderPage(texts: Texts, lang: string) {
    const { grants = [], remembered = [] } = this.snapshot ?? {};
    switch (this.page) {
      case 'menu':
        return this.#renderMenu(texts);
      case 'acts':
        return this.#renderActivities(texts, lang);
      case 'grants':
        return html`<tool-chat-grants .grants=${grants} exportparts=${exportGrants}></tool-chat-grants>`;
      case 'memory':
        return html`<tool-chat-memory .items=${remembered} .memory=${this.surface?.memory} exportparts=${exportMemory}></tool-chat-memory>`;
      case 'clear':
        return this.#renderConfirmClear(texts);
      case 'shortcuts':
        return shortcutsPage(texts);
      case 'settings':
        return this.settings ? settingsPage(this.settings, this.state, texts, this.#set) : nothing;
    }
  }

  #renderMenu(texts: Texts) {
    const { views = [], remembered } = this.snapshot ?? {};
    const isEmpty = views.length === 0;
    const item = (name: keyof typeof menuIcons, label: string, act: () => unknown, isOff = false) =>
      html`<li>
        <button type="button" part="menu-item" class="item" data-item=${name} ?disabled=${isOff} @click=${act}>
          ${menuIcons[name]}<span>${label}</span>
        </button>
      </li>`;
    return html`<ul>
      ${item('acts', texts.acts, () => this.#openPage('acts'))} ${item('grants', texts.grants, () => this.#openPage('grants'))}
      ${remembered ? item('memory', texts.remembered(remembered.length), () => this.#openPage('memory')) : nothing}
      ${this.settings ? item('settings', texts.settingsTitle, () => this.#openPage('settings')) : nothing}
      ${item('export', texts.exportChat, () => void this.#export(), isEmpty)} ${item('import', texts.importChat, () => this.#import())}
      ${item('shortcuts', texts.shortcuts, () => this.#openPage('shortcuts'))}
      ${item('clear', texts.clearChat, () => this.#openPage('clear'), isEmpty)}
    </ul>`;
  }

  #renderActivities(texts: Texts, lang: string) {
    const view = this.snapshot;
    const activities = view ? activitiesOf(view) : [];
    if (activities.length === 0) return html`<p class="none">${texts.actsNone}</p>`;
    return html`<ol>
      ${activities.map((card) => this.#renderActivity(card, texts, lang))}
    </ol>`;
  }

  #renderActivity(card: CardView, texts: Texts, lang: string) {
    const { requestId, status, undo, endedAt } = card;
    const outcome = activityOutcome(card, texts);
    const time = endedAt
      ? new Date(endedAt).toLocaleString(lang || undefined, { hour: 'numeric', minute: '2-digit', day: 'numeric', month: 'short' })
      : '';
    return html`<li data-status=${status}>
      <div class="act">
        <span class="sentence" dir="auto">${renderSentence(headlineOf(card, texts))}</span>
        <span class="meta">${[...outcome, time].filter(Boolean).map((one, at) => [at > 0 ? '\xa0· ' : '', html`<bdi>${one}</bdi>`])}</span>
      </div>
      ${
        undo && undo !== 'unsure'
          ? html`<button
              type="button"
              class="quiet"
              ?disabled=${undo === 'running'}
              @click=${(event: Event) => {
                // The pressed button disappears, so the focus moves to the next one.
                ((event.currentTarget as Element).nextElementSibling as HTMLElement | null)?.focus();
                this.surface?.undo(requestId);
              }}
            >
              ${undo === 'running' ? texts.undoing : texts.undo}
            </button>`
          : nothing
      }<button
        type="button"
        part="jump-button"
        class="quiet"
        @click=${() => {
          this.#close();
          this.services?.reveal(requestId);
        }}
      >
        ${texts.showAct}
      </button>
    </li>`;
  }

  #renderConfirmClear(texts: Texts) {
    return html`<p class="none" id="ask">${texts.clearAsk}</p>
      <div class="row" role="group" aria-labelledby="ask">
        <button type="button" class="keep" @click=${() => this.#openPage('menu')}>${texts.historyKeep}</button>
        <button type="button" class="delete" @click=${() => void this.#clear(texts)}>${texts.clearNow}</button>
      </div>`;
  }

  #openPage(page: Page) {
    const from = this.page;
    this.page = page;
    this.problem = '';
    this.#focusTarget = page === 'menu' ? `[data-item=${from}]` : page === 'clear' ? '.keep' : '.up';
    if (page === 'settings') void this.#updatePreview();
  }

  #close(toField = false) {
    this.dispatchEvent(new OverlayCloseEvent(toField));
  }

  readonly #onKey = (event: KeyboardEvent) => {
    if (belongsToInputMethod(event)) return;
    const items = [...this.renderRoot.querySelectorAll<HTMLElement>('.item:not(:disabled)')];
    const at = items.indexOf((this.renderRoot as ShadowRoot).activeElement as HTMLElement);
    if (event.key === 'Escape') {
      if (this.page === 'menu') this.#close();
      else this.#openPage('menu');
    } else if (at >= 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp'))
      items.at((at + (event.key === 'ArrowDown' ? 1 : -1)) % items.length)?.focus();
    else if (event.key === '?' && this.page === 'menu') this.#openPage('shortcuts');
    else if (at >= 0 && (event.key === 'Home' || event.key === 'End')) items.at(event.key === 'Home' ? 0 : -1)?.focus();
    else return;
    event.preventDefault();
    // Otherwise a floating panel would close too.
    event.stopPropagation();
  };

  // ---- export and import

  async #export() {
    // The failure has been reported already.
    const file = await this.surface?.files?.export().catch(() => undefined);
    if (!file) return;
    const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }));
    const day = new Date().toISOString().slice(0, 10);
    Object.assign(document.createElement('a'), { href: url, download: `conversation-${day}.json` }).click();
    setTimeout(() => {
      URL.revokeObjectURL(url);
    }, 10_000);
    const { services } = this;
    services?.announce(services.texts.exported);
  }

  #import() {
    const input = Object.assign(document.createElement('input'), { type: 'file', accept: 'application/json,.json' });
    input.addEventListener('change', () => void this.#open(input.files?.[0]));
    input.click();
  }

  async #open(file: File | undefined) {
    const { texts } = this.services ?? {};
    if (!file || !texts) return;
    try {
      await this.surface?.files?.import(await file.text());
      this.#close(true);
    } catch {
      this.problem = isolateText(texts.importFailed, file.name);
    }
  }

  async #clear(texts: Texts) {
    try {
      await this.surface?.files?.clear();
      this.services?.announce(texts.cleared);
      this.#close(true);
    } catch {
      this.problem = texts.clearFailed;
    }
  }

  // ---- settings

  readonly #set = (overrides: Parameters<SettingsController['set']>[0] | undefined, field: string) => {
    const refused = new Set(this.state.refused);
    if (overrides) refused.delete(field);
    else refused.add(field);
    this.state = { ...this.state, refused };
    if (!overrides) return;
    this.settings?.set(overrides);
    void this.#updatePreview();
  };

  async #updatePreview() {
    const preview = await this.settings?.preview().catch(() => undefined);
    this.state = { ...this.state, preview };
  }
}

fullEnglish();
defineOnce('tool-chat-menu', ToolChatMenu);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-menu': ToolChatMenu;
  }
}
