/** The question on a card: what would happen, exactly, and whether it may (S0-131, X-11, X-12). */
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing } from 'lit';
import type { Call, CardView, Change } from '../../model/calls.js';
import type { Texts } from '../../i18n/en.js';
import { Arming } from '../arming.js';
import { askForWord } from '../confirm-word.js';
import { servicesContext } from '../context.js';
import { createRememberChoice } from './remember-choice.js';
import { rememberStyles } from './remember-choice.styles.js';
import { askConditions, guardButtons, type Decision } from '../decisions.js';
import { hasBeenRead, onRead, Reading } from '../reading.js';
import { icons } from '../icons.js';
import { isPlainReason, riskIcon, riskText, verbsOf } from '../decision-words.js';
import { exportEdit } from '../parts.js';
import { openEditForm } from '../open-edit-form.js';
import { divided, dividedChanges, headlineOf, renderSentence, type ArgumentRow } from '../sentences.js';
import { shared } from '../shared.styles.js';
import type { EditEndEvent } from '../tool-chat-edit/tool-chat-edit.js';
import { readMark, renderArgument, renderValue, renderVisible, renderWarnings, valueText } from '../value-view.js';
import { valueStyles } from '../value-view.styles.js';
import { styles } from './tool-chat-approval.styles.js';

/**
 * @summary Asks a person whether one tool call may run, and shows its exact arguments.
 *
 * The buttons carry `aria-disabled="true"` until the question has stood still and visible for half a second; "allow" also until what it is
 * about, the risk, the reason and every argument have been on screen to their ends. Clicks before are ignored, not kept. Nothing here can be called to decide.
 * @tagname tool-chat-approval
 * @csspart approval - The question.
 * @csspart approve-button - Lets the call run.
 * @csspart deny-button - Refuses the call; first in the order of focus.
 * @csspart run-edited-button - The same button, once a person has changed the arguments.
 * @csspart edit-button - Opens the form for the arguments.
 * @csspart argument-field - A field of that form.
 * @csspart remember-choice - For how long the answer holds.
 * @csspart tool-card-arguments - The arguments.
 */
export class ToolChatApproval extends LitElement {
  static override styles = [shared, valueStyles, styles, rememberStyles];
  static override properties = {
    card: { attribute: false },
    inDialog: { attribute: false },
    heeded: { attribute: false },
    open: { state: true },
    editing: { state: true },
  };

