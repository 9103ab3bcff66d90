/** Runs a failed call again: the button, the form, and the link to the card of the new call. Loaded with the first failure. */
import { html, nothing, type LitElement } from 'lit';
import { fullEnglish } from '../../i18n/en.js';
import type { CardView } from '../../model/calls.js';
import type { PanelServices } from '../context.js';
import { buttonLabel } from '../decision-strings.js';
import { openEditForm } from '../open-edit-form.js';
import { exportEdit } from '../parts.js';
import type { EditEndEvent } from '../tool-chat-edit/tool-chat-edit.js';

fullEnglish();

export class RunAgain {
  /** True while the form is open. */
  #editing = false;
  readonly #card: LitElement;
  readonly #services: () => PanelServices | undefined;

  constructor(card: LitElement, services: () => PanelServices | undefined) {
    this.#card = card;
    this.#services = services;
  }

  render(card: CardView, { texts, reveal }: PanelServices): unknown {
    const { edit, repeatedBy, repeated } = card;
    if (repeatedBy !== undefined)
      return html`<div class="undo again">
        ${
          repeatedBy === ''
            ? html`<span role="status">${texts.willRunAgain}</span>`
            : html`<button
                type="button"
                part="jump-button"
                class="quiet"
                aria-label=${buttonLabel(repeated ? texts.ranAgainBelow : texts.askedBelow, [card], texts)}
                @click=${() => reveal(repeatedBy)}
              >
                ${repeated ? texts.ranAgainBelow : texts.askedBelow}
              </button>`
        }
      </div>`;
    if (!edit) return nothing;
    if (this.#editing)
      return html`<tool-chat-edit
        .card=${card}
        exportparts=${exportEdit}
        @tool-chat-edit-end=${(event: EditEndEvent) => this.#edited(event)}
      ></tool-chat-edit>`;
    return html`<div class="undo again">
      <button
        type="button"
        part="edit-button"
        class="quiet"
        aria-label=${buttonLabel(texts.editAndRun, [card], texts)}
        @click=${() => this.#edit()}
      >
        ${texts.editAndRun}
      </button>
    </div>`;
  }

  /** Closes the form when the approval of the new call has replaced it. */
  updated({ repeatedBy }: CardView) {
    if (!this.#editing || repeatedBy === undefined) return;
    this.#show(false);
    this.#services()?.returnFocus(this.#card, true);
  }

  #show(editing: boolean) {
    this.#editing = editing;
    this.#card.requestUpdate();
  }

  #edit() {
    void openEditForm(this.#services()).then((opens) => this.#show(opens));
  }

  #edited({ applied }: EditEndEvent) {
    const root = this.#card.renderRoot as ShadowRoot;
    const inside = root.activeElement?.localName === 'tool-chat-edit';
    this.#show(false);
    void this.#card.updateComplete.then(() => {
      // The approval appears further down. The button that requested it was disabled meanwhile and has lost the focus.
      if (applied) this.#services()?.returnFocus(this.#card, true);
      else if (inside) root.querySelector<HTMLElement>('[part=edit-button]')?.focus();
    });
  }
}
