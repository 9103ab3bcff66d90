/** The card of one tool call, from its first sign in the text to its end. */
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { CardStatus, CardView } from '../../calls.js';
import type { ViewSnapshot } from '../../conversation/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { cardIcons } from '../card-icons.js';
import { servicesContext, viewContext, type PanelServices } from '../context.js';
import { icons } from '../icons.js';
import { exportApproval } from '../parts.js';
import { PanelRequestEvent } from '../requests.js';
import { shared } from '../shared.styles.js';
import { renderArgument, renderValue, renderVisible, valueText } from '../value-view.js';
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
 * @csspart undo-back-button - And what later calls did.
 */
export class ToolChatCall extends LitElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = { requestId: { attribute: false }, card: { state: true }, open: { state: true } };

  /** Which call of the conversation this is. */
  declare requestId: string;
  declare protected card: CardView | undefined;
  /** Names of the long values that are unfolded. */
  declare protected open: ReadonlySet<string>;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  #cards: ViewSnapshot['cards'] = {};
  #said: CardStatus | undefined;

  constructor() {
    super();
    this.requestId = '';
    this.open = new Set();
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
        aria-busy=${String(card.status === 'pending' || card.status === 'executing')}
      >
        <header part="tool-card-header">
          <span class="badge" aria-hidden="true">${statusIcon(card.status)}</span>
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
            ? html`<tool-chat-approval .card=${card} exportparts=${exportApproval}></tool-chat-approval>`
            : html`${this.#arguments(card, texts)} ${this.#progress(card, texts)} ${this.#result(card, texts)} ${this.#undo(card, texts)}`
        }
      </section>
    `;
  }

  protected override updated(_changed: PropertyValues<this>) {
    const services = this.#services.value;
    if (!services || !this.card) return;
    const { status, result } = this.card;
    const label = labelOf(this.card, services.texts);
    const before = this.#said;
    this.#said = status;
    if (before === undefined || before === status) return; // a card of the past has nothing to say
    if (status === 'success') services.announce(`${services.texts.saidFinished(label)}. ${result?.message ?? ''}`);
    else if (status === 'error') services.announce(services.texts.saidFailed(label, result?.message ?? ''));
    else if (status === 'denied' || status === 'cancelled' || status === 'interrupted' || status === 'undone')
      services.announce(`${label}: ${statusText(this.card, services.texts)}`);
  }

  #statusLine(card: CardView, texts: Texts): TemplateResult {
    // The sign of the status is drawn; as a character it stands in the text, where a copy or a reader finds it.
    const sign = signs[card.status];
    return html`${sign ? html`<span class="unseen" aria-hidden="true">${sign} </span>` : nothing}${renderVisible(statusText(card, texts))}`;
  }

  #arguments(card: CardView, texts: Texts) {
    const entries = Object.entries(card.call?.args ?? card.params);
    if (entries.length === 0) return nothing;
    const rows = entries.map(([name, value]) => renderArgument(name, this.#value(name, value, texts)));
    // One argument stands beside its heading: `参数: title = …` (S0-126).
    return html`<div part="tool-card-arguments" class=${entries.length === 1 ? 'arguments rows single' : 'arguments rows'}>
      ${[html`<span class="heading">${texts.argumentsLabel} </span>`, ...rows]}
    </div>`;
  }

  #value(name: string, value: unknown, texts: Texts) {
    return renderValue(valueText(value), { texts, open: this.open.has(name), toggle: () => this.#toggle(name) });
  }

  #toggle(name: string) {
    const open = new Set(this.open);
    if (!open.delete(name)) open.add(name);
    this.open = open;
  }

  #progress(card: CardView, texts: Texts) {
    if (card.status !== 'executing' || !card.progress) return nothing;
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
    if (!message && result?.data === undefined && !raw) return nothing;
    return html`<div part="tool-card-result" class="result">
      ${message ? html`<p>${failed ? html`<span class="error-label">${texts.errorLabel} </span>` : nothing}${this.#value('message shown', message, texts)}</p>` : nothing}
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
