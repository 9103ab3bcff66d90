/** The card of one tool call, from its first sign in the text to its end. */
import { load, loadAsked } from '../../base/load.js';
import { timeOfDay } from '../../base/time-of-day.js';
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { CardStatus, CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { cardIcons, statusIcon } from '../card-icons.js';
import { servicesContext, viewContext, type PanelServices } from '../context.js';
import { icons } from '../icons.js';
import { exportApproval, exportResult } from '../parts.js';
import { PanelRequestEvent } from '../panel-requests.js';
import { isAlone, isList } from '../listed.js';
import { shared } from '../shared.styles.js';
import { drawn } from '../drawn.js';
import { nameOf } from '../decision-words.js';
import { headlineOf, headlineWithHost, renderSentence } from '../sentences.js';
import { own } from '../../base/objects.js';
import { valueText } from '../../base/value-text.js';
import { argumentRows, renderArgument, renderValue, renderVisible } from '../value-view.js';
import { valueStyles } from '../value-view.styles.js';
import { duration, isDeclined, isEmpty, lineOf, outcomeOf, saysNothing, signs, statusText, tells, whoDecided } from './call-words.js';
import type { RunAgain } from './run-again.js';
import { Sheet } from './sheet.js';
import { styles } from './tool-chat-call.styles.js';

/**
 * @summary Shows what a tool call is, how far it is, and what came of it; holds the question while it waits for a person.
 * @tagname tool-chat-call
 * @csspart tool-card - The card; carries `data-status`, `data-tool` and `data-request-id`.
 * @csspart tool-card-header - Icon, label and status.
 * @csspart tool-card-arguments - The arguments, all of them.
 * @csspart tool-card-result - The result, or what went wrong.
 * @csspart undo-button - Undoes the call.
 * @csspart edit-button - Of a failed call: opens the form for another run.
 * @csspart argument-field - A field for one argument.
 * @csspart jump-button - Scrolls to the card of the call.
 * @csspart undo-back-button - Undoes the call and later calls.
 */
export class ToolChatCall extends LitElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = {
    requestId: { attribute: false },
    card: { state: true },
    listed: { state: true },
    alone: { state: true },
    open: { state: true },
  };

  /** Which call of the conversation this is. */
  declare requestId: string;
  declare protected card: CardView | undefined;
  /** Others wait, too: the question is a row of a list. */
  declare protected listed: boolean;
  /** Nothing else waits. */
  declare protected alone: boolean;
  /** Names of the long values that are unfolded. */
  declare protected open: ReadonlySet<string>;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  #cards: ViewSnapshot['cards'] = {};
  #said: CardStatus | undefined;
  #again: RunAgain | undefined;
  readonly #sheet: Sheet = new Sheet(this);
  /** What the tool itself draws, made once for each way a call has ended. */
  #drawn: { status: CardStatus; node: Node | undefined } | undefined;

  constructor() {
    super();
    this.requestId = '';
    this.open = new Set();
    this.listed = this.alone = false;
    // Of all that changes in a conversation, a card draws only what is its own.
    new ContextConsumer(this, {
      context: viewContext,
      subscribe: true,
      callback: ({ cards }) => {
        this.#cards = cards;
        this.card = this.#ownCard;
        this.listed = isList(cards);
        this.alone = isAlone(cards);
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
    const sheet = waits && this.alone && !services.asks && !this.#sheet.isAside;
    return html`
      <section
        part="tool-card"
        class="card"
        data-status=${card.status}
        data-tool=${card.toolName}
        data-request-id=${card.requestId}
        data-risk=${card.call?.risk ?? 'undeclared'}
        ?data-empty=${isEmpty(card)}
        ?data-waits=${waits}
        ?data-sheet=${sheet}
        tabindex="-1"
        aria-busy=${String(card.status === 'pending' || card.status === 'executing')}
        @keydown=${this.#sheet.escape}
      >
        ${
          waits // the question below says what it is about
            ? html`<header part="tool-card-header" class="unseen"><span class="state">${texts.waitingForConfirmation}</span></header>
                ${this.#question(card, services, sheet)}`
            : html`<header part="tool-card-header">
                  <span class="badge" aria-hidden="true">${isEmpty(card) ? cardIcons.minus : statusIcon(card.status)}</span>
                  ${this.#line(card, services)}
                </header>
                ${this.#progress(card, texts)} ${this.#result(card, services)} ${this.#repeat(card, services)}`
        }
      </section>
    `;
  }

  protected override updated(_changed: PropertyValues<this>) {
    const services = this.#services.value;
    if (!services || !this.card) return;
    this.#again?.updated(this.card);
    const { status, result } = this.card;
    if (status === 'success' && this.card.call?.risk === 'query') this.#join();
    const label = headlineOf(this.card, services.texts);
    const before = this.#said;
    this.#said = status;
    if (before === undefined || before === status) return; // a card of the past has nothing to say
    const advice = this.card.advice ?? '';
    // What was asked for and allowed is what one wants to see.
    if (status === 'success' && this.card.call?.decidedBy === 'person' && isTable(result?.data)) this.#shown('details', true);
    if (status === 'success')
      services.announce(
        `${services.texts.saidFinished(label)}. ${saysNothing(this.card, services.texts) ? '' : (result?.message ?? '')} ${advice}`,
      );
    else if (status === 'error') services.announce(`${services.texts.saidFailed(label, result?.message ?? '')} ${advice}`);
    else if (status === 'denied' || status === 'cancelled' || status === 'interrupted' || status === 'undone')
      services.announce(`${label}: ${statusText(this.card, services.texts)}`);
  }

  /** Lines that stand together and needed nobody fold to one. */
  #join() {
    const place = this.parentElement;
    if ([place?.previousElementSibling, place?.nextElementSibling].some((beside) => beside?.matches('[part~=message-tool]')))
      void load(() => import('../define-call-list.js')).then(
        ({ foldRun }) => place && foldRun(place),
        () => {}, // they stand one below the other
      );
  }

  /** On the card, or in a dialog; then the card says what it is about, and opens the dialog again. */
  #question(card: CardView, { asks, texts }: PanelServices, sheet: boolean) {
    const place = asks?.(card.requestId);
    const headline = headlineWithHost(card, texts);
    const name = (act: string) => nameOf(act, [card], texts);
    return html`${
      place === 'dialog'
        ? html`<p class="asked" dir="auto" ${drawn(headline, () => renderSentence(headline))}></p>`
        : html`<tool-chat-approval
            .card=${card}
            .heeded=${place === 'later'}
            .listed=${this.listed && !asks}
            ?data-sheet=${sheet}
            exportparts=${exportApproval}
          ></tool-chat-approval>`
    }${
      sheet
        ? html`<button
            type="button"
            class="later quiet square"
            aria-label=${name(texts.decideLater)}
            title=${texts.decideLater}
            @click=${this.#sheet.giveWay}
          >
            ${icons.close}
          </button>`
        : nothing
    }${
      asks
        ? html`<div class="undo">
            <button
              type="button"
              class="quiet"
              aria-label=${name(texts.openDialog)}
              @click=${() => this.dispatchEvent(new PanelRequestEvent({ type: 'ask' }))}
            >
              ${texts.openDialog}
            </button>
          </div>`
        : nothing
    }`;
  }

  /** What it is, what came of it, who decided, when; and what takes it back. */
  #line(card: CardView, services: PanelServices) {
    const { texts, lang } = services;
    const told = tells(card);
    const outcome = told ? '' : outcomeOf(card, texts);
    const who = whoDecided(card, texts);
    const failed = card.status === 'error' && outcome === card.result?.message;
    return html`<div class="title">
        <span class="label" dir="auto" ${drawn(lineOf(card, texts), () => renderSentence(lineOf(card, texts)))}></span
        ><span class="told"
          >${[
            outcome &&
              html`<span class="outcome"
                >${failed ? html`<span class="unseen">${texts.errorLabel} </span>` : nothing}<bdi
                  ${drawn(outcome, () => renderVisible(outcome))}
                ></bdi
              ></span>`,
            who && html`<span .textContent=${who}></span>`,
            card.endedAt !== undefined &&
              (card.call?.decidedBy === 'person' || isDeclined(card, texts)) &&
              html`<time>${timeOfDay(card.endedAt, lang)}</time>`,
          ].filter(Boolean)}</span
        >
      </div>
      ${this.#undo(card, texts)}`;
  }

  #arguments(card: CardView, texts: Texts) {
    const entries = argumentRows(card.call?.args ?? card.params, texts);
    if (entries.length === 0) return nothing;
    const rows = entries.map(([name, text]) => renderArgument(name, this.#text(name, text, texts), texts));
    // One argument stands beside its heading: `参数: title = …`.
    return html`<div part="tool-card-arguments" class=${entries.length === 1 ? 'arguments rows single' : 'arguments rows'}>
      ${[html`<span class="heading">${texts.argumentsLabel} </span>`, ...rows]}
      ${card.edited?.length ? html`<p class="heading">${texts.changedByYou} <bdi>${renderVisible(card.edited.map(({ label }) => label).join(', '))}</bdi></p>` : nothing}
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
      ${message ? html`<bdi>${renderVisible(message)}</bdi>` : nothing}
    </div>`;
  }

  /** What there is to know about how it came out stands in view; all else unfolds. */
  #result(card: CardView, services: PanelServices) {
    const { texts } = services;
    const { result } = card;
    const failed = card.status === 'error';
    const state = statusText(card, texts);
    // What the status has said already is not said again; of a failure there may be more to tell.
    const message = result?.message !== state ? result?.message : failed && result?.result !== state ? result?.result : '';
    const outcome = outcomeOf(card, texts);
    const isSaid = tells(card) || saysNothing(card, texts) || message === outcome || card.status === 'undone' || isDeclined(card, texts);
    const below = isSaid ? '' : message;
    const notes = [card.standsInFor === undefined ? '' : texts.standsInFor(card.standsInFor), card.advice ?? ''].filter(Boolean);
    const open = this.open.has('details shown');
    const details = nameOf(texts.showDetails, [card], texts);
    return html`<div part="tool-card-result" class="result">
      ${below ? html`<p>${failed ? html`<span class="error-label unseen">${texts.errorLabel} </span>` : nothing}${this.#value('message shown', below, texts)}</p>` : nothing}
      ${this.#own(card, services)} ${notes.map((note) => html`<p class="advice"><bdi>${renderVisible(note)}</bdi></p>`)}
      <details ?open=${open} @toggle=${(event: Event) => this.#shown('details', (event.target as HTMLDetailsElement).open)}>
        <summary aria-label=${details}><span class="unseen">${texts.showDetails}</span>${icons.chevron}</summary>
        <div class="folded">
          ${
            open && result?.data !== undefined
              ? html`<tool-chat-result .data=${result.data} exportparts=${exportResult}></tool-chat-result>`
              : nothing
          }
          ${
            result?.data === undefined
              ? this.#facts(card, services, outcome, open)
              : html`<details class="facts">
                  <summary aria-label=${details}><span>${texts.showDetails}</span>${icons.chevron}</summary>
                  <div class="folded">${this.#facts(card, services, outcome, open)}</div>
                </details>`
          }
        </div>
      </details>
    </div>`;
  }

  /** How it ended, how long it took, with what it was called: below the data of a result one more press away. */
  #facts(card: CardView, services: PanelServices, outcome: string, open: boolean) {
    const { texts } = services;
    const { result, raw } = card;
    const state = statusText(card, texts);
    const sign = isEmpty(card) ? undefined : signs[card.status];
    return html`<p class="state">
        ${[
          outcome !== state && [sign && `${sign} `, html`<bdi>${renderVisible(state)}</bdi>`],
          result && card.toolName !== card.label && html` <code>${renderVisible(card.toolName)}</code>`,
          card.call?.toolHost && html` <bdi translate="no">${renderVisible(card.call.toolHost)}</bdi>`,
          result && result.durationMs > 0 && html` <span class="time">${duration(result.durationMs, services)}</span>`,
        ].filter(Boolean)}
      </p>
      ${this.#arguments(card, texts)}
      ${
        raw
          ? html`<p class="heading">${texts.showRaw}</p>
              ${open ? this.#source('raw', raw, texts) : nothing}`
          : nothing
      }`;
  }

  #own({ status, requestId, result }: CardView, { draw }: PanelServices) {
    if (!result || !draw || (status !== 'success' && status !== 'undone')) return nothing;
    if (this.#drawn?.status !== status) this.#drawn = { status, node: draw(requestId) };
    return this.#drawn.node ? html`<div part="call-details" class="own">${this.#drawn.node}</div>` : nothing;
  }

  #undo(card: CardView, texts: Texts) {
    const { requestId, undo, undoBack } = card;
    if (!undo) return nothing;
    const ask = (back: boolean) => () => {
      // Its button goes: what stays of the card has the focus then.
      this.renderRoot.querySelector('summary')?.focus();
      this.dispatchEvent(new PanelRequestEvent({ type: 'undo', requestId, back }));
    };
    const running = undo === 'running';
    const button = (part: string, act: string, back: boolean) =>
      html`<button
        type="button"
        part=${part}
        class="quiet"
        aria-label=${nameOf(act, [card], texts)}
        ?disabled=${running}
        @click=${ask(back)}
      >
        ${act}
      </button>`;
    return html`<div class="undo">
      ${undo === 'unsure' ? nothing : button('undo-button', running ? texts.undoing : texts.undo, false)}
      ${undoBack && !running ? button('undo-back-button', texts.undoBack, true) : nothing}
      <span class="error-label" role="status"
        >${undo === 'failed' ? texts.undoFailed : undo === 'unsure' || undo === 'retry' ? texts.undoUnsure : nothing}</span
      >
    </div>`;
  }

  /** A failed call can run again with other arguments; whoever did that finds the other card from here. */
  #repeat(card: CardView, services: PanelServices) {
    if (card.status !== 'error' || (!card.edit && card.repeatedBy === undefined)) return nothing;
    if (!this.#again)
      void load(() => import('./run-again.js')).then(
        ({ RunAgain }) => {
          this.#again ??= new RunAgain(this, () => this.#services.value);
          this.requestUpdate();
        },
        () => {}, // it failed, and that stands there
      );
    return this.#again?.render(card, services) ?? nothing;
  }

  #source(name: string, text: string, texts: Texts) {
    return html`<div class="source">${this.#text(name, text, texts)}</div>`;
  }

  #shown(name: string, shown: boolean) {
    if (shown && this.card?.result?.data !== undefined)
      void loadAsked(() => import('../define-result.js')).then(
        ({ defineResult }) => defineResult(),
        () => this.#services.value?.announce(this.#services.value.texts.loadFailed),
      );
    if (shown !== this.open.has(`${name} shown`)) this.#toggle(`${name} shown`);
  }
}

/** A list of things; what a single one is, its sentence says. */
function isTable(data: unknown): boolean {
  const rows = own(data, 'truncated') === true ? own(data, 'items') : data;
  return Array.isArray(rows) && rows.length > 1 && rows.every((one) => typeof one === 'object' && one !== null);
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-call': ToolChatCall;
  }
}
