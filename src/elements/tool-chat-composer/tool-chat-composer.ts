/** Where people write. Sends by a request to the panel; knows nothing of networks or tools. */
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { ViewSnapshot } from '../../conversation/snapshot.js';
import { servicesContext, viewContext } from '../context.js';
import { icons } from '../icons.js';
import { PanelRequestEvent } from '../requests.js';
import { shared } from '../shared.styles.js';
import { styles } from './tool-chat-composer.styles.js';

/**
 * @summary The text field with its send and stop buttons and the quick commands above it.
 * @tagname tool-chat-composer
 * @slot start - Before the text field, for example an attachment button.
 * @slot end - After the text field, before the send button.
 * @csspart composer - The box around the field and its buttons.
 * @csspart input - The text field.
 * @csspart send-button - Sends what is written; disabled while an answer is under way.
 * @csspart stop-button - Stops the answer; there while one is under way.
 * @csspart quick-command - A ready-made message.
 */
export class ToolChatComposer extends LitElement {
  static override styles = [shared, styles];
  static override properties = {
    placeholder: {},
    quickCommands: { attribute: false },
    whileBusy: { attribute: 'while-busy' },
    draft: { state: true },
  };
  static override shadowRootOptions: ShadowRootInit = { ...LitElement.shadowRootOptions, delegatesFocus: true };

  /** Shown while the field is empty. Default: from the catalogue. */
  declare placeholder: string;
  /** Messages that one press sends. */
  declare quickCommands: readonly string[];
  /** `draft`: write freely, sending waits. `queue`: sending queues. `disabled`: the field is closed, too (S0-122). */
  declare whileBusy: 'draft' | 'queue' | 'disabled';
  /** What is written and not sent. */
  declare draft: string;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  readonly #view = new ContextConsumer(this, { context: viewContext, subscribe: true });

  constructor() {
    super();
    this.placeholder = '';
    this.quickCommands = [];
    this.whileBusy = 'draft';
    this.draft = '';
  }

  get empty(): boolean {
    return this.draft.trim() === '';
  }

  override render() {
    const texts = this.#services.value?.texts;
    const view = this.#view.value;
    if (!texts || !view) return nothing;
    const canSend = this.#open(view) && !this.empty;
    const placeholder = this.placeholder || texts.placeholder;
    return html`
      ${
        this.quickCommands.length > 0
          ? html`<div class="commands">
              ${this.quickCommands.map(
                (command) =>
                  html`<button type="button" part="quick-command" ?disabled=${!this.#open(view)} @click=${() => this.#send(command)}>
                    ${command}
                  </button>`,
              )}
            </div>`
          : nothing
      }
      <div part="composer" class="box">
        <slot name="start"></slot>
        <div class="grow" data-draft=${`${this.draft} `}>
          <textarea
            part="input"
            rows="1"
            enterkeyhint="send"
            placeholder=${placeholder}
            aria-label=${placeholder}
            ?disabled=${this.whileBusy === 'disabled' && view.isLoading}
            @input=${this.#write}
            @keydown=${this.#key}
          ></textarea>
        </div>
        <slot name="end"></slot>
        ${
          view.isLoading
            ? html`<button type="button" part="stop-button" class="stop" @click=${() => this.#ask({ type: 'stop' })}>
                ${icons.stop}<span>${texts.stop}</span>
              </button>`
            : nothing
        }
        <button
          type="button"
          part="send-button"
          class="send primary"
          aria-label=${texts.send}
          title=${texts.send}
          ?disabled=${!canSend}
          ?data-waiting=${view.isLoading && this.empty}
          @click=${() => this.#send()}
        >
          ${icons.send}
        </button>
      </div>
    `;
  }

  protected override updated(changed: PropertyValues<this>) {
    // Not by the template: writing to a field that already holds the text could end a composition.
    if (changed.has('draft') && this.#field && this.#field.value !== this.draft) this.#field.value = this.draft;
  }

  get #field(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea');
  }

  /** Sending is open when nothing is under way, and when all that is under way waits for a person. */
  #open(view: ViewSnapshot): boolean {
    const { isLoading, activities } = view;
    if (!isLoading || this.whileBusy === 'queue') return true;
    return activities.length > 0 && activities.every((activity) => activity === 'awaitingApproval');
  }

  #write(event: Event) {
    this.draft = (event.target as HTMLTextAreaElement).value;
  }

  #key(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    // Safari ends a composition before the keydown that ended it; only this tells: https://bugs.webkit.org/show_bug.cgi?id=165004
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- see the line above
    if (event.keyCode === 229) return;
    event.preventDefault();
    if (!event.repeat) this.#send();
  }

  #send(text = this.draft) {
    const view = this.#view.value;
    if (text.trim() === '' || !view || !this.#open(view)) return;
    if (text === this.draft) this.draft = '';
    this.#ask({ type: 'send', text: text.trim() });
  }

  #ask(request: PanelRequestEvent['request']) {
    this.dispatchEvent(new PanelRequestEvent(request));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-composer': ToolChatComposer;
  }
}
