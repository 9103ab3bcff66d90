/** The list of saved conversations, which the user can search, open, rename and delete. */
import { html, nothing, type PropertyValues } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ConversationDesk, KeptConversation } from '../../model/session.js';
import { fullEnglish, type Texts } from '../../i18n/en.js';
import { PanelElement } from '../context.js';
import { isolateText } from '../isolate-text.js';
import { icon, icons } from '../icons.js';
import { OverlayCloseEvent, overlayStyles } from '../overlay.js';
import { shared } from '../shared.styles.js';
import { styles } from './tool-chat-history.styles.js';
import { belongsToInputMethod } from '../keys.js';
import { defineOnce } from '../define-once.js';

/** Number of conversations from which the search field is shown. */
const SEARCH_FROM = 6;

const pencilIcon = icon('m3 13 .5-2.6 7.4-7.4 2.1 2.1-7.4 7.4zM9.5 4.4l2.1 2.1');
const binIcon = icon('M2.8 4.5h10.4M6.2 4.5V3.2h3.6v1.3M4.2 4.5l.6 8.7h6.4l.6-8.7M6.7 7v3.8M9.3 7v3.8');

/**
 * @summary Lists the saved conversations by day; each can be opened, renamed and deleted.
 * @tagname tool-chat-history
 * @csspart history - The whole list of conversations.
 * @csspart history-search - The field that narrows the list down.
 * @csspart history-item - One conversation; the open one has `data-open`.
 */
export class ToolChatHistory extends PanelElement {
  static override styles = [shared, overlayStyles, styles];
  static override properties = {
    conversations: { attribute: false },
    list: { state: true },
    failed: { state: true },
    query: { state: true },
    renaming: { state: true },
    deleting: { state: true },
  };

  /** The list and actions of conversations. */
  declare conversations: ConversationDesk | undefined;
  /** Undefined while the list is loading. */
  declare protected list: readonly KeptConversation[] | undefined;
  declare protected failed: boolean;
  declare protected query: string;
  /** Id of the conversation being renamed. */
  declare protected renaming: string | undefined;
  /** Id of the conversation whose deletion must be confirmed. */
  declare protected deleting: string | undefined;

  /** Selector of the element that gets the focus after the next rendering. */
  #focusTarget: string | undefined = '.back';

  constructor() {
    super();
    this.failed = false;
    this.query = '';
  }

  override render() {
    const { services } = this;
    if (!services) return nothing;
    const { texts, lang } = services;
    const matches = this.#matches();
    return html`<section part="history" role="dialog" aria-label=${texts.history} @keydown=${this.#onKey}>
      <header>
        <h2>${texts.history}</h2>
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
      ${
        (this.list?.length ?? 0) >= SEARCH_FROM
          ? html`<input
              part="history-search"
              type="search"
              dir="auto"
              placeholder=${texts.historySearch}
              aria-label=${texts.historySearch}
              .value=${this.query}
              @input=${({ target }: InputEvent) => (this.query = (target as HTMLInputElement).value)}
            />`
          : nothing
      }
      ${this.failed ? this.#renderError(texts) : nothing}
      ${this.list && !this.failed && matches.length === 0 ? html`<p class="none">${this.query ? texts.historyNoMatch : texts.historyNone}</p>` : nothing}
      <div class="days">
        ${groupByDay(matches, lang, texts).map(
          ({ day, items }) =>
            html`<h3>${day}</h3>
              <ul>
                ${repeat(
                  items,
                  ({ id }) => id,
                  (one) => html`<li part="history-item" ?data-open=${one.isOpen}>${this.#item(one, texts, lang)}</li>`,
                )}
              </ul>`,
        )}
      </div>
      <button type="button" class="new" @click=${() => this.#startNew()}>${texts.newChat}</button>
    </section>`;
  }

  protected override firstUpdated() {
    void this.#load();
  }

  protected override updated(_changed: PropertyValues) {
    if (!this.#focusTarget) return;
    const target = this.renderRoot.querySelector<HTMLElement>(this.#focusTarget) ?? this.renderRoot.querySelector<HTMLElement>('.back');
    if (!target) return;
    this.#focusTarget = undefined;
    target.focus();
    if (target instanceof HTMLInputElement) target.select();
  }

  #item(one: KeptConversation, texts: Texts, lang: string) {
    const title = one.title || texts.historyUntitled;
    if (one.id === this.renaming)
      return html`<input
          class="name"
          dir="auto"
          maxlength="120"
          aria-label=${texts.historyRename(title)}
          .value=${one.title}
          @keydown=${(event: KeyboardEvent) => {
            if (belongsToInputMethod(event) || event.key !== 'Enter') return;
            event.preventDefault();
            void this.#rename(one);
          }}
        />
        <span class="actions">
          <button type="button" class="primary" @click=${() => this.#rename(one)}>${texts.memorySave}</button>
          <button type="button" @click=${() => this.#cancel(one.id)}>${texts.cancel}</button>
        </span>`;
    if (one.id === this.deleting)
      return html`<span class="ask" id="ask">${isolateText(texts.historyDeleteAsk, title)}</span>
        <span class="actions" role="group" aria-labelledby="ask">
          <button type="button" class="delete" @click=${() => this.#delete(one)}>${texts.historyDeleteNow}</button>
          <button type="button" class="keep" @click=${() => this.#cancel(one.id)}>${texts.historyKeep}</button>
        </span>`;
    return html`<button
        type="button"
        class="open"
        data-id=${one.id}
        aria-current=${one.isOpen ? 'true' : nothing}
        @click=${() => this.#open(one)}
      >
        <span class="title" dir="auto">${title}</span>
        <time datetime=${new Date(one.updatedAt).toISOString()}>${one.isOpen ? texts.historyOpen : timeOf(one.updatedAt, lang)}</time>
      </button>
      <button
        type="button"
        class="quiet square"
        aria-label=${texts.historyRename(title)}
        title=${texts.historyRename(title)}
        @click=${() => this.#edit(one.id)}
      >
        ${pencilIcon}
      </button>
      <button
        type="button"
        class="quiet square"
        aria-label=${texts.historyDelete(title)}
        title=${texts.historyDelete(title)}
        @click=${() => this.#confirmDelete(one.id)}
      >
        ${binIcon}
      </button>`;
  }

  #renderError(texts: Texts) {
    return html`<p class="none" role="alert">
      ${texts.historyFailed} <button type="button" @click=${() => this.#load()}>${texts.retry}</button>
    </p>`;
  }

