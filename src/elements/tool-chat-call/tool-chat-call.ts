/** The card of one tool call, from the first text of the call to its end. */
import { load, loadForUser } from '../../base/load.js';
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
import { isOnlyPending, isApprovalList } from '../pending-calls.js';
import { shared } from '../shared.styles.js';
import { verifiedRender } from '../verified-render.js';
import { buttonLabel } from '../decision-strings.js';
import { headlineOf, headlineWithHost, renderSentence } from '../sentences.js';
import { own } from '../../base/objects.js';
import { valueText } from '../../base/value-text.js';
import { argumentRows, renderArgument, renderValue, renderVisible } from '../value-view.js';
import { valueStyles } from '../value-view.styles.js';
import {
  duration,
  isDeclined,
  isEmpty,
  lineOf,
  outcomeOf,
  isMessageRedundant,
  statusSigns,
  statusText,
  messageReplacesSentence,
  decidedByText,
} from './call-strings.js';
import type { RunAgain } from './run-again.js';
import { Sheet } from './sheet.js';
import { styles } from './tool-chat-call.styles.js';

/**
 * @summary Shows a tool call, its progress and its result; contains the approval while the call waits for one.
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

  /** The id of the call in the conversation. */
  declare requestId: string;
  declare protected card: CardView | undefined;
  /** True if other calls wait too: the approval is a row of a list. */
  declare protected listed: boolean;
  /** True if no other call waits. */
  declare protected alone: boolean;
  /** Names of the long values that are unfolded. */
  declare protected open: ReadonlySet<string>;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  #cards: ViewSnapshot['cards'] = {};
  #announcedStatus: CardStatus | undefined;
  #runAgain: RunAgain | undefined;
  readonly #sheet: Sheet = new Sheet(this);
  /** The tool's own rendering of the result, created once per final status. */
  #customResult: { status: CardStatus; node: Node | undefined } | undefined;

  constructor() {
    super();
    this.requestId = '';
    this.open = new Set();
    this.listed = this.alone = false;
    // A card renders only changes of its own call, not all changes of the conversation.
    new ContextConsumer(this, {
      context: viewContext,
      subscribe: true,
      callback: ({ cards }) => {
        this.#cards = cards;
        this.card = this.#ownCard;
        this.listed = isApprovalList(cards);
        this.alone = isOnlyPending(cards);
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
    const sheet = waits && this.alone && !services.placement && !this.#sheet.isDismissed;
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
          waits // the approval below says what the call is about
            ? html`<header part="tool-card-header" class="visually-hidden">
                  <span class="state">${texts.waitingForConfirmation}</span>
                </header>
                ${this.#renderApproval(card, services, sheet)}`
            : html`<header part="tool-card-header">
                  <span class="badge" aria-hidden="true">${isEmpty(card) ? cardIcons.minus : statusIcon(card.status)}</span>
                  ${this.#line(card, services)}
                </header>
                ${this.#progress(card, texts)} ${this.#result(card, services)} ${this.#renderRunAgain(card, services)}`
        }
      </section>
    `;
  }

  protected override updated(_changed: PropertyValues<this>) {
    const services = this.#services.value;
    if (!services || !this.card) return;
    this.#runAgain?.updated(this.card);
    const { status, result } = this.card;
    if (status === 'success' && this.card.call?.risk === 'query') this.#foldAdjacent();
    const label = headlineOf(this.card, services.texts);
    const before = this.#announcedStatus;
    this.#announcedStatus = status;
    if (before === undefined || before === status) return; // restored cards are not announced
    const advice = this.card.advice ?? '';
    // Unfold a table that the user asked for and allowed.
    if (status === 'success' && this.card.call?.decidedBy === 'person' && isTable(result?.data)) this.#setShown('details', true);
    if (status === 'success')
      services.announce(
        `${services.texts.saidFinished(label)}. ${isMessageRedundant(this.card, services.texts) ? '' : (result?.message ?? '')} ${advice}`,
      );
    else if (status === 'error') services.announce(`${services.texts.saidFailed(label, result?.message ?? '')} ${advice}`);
    else if (status === 'denied' || status === 'cancelled' || status === 'interrupted' || status === 'undone')
      services.announce(`${label}: ${statusText(this.card, services.texts)}`);
  }

  /** Folds consecutive calls that needed no approval into one line. */
  #foldAdjacent() {
    const holder = this.parentElement;
    if ([holder?.previousElementSibling, holder?.nextElementSibling].some((sibling) => sibling?.matches('[part~=message-tool]')))
      void load(() => import('../define-call-list.js')).then(
        ({ foldAdjacentCalls }) => holder && foldAdjacentCalls(holder),
        () => {}, // the lines stay separate
      );
  }

  /** Renders the approval on the card. If it is in a dialog, renders its sentence and a button that opens the dialog again. */
  #renderApproval(card: CardView, { placement: placementOf, texts }: PanelServices, sheet: boolean) {
    const placement = placementOf?.(card.requestId);
    const headline = headlineWithHost(card, texts);
    const name = (act: string) => buttonLabel(act, [card], texts);
    return html`${
      placement === 'dialog'
        ? html`<p class="headline" dir="auto" ${verifiedRender(headline, () => renderSentence(headline))}></p>`
        : html`<tool-chat-approval
            .card=${card}
            .seen=${placement === 'later'}
            .listed=${this.listed && !placementOf}
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
            @click=${this.#sheet.dismiss}
          >
            ${icons.close}
          </button>`
        : nothing
    }${
      placementOf
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

  /** Renders the line of the call: its sentence, result, decision and time, and the undo buttons. */
  #line(card: CardView, services: PanelServices) {
    const { texts, lang } = services;
    const isReplaced = messageReplacesSentence(card);
    const outcome = isReplaced ? '' : outcomeOf(card, texts);
    const decidedBy = decidedByText(card, texts);
    const failed = card.status === 'error' && outcome === card.result?.message;
    return html`<div class="title">
        <span class="label" dir="auto" ${verifiedRender(lineOf(card, texts), () => renderSentence(lineOf(card, texts)))}></span
        ><span class="meta"
          >${[
            outcome &&
              html`<span class="outcome"
                >${failed ? html`<span class="visually-hidden">${texts.errorLabel} </span>` : nothing}<bdi
                  ${verifiedRender(outcome, () => renderVisible(outcome))}
                ></bdi
              ></span>`,
            decidedBy && html`<span .textContent=${decidedBy}></span>`,
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
    // A single argument is next to its heading: `参数: title = …`.
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

  /** Renders the result. Essential information is always visible; the details unfold. */
  #result(card: CardView, services: PanelServices) {
    const { texts } = services;
    const { result } = card;
    const failed = card.status === 'error';
    const state = statusText(card, texts);
    // Do not repeat the status. A failure may have more details.
    const message = result?.message !== state ? result?.message : failed && result?.result !== state ? result?.result : '';
    const outcome = outcomeOf(card, texts);
    const isReplaced =
      messageReplacesSentence(card) ||
      isMessageRedundant(card, texts) ||
      message === outcome ||
      card.status === 'undone' ||
      isDeclined(card, texts);
    const below = isReplaced ? '' : message;
    const notes = [card.standsInFor === undefined ? '' : texts.standsInFor(card.standsInFor), card.advice ?? ''].filter(Boolean);
    const open = this.open.has('details shown');
    const details = buttonLabel(texts.showDetails, [card], texts);
    return html`<div part="tool-card-result" class="result">
      ${below ? html`<p>${failed ? html`<span class="error-label visually-hidden">${texts.errorLabel} </span>` : nothing}${this.#value('message shown', below, texts)}</p>` : nothing}
      ${this.#renderCustomResult(card, services)} ${notes.map((note) => html`<p class="advice"><bdi>${renderVisible(note)}</bdi></p>`)}
      <details ?open=${open} @toggle=${(event: Event) => this.#setShown('details', (event.target as HTMLDetailsElement).open)}>
        <summary aria-label=${details}><span class="visually-hidden">${texts.showDetails}</span>${icons.chevron}</summary>
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

  /** Renders the details: status, duration and arguments. If the result has data, they need one more press. */
  #facts(card: CardView, services: PanelServices, outcome: string, open: boolean) {
    const { texts } = services;
    const { result, raw } = card;
    const state = statusText(card, texts);
    const sign = isEmpty(card) ? undefined : statusSigns[card.status];
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

  #renderCustomResult({ status, requestId, result }: CardView, { draw }: PanelServices) {
    if (!result || !draw || (status !== 'success' && status !== 'undone')) return nothing;
    if (this.#customResult?.status !== status) this.#customResult = { status, node: draw(requestId) };
    return this.#customResult.node ? html`<div part="call-details" class="own">${this.#customResult.node}</div>` : nothing;
  }

  #undo(card: CardView, texts: Texts) {
    const { requestId, undo, undoBack } = card;
    if (!undo) return nothing;
    const ask = (back: boolean) => () => {
      // The pressed button disappears, so the focus moves to the summary.
      this.renderRoot.querySelector('summary')?.focus();
      this.dispatchEvent(new PanelRequestEvent({ type: 'undo', requestId, back }));
    };
    const running = undo === 'running';
    const button = (part: string, act: string, back: boolean) =>
      html`<button
        type="button"
        part=${part}
        class="quiet"
        aria-label=${buttonLabel(act, [card], texts)}
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

  /** Renders the button to run a failed call again with other arguments, or the link to the card of the new call. */
  #renderRunAgain(card: CardView, services: PanelServices) {
    if (card.status !== 'error' || (!card.edit && card.repeatedBy === undefined)) return nothing;
    if (!this.#runAgain)
      void load(() => import('./run-again.js')).then(
        ({ RunAgain }) => {
          this.#runAgain ??= new RunAgain(this, () => this.#services.value);
          this.requestUpdate();
        },
        () => {}, // the card still says that the call failed
      );
    return this.#runAgain?.render(card, services) ?? nothing;
  }

  #source(name: string, text: string, texts: Texts) {
    return html`<div class="source">${this.#text(name, text, texts)}</div>`;
  }

  #setShown(name: string, shown: boolean) {
    if (shown && this.card?.result?.data !== undefined)
      void loadForUser(() => import('../define-result.js')).then(
        ({ defineResult }) => defineResult(),
        () => this.#services.value?.announce(this.#services.value.texts.loadFailed),
      );
    if (shown !== this.open.has(`${name} shown`)) this.#toggle(`${name} shown`);
  }
}

/** Returns true for a list of several objects. A single object is described by the sentence. */
function isTable(data: unknown): boolean {
  const rows = own(data, 'truncated') === true ? own(data, 'items') : data;
  return Array.isArray(rows) && rows.length > 1 && rows.every((one) => typeof one === 'object' && one !== null);
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-call': ToolChatCall;
  }
}
