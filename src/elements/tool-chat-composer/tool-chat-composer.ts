/** Where people write. Sends by a request to the panel; knows nothing of networks or tools. */
import { loadAsked } from '../../base/load.js';
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { ComposerTemplate } from '../../conversation/options/option-shapes.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import { servicesContext, viewContext } from '../context.js';
import { icons } from '../icons.js';
import { asSent, belongsToInputMethod, enterBreaksLine, sendsByEnter } from '../keys.js';
import { PanelRequestEvent } from '../panel-requests.js';
import { shared } from '../shared.styles.js';
import type { Extras } from './extras.js';
import { styles } from './tool-chat-composer.styles.js';

/** The browser writes down what is said; browsers that can name it differently. */
const canListen = 'SpeechRecognition' in globalThis || 'webkitSpeechRecognition' in globalThis;

/** Milliseconds within which two clicks are one. */
const DOUBLE_CLICK = 500;

/** CSS pixels between them. */
const SAME_PLACE = 4;

/**
 * @summary The text field with its send and stop buttons and the quick commands above it.
 * @tagname tool-chat-composer
 * @slot start - Before the text field, for example an attachment button.
 * @slot end - After the text field, before the send button.
 * @csspart composer - The box around the field and its buttons.
 * @csspart input - The text field.
 * @csspart send-button - Sends the message; disabled while an answer arrives.
 * @csspart stop-button - Stops the answer; shown while one arrives.
 * @csspart quick-command - A ready message.
 * @csspart tool-picker - Opens the list of tools for the next message.
 * @csspart locked-tool - The chosen tool, with the button that removes it.
 * @csspart attach-button - Adds pictures; shown if the endpoint takes them.
 * @csspart attachment - A picture that will be sent, with the button that removes it.
 * @csspart voice-button - Starts voice input; shown if the browser supports it.
 */
export class ToolChatComposer extends LitElement {
  static override styles = [shared, styles];
  static override properties = {
    placeholder: {},
    quickCommands: { attribute: false },
    whileBusy: { attribute: 'while-busy' },
    templates: { attribute: false },
    commands: { attribute: false },
    attaches: { type: Boolean },
    toolPicker: { type: Boolean, attribute: 'tool-picker' },
    draft: { state: true },
    problem: { state: true },
  };
  static override shadowRootOptions: ShadowRootInit = { ...LitElement.shadowRootOptions, delegatesFocus: true };

  /** Shown while the field is empty. Default: from the catalogue. */
  declare placeholder: string;
  /** Messages that one press sends. */
  declare quickCommands: readonly string[];
  /** `draft`: write freely, sending waits. `queue`: sending queues. `disabled`: the field is closed, too. */
  declare whileBusy: 'draft' | 'queue' | 'disabled';
  /** Texts to start from; `{name}` is a place to fill. */
  declare templates: readonly ComposerTemplate[];
  /** All ready messages, for the list that `/` opens; `quickCommands` are those that stand above the field now. */
  declare commands: readonly string[];
  /** Pictures can be added. */
  declare attaches: boolean;
  /** A tool can be chosen, where there are any. */
  declare toolPicker: boolean;
  /** What is written and not sent. */
  declare draft: string;
  /** Why the last message was not sent; until something is written. */
  declare protected problem: string;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  readonly #view = new ContextConsumer(this, { context: viewContext, subscribe: true });
  /** When and where a person last clicked to send. */
  #clicked = { at: -Infinity, x: 0, y: 0 };
  /** Choosing, adding, speaking: there since one of them was first wanted. */
  #extras: Extras | undefined;

  #startsOver = false;

  constructor() {
    super();
    this.placeholder = '';
    this.quickCommands = [];
    this.whileBusy = 'draft';
    this.templates = [];
    this.commands = [];
    this.attaches = this.toolPicker = false;
    this.draft = '';
    this.problem = '';
  }

