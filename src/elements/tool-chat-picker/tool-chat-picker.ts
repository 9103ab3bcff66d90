/** A list to choose one item from: a tool for the next message, or a template. Loaded when first opened. */
import { html, LitElement, nothing, type PropertyValues, css } from 'lit';
import { belongsToInputMethod } from '../keys.js';
import { shared } from '../shared.styles.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  :host {
    display: block;
    font: var(--_size) / 1.35 var(--_font);
  }

  .picker {
    display: flex;
    flex-direction: column;
    max-width: 420px;
    max-height: min(320px, 50vh);
    padding: 4px;
    border: 1px solid var(--_line-strong);
    border-radius: var(--_radius);
    background: var(--_raised);
    color: var(--_text);
    box-shadow: 0 8px 28px -8px light-dark(rgb(20 22 40 / 30%), rgb(0 0 0 / 75%));
  }

  input {
    flex: none;
    margin-block-end: 4px;
    padding: 7px 10px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius-small);
    background: var(--_subtle);
    color: var(--_text);
    font: inherit;
  }

  input::placeholder {
    color: var(--_muted);
    opacity: 1;
  }

  .list {
    overflow: auto;
    outline: none;
    scrollbar-width: thin;
  }

  .option:hover {
    background: var(--_hover);
  }

  .option {
    display: flex;
    align-items: center;
    gap: 10px;
    min-height: 36px;
    padding: 5px 10px;
    border-radius: var(--_radius-small);
    cursor: pointer;
  }

  .option[aria-selected='true'] {
    background: var(--_accent-soft);
  }

  input:focus-visible {
    outline-offset: -1px;
  }

  .list:focus-visible .option[aria-selected='true'] {
    outline: 2px solid var(--_accent);
    outline-offset: -2px;
  }

  .icon {
    flex: none;
    min-width: 1.3em;
    text-align: center;
  }

  .icon:empty {
    display: none;
  }

  .what {
    display: grid;
    justify-items: start;
    flex: 1;
    min-width: 0;
    overflow-wrap: anywhere;
  }

  .what small {
    display: -webkit-box;
    overflow: hidden;
    -webkit-line-clamp: 2;
    -webkit-box-orient: vertical;
  }

  small {
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  .mark[data-strong] {
    color: var(--_bad);
    font-weight: 600;
  }

  .none {
    padding: 8px 10px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  @media (pointer: coarse) {
    .option:hover {
      background: var(--_hover);
    }

    .option {
      min-height: 44px;
    }

    /* Below 16 px, iOS zooms the page when the field gets the focus. */
    input {
      font-size: max(16px, var(--_size));
    }
  }

  @media (forced-colors: active) {
    .option[aria-selected='true'] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
`;

export interface Choice {
  label: string;
  /** Text of the second line. */
  detail?: string;
  icon?: string;
  /** Short text at the end of the line. */
  mark?: string;
  /** True if the mark is a warning. */
  strong?: boolean;
}

/** Reports the index of the chosen item in `choices`; -1 if there is none. The event does not leave the tree of the list. */
export class PickedEvent extends Event {
  static readonly type = 'tool-chat-picked';
  readonly at: number;
  /** A text that was typed instead of a choice. */
  readonly typed: string;

  constructor(at: number, typed = '') {
    super(PickedEvent.type);
    this.at = at;
    this.typed = typed;
  }
}

/** Number of choices from which a filter field is shown. */
const FILTER_FROM = 9;

/**
 * @summary A list to choose one item from, by pointer or keyboard, with a filter field if it is long.
 * @tagname tool-chat-picker
 * @fires tool-chat-picked - One was chosen, or the list was left.
 */
export class ToolChatPicker extends LitElement {
  static override styles = [shared, styles];
  static override properties = {
    choices: { attribute: false },
    label: {},
    filterLabel: { attribute: 'filter-label' },
    emptyText: { attribute: 'empty-text' },
    typed: { attribute: false },
    query: { state: true },
    active: { state: true },
  };

  declare choices: readonly Choice[];
  /** Accessible name of the list. */
  declare label: string;
  declare filterLabel: string;
  /** Text shown if there are no choices. */
  declare emptyText: string;
  /**
   * The text so far if typing `/` opened the list; it may become a path. In this case only an arrow key, a click or the full name chooses
   * an item, and text without a match is returned to the field.
   */
  declare typed: string | undefined;
  declare protected query: string;
  /** Index of the active item among the displayed ones. */
  declare protected active: number;

  constructor() {
    super();
    this.choices = [];
    this.label = this.filterLabel = this.emptyText = this.query = '';
    this.active = 0;
  }

  override connectedCallback() {
    super.connectedCallback();
    this.addEventListener('focusout', this.#onFocusOut);
    this.addEventListener('keydown', this.#onKey);
    this.addEventListener('pointermove', this.#onPointer);
    this.addEventListener('click', this.#onPointer);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.removeEventListener('focusout', this.#onFocusOut);
    this.removeEventListener('keydown', this.#onKey);
    this.removeEventListener('pointermove', this.#onPointer);
    this.removeEventListener('click', this.#onPointer);
  }

  override render() {
    const matches = this.#matches();
    const current = matches[this.active] ? `option-${String(this.active)}` : nothing;
    return html`
      <div class="picker">
        ${
          this.typed !== undefined || this.choices.length >= FILTER_FROM
            ? html`<input
                type="text"
                .value=${this.query}
                role="combobox"
                aria-expanded="true"
                aria-controls="list"
                aria-autocomplete="list"
                aria-activedescendant=${current}
                aria-label=${this.filterLabel}
                placeholder=${this.filterLabel}
                autocomplete="off"
                spellcheck="false"
                @input=${this.#filter}
                @compositionend=${this.#filter}
              />`
            : nothing
        }
        <div id="list" class="list" role="listbox" aria-label=${this.label} tabindex="0" aria-activedescendant=${current}>
          ${matches.map(
            ({ label, detail, icon, mark, strong }, at) =>
              html`<div id=${`option-${String(at)}`} class="option" role="option" aria-selected=${String(at === this.active)}>
                <span class="icon" aria-hidden="true">${icon}</span>
                <span class="what"><span dir="auto">${label}</span>${detail ? html`<small dir="auto">${detail}</small>` : nothing}</span>
                ${mark ? html`<small class="mark" ?data-strong=${strong}>${mark}</small>` : nothing}
              </div>`,
          )}
        </div>
        ${matches.length === 0 ? html`<p class="none">${this.emptyText}</p>` : nothing}
      </div>
    `;
  }

  protected override willUpdate() {
    if (this.hasUpdated || this.typed === undefined) return;
    this.query = this.typed.slice(1);
    this.active = -1;
  }

  protected override firstUpdated() {
    this.renderRoot.querySelector<HTMLElement>('input, .list')?.focus();
    if (this.typed !== undefined && this.#matches().length === 0) this.#returnTyped();
  }

  protected override updated(changed: PropertyValues) {
    if (changed.has('active') || changed.has('query'))
      this.renderRoot.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }

  #matches(): readonly Choice[] {
    const words = this.query.toLowerCase().split(' ').filter(Boolean);
    return this.choices.filter(({ label, detail = '' }) => {
      const text = `${label} ${detail}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  #filter(event: Event) {
    this.query = (event.target as HTMLInputElement).value;
    this.active = this.typed === undefined ? 0 : -1;
    const isComposing = event instanceof InputEvent && event.isComposing;
    if (this.typed !== undefined && !isComposing && this.#matches().length === 0) this.#returnTyped();
  }

  /** Closes the list and returns the typed text to the field. */
  #returnTyped() {
    this.dispatchEvent(new PickedEvent(-1, this.typed === undefined || this.query === '' ? '' : `/${this.query}`));
  }

  readonly #onKey = (event: KeyboardEvent) => {
    const last = this.#matches().length - 1;
    const filtering = event.composedPath()[0] instanceof HTMLInputElement;
    if (belongsToInputMethod(event)) return;
    switch (event.key) {
      case 'ArrowDown':
        this.active = this.active >= last ? 0 : this.active + 1;
        break;
      case 'ArrowUp':
        this.active = this.active <= 0 ? last : this.active - 1;
        break;
      case 'Home':
      case 'End':
        if (filtering) return; // the key moves the cursor in the filter
        this.active = event.key === 'Home' ? 0 : last;
        break;
      case ' ':
        if (filtering) return;
        this.#choose(this.active);
        break;
      case 'Enter':
        if (this.typed === undefined || this.active >= 0) this.#choose(this.active);
        else if (this.query !== '') this.#chooseByName();
        break;
      case 'Escape':
        this.#returnTyped();
        break;
      case 'Backspace':
        if (this.typed === undefined || this.query !== '') return;
        this.#returnTyped();
        break;
      default:
        return;
    }
    event.preventDefault();
    // Otherwise a floating panel would close too.
    event.stopPropagation();
  };

  readonly #onPointer = (event: Event) => {
    const options = [...this.renderRoot.querySelectorAll('.option')];
    const at = options.findIndex((option) => event.composedPath().includes(option));
    // A list that opens under a resting pointer must not select the item there.
    if (at >= 0 && this.typed === undefined) this.active = at;
    if (at >= 0 && event.type === 'click') this.#choose(at);
  };

  #choose(at: number) {
    const choice = this.#matches()[at];
    if (choice) this.dispatchEvent(new PickedEvent(this.choices.indexOf(choice)));
  }

  #chooseByName() {
    const name = this.query.trim().toLowerCase();
    const at = this.#matches().findIndex(({ label }) => label.toLowerCase() === name);
    if (at < 0) this.#returnTyped();
    else this.#choose(at);
  }

  /** Closes the list when the focus moves elsewhere on the page. */
  readonly #onFocusOut = ({ relatedTarget }: FocusEvent) => {
    if (this.isConnected && document.hasFocus() && relatedTarget !== this) this.#returnTyped();
  };
}

defineOnce('tool-chat-picker', ToolChatPicker);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-picker': ToolChatPicker;
  }
}
