/** The card of one tool call, from its first sign in the text to its end. */
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { CardStatus, CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { cardIcons } from '../card-icons.js';
import { servicesContext, viewContext, type PanelServices } from '../context.js';
import { icons } from '../icons.js';
import { openEditForm } from '../open-edit-form.js';
import { exportApproval, exportEdit } from '../parts.js';
import { PanelRequestEvent } from '../panel-requests.js';
import { shared } from '../shared.styles.js';
import type { EditEndEvent } from '../tool-chat-edit/tool-chat-edit.js';
import { argumentRows, renderArgument, renderValue, renderVisible, valueText } from '../value-view.js';
import { valueStyles } from '../value-view.styles.js';
import { styles } from './tool-chat-call.styles.js';

/**
 * @summary Shows what a tool call is, how far it is, and what came of it; holds the question while it waits for a person.
 * @tagname tool-chat-call
 * @csspart tool-card - The card; carries `data-status`, `data-tool` and `data-request-id`.
 * @csspart tool-card-header - Icon, label and status.
 * @csspart tool-card-arguments - The arguments, all of them.
 * @csspart tool-card-result - What came of it.
 * @csspart undo-button - Takes back what the call did.
 * @csspart edit-button - Of a failed call: opens the form for another run.
 * @csspart argument-field - A field of that form.
 * @csspart undo-back-button - And what later calls did.
 */
export class ToolChatCall extends LitElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = { requestId: { attribute: false }, card: { state: true }, open: { state: true }, editing: { state: true } };

  /** Which call of the conversation this is. */
  declare requestId: string;
  declare protected card: CardView | undefined;
  /** Names of the long values that are unfolded. */
  declare protected open: ReadonlySet<string>;
  /** The form for another run is open. */
  declare protected editing: boolean;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  #cards: ViewSnapshot['cards'] = {};
  #said: CardStatus | undefined;

  constructor() {
    super();
    this.requestId = '';
    this.open = new Set();
    this.editing = false;
    // Of all that changes in a conversation, a card draws only what is its own.
    new ContextConsumer(this, {
      context: viewContext,
      subscribe: true,
      callback: ({ cards }) => {
        this.#cards = cards;
        this.card = this.#ownCard;
      },
    });
  }

  protected override willUpdate() {
    this.card = this.#ownCard;
  }

  get #ownCard(): CardView | undefined {
    return Object.hasOwn(this.#cards, this.requestId) ? this.#cards[this.requestId] : undefined;
  }

  override render() {
    const services = this.#services.value;
    const { card } = this;
    if (!services || !card) return nothing;
    const { texts } = services;
    const waits = card.status === 'awaiting_approval' && card.call !== undefined;
    return html`
      <section
        part="tool-card"
        class="card"
        data-status=${card.status}
        data-tool=${card.toolName}
        data-request-id=${card.requestId}
        data-risk=${card.call?.risk ?? 'undeclared'}
        ?data-empty=${isEmpty(card)}
        tabindex="-1"
        aria-busy=${String(card.status === 'pending' || card.status === 'executing')}
      >
        <header part="tool-card-header">
          <span class="badge" aria-hidden="true">${isEmpty(card) ? cardIcons.minus : statusIcon(card.status)}</span>
          <div class="title">
            ${
              waits // the question below says what it is about
                ? nothing
                : html`<span class="label"
                    >${card.icon ? html`<span aria-hidden="true">${card.icon} </span>` : nothing}${renderVisible(labelOf(card, texts))}</span
                  >`
            }
            <span class="state">${this.#statusLine(card, texts)}</span>
          </div>
          ${card.result && card.result.durationMs > 0 ? html`<span class="time">${duration(card.result.durationMs, services)}</span>` : nothing}
        </header>
        ${
          waits
            ? this.#question(card, services)
            : html`${this.#arguments(card, texts)} ${this.#progress(card, texts)} ${this.#result(card, texts)} ${this.#undo(card, texts)}
              ${this.#repeat(card, texts)}`
        }
      </section>
    `;
  }

  protected override updated(_changed: PropertyValues<this>) {
    const services = this.#services.value;
    if (!services || !this.card) return;
    // The question about another run has taken the place of the form.
    if (this.editing && this.card.repeatedBy !== undefined) {
      this.editing = false;
      services.returnFocus(this, true);
    }
    const { status, result } = this.card;
    const label = labelOf(this.card, services.texts);
    const before = this.#said;
    this.#said = status;
    if (before === undefined || before === status) return; // a card of the past has nothing to say
    const advice = this.card.advice ?? '';
    if (status === 'success') services.announce(`${services.texts.saidFinished(label)}. ${result?.message ?? ''} ${advice}`);
    else if (status === 'error') services.announce(`${services.texts.saidFailed(label, result?.message ?? '')} ${advice}`);
    else if (status === 'denied' || status === 'cancelled' || status === 'interrupted' || status === 'undone')
      services.announce(`${label}: ${statusText(this.card, services.texts)}`);
  }

  /** On the card, or in a dialog; then the card says what it is about, and opens the dialog again. */
  #question(card: CardView, { asks, texts }: PanelServices) {
    const place = asks?.(card.requestId);
    return html`${
      place === 'dialog'
        ? this.#arguments(card, texts)
        : html`<tool-chat-approval .card=${card} .heeded=${place === 'later'} exportparts=${exportApproval}></tool-chat-approval>`
    }${
      asks
        ? html`<div class="undo">
            <button type="button" class="quiet" @click=${() => this.dispatchEvent(new PanelRequestEvent({ type: 'ask' }))}>
              ${texts.openDialog}
            </button>
          </div>`
        : nothing
    }`;
  }

  #statusLine(card: CardView, texts: Texts): TemplateResult {
    // The sign of the status is drawn; as a character it stands in the text, where a copy or a reader finds it.
    const sign = isEmpty(card) ? undefined : signs[card.status];
    return html`${sign ? html`<span class="unseen" aria-hidden="true">${sign} </span>` : nothing}${renderVisible(statusText(card, texts))}`;
  }

  #arguments(card: CardView, texts: Texts) {
    const entries = argumentRows(card.call?.args ?? card.params, texts);
    if (entries.length === 0) return nothing;
    const rows = entries.map(([name, text]) => renderArgument(name, this.#text(name, text, texts), texts));
    // One argument stands beside its heading: `参数: title = …` (S0-126).
    return html`<div part="tool-card-arguments" class=${entries.length === 1 ? 'arguments rows single' : 'arguments rows'}>
      ${[html`<span class="heading">${texts.argumentsLabel} </span>`, ...rows]}
      ${card.edited?.length ? html`<p class="heading">${texts.changedByYou} ${renderVisible(card.edited.map(({ label }) => label).join(', '))}</p>` : nothing}
    </div>`;
  }

  #value(name: string, value: unknown, texts: Texts) {
    return this.#text(name, valueText(value), texts);
  }

  #text(name: string, text: string, texts: Texts) {
    return renderValue(text, { texts, open: this.open.has(name), toggle: () => this.#toggle(name) });
  }

  #toggle(name: string) {
    const open = new Set(this.open);
    if (!open.delete(name)) open.add(name);
    this.open = open;
  }

  #progress(card: CardView, texts: Texts) {
    if ((card.status !== 'executing' && card.status !== 'queued') || !card.progress) return nothing;
    const { fraction, message } = card.progress;
    return html`<div class="progress">
      ${fraction === undefined ? nothing : html`<progress max="1" .value=${fraction} aria-label=${texts.running}></progress>`}
      ${message ? html`<span>${renderVisible(message)}</span>` : nothing}
    </div>`;
  }

  #result(card: CardView, texts: Texts) {
    const { result, raw } = card;
    const failed = card.status === 'error';
    const state = statusText(card, texts);
    // What the status has said already is not said again; of a failure there may be more to tell.
    const message = result?.message !== state ? result?.message : failed && result?.result !== state ? result?.result : '';
    const notes = [card.standsInFor === undefined ? '' : texts.standsInFor(card.standsInFor), card.advice ?? ''].filter(Boolean);
    if (!message && result?.data === undefined && !raw && notes.length === 0) return nothing;
    return html`<div part="tool-card-result" class="result">
      ${message ? html`<p>${failed ? html`<span class="error-label">${texts.errorLabel} </span>` : nothing}${this.#value('message shown', message, texts)}</p>` : nothing}
      ${notes.map((note) => html`<p class="advice">${renderVisible(note)}</p>`)}
      ${result?.data === undefined ? nothing : this.#folded('data', texts.showDetails, valueText(result.data), texts)}
      ${raw ? this.#folded('raw', texts.showRaw, raw, texts) : nothing}
    </div>`;
  }

  #undo({ requestId, undo, undoBack }: CardView, texts: Texts) {
    if (!undo) return nothing;
    const ask = (back: boolean) => () => this.dispatchEvent(new PanelRequestEvent({ type: 'undo', requestId, back }));
    const running = undo === 'running';
    return html`<div class="undo">
      <button type="button" part="undo-button" ?disabled=${running} @click=${ask(false)}>${running ? texts.undoing : texts.undo}</button>
      ${undoBack && !running ? html`<button type="button" part="undo-back-button" @click=${ask(true)}>${texts.undoBack}</button>` : nothing}
      <span class="error-label" role="status">${undo === 'failed' ? texts.undoFailed : nothing}</span>
    </div>`;
  }

  /** A failed call can run again with other arguments; whoever did that finds the other card from here. */
  #repeat(card: CardView, texts: Texts) {
    const { edit, repeatedBy, repeated, status } = card;
    if (repeatedBy !== undefined && status === 'error')
      return html`<div class="undo">
        ${
          repeatedBy === ''
            ? html`<span role="status">${texts.willRunAgain}</span>`
            : html`<button
                type="button"
                class="quiet"
                @click=${() => this.dispatchEvent(new PanelRequestEvent({ type: 'reveal', requestId: repeatedBy }))}
              >
                ${repeated ? texts.ranAgainBelow : texts.askedBelow}
              </button>`
        }
      </div>`;
    if (!edit || status !== 'error') return nothing;
    if (this.editing)
      return html`<tool-chat-edit .card=${card} exportparts=${exportEdit} @tool-chat-edit-end=${this.#edited}></tool-chat-edit>`;
    return html`<div class="undo"><button type="button" part="edit-button" @click=${this.#edit}>${texts.editAndRun}</button></div>`;
  }

  #edit() {
    void openEditForm(this.#services.value).then((opens) => {
      this.editing = opens;
    });
  }

  #edited({ taken }: EditEndEvent) {
    const inside = (this.renderRoot as ShadowRoot).activeElement?.localName === 'tool-chat-edit';
    this.editing = false;
    void this.updateComplete.then(() => {
      // The question appears further down; the button that asked for it was disabled meanwhile, and has lost the focus.
      if (taken) this.#services.value?.returnFocus(this, true);
      else if (inside) this.renderRoot.querySelector<HTMLElement>('[part=edit-button]')?.focus();
    });
  }

  #folded(name: string, summary: string, text: string, texts: Texts) {
    const shown = this.open.has(`${name} shown`);
    return html`<details ?open=${shown} @toggle=${(event: Event) => this.#shown(name, (event.target as HTMLDetailsElement).open)}>
      <summary>${icons.chevron}<span>${summary}</span></summary>
      ${shown ? html`<div class="source">${renderValue(text, { texts, open: this.open.has(name), toggle: () => this.#toggle(name) })}</div>` : nothing}
    </details>`;
  }

  #shown(name: string, shown: boolean) {
    if (shown !== this.open.has(`${name} shown`)) this.#toggle(`${name} shown`);
  }
}

/** The seeds' signs (S0-126, S0-130). */
const signs: Partial<Record<CardStatus, string>> = { executing: '🔧', success: '✅', error: '❌' };

function statusIcon(status: CardStatus): unknown {
  if (status === 'pending' || status === 'executing') return html`<span class="spinner"></span>`;
  return {
    queued: cardIcons.clock,
    awaiting_approval: cardIcons.question,
    success: cardIcons.check,
    error: cardIcons.cross,
    denied: cardIcons.minus,
    cancelled: cardIcons.minus,
    interrupted: cardIcons.wait,
    undone: cardIcons.back,
  }[status];
}

/** It worked, and there was nothing: no triumph, and no error (S4-19). */
const isEmpty = ({ status, result }: CardView): boolean => status === 'success' && result?.errorType === 'empty_result';

/** A call may be so broken that it names no tool. */
const labelOf = ({ label }: CardView, texts: Texts): string => label || texts.couldNotRead;

/** The service's own doing, or what it asked a person about. */
const isServed = ({ service, call }: CardView): boolean => service === true || call?.flags?.includes('service') === true;

function statusText(card: CardView, texts: Texts): string {
  switch (card.status) {
    case 'pending':
      return texts.readingCall;
    case 'queued':
      return card.queuePosition ? texts.queuedAt(card.queuePosition) : texts.queued;
    case 'awaiting_approval':
      return texts.waitingForConfirmation;
    case 'executing':
      return isServed(card) ? texts.serviceRuns : texts.runningTool(card.toolName);
    case 'success':
      if (isEmpty(card)) return texts.noResults;
      return (isServed(card) && card.result?.message) || texts.toolFinished; // allowed, or done, by the service
    case 'error':
      return card.raw === undefined ? texts.toolFailed : texts.notExecuted;
    case 'denied':
      return card.result?.message || texts.declined; // the person's refusal, or why the page refused
    default:
      return texts[card.status];
  }
}

function duration(ms: number, { texts, lang }: PanelServices): string {
  const format = (value: number, digits: number) =>
    new Intl.NumberFormat(lang || undefined, { maximumFractionDigits: digits }).format(value);
  return ms < 1000 ? texts.tookMs(format(ms, 0)) : texts.tookSeconds(format(ms / 1000, 1));
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-call': ToolChatCall;
  }
}
