/** The approval on a card: the exact effect of the call, and the choice to allow it. */
import { html, nothing } from 'lit';
import { approvalDigest } from '../../model/approval-digest.js';
import type { Call, CardView } from '../../model/calls.js';
import type { Decision } from '../../model/decision.js';
import type { Texts } from '../../i18n/en.js';
import { ClickGuard } from '../click-guard.js';
import { load } from '../../base/load.js';
import type { WordApproval } from '../confirm-word.js';
import { PanelElement } from '../context.js';
import { renderButtons, renderDetails, renderFacts, renderWhat, spokenSummary, type FactOptions } from './approval-facts.js';
import { createRememberChoice, rememberStyles } from './remember-choice.js';
import { approvalConditions, guardButtons } from '../decisions.js';
import { hasBeenRead, onRead, ReadTracker } from '../read-tracker.js';
import { buttonLabel } from '../decision-strings.js';
import { isUnaltered } from '../verified-render.js';
import { exportEdit } from '../parts.js';
import { liftApproval } from '../lift-approval.js';
import { openEditForm } from '../open-edit-form.js';
import { shared } from '../shared.styles.js';
import type { EditEndEvent } from '../tool-chat-edit/tool-chat-edit.js';
import { renderValue, valueStyles } from '../value-view.js';
import { guardCheckbox, onSelectionChange } from '../batch-selection.js';
import { styles } from './tool-chat-approval.styles.js';
import { defineOnce } from '../define-once.js';

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
export class ToolChatApproval extends PanelElement {
  static override styles = [shared, valueStyles, styles, rememberStyles];
  static override properties = {
    card: { attribute: false },
    inDialog: { attribute: false },
    seen: { attribute: false },
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
  declare seen: boolean;
  /** True if it is one of several waiting approvals: a row that can be excluded from "allow", and that unfolds to its own buttons. */
  declare listed: boolean;
  declare protected unfolded: boolean;
  /** Names of the long values that are unfolded. */
  declare protected open: ReadonlySet<string>;
  /** True while the form for the arguments is open. */
  declare protected editing: boolean;

  readonly #readTracker = new ReadTracker(() => !this.#clickGuard || this.#isUnaltered(this.#clickGuard));
  /** The choice of how long the decision is valid. Another choice changes the meaning of "allow", so the delay restarts. */
  readonly #rememberChoice = createRememberChoice(() => {
    this.#clickGuard?.restart();
    this.requestUpdate();
  });
  #clickGuard: ClickGuard | undefined;
  #renderedCall: Call | undefined;
  #decidedDigest = '';
  #announcedDigest = '';
  /** Key of the approval that has shown the hint to read it to the end. */
  #hintedKey = '';
  /** Key of the approval whose facts others have changed, such as a page translation. */
  #alteredKey = '';
  #stopReadListener: (() => void) | undefined;
  #stopSelectionListener: (() => void) | undefined;
  /** True if the approval is a row without its own buttons. */
  #folded = false;
  #stopWordGuard: (() => void) | undefined;

  constructor() {
    super();
    this.open = new Set();
    this.inDialog = this.seen = this.listed = this.unfolded = this.editing = false;
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#stopReadListener = onRead(() => this.requestUpdate());
    this.#stopSelectionListener = onSelectionChange(() => this.requestUpdate());
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#stopReadListener?.();
    this.#stopSelectionListener?.();
    this.#stopWordGuard = this.#stopWordGuard?.() as undefined;
    this.#clickGuard?.stop();
    this.#readTracker.stop();
  }

  override render() {
    const texts = this.services?.texts;
    const { card } = this;
    const call = card?.call;
    if (!texts || !card || !call) return nothing;
    this.#rememberChoice.update(approvalKey(call), card.offers ?? []);
    const row = this.listed && !this.unfolded;
    const ready = this.#clickGuard?.readiness === 'armed' && this.#decidedDigest !== approvalDigest(call) && !card.edit?.checking;
    const read = hasBeenRead(call.requestId, approvalDigest(call));
    const list = { listed: this.listed, unfolded: this.unfolded, unfold: this.#unfold };
    const facts = (marked: boolean): FactOptions => ({
      ...{ texts, marked },
      value: (name, text, isMarked) => this.#value(name, text, texts, isMarked),
    });
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
        <div class="facts">${renderWhat(card, call, list, facts(true))}${renderFacts(card, call, facts(true))}</div>
        ${this.#hint(texts, call, read || row)}
        <div class="answer">
          <div class="decision" ?hidden=${row}>
            ${renderButtons(card, call, texts, { ready, read, arming: this.#clickGuard?.readiness === 'moving' })}
          </div>
          <div class="more" ?hidden=${row}>
            ${this.#rememberChoice.render(texts)} ${card.edit && hasFields(card) ? this.#editButton(card, call, texts) : nothing}
            ${renderDetails(call, facts(false))}
          </div>
        </div>
      </div>
      ${this.editing ? html`<tool-chat-edit .card=${card} exportparts=${exportEdit} @tool-chat-edit-end=${this.#edited}></tool-chat-edit>` : nothing}
    `;
  }

  #editButton(card: CardView, call: Call, texts: Texts) {
    return html`<button
      type="button"
      part="edit-button"
      class="quiet edit"
      aria-label=${buttonLabel(texts.edit, [card], texts)}
      aria-disabled=${String(this.#decidedDigest === approvalDigest(call))}
      @click=${this.#edit}
    >
      ${texts.edit}
    </button>`;
  }

  protected override willUpdate() {
    const call = this.card?.call;
    if (
      this.#renderedCall &&
      call &&
      (approvalDigest(this.#renderedCall) !== approvalDigest(call) || this.#renderedCall.requestId !== call.requestId)
    ) {
      this.#clickGuard?.restart();
      this.#readTracker.stop();
    }
  }

  protected override updated() {
    const call = this.card?.call;
    if (!this.isConnected || !call || !this.services) return;
    this.#clickGuard ??= this.#registerGuards();
    if (!this.#clickGuard) return;
    // Nothing can be approved while the user edits the arguments in the form.
    const folded = this.listed && !this.unfolded;
    if (this.editing || folded !== this.#folded) this.#clickGuard.stop();
    this.#folded = folded;
    // Neither a word nor the bar for all calls can allow a call whose facts the form hides.
    if (this.editing) return this.#readTracker.stop();
    this.#clickGuard.start();
    this.#clickGuard.checkSoon(); // the rendering may have moved the buttons
    this.#renderedCall = call;
    if (this.card?.confirm) this.#stopWordGuard ??= this.#guardWord(this.#clickGuard);
    this.#readTracker.watch(call.requestId, approvalDigest(call), this.renderRoot.querySelectorAll('.mark'));
    this.#present(call);
  }

  /**
   * Registers the guards. Their closures are passed to the platform once and are not stored in a property, because any script can read what
   * a template holds.
   */
  #registerGuards(): ClickGuard | undefined {
    const root = this.renderRoot as ShadowRoot;
    const [deny, allow] = ['.deny', '.allow'].map((name) => root.querySelector<HTMLElement>(name));
    const actions = root.querySelector<HTMLElement>('.buttons');
    const sentence = root.querySelector<HTMLElement>('.what');
    const checkbox = root.querySelector<HTMLElement>('.checkbox');
    const card = root.querySelector<HTMLElement>('.approval');
    if (!deny || !allow || !actions || !sentence || !checkbox || !card) return undefined;

    const isFolded = () => this.#folded;
    guardCheckbox(root, checkbox, () => this.#renderedCall?.requestId ?? '');
    const clickGuard = new ClickGuard({
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
      cannotAsk: (why) => approvalConditions(this)?.onCannotAsk?.(this.#renderedCall?.requestId ?? '', why),
      // A confirmation word is typed into the composer, which a dialog would cover.
      lift: () => !this.inDialog && this.card?.confirm !== 'keyword' && liftApproval(this, this.services, this.#renderedCall?.requestId),
    });
    this.#rememberChoice.guard(root);
    guardButtons(root, {
      buttons: [deny, allow],
      decisions: (button): readonly Decision[] => {
        const shown = this.#decidable(clickGuard);
        if (!shown) return [];
        const subject = { requestId: shown.requestId, digest: approvalDigest(shown) };
        if (button !== allow) return [{ ...subject, verdict: 'deny' }];
        if (this.card?.confirm === 'keyword' || !this.#isRead(shown, clickGuard)) return [];
        const remember = this.#rememberChoice.chosen(approvalKey(shown));
        return [{ ...subject, verdict: 'allow', ...(remember !== undefined && { remember }) }];
      },
      decided: () => {
        this.services?.returnFocus(this);
        this.#onDecided();
      },
    });
    return clickGuard;
  }

  /** Returns the call that a decision may be about now: it waits, is shown as it is, and was not decided. */
  #decidable(clickGuard: ClickGuard): Call | undefined {
    const shown = this.#renderedCall;
    const current = this.card?.call;
    if (!shown || this.card?.status !== 'awaiting_approval' || this.#decidedDigest === approvalDigest(shown)) return undefined;
    if (this.editing || this.#folded || this.card.edit?.checking) return undefined;
    if (!current || approvalDigest(current) !== approvalDigest(shown) || current.requestId !== shown.requestId) return undefined;
    return clickGuard.check() ? shown : undefined;
  }

  /** Returns true if the user has read the call to its end, and the page has not changed it since. */
  #isRead(shown: Call, clickGuard: ClickGuard): boolean {
    return this.#isUnaltered(clickGuard) && hasBeenRead(shown.requestId, approvalDigest(shown));
  }

  #onDecided(): void {
    this.#decidedDigest = this.#renderedCall ? approvalDigest(this.#renderedCall) : '';
    this.requestUpdate();
  }

  /** Lets a confirmation word act like the button "allow", under the same conditions, for this call only. */
  #guardWord(clickGuard: ClickGuard): () => void {
    const isOpen = () => this.isConnected && this.card?.status === 'awaiting_approval' && this.card.confirm !== undefined;
    const approval: WordApproval = {
      card: this,
      isOpen,
      needsButton: () => this.card?.confirm === 'button',
      decisions: (word): readonly Decision[] => {
        if (!isOpen() || this.card?.confirm === 'button') return [];
        const shown = this.#decidable(clickGuard);
        if (!shown || !this.#isRead(shown, clickGuard)) return [];
        return [{ requestId: shown.requestId, digest: approvalDigest(shown), verdict: 'allow', word }];
      },
      decided: () => this.#onDecided(),
    };
    // If this fails to load, the buttons still work.
    const nothingToStop = () => () => {};
    const registered = load(() => import('../confirm-word.js')).then(({ guardWord }) => guardWord(approval), nothingToStop);
    return () => void registered.then((stop) => stop());
  }

  /**
   * Checks that the card still shows the call as it was rendered. If others have changed the card, it is rendered again and must be read
   * again.
   */
  #isUnaltered(clickGuard: ClickGuard): boolean {
    const facts = this.renderRoot.querySelector('.facts');
    if (facts && isUnaltered(facts)) return true;
    this.#alteredKey = this.#renderedCall ? approvalKey(this.#renderedCall) : '';
    clickGuard.restart();
    this.requestUpdate();
    return false;
  }

  /** Presents the approval once: moves the focus of a user who is at the chat, or announces it. */
  #present(call: Call) {
    const services = this.services;
    const heading = this.renderRoot.querySelector<HTMLElement>('#heading');
    if (!services || !heading || this.#announcedDigest === approvalDigest(call)) return;
    const wasSeen = this.seen && this.#announcedDigest === '';
    this.#announcedDigest = approvalDigest(call);
    if (wasSeen) return;
    services.present(heading, services.texts.saidAsks(spokenSummary(this.card as CardView, call, services.texts)));
  }

  /**
   * Renders the hint. Once shown for an approval, it keeps its space: if it came and went with the readiness of the buttons, they would
   * never stop moving.
   */
  #hint(texts: Texts, call: Call, isRead: boolean) {
    const problem = this.#clickGuard?.problem;
    if (problem) return html`<p class="hint" .textContent=${problem === 'framed' ? texts.cannotAskFramed : texts.cannotAskHidden}></p>`;
    if (this.#alteredKey === approvalKey(call)) return html`<p class="hint" .textContent=${texts.factsAltered}></p>`;
    if (!isRead && this.#clickGuard?.readiness === 'armed') this.#hintedKey = approvalKey(call);
    const isHinted = this.#hintedKey === approvalKey(call);
    return html`<p class=${isRead ? 'hint over' : 'hint'} .textContent=${isHinted ? texts.scrollToDecide : ''}></p>`;
  }

  #edit() {
    if (this.#decidedDigest === (this.card?.call && approvalDigest(this.card.call))) return;
    void openEditForm(this.services).then((opens) => {
      if (opens) approvalConditions(this)?.onEdit?.(this.card?.requestId ?? '');
      this.editing = opens && this.card?.edit !== undefined;
    });
  }

  #unfold() {
    this.unfolded = !this.unfolded;
  }

  /** Moves the focus of a user who was in the form to the changed approval, or back to the edit button. */
  #edited({ applied }: EditEndEvent) {
    const inside = (this.renderRoot as ShadowRoot).activeElement?.localName === 'tool-chat-edit';
    this.editing = false;
    void this.updateComplete.then(() => {
      if (inside) this.renderRoot.querySelector<HTMLElement>(applied ? '#heading' : '.edit')?.focus();
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

/** Returns the key of an approval. Another call, or the same call with other arguments, is another approval. */
const approvalKey = (call: Call): string => `${call.requestId} ${approvalDigest(call)}`;

defineOnce('tool-chat-approval', ToolChatApproval);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-approval': ToolChatApproval;
  }
}