  #matches(): readonly KeptConversation[] {
    const words = this.query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    return (this.list ?? []).filter(({ title }) => {
      const low = title.toLocaleLowerCase();
      return words.every((word) => low.includes(word));
    });
  }

  async #load(): Promise<void> {
    this.failed = false;
    try {
      this.list = (await this.conversations?.listConversations()) ?? [];
    } catch {
      this.failed = true;
    }
  }

  /** Runs an action. Returns false if it failed. */
  async #attempt(work: () => Promise<unknown> | undefined): Promise<boolean> {
    try {
      await work();
      return true;
    } catch {
      this.failed = true;
      return false;
    }
  }

  async #open({ id, title }: KeptConversation): Promise<void> {
    if (!(await this.#attempt(() => this.conversations?.openConversation(id)))) return;
    this.#announce((texts) => texts.historyOpened(title || texts.historyUntitled));
    this.#close(true);
  }

  async #startNew(): Promise<void> {
    if (!(await this.#attempt(() => this.conversations?.newConversation()))) return;
    this.#announce((texts) => texts.newChatBegun);
    this.#close(true);
  }

  #edit(id: string) {
    this.renaming = id;
    this.deleting = undefined;
    this.#focusTarget = '.name';
  }

  async #rename({ id }: KeptConversation): Promise<void> {
    const title = this.renderRoot.querySelector<HTMLInputElement>('.name')?.value ?? '';
    if (await this.#attempt(() => this.conversations?.renameConversation(id, title))) await this.#load();
    this.#cancel(id);
  }

  #confirmDelete(id: string) {
    this.deleting = id;
    this.renaming = undefined;
    // Focus the safe answer first.
    this.#focusTarget = '.keep';
  }

  async #delete({ id, title }: KeptConversation): Promise<void> {
    if (await this.#attempt(() => this.conversations?.deleteConversation(id))) {
      this.#announce((texts) => texts.historyDeleted(title || texts.historyUntitled));
      await this.#load();
    }
    this.#cancel(id);
  }

  #cancel(id: string) {
    this.renaming = this.deleting = undefined;
    this.#focusTarget = `[data-id="${CSS.escape(id)}"]`;
    this.requestUpdate();
  }

  #onKey(event: KeyboardEvent) {
    if (event.key !== 'Escape' || belongsToInputMethod(event)) return;
    // The key closes only the list, not the panel.
    event.preventDefault();
    event.stopPropagation();
    const activeId = this.renaming ?? this.deleting;
    if (activeId) this.#cancel(activeId);
    else this.#close();
  }

  #close(toField = false) {
    this.dispatchEvent(new OverlayCloseEvent(toField));
  }

  #announce(sentence: (texts: Texts) => string) {
    const services = this.services;
    services?.announce(sentence(services.texts));
  }
}

/** Groups conversations by the day of their last message, with localized names. */
interface DayGroup {
  day: string;
  items: KeptConversation[];
}

/** @param list conversations, newest first */
export function groupByDay(list: readonly KeptConversation[], lang: string, texts: Texts, now = new Date()): DayGroup[] {
  const groups: DayGroup[] = [];
  for (const one of list) {
    const day = dayLabel(new Date(one.updatedAt), lang, texts, now);
    const last = groups.at(-1);
    if (last?.day === day) last.items.push(one);
    else groups.push({ day, items: [one] });
  }
  return groups;
}

function dayLabel(at: Date, lang: string, texts: Texts, now: Date): string {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (days <= 0) return texts.historyToday;
  if (days === 1) return texts.historyYesterday;
  const isThisYear = at.getFullYear() === now.getFullYear();
  return format(at, lang, days < 7 ? { weekday: 'long' } : { month: 'long', day: 'numeric', ...(!isThisYear && { year: 'numeric' }) });
}

const timeOf = (at: number, lang: string): string => format(new Date(at), lang, { hour: 'numeric', minute: '2-digit' });

/** Formats a date, in the browser's language if the page's is invalid. */
function format(at: Date, lang: string, options: Intl.DateTimeFormatOptions): string {
  try {
    return at.toLocaleString(lang || undefined, options);
  } catch {
    return at.toLocaleString(undefined, options);
  }
}

fullEnglish();
defineOnce('tool-chat-history', ToolChatHistory);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-history': ToolChatHistory;
  }
}
