/** The field to edit a message of the user, in its place. Loaded with the first press. */
import { css, html, nothing } from 'lit';
import type { CardView } from '../../model/calls.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { fullEnglish } from '../../i18n/en.js';
import { ViewElement } from '../context.js';
import { shared } from '../shared.styles.js';
import { trimMessage, belongsToInputMethod, enterBreaksLine, sendsByEnter } from '../keys.js';
import { defineOnce } from '../define-once.js';

fullEnglish();

const styles = css`
  :host {
    display: block;
    inline-size: 100%;
  }

  .box {
    display: grid;
    gap: 8px;
    padding: 10px;
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) * 1.33);
    background: var(--_raised);
  }

  .box:focus-within {
    border-color: color-mix(in oklab, var(--_accent), var(--_edge) 35%);
    box-shadow: 0 0 0 3px var(--_accent-soft);
  }

  textarea {
    max-block-size: 40vh;
    min-block-size: 2.7em;
    margin: 0;
    padding: 2px 4px;
    border: 0;
    outline: none;
    background: none;
    color: var(--_text);
    font: var(--_size) / 1.45 var(--_font);
    field-sizing: content;
    resize: none;
    unicode-bidi: plaintext;
  }

  p {
    color: var(--_muted);
    font: var(--_small) / 1.4 var(--_font);
  }

  .row {
    display: flex;
    justify-content: flex-end;
    gap: 8px;
  }

  @media (pointer: coarse) {
    textarea {
      font-size: max(16px, var(--_size));
    }
  }
`;

/** Ends the edit. `text`: the new text; undefined if the edit was canceled. The event goes no further than the message. */
export class RewriteCloseEvent extends Event {
  static readonly type = 'tool-chat-rewrite-close';

  readonly text: string | undefined;

  constructor(text?: string) {
    super(RewriteCloseEvent.type);
    this.text = text;
  }
}

/**
 * @summary A field in place of a message of the user. Says which later actions are not undone.
 * @tagname tool-chat-rewrite
 * @csspart input - The text field.
 */
export class ToolChatRewrite extends ViewElement {
  static override styles = [shared, styles];
  static override properties = { text: {}, messageId: { attribute: 'message-id' }, draft: { state: true } };

  /** The text of the message. */
  declare text: string;
  declare messageId: string;
  declare protected draft: string | undefined;

  /** The original text, without the display rules of the page. */
  get #originalText(): string {
    return this.snapshot?.views.find(({ message }) => message.id === this.messageId)?.written ?? this.text;
  }

  override render() {
    const { texts } = this.services ?? {};
    const view = this.snapshot;
    if (!texts || !view) return nothing;
    const effects = effectsAfter(view, this.messageId);
    const warning = effects.some(({ unsure }) => unsure) ? texts.mayStayDone : texts.staysDone;
    const text = this.draft ?? this.#originalText;
    return html`<div class="box">
      <textarea
        part="input"
        rows="1"
        aria-label=${texts.editMessage}
        enterkeyhint=${enterBreaksLine() ? 'enter' : 'send'}
        .value=${this.#originalText}
        @input=${this.#onInput}
        @keydown=${this.#onKey}
      ></textarea>
      ${effects.length > 0 ? html`<p>${warning(effects.length)}</p>` : nothing}
      <div class="row">
        <button type="button" @click=${this.#close}>${texts.cancel}</button
        ><button type="button" class="primary" ?disabled=${text.trim() === ''} @click=${this.#send}>${texts.send}</button>
      </div>
    </div>`;
  }

  protected override firstUpdated() {
    const field = this.renderRoot.querySelector('textarea');
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }

  readonly #onInput = (event: Event) => {
    this.draft = (event.target as HTMLTextAreaElement).value;
  };

  readonly #onKey = (event: KeyboardEvent) => {
    if (belongsToInputMethod(event)) return;
    if (event.key === 'Escape') this.#close();
    else if (sendsByEnter(event)) this.#send();
    else return;
    event.preventDefault();
    // Otherwise a floating panel would close too.
    event.stopPropagation();
  };

  readonly #close = () => {
    this.dispatchEvent(new RewriteCloseEvent());
  };

  readonly #send = () => {
    const text = trimMessage(this.draft ?? this.#originalText);
    if (text === '') return;
    if (text === trimMessage(this.#originalText)) return this.#close();
    this.dispatchEvent(new RewriteCloseEvent(text));
  };
}

/** Returns the calls after the message that have changed something, or may have done so, and were not undone. */
function effectsAfter({ views, cards }: ViewSnapshot, messageId: string): readonly CardView[] {
  const at = views.findIndex(({ message }) => message.id === messageId);
  if (at < 0) return [];
  const calls = views.slice(at + 1).flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.requestId] : [])));
  return calls.flatMap((id) => {
    const card = cards[id];
    return card && (card.status === 'success' || card.unsure) && card.call?.risk !== 'query' ? [card] : [];
  });
}

defineOnce('tool-chat-rewrite', ToolChatRewrite);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-rewrite': ToolChatRewrite;
  }
}