  /** Shows why a word confirmed nothing. */
  say(problem: WordProblem) {
    this.complain(this.#services.value?.texts[problem] ?? '');
  }

  /** Into the field, whatever buttons stand before it. */
  override focus(options?: FocusOptions) {
    this.field?.focus(options);
  }

  /** Another conversation: nothing of what was prepared here goes there. */
  startOver() {
    this.#startsOver = this.draft !== '';
    this.draft = '';
    this.#extras?.startOver();
  }

  get empty(): boolean {
    return this.draft.trim() === '';
  }

  /** Sending is open when nothing is under way, and when all that is under way waits for a person. */
  get open(): boolean {
    const { isLoading, activities } = this.#view.value ?? {};
    if (!isLoading || this.whileBusy === 'queue') return true;
    return activities !== undefined && activities.length > 0 && activities.every((activity) => activity === 'awaitingApproval');
  }

  get field(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea');
  }

  get services() {
    return this.#services.value;
  }

  get view(): ViewSnapshot | undefined {
    return this.#view.value;
  }

  /** Shows and says why something was not done. */
  complain(problem: string) {
    this.problem = problem;
    this.#services.value?.announce(problem);
  }

  ask(request: PanelRequestEvent['request']) {
    this.dispatchEvent(new PanelRequestEvent(request));
  }

  override render() {
    const texts = this.#services.value?.texts;
    const view = this.#view.value;
    if (!texts || !view) return nothing;
    const extras = this.#extras;
    const canSend = this.open && (!this.empty || extras?.holds === true);
    const placeholder = this.placeholder || texts.placeholder;
    return html`
      ${
        this.quickCommands.length > 0
          ? html`<div class="commands">
              ${this.quickCommands.map(
                (command) =>
                  html`<button type="button" part="quick-command" dir="auto" ?disabled=${!this.open} @click=${() => this.#send(command)}>
                    ${command}
                  </button>`,
              )}
            </div>`
          : nothing
      }
      ${extras?.above(texts) ?? nothing}
      <div part="composer" class="box" @paste=${this.#paste} @pointerover=${this.#readField} @pointerdown=${this.#readField}>
        <slot name="start"></slot>
        ${this.attaches ? this.#button('attach-button', 'attach', texts.attach, icons.attach) : nothing}
        ${this.toolPicker && view.hasTools ? this.#button('tool-picker', 'tools', texts.chooseTool, icons.tool) : nothing}
        ${this.templates.length > 0 ? this.#button('template-picker', 'templates', texts.templates, icons.template) : nothing}
        <div class="grow" ?data-long=${isLong(this.draft)} data-draft=${isLong(this.draft) ? '' : `${this.draft} `}>
          <textarea
            part="input"
            rows="1"
            enterkeyhint=${enterBreaksLine() ? 'enter' : 'send'}
            placeholder=${placeholder}
            aria-label=${placeholder}
            ?disabled=${this.whileBusy === 'disabled' && !this.open}
            @input=${this.#readField}
            @change=${this.#readField}
            @keydown=${this.#key}
          ></textarea>
        </div>
        <slot name="end"></slot>
        ${canListen ? this.#button('voice-button', 'voice', texts.voice, icons.voice) : nothing}
        ${
          view.isLoading
            ? html`<button type="button" part="stop-button" class="stop" @click=${this.#stop}>
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
          ?data-waiting=${view.isLoading && !canSend && this.empty}
          @click=${this.#sendByClick}
        >
          ${icons.send}
        </button>
      </div>
      ${this.problem ? html`<p class="problem" dir="auto">${this.problem}</p>` : nothing}
    `;
  }

  #button(part: string, what: Parameters<Extras['open']>[0], label: string, icon: unknown) {
    const isOpen = this.#extras?.opened === what;
    return html`<button
      type="button"
      part=${part}
      class="quiet square opener"
      data-what=${what}
      aria-haspopup=${what === 'tools' || what === 'templates' ? 'listbox' : nothing}
      aria-expanded=${what === 'tools' || what === 'templates' ? String(isOpen) : nothing}
      aria-pressed=${what === 'voice' ? String(isOpen) : nothing}
      aria-label=${label}
      title=${label}
      @mousedown=${keepFocus}
      @click=${() => void this.#extra((extras) => extras.open(what))}
    >
      ${icon}
    </button>`;
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    if (changed.has('draft')) this.problem = '';
  }

  protected override updated(changed: PropertyValues<this>) {
    // Not by the template: writing to a field that already holds the text could end a composition.
    if (changed.has('draft') && this.field && this.field.value !== this.draft) this.field.value = this.draft;
    if (isLong(this.draft) && !isLong(changed.get('draft') ?? this.draft)) this.#showCursor();
    const startsOver = this.#startsOver;
    this.#startsOver = false;
    // The conversation that is open now has a draft of its own.
    if (changed.get('draft') !== undefined && !startsOver) this.ask({ type: 'draft', text: this.draft });
  }

  /** A field that begins to scroll starts at its beginning, but the cursor may be at its end. */
  #showCursor() {
    const { field } = this;
    if (field && field.selectionEnd === field.value.length) field.scrollTop = field.scrollHeight;
  }

  // ---- what is loaded when it is first wanted

  async #extra(then: (extras: Extras) => unknown, without?: () => unknown) {
    try {
      this.#extras ??= new (await loadAsked(() => import('./extras.js'))).Extras(this);
      await then(this.#extras);
    } catch {
      this.complain(this.#services.value?.texts.loadFailed ?? '');
      without?.();
    }
  }

  /** Office programs put a picture of the text on the clipboard as well; the user means the text. */
  readonly #paste = (event: ClipboardEvent) => {
    const { clipboardData: data } = event;
    if (!data || holdsText(data)) return;
    if (!this.attaches && data.files.length > 0) void this.#extra((extras) => extras.refuseFiles());
    this.take(event, data);
  };

  /** Takes pasted and dropped files. If no pictures can be sent, a drop is left to the page. */
  take(event: Event, { files }: DataTransfer) {
    if (!this.attaches || files.length === 0 || event.defaultPrevented) return;
    event.preventDefault();
    const pictures = [...files];
    void this.#extra((extras) => extras.add(pictures));
  }

  /** A script fills the field without an event, so the field is read again before it can be sent. */
  readonly #readField = () => {
    if (this.field) this.draft = this.field.value;
  };

  #key(event: KeyboardEvent) {
    if (this.#extras?.key(event)) return;
    const { key, ctrlKey, metaKey, altKey } = event;
    if ((this.empty || key === 'Enter') && !this.isUpdatePending) this.#readField();
    if (this.empty && !belongsToInputMethod(event) && !ctrlKey && !metaKey && !altKey) {
      // What stands ready, and what was said before.
      const what = key === '/' && this.commands.length + this.templates.length > 0 ? 'commands' : key === 'ArrowUp' ? 'last' : undefined;
      if (what) event.preventDefault();
      // A key that does nothing is a character like any other; more may have been typed behind it.
      const giveBack = () => what === 'commands' && (this.draft = `/${this.draft}`);
      if (what) return void this.#extra((extras) => extras.open(what), giveBack);
    }
    if (!sendsByEnter(event)) return;
    event.preventDefault();
    if (!event.repeat) this.#send();
  }

  readonly #sendByClick = (event: MouseEvent) => {
    this.#clicked = { at: event.timeStamp, x: event.clientX, y: event.clientY };
    this.#send();
  };

  /** The stop takes the place of the button that sends: the second half of a double click is not meant for it. */
  readonly #stop = (event: MouseEvent) => {
    const { at, x, y } = this.#clicked;
    const isSecond = event.timeStamp - at <= DOUBLE_CLICK && Math.hypot(event.clientX - x, event.clientY - y) <= SAME_PLACE;
    if (!isSecond) this.ask({ type: 'stop' });
  };

  #send(text = this.draft) {
    if (!this.open) return;
    if (this.#extras) return void this.#extras.send(text);
    if (text.trim() === '') return;
    if (text === this.draft) this.draft = '';
    this.ask({ type: 'send', text: asSent(text) });
  }
}

/** Longer texts fill the field in any case, so their height need not be measured by a copy. UTF-16 units. */
const isLong = ({ length }: string): boolean => length > 4000;

/** File managers add the names of the files as text; they do not count. */
function holdsText(data: DataTransfer): boolean {
  const names = new Set([...data.files].map(({ name }) => name));
  return data
    .getData('text/plain')
    .split(/[\r\n]/)
    .some((line) => line.trim() !== '' && !names.has(line.trim()));
}

/** A list that is open closes when it loses the focus; its own button is to close it by the click. */
function keepFocus(event: Event) {
  event.preventDefault();
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-composer': ToolChatComposer;
  }
}

/** What the composer says instead of sending; keys of the catalogue. */
export type WordProblem = 'stepNeedsButton' | 'wordTooEarly' | 'wordNotTyped';
