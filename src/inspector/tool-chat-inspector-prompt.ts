/** A page with the system prompt in each notation, its token estimate, and the last request. */
import { html, nothing, type PropertyDeclarations, type PropertyValues } from 'lit';
import { copyText } from '../base/copy-text.js';
import { icons } from '../elements/icons.js';
import { shared } from '../elements/shared.styles.js';
import { estimateTokens } from '../prompts/tokens.js';
import { NOTATIONS } from './bench.js';
import { sentOf, toolsOf } from './inspected.js';
import { InspectorPart } from './inspector-part.js';
import { inspectorShared } from './inspector.styles.js';
import { promptStyles } from './tool-chat-inspector-prompt.styles.js';

/** Maximum length of a request shown, in UTF-16 units. */
const MOST_SHOWN = 200_000;

/** Matches the placeholder of a private value. */
const TOKEN = /(\[[A-Z][A-Z0-9_]{0,23}_[1-9]\d{0,5}\])/;

interface Preview {
  notation: string;
  text: string;
  tokens: number;
}

/**
 * @summary The system prompt as it would be sent now, in each of the notations, with an estimate of its tokens.
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

  #of = '';

  constructor() {
    super();
    this.previews = [];
    this.chosen = this.failed = '';
    this.copied = false;
  }

  override render() {
    const { words } = this;
    if (this.failed) return html`<p class="none" role="alert">${this.failed}</p>`;
    const most = Math.max(1, ...this.previews.map(({ tokens }) => tokens));
    const now = this.previews.find(({ notation }) => notation === this.chosen);
    return html`<fieldset>
        <legend>${words.notation}</legend>
        ${this.previews.map(
          ({ notation, tokens }) =>
            html`<label
              ><input
                type="radio"
                name="notation"
                value=${notation}
                .checked=${notation === this.chosen}
                @change=${() => this.#choose(notation)}
              /><code>${notation}</code><meter max=${String(most)} value=${String(tokens)} aria-hidden="true"></meter
              ><span class="tokens">${words.tokens(tokens)}</span></label
            >`,
        )}
      </fieldset>
      ${
        now
          ? html`<div class="bar">
                <h3 class="grow">${words.prompt}</h3>
                <button type="button" class="quiet" @click=${() => void this.#copy(now.text)}>
                  ${this.copied ? icons.check : icons.copy}${this.copied ? words.copied : words.copy}
                </button>
              </div>
              <pre tabindex="0" dir="auto" aria-label=${words.prompt}>${now.text}</pre>`
          : nothing
      }
      ${this.#sent()}`;
  }

  /** Renders the last request as it was sent. Private values appear as placeholders. */
  #sent() {
    const { words } = this;
    const body = sentOf(this.chat);
    const text = body === undefined ? '' : JSON.stringify(body, null, 2).slice(0, MOST_SHOWN);
    return html`<details class="sent">
      <summary>${words.sent}</summary>
      ${
        text
          ? html`<p>${words.sentSays}</p>
              <pre tabindex="0" aria-label=${words.sent}>
${text.split(TOKEN).map((part, at) => (at % 2 ? html`<mark>${part}</mark>` : part))}</pre>`
          : html`<p>${words.sentNothing}</p>`
      }
    </details>`;
  }

  protected override updated(_changed: PropertyValues) {
    const of = JSON.stringify([toolsOf(this.chat).map(({ name }) => name), this.chat?.systemPrompt, this.chat?.protocol]);
    if (!this.chat || of === this.#of) return;
    this.#of = of;
    void this.#look();
  }

  async #look() {
    const { chat } = this;
    if (!chat) return;
    try {
      const texts = await Promise.all(NOTATIONS.map((protocol) => chat.generatePrompt({ protocol })));
      this.previews = texts.map((text, at) => ({ notation: NOTATIONS[at] as string, text, tokens: estimateTokens(text) }));
      this.chosen ||= NOTATIONS.find((id) => id === chat.protocol) ?? 'xml-invoke';
    } catch (error) {
      this.failed = error instanceof Error ? error.message : String(error);
    }
  }

  #choose(notation: string) {
    this.chosen = notation;
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
