/** The card of one tool call, from the first text of the call to its end. */
import { load, loadForUser } from '../../base/load.js';
import { timeOfDay } from '../../base/time-of-day.js';
import { ContextConsumer } from '@lit/context';
import { html, nothing, type PropertyValues } from 'lit';
import type { CardStatus, CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { cardIcons, statusIcon } from '../card-icons.js';
import { PanelElement, type PanelServices, viewContext } from '../context.js';
import { icons } from '../icons.js';
import { exportApproval, exportResult } from '../parts.js';
import { isOnlyPending, isApprovalList } from '../pending-calls.js';
import { shared } from '../shared.styles.js';
import { verifiedRender } from '../verified-render.js';
import { buttonLabel } from '../decision-strings.js';
import { headlineOf, headlineWithHost, renderSentence } from '../sentences.js';
import { valueText } from '../../base/value-text.js';
import { renderValue, renderVisible, valueStyles } from '../value-view.js';
import {
  decidedByText,
  isDeclined,
  isEmpty,
  isMessageRedundant,
  isTable,
  lineOf,
  messageReplacesSentence,
  outcomeOf,
  renderDetails,
  renderProgress,
  statusText,
} from './call-details.js';
import type { RunAgain } from './run-again.js';
import { Sheet } from './sheet.js';
import { styles } from './tool-chat-call.styles.js';
import { addCallTexts } from '../../i18n/en-calls.js';
import '../tool-chat-approval/tool-chat-approval.js';
import { defineOnce } from '../define-once.js';

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
export class ToolChatCall extends PanelElement {
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
    const services = this.services;
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
                ${renderProgress(card, texts)} ${this.#result(card, services)} ${this.#renderRunAgain(card, services)}`
        }
      </section>
    `;
  }

  protected override updated(_changed: PropertyValues<this>) {
    const services = this.services;
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
      void load(() => import('../tool-chat-call-list/tool-chat-call-list.js')).then(
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
            <button type="button" class="quiet" aria-label=${name(texts.openDialog)} @click=${() => this.services?.resume()}>
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

  #text(name: string, text: string, texts: Texts) {
    return renderValue(text, { texts, open: this.open.has(name), toggle: () => this.#toggle(name) });
  }

  #toggle(name: string) {
    const open = new Set(this.open);
    if (!open.delete(name)) open.add(name);
    this.open = open;
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
    const facts = renderDetails(card, services, { outcome, open, text: (name, text) => this.#text(name, text, texts) });
    return html`<div part="tool-card-result" class="result">
      ${below ? html`<p>${failed ? html`<span class="error-label visually-hidden">${texts.errorLabel} </span>` : nothing}${this.#text('message shown', valueText(below), texts)}</p>` : nothing}
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
              ? facts
              : html`<details class="facts">
                  <summary aria-label=${details}><span>${texts.showDetails}</span>${icons.chevron}</summary>
                  <div class="folded">${facts}</div>
                </details>`
          }
        </div>
      </details>
    </div>`;
  }

  #renderCustomResult({ status, requestId, result }: CardView, { surface }: PanelServices) {
    if (!result || !surface?.draw || (status !== 'success' && status !== 'undone')) return nothing;
    if (this.#customResult?.status !== status) {
      const node = surface.draw(requestId);
      this.#customResult = { status, node: node instanceof Node ? node : undefined };
    }
    return this.#customResult.node ? html`<div part="call-details" class="own">${this.#customResult.node}</div>` : nothing;
  }

  #undo(card: CardView, texts: Texts) {
    const { requestId, undo, undoBack } = card;
    if (!undo) return nothing;
    const ask = (back: boolean) => () => {
      // The pressed button disappears, so the focus moves to the summary.
      this.renderRoot.querySelector('summary')?.focus();
      this.services?.surface?.undo(requestId, { back });
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
          this.#runAgain ??= new RunAgain(this, () => this.services);
          this.requestUpdate();
        },
        () => {}, // the card still says that the call failed
      );
    return this.#runAgain?.render(card, services) ?? nothing;
  }

  #setShown(name: string, shown: boolean) {
    if (shown && this.card?.result?.data !== undefined)
      loadForUser(() => import('../tool-chat-result/tool-chat-result.js')).catch(() =>
        this.services?.announce(this.services.texts.loadFailed),
      );
    if (shown !== this.open.has(`${name} shown`)) this.#toggle(`${name} shown`);
  }
}

addCallTexts();
defineOnce('tool-chat-call', ToolChatCall);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-call': ToolChatCall;
  }
}
