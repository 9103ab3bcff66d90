/** The menu of models. Loaded if the page offers several. */
import { css, html, nothing } from 'lit';
import { fullEnglish } from '../../i18n/en.js';
import { PanelElement } from '../context.js';
import { icons } from '../icons.js';
import { shared } from '../shared.styles.js';
import { defineOnce } from '../define-once.js';

fullEnglish();

export interface ModelChoice {
  models: readonly string[];
  current: string;
  choose(model: string): void;
}

const styles = css`
  :host {
    display: flex;
    margin-block-start: 4px;
  }

  label {
    position: relative;
    display: inline-flex;
    align-items: center;
    max-width: 100%;
  }

  select {
    max-width: 100%;
    min-height: 26px;
    padding-block: 3px;
    padding-inline: 8px 22px;
    border: 0;
    border-radius: calc(var(--_radius) * 0.67);
    background: none;
    color: var(--_muted);
    font: var(--_small) / 1.3 var(--_font);
    text-overflow: ellipsis;
    unicode-bidi: plaintext;
    appearance: none;
  }

  select:hover {
    background: var(--_hover);
    color: var(--_text);
  }

  option {
    background: var(--_raised);
    color: var(--_text);
  }

  svg {
    position: absolute;
    inset-inline-end: 6px;
    width: 12px;
    color: var(--_muted);
    rotate: 90deg;
    pointer-events: none;
  }

  @media (pointer: coarse) {
    select {
      min-height: 44px;
      font-size: 16px;
    }
  }
`;

/**
 * @summary A menu of the models that the page offers.
 * @tagname tool-chat-models
 * @csspart model-menu - The menu of models.
 */
export class ToolChatModels extends PanelElement {
  static override styles = [shared, styles];
  static override properties = { choice: { attribute: false } };

  /** The models and the current choice. */
  declare choice: ModelChoice | undefined;

  override render() {
    const { choice } = this;
    const { services } = this;
    if (!choice || !services) return nothing;
    return html`<label
      ><select part="model-menu" aria-label=${services.texts.model} @change=${this.#choose}>
        ${choice.models.map((model) => html`<option value=${model} ?selected=${model === choice.current}>${model}</option>`)}</select
      >${icons.chevron}</label
    >`;
  }

  readonly #choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    this.choice?.choose(value);
    const { services } = this;
    services?.announce(services.texts.modelChosen(value));
  };
}

defineOnce('tool-chat-models', ToolChatModels);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-models': ToolChatModels;
  }
}
