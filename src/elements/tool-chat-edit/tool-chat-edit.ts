/** A form for the arguments of one call, made from its tool's schema. */
import { matchesMedia } from '../../base/dom-features.js';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { approvalDigest } from '../../model/approval-digest.js';
import type { CardView } from '../../model/calls.js';
import type { Decision } from '../../model/decision.js';
import { labelWithHost } from '../../model/label-with-host.js';
import { fullEnglish, type Texts } from '../../i18n/en.js';
import { PanelElement } from '../context.js';
import { isolateText } from '../isolate-text.js';
import { buttonLabel } from '../decision-strings.js';
import { guardButtons, guardEnter } from '../decisions.js';
import { namedIds } from '../sentences.js';
import { shared } from '../shared.styles.js';
import { valueText } from '../../base/value-text.js';
import { renderVisible, valueStyles } from '../value-view.js';
import { formArguments, fieldsOf, fieldText, type EditField } from './form-fields.js';
import { visibleText } from '../visible-text.js';
import { styles } from './tool-chat-edit.styles.js';
import { belongsToInputMethod } from '../keys.js';
import { defineOnce } from '../define-once.js';

/** The form is closed: the change was accepted or canceled. */
export class EditEndEvent extends Event {
  static readonly type = 'tool-chat-edit-end';

  readonly applied: boolean;

  constructor(applied: boolean) {
    super(EditEndEvent.type);
    this.applied = applied;
  }
}

/** Drafts of forms that were removed with their card, by call and digest. They are restored when the form opens again. */
const drafts = new Map<string, Map<string, string>>();

/**
 * @summary Lets the user change the arguments of one call. Changed arguments are validated and shown again before the call runs.
 *
 * The text stays until it is accepted: a problem is shown at its field. Nothing here can allow a call.
 * @tagname tool-chat-edit
 * @csspart argument-field - A field for one argument.
 */