  /** The card whose call waits. */
  declare card: CardView | undefined;
  /** It stands in a dialog of its own, which names it. */
  declare inDialog: boolean;
  /** Whoever is here has seen the question before: the focus stays where it is. */
  declare heeded: boolean;
  /** Names of the long values that are unfolded. */
  declare protected open: ReadonlySet<string>;
  /** The form for the arguments is open. */
  declare protected editing: boolean;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  readonly #reading = new Reading();
  /** For how long the answer holds. Another choice makes "allow" mean another thing, so the question has to stand still anew. */
  readonly #choice = createRememberChoice(() => {
    this.#arming?.again();
    this.requestUpdate();
  });
  #arming: Arming | undefined;
  #shown: Call | undefined;
  #settled = '';
  #heeded = '';
  #stopListening: (() => void) | undefined;
  #stopWords: (() => void) | undefined;

  constructor() {
    super();
    this.open = new Set();
    this.inDialog = this.heeded = this.editing = false;
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#stopListening = onRead(() => this.requestUpdate());
    this.requestUpdate();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#stopListening?.();
    this.#stopWords?.();
    this.#stopWords = undefined;
    this.#arming?.stop();
    this.#reading.stop();
  }

  override render() {
    const texts = this.#services.value?.texts;
    const call = this.card?.call;
    if (!texts || !call) return nothing;
    this.#choice.ask(questionOf(call), this.card?.offers ?? []);
    const card = this.card as CardView;
    const ready = this.#arming?.readiness === 'armed' && this.#settled !== call.digest && !card.edit?.checking;
    const read = hasBeenRead(call.requestId, call.digest);
    const { shown, folded } = divided(call, texts);
    // Shown by the assistant, not asked for: the question is whether the person wants it.
    const quoted = call.flags?.includes('quoted');
    const verbs = verbsOf(card, texts);
    const changes = dividedChanges(call);
    const reason = call.reason === '' || (quoted && call.reason === texts.reasonQuoted) ? undefined : call.reason;
    const plain = reason !== undefined && isPlainReason(reason, texts);
    return html`
      <div
        part="approval"
        class="approval"
        role=${call.risk === 'danger' && !this.inDialog ? 'dialog' : 'group'}
        aria-labelledby="heading"
        aria-describedby="risk"
        data-risk=${call.risk}
        ?hidden=${this.editing}
      >
        <div class="facts">
          <div class="what">
            ${call.icon ? html`<span class="icon" aria-hidden="true">${call.icon}</span>` : nothing}
            <div>
              <h3 id="heading" tabindex="-1">
                ${quoted ? html`<span class="lead">${texts.reasonQuoted}</span>` : html`<span class="unseen">${texts.wantsTo} </span>`}<span
                  class="sentence"
                  >${this.#sentence(call, texts)}</span
                >
              </h3>
              ${renderWarnings(headlineOf(card, texts), texts)}
              <p class="consequence">
                <span class="risk" id="risk" data-fact>${riskIcon(call.risk)}<span>${riskText(call, texts)}</span>${readMark}</span>
                <span class="reason" ?data-fact=${!!reason && !plain}
                  >${reason === undefined || plain ? nothing : this.#reason(call, texts)}</span
                >
              </p>
            </div>
          </div>
          ${changes.shown.length > 0 ? this.#changes('', changes.shown, texts) : nothing}
          ${call.describeFailed ? html`<p class="note" data-fact>${texts.previewFailed}${readMark}</p>` : nothing}
          ${card.edited?.length ? this.#changes('edited ', card.edited, texts, card.repeats === undefined ? texts.changedByYou : texts.runAgainOf) : nothing}
          ${shown.length > 0 ? html`<div data-fact>${this.#arguments(shown, texts, true)}</div>` : nothing}
        </div>
        <div class="decision">
          <span class="unseen">${card.again === undefined ? (quoted ? texts.runThis : texts.allowThis) : texts.runAgain}</span>
          <p class="hint">${this.#hint(texts, read)}</p>
          <div class="buttons" ?data-arming=${this.#arming?.readiness === 'moving'}>
            <button type="button" part="deny-button" class="deny" aria-disabled=${String(!ready)}>${renderVisible(verbs.deny)}</button>
            <button
              type="button"
              part=${card.edited?.length ? 'approve-button run-edited-button' : 'approve-button'}
              class="allow primary"
              aria-disabled=${String(!ready || !read)}
              aria-describedby="heading risk"
              ?hidden=${this.card?.confirm === 'keyword'}
            >
              ${renderVisible(verbs.allow)}
            </button>
          </div>
        </div>
        <div class="more">
          ${this.#choice.render(texts)}
          ${
            card.edit && hasFields(card)
              ? html`<button
                  type="button"
                  part="edit-button"
                  class="quiet edit"
                  aria-disabled=${String(this.#settled === call.digest)}
                  @click=${this.#edit}
                >
                  ${texts.edit}
                </button>`
              : nothing
          }
          ${
            folded.length + changes.folded.length > 0 || plain
              ? html`<details class="details">
                  <summary><span>${texts.showDetails}</span>${icons.chevron}</summary>
                  <div class="folded">
                    <p>${call.icon ? `${call.icon} ` : nothing}${renderVisible(call.label)}</p>
                    ${changes.folded.length > 0 ? this.#changes('folded ', changes.folded, texts, undefined, false) : nothing}
                    ${folded.length > 0 ? this.#arguments(folded, texts, false) : nothing}
                    ${plain ? html`<p>${texts.why} ${renderVisible(reason)}</p>` : nothing}
                  </div>
                </details>`
              : nothing
          }
        </div>
      </div>
      ${this.editing ? html`<tool-chat-edit .card=${card} exportparts=${exportEdit} @tool-chat-edit-end=${this.#edited}></tool-chat-edit>` : nothing}
    `;
  }

  protected override willUpdate() {
    const call = this.card?.call;
    if (this.#shown && call && (this.#shown.digest !== call.digest || this.#shown.requestId !== call.requestId)) {
      this.#arming?.again();
      this.#reading.stop();
    }
  }

  protected override updated() {
    const call = this.card?.call;
    if (!this.isConnected || !call || !this.#services.value) return;
    this.#arming ??= this.#guard();
    if (!this.#arming) return;
    // Nothing is asked while the arguments are being changed: the question stands behind the form.
    if (this.editing) return this.#arming.stop();
    this.#arming.start();
    this.#arming.look(); // what was drawn may have moved the buttons
    this.#shown = call;
    if (this.card?.confirm) this.#stopWords ??= this.#askForWord(this.#arming);
    this.#reading.watch(call.requestId, call.digest, this.renderRoot.querySelectorAll('.mark'));
    this.#ask(call);
  }

  /**
   * Closures, given to the platform once and kept by no property: what a template holds, any script can read.
   */
  #guard(): Arming | undefined {
    const root = this.renderRoot as ShadowRoot;
    const [deny, allow] = ['.deny', '.allow'].map((name) => root.querySelector<HTMLElement>(name));
    const actions = root.querySelector<HTMLElement>('.buttons');
    const card = root.querySelector<HTMLElement>('.approval');
    if (!deny || !allow || !actions || !card) return undefined;

    const arming = new Arming({
      card,
      actions,
      buttons: [deny, allow],
      facts: () => root.querySelectorAll<HTMLElement>('#heading, [data-fact]:not(.folded *)'),
      // Not at once: it is also asked while an update ends.
      changed: () => queueMicrotask(() => this.requestUpdate()),
      cannotAsk: (why) => askConditions(this)?.onCannotAsk?.(this.#shown?.requestId ?? '', why),
    });
    this.#choice.guard(root);
    guardButtons(root, {
      buttons: [deny, allow],
      decisions: (button): readonly Decision[] => {
        const shown = this.#shown;
        const current = this.card?.call;
        if (!shown || this.card?.status !== 'awaiting_approval' || this.#settled === shown.digest) return [];
        if (this.editing || this.card.edit?.checking) return [];
        if (current?.digest !== shown.digest || current.requestId !== shown.requestId || !arming.check()) return [];
        if (button === allow && !hasBeenRead(shown.requestId, shown.digest)) return [];
        const { requestId, digest } = shown;
        if (button !== allow) return [{ requestId, digest, verdict: 'deny' }];
        if (this.card.confirm === 'keyword') return [];
        const remember = this.#choice.chosen(questionOf(shown));
        return [{ requestId, digest, verdict: 'allow', ...(remember !== undefined && { remember }) }];
      },
      settled: () => {
        this.#settled = this.#shown?.digest ?? '';
        this.#services.value?.returnFocus(this);
        this.requestUpdate();
      },
    });
    return arming;
  }

  /** A word stands for the button "allow", under the same conditions, and for this call alone. */
  #askForWord(arming: Arming): () => void {
    const isOpen = () => this.isConnected && this.card?.status === 'awaiting_approval' && this.card.confirm !== undefined;
    return askForWord({
      card: this,
      isOpen,
      needsButton: () => this.card?.confirm === 'button',
      decisions: (word): readonly Decision[] => {
        const shown = this.#shown;
        const current = this.card?.call;
        if (!shown || !isOpen() || this.card?.confirm === 'button' || this.#settled === shown.digest) return [];
        if (current?.digest !== shown.digest || current.requestId !== shown.requestId || !arming.check()) return [];
        if (!hasBeenRead(shown.requestId, shown.digest)) return [];
        return [{ requestId: shown.requestId, digest: shown.digest, verdict: 'allow', word }];
      },
      settled: () => {
        this.#settled = this.#shown?.digest ?? '';
        this.requestUpdate();
      },
    });
  }

  /** Once for each question: a person who is here is led to it, everyone else hears of it. */
  #ask(call: Call) {
    const services = this.#services.value;
    const heading = this.renderRoot.querySelector<HTMLElement>('#heading');
    if (!services || !heading || this.#heeded === call.digest) return;
    const known = this.heeded && this.#heeded === '';
    this.#heeded = call.digest;
    if (known) return;
    const { texts } = services;
    const facts = divided(call, texts).shown.map(([name, text]) => `${name} = ${text.slice(0, 80)}`);
    const what = [headlineOf(this.card as CardView, texts), riskText(call, texts), facts.join(', ')].filter(Boolean).join('. ');
    services.attend(heading, texts.saidAsks(what));
  }

  #hint(texts: Texts, read: boolean) {
    const told = this.#arming?.told;
    if (told) return told === 'framed' ? texts.cannotAskFramed : texts.cannotAskHidden;
    return read || this.#arming?.readiness !== 'armed' ? nothing : texts.scrollToDecide;
  }

  /** Our own words stand as they are. A service's could pass for ours, and be of any length. */
  #reason({ reason, flags }: Call, texts: Texts) {
    if (!flags?.includes('service') || reason === texts.reasonService) return [renderVisible(reason), readMark];
    return [html`<span>${texts.serviceSays} </span>`, this.#value('reason', reason, texts)];
  }

  #edit() {
    if (this.#settled === this.card?.call?.digest) return;
    void openEditForm(this.#services.value).then((opens) => {
      this.editing = opens && this.card?.edit !== undefined;
    });
  }

  /** Whoever wrote into the form is led on to what is asked now, or back. */
  #edited({ taken }: EditEndEvent) {
    const inside = (this.renderRoot as ShadowRoot).activeElement?.localName === 'tool-chat-edit';
    this.editing = false;
    void this.updateComplete.then(() => {
      if (inside) this.renderRoot.querySelector<HTMLElement>(taken ? '#heading' : '.edit')?.focus();
    });
  }

  /** A long one unfolds like any other value. */
  #sentence(call: Call, texts: Texts) {
    const { sentence } = call;
    if (sentence === undefined)
      return [
        html`<span class="object"
          >${call.icon ? html`<span class="unseen">${call.icon} </span>` : nothing}${renderVisible(call.label)}</span
        >`,
        readMark,
      ];
    return sentence.length > LONG_SENTENCE || sentence.includes('\n')
      ? this.#value('sentence', sentence, texts)
      : [readMark, renderSentence(sentence), readMark];
  }

  #arguments(rows: readonly ArgumentRow[], texts: Texts, marked: boolean) {
    return html`<div part="tool-card-arguments" class="arguments rows">
      <span class=${marked ? 'unseen' : 'heading'}>${texts.parameters} </span>
      ${rows.map(([name, text]) => renderArgument(name, this.#value(`argument ${name}`, text, texts, marked), texts))}
    </div>`;
  }

  #changes(prefix: string, changes: readonly Change[], texts: Texts, heading?: string, marked = true) {
    const side = (name: string, kind: string, heading: string, value: unknown) =>
      html`<div class=${kind}><span class="unseen">${heading}: </span>${this.#value(name, valueText(value), texts, marked)}</div>`;
    return html`<div class="preview" ?data-fact=${marked}>
      ${heading === undefined ? nothing : html`<span class="heading">${heading}</span>`}
      ${changes.map((change, at) => {
        const isNew = change.before === undefined;
        const isGone = change.after === undefined;
        return html`<div class="change">
          <span class="key">${renderVisible(change.path ? `${change.label} (${change.path})` : change.label)}</span>
          ${isNew ? nothing : side(`${prefix}before ${String(at)}`, 'before', isGone ? texts.removed : texts.before, change.before)}
          ${isGone ? nothing : side(`${prefix}after ${String(at)}`, 'after', isNew ? texts.added : texts.after, change.after)}
        </div>`;
      })}
    </div>`;
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
  Object.keys(call?.args ?? {}).length > 0 || Object.keys(edit?.schema?.['properties'] ?? {}).length > 0;

/** Another call, or the same with other arguments, is another question. */
const questionOf = ({ requestId, digest }: Call): string => `${requestId} ${digest}`;

/** A longer sentence is a text. */
const LONG_SENTENCE = 300;

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-approval': ToolChatApproval;
  }
}
