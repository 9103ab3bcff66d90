/** A page with the system prompt in each protocol, its token estimate, and the last request. */
import { html, nothing, type PropertyDeclarations, type PropertyValues, css } from 'lit';
import { copyText } from '../base/copy-text.js';
import { icons } from '../elements/icons.js';
import { shared } from '../elements/shared.styles.js';
import { estimateTokens } from '../prompts/tokens.js';
import { PROTOCOLS } from './bench.js';
import { sentOf, toolsOf, InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';

const promptStyles = css`
  fieldset {
    gap: 0;
    padding: 4px 0;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
  }

  legend {
    margin-inline-start: 8px;
    padding-inline: 4px;
    color: var(--_muted);
    font-size: var(--_tiny);
    font-weight: 620;
  }

  label {
    display: grid;
    grid-template-columns: auto minmax(8em, 1fr) minmax(40px, 2fr) minmax(7.5em, auto);
    flex-direction: row;
    align-items: center;
    gap: 10px;
    min-height: 32px;
    padding-inline: 10px;
    color: var(--_text);
    font-weight: 400;
    cursor: pointer;
  }

  label:hover {
    background: var(--_hover);
  }

  meter {
    width: 100%;
    height: 6px;
    border: 0;
    border-radius: 6px;
    background: var(--_hover);
    overflow: hidden;
    appearance: none;
  }

  meter::-webkit-meter-bar {
    height: 6px;
    border: 0;
    background: none;
  }

  meter::-webkit-meter-optimum-value {
    border-radius: 6px;
    background: var(--_accent);
  }

  meter::-moz-meter-bar {
    border-radius: 6px;
    background: var(--_accent);
  }

  .tokens {
    font-variant-numeric: tabular-nums;
    text-align: end;
  }

  summary {
    padding-block: 6px;
    cursor: pointer;
  }

  mark {
    border-radius: 3px;
    background: var(--_hover);
    color: var(--_accent);
    font-weight: 620;
  }

  @container (max-width: 28em) {
    label {
      grid-template-columns: auto minmax(0, 1fr) minmax(0, 1fr);
    }

    meter {
      display: none;
    }
  }

  pre {
    flex: 1;
    max-height: none;
    min-height: 12em;
  }
`;

/** Maximum length of a request shown, in UTF-16 units. */
const MAX_SHOWN = 200_000;

/** Matches the placeholder of a private value. */
const TOKEN = /(\[[A-Z][A-Z0-9_]{0,23}_[1-9]\d{0,5}\])/;

interface Preview {
  protocolId: string;
  text: string;
  tokens: number;
}

/**
 * @summary The system prompt as it would be sent now, in each protocol, with an estimate of its tokens.
 * @tagname tool-chat-inspector-prompt
 */
export class ToolChatInspectorPrompt extends InspectorPart {
  static override styles = [shared, inspectorShared, promptStyles];
  static override properties: PropertyDeclarations = {
    previews: { state: true },
    chosen: { state: true },
    copied: { state: true },
    failed: { state: true },
  };

  declare protected previews: readonly Preview[];
  declare protected chosen: string;
  declare protected copied: boolean;
  declare protected failed: string;

  #renderedKey = '';

  constructor() {
    super();
    this.previews = [];
    this.chosen = this.failed = '';
    this.copied = false;
  }

  override render() {
    const { strings } = this;
    if (this.failed) return html`<p class="none" role="alert">${this.failed}</p>`;
    const most = Math.max(1, ...this.previews.map(({ tokens }) => tokens));
    const now = this.previews.find(({ protocolId }) => protocolId === this.chosen);
    return html`<fieldset>
        <legend>${strings.notation}</legend>
        ${this.previews.map(
          ({ protocolId, tokens }) =>
            html`<label
              ><input
                type="radio"
                name="protocol"
                value=${protocolId}
                .checked=${protocolId === this.chosen}
                @change=${() => this.#choose(protocolId)}
              /><code>${protocolId}</code><meter max=${String(most)} value=${String(tokens)} aria-hidden="true"></meter
              ><span class="tokens">${strings.tokens(tokens)}</span></label
            >`,
        )}
      </fieldset>
      ${
        now
          ? html`<div class="bar">
                <h3 class="grow">${strings.prompt}</h3>
                <button type="button" class="quiet" @click=${() => void this.#copy(now.text)}>
                  ${this.copied ? icons.check : icons.copy}${this.copied ? strings.copied : strings.copy}
                </button>
              </div>
              <pre tabindex="0" dir="auto" aria-label=${strings.prompt}>${now.text}</pre>`
          : nothing
      }
      ${this.#sent()}`;
  }

  /** Renders the last request as it was sent. Private values appear as placeholders. */
  #sent() {
    const { strings } = this;
    const body = sentOf(this.chat);
    const text = body === undefined ? '' : JSON.stringify(body, null, 2).slice(0, MAX_SHOWN);
    return html`<details class="sent">
      <summary>${strings.sent}</summary>
      ${
        text
          ? html`<p>${strings.sentSays}</p>
              <pre tabindex="0" aria-label=${strings.sent}>
${text.split(TOKEN).map((part, at) => (at % 2 ? html`<mark>${part}</mark>` : part))}</pre>`
          : html`<p>${strings.sentNothing}</p>`
      }
    </details>`;
  }

  protected override updated(_changed: PropertyValues) {
    const of = JSON.stringify([toolsOf(this.chat).map(({ name }) => name), this.chat?.systemPrompt, this.chat?.protocol]);
    if (!this.chat || of === this.#renderedKey) return;
    this.#renderedKey = of;
    void this.#updatePreviews();
  }

  async #updatePreviews() {
    const { chat } = this;
    if (!chat) return;
    try {
      const texts = await Promise.all(PROTOCOLS.map((protocol) => chat.generatePrompt({ protocol })));
      this.previews = texts.map((text, at) => ({ protocolId: PROTOCOLS[at] as string, text, tokens: estimateTokens(text) }));
      this.chosen ||= PROTOCOLS.find((id) => id === chat.protocol) ?? 'xml-invoke';
    } catch (error) {
      this.failed = error instanceof Error ? error.message : String(error);
    }
  }

  #choose(protocolId: string) {
    this.chosen = protocolId;
    this.copied = false;
  }

  async #copy(text: string) {
    this.copied = await copyText(text);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-prompt': ToolChatInspectorPrompt;
  }
}