export class ToolChatEdit extends PanelElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = { card: { attribute: false }, problems: { state: true } };

  /** The card whose arguments are changed. */
  declare card: CardView | undefined;
  /** Problems by the name of their field; under '' those of no field. */
  declare protected problems: ReadonlyMap<string, string>;

  #fields: readonly EditField[] = [];
  #texts = new Map<string, string>();
  #key = '';
  /** Number of answered edits when this edit was sent. */
  #sent: number | undefined;
  #guarded = false;

  constructor() {
    super();
    this.problems = new Map();
  }

  override focus(options?: FocusOptions) {
    // On a touch screen, a focused field would open the keyboard over the content of the form.
    const first = matchesMedia('(pointer: coarse)') ? null : this.renderRoot.querySelector<HTMLElement>('[part=argument-field]');
    (first ?? this.renderRoot.querySelector<HTMLElement>('#heading'))?.focus(options);
  }

  protected override willUpdate() {
    const { card } = this;
    if (!card?.edit) return this.#end(true); // the call is running or over
    if (!this.hasUpdated) {
      this.#fields = fieldsOf({ schema: card.edit.schema, sensitive: card.edit.sensitive, args: card.call?.args ?? card.params });
      this.#key = `${card.requestId} ${card.call?.digest ?? ''}`;
      this.#texts = drafts.get(this.#key) ?? this.#texts;
      drafts.set(this.#key, this.#texts);
    }
    if (this.#sent === undefined || card.edit.answered <= this.#sent) return;
    this.#sent = undefined;
    const { problem } = card.edit;
    if (!problem) return this.#end(true);
    const hasField = problem.parameter !== undefined && this.#fields.some(({ name }) => name === problem.parameter);
    this.problems = new Map([[hasField ? (problem.parameter as string) : '', problem.message]]);
  }

  override render() {
    const texts = this.services?.texts;
    const { card } = this;
    if (!texts || !card) return nothing;
    const ids = new Set(card.call ? namedIds(card.call, texts) : []);
    const checking = this.#sent !== undefined || card.edit?.checking === true;
    return html`
      <div class="form" role="group" aria-labelledby="heading" aria-busy=${String(checking)} @keydown=${this.#onKey}>
        <h3 id="heading" tabindex="-1">${isolateText(texts.editHeading, renderVisible(labelWithHost(card.call ?? card, texts)))}</h3>
        ${this.#fields.map((field, at) => (ids.has(field.name) ? nothing : this.#field(field, at, texts)))}
        ${
          ids.size > 0
            ? html`<details ?open=${[...ids].some((name) => this.problems.has(name))}>
                <summary>${texts.showDetails}</summary>
                ${this.#fields.map((field, at) => (ids.has(field.name) ? this.#field(field, at, texts) : nothing))}
              </details>`
            : nothing
        }
        <p class="problem" role="alert">${this.problems.size > 0 ? renderVisible(this.problems.get('') ?? texts.fixFields) : nothing}</p>
        <div class="buttons">
          <button type="button" class="cancel" aria-label=${buttonLabel(texts.cancel, [card], texts)} @click=${() => this.#end(false)}>
            ${texts.cancel}
          </button>
          <button
            type="button"
            class="apply primary"
            aria-label=${buttonLabel(checking ? texts.checkingEdit : texts.previewEdit, [card], texts)}
            aria-disabled=${String(checking)}
            @click=${this.#showProblems}
          >
            ${checking ? html`<span class="spinner" aria-hidden="true"></span>${texts.checkingEdit}` : texts.previewEdit}
          </button>
        </div>
      </div>
    `;
  }

  protected override firstUpdated() {
    this.focus();
  }

  protected override updated(changed: PropertyValues) {
    if (!this.#guarded) this.#guard();
    if (!changed.has('problems') || this.problems.size === 0) return;
    const at = this.#fields.findIndex(({ name }) => this.problems.has(name));
    (at < 0 ? this : this.renderRoot.querySelector<HTMLElement>(`#field-${String(at)}`))?.focus();
  }

  /**
   * Makes sending a decision like any other, which needs a real click or key. The closures are not stored in a property (`decisions.ts`).
   */
  #guard() {
    const root = this.renderRoot as ShadowRoot;
    const apply = root.querySelector<HTMLElement>('.apply');
    if (!apply) return;
    this.#guarded = true;
    const decisions = (): readonly Decision[] => {
      const { card } = this;
      const read = formArguments(this.#fields, this.#texts);
      if (!card?.edit || card.edit.checking || this.#sent !== undefined || !read.ok) return [];
      return [{ requestId: card.requestId, digest: card.call ? approvalDigest(card.call) : '', verdict: 'edit', args: read.args }];
    };
    const decided = () => {
      this.#sent = this.card?.edit?.answered;
      this.problems = new Map();
      this.requestUpdate();
    };
    guardButtons(root, { buttons: [apply], decisions, decided });
    guardEnter(root, { decisions, decided });
  }

  /** Reports fields that cannot be parsed, without sending. */
  #showProblems() {
    const read = formArguments(this.#fields, this.#texts);
    const texts = this.services?.texts;
    if (!read.ok && texts) this.problems = new Map(read.unreadable.map(({ name }) => [name, texts.jsonExpected]));
  }

  #onKey(event: KeyboardEvent) {
    if (event.key === 'Enter' && !belongsToInputMethod(event) && event.target instanceof HTMLInputElement) this.#showProblems();
  }

  #field(field: EditField, at: number, texts: Texts): TemplateResult {
    const { name, label, description, required } = field;
    const id = `field-${String(at)}`;
    const problem = this.problems.get(name);
    const isBox = field.kind === 'yes-no';
    const title = html`<label for=${id}
      ><bdi>${renderVisible(label)}</bdi>${label === name ? nothing : html` <bdi class="name">${renderVisible(name)}</bdi>`}${
        required && !isBox ? html` <span class="required">(${texts.required})</span>` : nothing
      }</label
    >`;
    const described = [description && `about-${id}`, problem && `problem-${id}`].filter(Boolean).join(' ') || nothing;
    return html`<div class="field" ?data-wrong=${problem !== undefined} ?data-box=${isBox}>
      ${isBox ? [this.#control(field, id, described, problem, texts), title] : [title, this.#control(field, id, described, problem, texts)]}
      ${description ? html`<p class="about" id="about-${id}"><bdi>${renderVisible(description)}</bdi></p>` : nothing}
      ${problem === undefined ? nothing : html`<p class="problem" id="problem-${id}"><bdi>${renderVisible(problem)}</bdi></p>`}
    </div>`;
  }

  #control(field: EditField, id: string, described: string | typeof nothing, problem: string | undefined, texts: Texts): TemplateResult {
    const { kind, options, optionNames, picker, required, secret } = field;
    const written = this.#texts.get(field.name) ?? fieldText(field);
    const wrong = problem === undefined ? nothing : 'true';
    const note = (event: Event) => this.#write(field, event.target as HTMLInputElement);
    switch (kind) {
      case 'yes-no':
        return html`<input
          part="argument-field"
          id=${id}
          type="checkbox"
          .checked=${written === 'true'}
          aria-invalid=${wrong}
          aria-describedby=${described}
          @change=${note}
        />`;
      case 'choice':
        return html`<select
          part="argument-field"
          id=${id}
          aria-invalid=${wrong}
          aria-required=${String(required)}
          aria-describedby=${described}
          @change=${note}
        >
          ${written === '' || !required ? html`<option value="" ?selected=${written === ''}>${this.#unlisted(field, texts)}</option>` : nothing}
          ${options.map((option, place) => html`<option value=${String(place)} ?selected=${written === String(place)}>${optionText(option, optionNames[place], texts)}</option>`)}
        </select>`;
      case 'long-text':
      case 'json':
        return html`<textarea
          part="argument-field"
          id=${id}
          class=${kind}
          dir=${kind === 'json' ? 'ltr' : 'auto'}
          rows=${String(rowsOf(written))}
          spellcheck=${kind === 'json' ? 'false' : nothing}
          .value=${written}
          aria-invalid=${wrong}
          aria-required=${String(required)}
          aria-describedby=${described}
          @input=${note}
        ></textarea>`;
      default:
        return html`<input
          part="argument-field"
          id=${id}
          type=${secret ? 'password' : (picker ?? 'text')}
          dir=${kind === 'number' ? 'ltr' : 'auto'}
          inputmode=${kind === 'number' ? 'decimal' : nothing}
          autocomplete=${secret ? 'new-password' : 'off'}
          .value=${written}
          aria-invalid=${wrong}
          aria-required=${String(required)}
          aria-describedby=${described}
          @input=${note}
        />`;
    }
  }

  /** Returns the text of the first option: "not set", or a current value that is not in the list. */
  #unlisted({ value }: EditField, texts: Texts): string {
    return value === undefined ? texts.notSet : valueText(value);
  }

  #write({ name, kind }: EditField, control: HTMLInputElement) {
    this.#texts.set(name, kind === 'yes-no' ? String(control.checked) : control.value);
    if (!this.problems.has(name)) return;
    this.problems = new Map([...this.problems].filter(([wrong]) => wrong !== name));
  }

  #end(applied: boolean) {
    drafts.delete(this.#key);
    // Deferred, so that it does not fire during an update of its listener.
    queueMicrotask(() => this.dispatchEvent(new EditEndEvent(applied)));
  }
}

/** Returns the text of an option: its name, followed by its value if there is a name. */
function optionText(option: unknown, name: string | undefined, texts: Texts): string {
  if (typeof option === 'boolean') return option ? texts.yes : texts.no;
  return name === undefined
    ? valueText(option)
    : visibleText(`${name} (${valueText(option)})`)
        .pieces.map((piece) => (typeof piece === 'string' ? piece : piece.mark))
        .join('');
}

/** Returns the number of rows of a text field, between 3 and 10. */
const rowsOf = (text: string): number => Math.min(10, Math.max(3, text.split('\n').length));

fullEnglish();
defineOnce('tool-chat-edit', ToolChatEdit);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-edit': ToolChatEdit;
  }
}
