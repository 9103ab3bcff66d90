/** The list of remembered facts, which the user can read, correct and delete. */
import { html, nothing, type PropertyValues, css } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { RememberedSurface, RememberedView } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { PanelElement } from '../context.js';
import { shared } from '../shared.styles.js';
import { renderVisible, valueStyles } from '../value-view.js';
import { belongsToInputMethod } from '../keys.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  .list {
    display: grid;
    gap: 10px;
    overflow-wrap: anywhere;
  }

  h3 {
    padding-inline: 10px;
    color: var(--_muted);
    font-size: var(--_tiny);
    font-weight: 620;
  }

  h3:focus-visible {
    border-radius: 4px;
  }

  ul {
    display: grid;
    gap: 6px;
  }

  li,
  .gone,
  .all {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 6px 12px;
    padding: 6px 10px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
    background: var(--_raised);
    font-size: var(--_small);
  }

  .list:focus {
    outline: none;
  }

  .gone,
  .all {
    border-style: dashed;
    background: none;
    color: var(--_muted);
  }

  .what {
    flex: 1 1 180px;
    min-width: 0;
    white-space: pre-line;
  }

  .actions {
    display: flex;
    gap: 6px;
  }

  .fixed {
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  textarea {
    flex: 1 1 100%;
    min-height: 60px;
    padding: 6px 8px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius-small);
    background: transparent;
    color: inherit;
    /* Small text makes phones zoom in. */
    font: max(16px, var(--_small)) / 1.4 var(--_font);
    field-sizing: content;
    resize: vertical;
  }

  .none {
    color: var(--_muted);
    font-size: var(--_small);
  }

  .failed {
    color: var(--_bad);
  }
