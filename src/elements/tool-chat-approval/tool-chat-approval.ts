/** The approval on a card: the exact effect of the call, and the choice to allow it. */
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing } from 'lit';
import { approvalDigest } from '../../model/approval-digest.js';
import type { Call, CardView } from '../../model/calls.js';
import type { Decision } from '../../model/decision.js';
import type { Texts } from '../../i18n/en.js';
import { Arming } from '../click-guard.js';
import { cardIcons } from '../card-icons.js';
import { load } from '../../base/load.js';
import type { WordQuestion } from '../confirm-word.js';
import { servicesContext } from '../context.js';
import { renderArguments, renderChanges, renderConsequence, renderDetails, renderHeadline, type FactOptions } from './question-facts.js';
import { createRememberChoice } from './remember-choice.js';
import { rememberStyles } from './remember-choice.styles.js';
import { askConditions, guardButtons } from '../decisions.js';
import { hasBeenRead, onRead, ReadingPlace } from '../read-tracker.js';
import { icons } from '../icons.js';
import { isPlainReason, nameOf, riskText, unknownEffect, verbsOf } from '../decision-strings.js';
import { drawn, standsAsDrawn } from '../render-whole.js';
import { exportEdit } from '../parts.js';
import { liftQuestion } from '../lift-approval.js';
import { openEditForm } from '../open-edit-form.js';
import { divided, dividedChanges, headlineOf, headlineWithHost } from '../sentences.js';
import { shared } from '../shared.styles.js';
import type { EditEndEvent } from '../tool-chat-edit/tool-chat-edit.js';
import { readMark, renderValue, renderVisible, renderWarnings } from '../value-view.js';
import { guardTick, isTicked, onTick } from '../batch-selection.js';
import { valueStyles } from '../value-view.styles.js';
import { visibleText } from '../visible-text.js';
import { styles } from './tool-chat-approval.styles.js';

/**
 * @summary Asks the user to allow or deny one tool call, and shows its exact arguments.
 *
 * The buttons have `aria-disabled="true"` until the approval has been visible and still for half a second; "allow" also until the sentence,
 * the risk, the reason and every argument have been on screen to their ends. Earlier clicks are ignored, not queued. No function of this
 * element can be called to decide.
 * @tagname tool-chat-approval
 * @csspart approval - The question on a card that waits for approval.
 * @csspart approve-button - Allows the call.
 * @csspart deny-button - Denies the call; first in the order of focus.
 * @csspart run-edited-button - Allows the call with the arguments that the user changed.
 * @csspart edit-button - Opens the form for the arguments.
 * @csspart argument-field - A field for one argument.
 * @csspart remember-choice - For how long the decision holds.
 * @csspart tool-card-arguments - The arguments.
 */
export class ToolChatApproval extends LitElement {
  static override styles = [shared, valueStyles, styles, rememberStyles];
  static override properties = {
    card: { attribute: false },
    inDialog: { attribute: false },
    heeded: { attribute: false },
    listed: { attribute: false },
    unfolded: { state: true },
    open: { state: true },
    editing: { state: true },
  };

  /** The card whose call waits. */
  declare card: CardView | undefined;
  /** True if the approval is in its own dialog, which names it. */
  declare inDialog: boolean;
  /** True if the user has already seen this approval, so the focus does not move. */
  declare heeded: boolean;
  /** True if it is one of several waiting approvals: a row that can be excluded from "allow", and that unfolds to its own buttons. */
  declare listed: boolean;
  declare protected unfolded: boolean;
  /** Names of the long values that are unfolded. */
  declare protected open: ReadonlySet<string>;
  /** True while the form for the arguments is open. */
  declare protected editing: boolean;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  readonly #reading = new ReadingPlace(() => !this.#arming || this.#standsAsDrawn(this.#arming));
  /** The choice of how long the decision is valid. Another choice changes the meaning of "allow", so the delay restarts. */
  readonly #choice = createRememberChoice(() => {
    this.#arming?.again();
    this.requestUpdate();
  });
  #arming: Arming | undefined;
  #shown: Call | undefined;
  #settled = '';
  #heeded = '';
  /** Key of the approval that has shown the hint to read it to the end. */
  #hinted = '';
  /** Key of the approval whose facts others have changed, such as a page translation. */
  #altered = '';
  #stopListening: (() => void) | undefined;
  #stopTicks: (() => void) | undefined;
  /** True if the approval is a row without its own buttons. */
  #folded = false;
  #stopWords: (() => void) | undefined;

  constructor() {
    super();
    this.open = new Set();
    this.inDialog = this.heeded = this.listed = this.unfolded = this.editing = false;
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#stopListening = onRead(() => this.requestUpdate());
    this.#stopTicks = onTick(() => this.requestUpdate());
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#stopListening?.();
    this.#stopTicks?.();
    this.#stopWords = this.#stopWords?.() as undefined;
    this.#arming?.stop();
    this.#reading.stop();
  }

  override render() {
    const texts = this.#services.value?.texts;
    const call = this.card?.call;
    if (!texts || !call) return nothing;
    this.#choice.ask(questionOf(call), this.card?.offers ?? []);
    const card = this.card as CardView;
    const ready = this.#arming?.readiness === 'armed' && this.#settled !== approvalDigest(call) && !card.edit?.checking;
    const read = hasBeenRead(call.requestId, approvalDigest(call));
    const { shown, folded } = divided(call, texts);
    // A quoted call was shown by the assistant, not requested: the user decides whether to run it.
    const quoted = call.flags?.includes('quoted');
    const verbs = verbsOf(card, texts);
    const name = (act: string) => nameOf(act, [card], texts);
    const changes = dividedChanges(call);
    const reason = call.reason === '' || (quoted && call.reason === texts.reasonQuoted) ? undefined : call.reason;
    const plain = reason !== undefined && isPlainReason(reason, texts);
    const row = this.listed && !this.unfolded;
    const unknown = unknownEffect(call, texts);
    const value = (name: string, text: string, marked: boolean) => this.#value(name, text, texts, marked);
    const [seen, unseen] = [true, false].map((marked) => ({ texts, marked, value })) as [FactOptions, FactOptions];
    return html`
      <div
        part="approval"
        class="approval"
        role=${call.risk === 'danger' && !this.inDialog ? 'dialog' : 'group'}
        aria-labelledby="heading"
        aria-describedby="risk host"
        data-risk=${call.risk}
        ?data-listed=${this.listed}
        ?hidden=${this.editing}
      >
        <div class="facts">
          <div class="what">
            <button
              type="button"
              class="tick quiet square"
              role="checkbox"
              aria-checked=${String(isTicked(call.requestId))}
              aria-labelledby="heading host"
              ?hidden=${!this.listed}
            >
              ${cardIcons.check}
            </button>
            ${call.icon && !this.listed ? html`<span class="icon" aria-hidden="true">${call.icon}</span>` : nothing}
            <div>
              <h3 id="heading" tabindex="-1">
                ${quoted ? html`<span class="lead">${texts.reasonQuoted}</span>` : html`<span class="unseen">${texts.wantsTo} </span>`}<span
                  class="sentence"
                  >${renderHeadline(call, seen)}</span
                >
              </h3>
              ${renderWarnings(headlineOf(card, texts), texts)}
              ${renderConsequence(call, { texts, reason: reason === undefined || plain ? nothing : this.#reason(call, texts) })}
            </div>
            ${
              this.listed
                ? html`<button
                    type="button"
                    class="unfold quiet square"
                    aria-expanded=${String(this.unfolded)}
                    aria-label=${name(texts.decideAlone)}
                    title=${texts.decideAlone}
                    @click=${this.#unfold}
                  >
                    ${icons.chevron}
                  </button>`
                : nothing
            }
          </div>
          ${changes.shown.length > 0 ? renderChanges('', changes.shown, seen) : nothing}
          ${call.moreChanges ? html`<p class="more-changes" data-fact>${texts.moreChanges(call.moreChanges)}</p>` : nothing}
          ${unknown ? html`<p class="note" data-fact>${unknown}${readMark}</p>` : nothing}
          ${card.edited?.length ? renderChanges('edited ', card.edited, seen, card.repeats === undefined ? texts.changedByYou : texts.runAgainOf) : nothing}
          ${shown.length > 0 ? html`<div data-fact>${renderArguments(shown, seen, call.labels)}</div>` : nothing}
        </div>
        ${this.#hint(texts, call, read || row)}
        <div class="answer">
          <div class="decision" ?hidden=${row}>
            <span class="unseen">${card.again === undefined ? (quoted ? texts.runThis : texts.allowThis) : texts.runAgain}</span>
            <div class="buttons" ?data-arming=${this.#arming?.readiness === 'moving'}>
              <button type="button" part="deny-button" class="deny" aria-label=${name(verbs.deny)} aria-disabled=${String(!ready)}>
                <bdi ${drawn(verbs.deny, () => renderVisible(verbs.deny))}></bdi>
              </button>
              <button
                type="button"
                part=${card.edited?.length ? 'approve-button run-edited-button' : 'approve-button'}
                class="allow primary"
                aria-label=${name(verbs.allow)}
                aria-disabled=${String(!ready || !read)}
                aria-describedby="risk"
                ?hidden=${this.card?.confirm === 'keyword'}
              >
                <bdi ${drawn(verbs.allow, () => renderVisible(verbs.allow))}></bdi>
              </button>
            </div>
          </div>
          <div class="more" ?hidden=${row}>
            ${this.#choice.render(texts)}
            ${
              card.edit && hasFields(card)
                ? html`<button
                    type="button"
                    part="edit-button"
                    class="quiet edit"
                    aria-label=${name(texts.edit)}
                    aria-disabled=${String(this.#settled === approvalDigest(call))}
                    @click=${this.#edit}
                  >
                    ${texts.edit}
                  </button>`
                : nothing
            }
            ${renderDetails(call, { rows: folded, changes: changes.folded, why: plain ? reason : '' }, unseen)}
          </div>
        </div>
      </div>
      ${this.editing ? html`<tool-chat-edit .card=${card} exportparts=${exportEdit} @tool-chat-edit-end=${this.#edited}></tool-chat-edit>` : nothing}
    `;
  }

  protected override willUpdate() {
    const call = this.card?.call;
    if (this.#shown && call && (approvalDigest(this.#shown) !== approvalDigest(call) || this.#shown.requestId !== call.requestId)) {
      this.#arming?.again();
      this.#reading.stop();
    }
  }

  protected override updated() {
    const call = this.card?.call;
    if (!this.isConnected || !call || !this.#services.value) return;
    this.#arming ??= this.#guard();
    if (!this.#arming) return;
    // Nothing can be approved while the user edits the arguments in the form.
    const folded = this.listed && !this.unfolded;
    if (this.editing || folded !== this.#folded) this.#arming.stop();
    this.#folded = folded;
    if (this.editing) return;
    this.#arming.start();
    this.#arming.look(); // the rendering may have moved the buttons
    this.#shown = call;
    if (this.card?.confirm) this.#stopWords ??= this.#askForWord(this.#arming);
    this.#reading.watch(call.requestId, approvalDigest(call), this.renderRoot.querySelectorAll('.mark'));
    this.#ask(call);
  }

  /**
   * Registers the guards. Their closures are passed to the platform once and are not stored in a property, because any script can read what
   * a template holds.
   */
  #guard(): Arming | undefined {
    const root = this.renderRoot as ShadowRoot;
    const [deny, allow] = ['.deny', '.allow'].map((name) => root.querySelector<HTMLElement>(name));
    const actions = root.querySelector<HTMLElement>('.buttons');
    const sentence = root.querySelector<HTMLElement>('.what');
    const tick = root.querySelector<HTMLElement>('.tick');
    const card = root.querySelector<HTMLElement>('.approval');
    if (!deny || !allow || !actions || !sentence || !tick || !card) return undefined;

    const isFolded = () => this.#folded;
    guardTick(root, tick, () => this.#shown?.requestId ?? '');
    const arming = new Arming({
      card,
      // A row is also observed: it has no buttons, but its visibility is reported.
      get actions() {
        return isFolded() ? sentence : actions;
      },
      get buttons() {
        return isFolded() ? [] : [deny, allow];
      },
      // A row hides its own buttons, and with them the facts that only they need.
      facts: () => root.querySelectorAll<HTMLElement>(`#heading, ${isFolded() ? '.facts ' : ''}[data-fact]:not(.folded *)`),
      // Deferred, because this is also called while an update completes.
      changed: () => queueMicrotask(() => this.requestUpdate()),
      cannotAsk: (why) => askConditions(this)?.onCannotAsk?.(this.#shown?.requestId ?? '', why),
      // A confirmation word is typed into the composer, which a dialog would cover.
      lift: () => !this.inDialog && this.card?.confirm !== 'keyword' && liftQuestion(this, this.#services.value, this.#shown?.requestId),
    });
    this.#choice.guard(root);
    guardButtons(root, {
      buttons: [deny, allow],
      decisions: (button): readonly Decision[] => {
        const shown = this.#shown;
        const current = this.card?.call;
        if (!shown || this.card?.status !== 'awaiting_approval' || this.#settled === approvalDigest(shown)) return [];
        if (this.editing || this.#folded || this.card.edit?.checking) return [];
        if (!current || approvalDigest(current) !== approvalDigest(shown) || current.requestId !== shown.requestId || !arming.check())
          return [];
        if (button === allow && !this.#standsAsDrawn(arming)) return [];
        if (button === allow && (this.card.confirm === 'keyword' || !hasBeenRead(shown.requestId, approvalDigest(shown)))) return [];
        const about = { requestId: shown.requestId, digest: approvalDigest(shown) };
        if (button !== allow) return [{ ...about, verdict: 'deny' }];
        const remember = this.#choice.chosen(questionOf(shown));
        return [{ ...about, verdict: 'allow', ...(remember !== undefined && { remember }) }];
      },
      settled: () => {
        this.#settled = this.#shown ? approvalDigest(this.#shown) : '';
        this.#services.value?.returnFocus(this);
        this.requestUpdate();
      },
    });
    return arming;
  }

  /** Lets a confirmation word act like the button "allow", under the same conditions, for this call only. */
  #askForWord(arming: Arming): () => void {
    const isOpen = () => this.isConnected && this.card?.status === 'awaiting_approval' && this.card.confirm !== undefined;
    const question: WordQuestion = {
      card: this,
      isOpen,
      needsButton: () => this.card?.confirm === 'button',
      decisions: (word): readonly Decision[] => {
        const shown = this.#shown;
        const current = this.card?.call;
        if (!shown || !isOpen() || this.card?.confirm === 'button' || this.#settled === approvalDigest(shown)) return [];
        if (!current || approvalDigest(current) !== approvalDigest(shown) || current.requestId !== shown.requestId || !arming.check())
          return [];
        if (!this.#standsAsDrawn(arming)) return [];
        const { requestId } = shown;
        return hasBeenRead(requestId, approvalDigest(shown)) ? [{ requestId, digest: approvalDigest(shown), verdict: 'allow', word }] : [];
      },
      settled: () => {
        this.#settled = this.#shown ? approvalDigest(this.#shown) : '';
        this.requestUpdate();
      },
    };
    // If this fails to load, the buttons still work.
    const nothingToStop = () => () => {};
    const asked = load(() => import('../confirm-word.js')).then(({ askForWord }) => askForWord(question), nothingToStop);
    return () => void asked.then((stop) => stop());
  }

  /**
   * Checks that the card still shows the call as it was rendered. If others have changed the card, it is rendered again and must be read
   * again.
   */
  #standsAsDrawn(arming: Arming): boolean {
    const facts = this.renderRoot.querySelector('.facts');
    if (facts && standsAsDrawn(facts)) return true;
    this.#altered = this.#shown ? questionOf(this.#shown) : '';
    arming.again();
    this.requestUpdate();
    return false;
  }

  /** Presents the approval once: moves the focus of a user who is at the chat, or announces it. */
  #ask(call: Call) {
    const services = this.#services.value;
    const heading = this.renderRoot.querySelector<HTMLElement>('#heading');
    if (!services || !heading || this.#heeded === approvalDigest(call)) return;
    const known = this.heeded && this.#heeded === '';
    this.#heeded = approvalDigest(call);
    if (known) return;
    const { texts } = services;
    const facts = divided(call, texts).shown.map(([name, text]) => `${spoken(name)} = ${spoken(text)}`);
    const what = [headlineWithHost(this.card as CardView, texts), riskText(call, texts), facts.join(', ')].filter(Boolean).join('. ');
    services.attend(heading, texts.saidAsks(what));
  }

  /**
   * Renders the hint. Once shown for an approval, it keeps its space: if it came and went with the readiness of the buttons, they would
   * never stop moving.
   */
  #hint(texts: Texts, call: Call, isRead: boolean) {
    const told = this.#arming?.told;
    if (told) return html`<p class="hint" .textContent=${told === 'framed' ? texts.cannotAskFramed : texts.cannotAskHidden}></p>`;
    if (this.#altered === questionOf(call)) return html`<p class="hint" .textContent=${texts.factsAltered}></p>`;
    if (!isRead && this.#arming?.readiness === 'armed') this.#hinted = questionOf(call);
    const isHinted = this.#hinted === questionOf(call);
    return html`<p class=${isRead ? 'hint over' : 'hint'} .textContent=${isHinted ? texts.scrollToDecide : ''}></p>`;
  }

  /**
   * Renders the reason. Our own texts are rendered as they are. A text of a service could pass for ours and be of any length, so it is
   * labeled.
   */
  #reason({ reason, flags }: Call, texts: Texts) {
    if (!flags?.includes('service') || reason === texts.reasonService)
      return [html`<bdi ${drawn(reason, () => renderVisible(reason))}></bdi>`, readMark];
    return [html`<span>${texts.serviceSays} </span>`, this.#value('reason', reason, texts)];
  }

  #edit() {
    if (this.#settled === (this.card?.call && approvalDigest(this.card.call))) return;
    void openEditForm(this.#services.value).then((opens) => {
      this.editing = opens && this.card?.edit !== undefined;
    });
  }

  #unfold() {
    this.unfolded = !this.unfolded;
  }

  /** Moves the focus of a user who was in the form to the changed approval, or back to the edit button. */
  #edited({ taken }: EditEndEvent) {
    const inside = (this.renderRoot as ShadowRoot).activeElement?.localName === 'tool-chat-edit';
    this.editing = false;
    void this.updateComplete.then(() => {
      if (inside) this.renderRoot.querySelector<HTMLElement>(taken ? '#heading' : '.edit')?.focus();
    });
  }

  #value(name: string, text: string, texts: Texts, marked = true) {
    return renderValue(text, { texts, open: this.open.has(name), toggle: () => this.#toggle(name), marked });
  }

  #toggle(name: string) {
    const open = new Set(this.open);
    if (!open.delete(name)) open.add(name);
    this.open = open;
  }
}

const hasFields = ({ call, edit }: CardView): boolean =>
  Object.keys(edit?.schema?.['properties'] ?? {}).length > 0 || Object.keys(call?.args ?? {}).length > 0;

/** Longest announced part of a value, in UTF-16 units. */
const SPOKEN = 80;

/** Returns the text for the announcement. Hidden characters are named, and a cut is marked: the rest is on the card. */
function spoken(text: string): string {
  const { pieces } = visibleText(text.slice(0, SPOKEN));
  const said = pieces.map((piece) => (typeof piece === 'string' ? piece : ` ${piece.mark} `)).join('');
  return text.length > SPOKEN ? `${said}…` : said;
}

/** Returns the key of an approval. Another call, or the same call with other arguments, is another approval. */
const questionOf = (call: Call): string => `${call.requestId} ${approvalDigest(call)}`;

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-approval': ToolChatApproval;
  }
}