`;

/** Longest text that the user can enter, in UTF-16 units. It equals the limit of an item. */
const MAX_CHARS = 2_000;

const kinds = ['slot', 'entity', 'preference', 'fact', 'summary'] as const satisfies readonly RememberedView['kind'][];

/**
 * @summary Lists the remembered facts by kind; the user can edit or delete each of them, or delete all at once.
 * @tagname tool-chat-memory
 * @csspart memory - The list of remembered facts.
 * @csspart memory-item - One remembered fact.
 */
export class ToolChatMemory extends PanelElement {
  static override styles = [shared, valueStyles, styles];
  static override properties = {
    items: { attribute: false },
    memory: { attribute: false },
    editing: { state: true },
    gone: { state: true },
    asksAll: { state: true },
    failed: { state: true },
  };

  declare items: readonly RememberedView[];
  /** The actions on the memory. */
  declare memory: RememberedSurface | undefined;
  /** Id of the item being edited. */
  declare protected editing: string | undefined;
  /** The item that was forgotten last, and the function that restores it. */
  declare protected gone: { text: string; back: () => void } | undefined;
  declare protected asksAll: boolean;
  declare protected failed: boolean;

  /** Selector of the element that gets the focus after the next rendering. */
  #focusTarget: string | undefined;

  constructor() {
    super();
    this.items = [];
    this.asksAll = false;
    this.failed = false;
  }

  override render() {
    const texts = this.services?.texts;
    if (!texts) return nothing;
    return html`<section part="memory" class="list" tabindex="-1" aria-label=${texts.remembered(this.items.length)}>
      ${this.gone ? this.#renderForgotten(this.gone, texts) : nothing}
      ${this.items.length === 0 ? html`<p class="none" tabindex="-1">${texts.memoryNothing}</p>` : nothing}
      ${kinds.map((kind) => this.#group(kind, texts))} ${this.#renderForgetAll(texts)}
    </section>`;
  }

  protected override updated(_changed: PropertyValues) {
    if (!this.#focusTarget) return;
    const target = this.renderRoot.querySelector<HTMLElement>(this.#focusTarget) ?? this.renderRoot.querySelector<HTMLElement>('.list');
    this.#focusTarget = undefined;
    target?.focus();
  }

  #group(kind: (typeof kinds)[number], texts: Texts) {
    const items = this.items.filter((item) => item.kind === kind);
    if (items.length === 0) return nothing;
    const heading = `kind-${kind}`;
    return html`<section aria-labelledby=${heading}>
      <h3 id=${heading}>${texts.memoryKinds[kind]}</h3>
      <ul>
        ${repeat(
          items,
          ({ id }) => id,
          (item) => html`<li part="memory-item">${item.id === this.editing ? this.#editor(item, texts) : this.#item(item, texts)}</li>`,
        )}
      </ul>
    </section>`;
  }

  #item(item: RememberedView, texts: Texts) {
    const { id, text, fixed, lasting } = item;
    return html`<span class="what"><span dir="auto">${renderVisible(text)}</span></span
      >${
        fixed
          ? html`<span class="fixed">${texts.memorySetByPage}</span>`
          : html`<span class="actions">
              ${
                lasting
                  ? nothing
                  : html`<button
                      type="button"
                      class="quiet"
                      data-edit=${id}
                      aria-label=${texts.memoryEdit(text)}
                      @click=${() => this.#edit(id)}
                    >
                      ${texts.edit}
                    </button>`
              }
              <button type="button" class="quiet" aria-label=${texts.memoryForgetOne(text)} @click=${() => this.#forget(item)}>
                ${texts.memoryForget}
              </button>
            </span>`
      }`;
  }

  #editor({ id, text }: RememberedView, texts: Texts) {
    return html`<textarea
        dir="auto"
        maxlength=${MAX_CHARS}
        aria-label=${texts.memoryEdit(text)}
        .value=${text}
        @keydown=${(event: KeyboardEvent) => {
          if (belongsToInputMethod(event)) return;
          if (event.key === 'Escape') this.#cancel(id);
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.#save(id);
          else return;
          // The key acts only on this field: the panel stays open and nothing is sent.
          event.preventDefault();
          event.stopPropagation();
        }}
      ></textarea>
      <span class="actions">
        <button type="button" class="primary" @click=${() => this.#save(id)}>${texts.memorySave}</button>
        <button type="button" @click=${() => this.#cancel(id)}>${texts.cancel}</button>
      </span>`;
  }

  #renderForgotten({ text }: NonNullable<ToolChatMemory['gone']>, texts: Texts) {
    return html`<div class="gone">
      <span class="what">${texts.memoryForgotten} <bdi>${renderVisible(text)}</bdi></span>
      <button type="button" class="undo" @click=${() => this.#undo()}>${texts.undo}</button>
    </div>`;
  }

  #renderForgetAll(texts: Texts) {
    if (this.items.every(({ fixed }) => fixed)) return nothing;
    if (!this.asksAll)
      return html`<button type="button" class="quiet forget-all" @click=${() => this.#confirmForgetAll(true)}>
        ${texts.memoryForgetAll}
      </button>`;
    return html`<div class="all" role="group" aria-labelledby="all">
      <span id="all" class="what">${texts.memoryForgetAllAsk}</span>
      ${this.failed ? html`<span class="what failed" role="alert">${texts.memoryForgetFailed}</span>` : nothing}
      <span class="actions">
        <button type="button" class="primary" @click=${() => this.#forgetAll()}>${texts.memoryForgetAll}</button>
        <button type="button" class="keep" @click=${() => this.#confirmForgetAll(false)}>${texts.cancel}</button>
      </span>
    </div>`;
  }

  #edit(id: string) {
    this.editing = id;
    this.#focusTarget = 'textarea';
  }

  #save(id: string) {
    const text = this.renderRoot.querySelector('textarea')?.value ?? '';
    if (text.trim()) this.memory?.edit(id, text);
    this.#cancel(id);
  }

  #cancel(id: string) {
    this.editing = undefined;
    this.#focusTarget = `[data-edit="${CSS.escape(id)}"]`;
  }

  #forget({ id, text }: RememberedView) {
    const back = this.memory?.forget(id);
    if (!back) return;
    this.gone = { text, back };
    this.#focusTarget = '.undo';
    this.#announce((texts) => `${texts.memoryForgotten} ${text}`);
  }

  #undo() {
    this.gone?.back();
    this.gone = undefined;
    this.#focusTarget = '.list';
    this.#announce((texts) => texts.memoryBack);
  }

  #confirmForgetAll(asks: boolean) {
    this.asksAll = asks;
    this.failed = false;
    // Focus the safe answer first.
    this.#focusTarget = asks ? '.keep' : '.forget-all';
  }

  #forgetAll() {
    this.memory?.forgetAll().then(
      () => {
        this.asksAll = this.failed = false;
        this.gone = undefined;
        this.#focusTarget = '.list';
        this.#announce((texts) => texts.memoryAllForgotten);
      },
      () => {
        this.failed = true;
      },
    );
  }

  #announce(sentence: (texts: Texts) => string) {
    const services = this.services;
    services?.announce(sentence(services.texts));
  }
}

defineOnce('tool-chat-memory', ToolChatMemory);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-memory': ToolChatMemory;
  }
}
