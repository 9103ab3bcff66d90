/** The composer, in which the user types. It sends by the services of the panel and knows nothing about networks or tools. */
import { loadForUser } from '../../base/load.js';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { ComposerTemplate } from '../../conversation/options/option-shapes.js';
import { ViewElement } from '../context.js';
import { icons } from '../icons.js';
import { trimMessage, belongsToInputMethod, enterBreaksLine, sendsByEnter } from '../keys.js';
import { shared } from '../shared.styles.js';
import type { ComposerTools } from './composer-tools.js';
import { styles } from './tool-chat-composer.styles.js';
import { defineOnce } from '../define-once.js';

/** True if the browser supports speech recognition, under either of its names. */
const canListen = 'SpeechRecognition' in globalThis || 'webkitSpeechRecognition' in globalThis;

/** Longest time between the clicks of a double click, in milliseconds. */
const DOUBLE_CLICK = 500;

/** Longest distance between the clicks of a double click, in CSS pixels. */
const MAX_CLICK_DISTANCE = 4;

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
export class ToolChatComposer extends ViewElement {
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

  /** Shown while the field is empty. Default: from the catalog. */
  declare placeholder: string;
  /** Messages that are sent with one press. */
  declare quickCommands: readonly string[];
  /** `draft`: the user can type but not send. `queue`: messages are queued. `disabled`: the field is disabled too. */
  declare whileBusy: 'draft' | 'queue' | 'disabled';
  /** Templates for messages; `{name}` is a placeholder. */
  declare templates: readonly ComposerTemplate[];
  /** All ready messages, for the list that `/` opens. `quickCommands` are those shown above the field now. */
  declare commands: readonly string[];
  /** True if images can be attached. */
  declare attaches: boolean;
  /** True if the user can choose a tool, provided there are tools. */
  declare toolPicker: boolean;
  /** The text in the field that has not been sent. */
  declare draft: string;
  /** The reason why the last message was not sent. Cleared when the user types. */
  declare protected problem: string;

  /** Time and position of the user's last click on the send button. */
  #clicked = { at: -Infinity, x: 0, y: 0 };
  /** Tools, templates, images and dictation. Created when the first of them is used. */
  #tools: ComposerTools | undefined;

  #startsOver = false;
  /** The saved draft that was restored last. */
  #restored = '';

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
  showWordProblem(problem: WordProblem) {
    this.showProblem(this.services?.texts[problem] ?? '');
  }

  /** Focuses the text field, even if other buttons come before it. */
  override focus(options?: FocusOptions) {
    this.field?.focus(options);
  }

  /** Discards prepared content, because another conversation was opened. */
  startOver() {
    this.#startsOver = this.draft !== '';
    this.draft = this.#restored = '';
    this.#tools?.startOver();
  }

  /** Restores a saved draft once, if the field is empty. The same draft is restored again only after an empty one. */
  restore(draft = '') {
    if (!draft) this.#restored = '';
    if (!draft || draft === this.#restored || !this.empty) return;
    this.#restored = this.draft = draft;
  }

  write(text: string) {
    this.draft = text;
    this.focus();
  }

  /** Puts the text of a message back into the field, if the field is empty. */
  putBack(text: string) {
    if (this.empty) this.draft = text;
    this.focus();
  }

  get empty(): boolean {
    return this.draft.trim() === '';
  }

  /** True if the user can send: no turn is running, or all its activities wait for approval. */
  get open(): boolean {
    const { isLoading, activities } = this.snapshot ?? {};
    if (!isLoading || this.whileBusy === 'queue') return true;
    return activities !== undefined && activities.length > 0 && activities.every((activity) => activity === 'awaitingApproval');
  }

  get field(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea');
  }

  /** Shows and announces why something was not done. */
  showProblem(problem: string) {
    this.problem = problem;
    this.services?.announce(problem);
  }

  override render() {
    const texts = this.services?.texts;
    const view = this.snapshot;
    if (!texts || !view) return nothing;
    const tools = this.#tools;
    const canSend = this.open && (!this.empty || tools?.hasContent === true);
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
      ${tools?.above(texts) ?? nothing}
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

  #button(part: string, what: Parameters<ComposerTools['open']>[0], label: string, icon: unknown) {
    const isOpen = this.#tools?.opened === what;
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
      @click=${() => void this.#withTools((extras) => extras.open(what))}
    >
      ${icon}
    </button>`;
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    if (changed.has('draft')) this.problem = '';
  }

  protected override updated(changed: PropertyValues<this>) {
    // Not set by the template: writing to a field that already holds the text could end a composition.
    if (changed.has('draft') && this.field && this.field.value !== this.draft) this.field.value = this.draft;
    if (isLong(this.draft) && !isLong(changed.get('draft') ?? this.draft)) this.#showCursor();
    const startsOver = this.#startsOver;
    this.#startsOver = false;
    // The conversation that is open now has its own draft.
    if (changed.get('draft') !== undefined && !startsOver) this.services?.surface?.draft?.(this.draft);
  }

  /** Scrolls to the end of the field if the cursor is there. A field that begins to scroll starts at its top. */
  #showCursor() {
    const { field } = this;
    if (field && field.selectionEnd === field.value.length) field.scrollTop = field.scrollHeight;
  }

  // ---- features that are loaded when first used

  async #withTools(then: (extras: ComposerTools) => unknown, without?: () => unknown) {
    try {
      this.#tools ??= new (await loadForUser(() => import('./composer-tools.js'))).ComposerTools(this);
      await then(this.#tools);
    } catch {
      this.showProblem(this.services?.texts.loadFailed ?? '');
      without?.();
    }
  }

  /** Handles pasted images. Office programs also put an image of copied text on the clipboard; in this case the text is pasted. */
  readonly #paste = (event: ClipboardEvent) => {
    const { clipboardData: data } = event;
    if (!data || holdsText(data)) return;
    if (!this.attaches && data.files.length > 0) void this.#withTools((extras) => extras.refuseFiles());
    this.addFiles(event, data);
  };

  /** Takes pasted and dropped files. If images cannot be attached, a drop is left to the page. */
  addFiles(event: Event, { files }: DataTransfer) {
    if (!this.attaches || files.length === 0 || event.defaultPrevented) return;
    event.preventDefault();
    const pictures = [...files];
    void this.#withTools((extras) => extras.add(pictures));
  }

  /** Reads the field before sending, because a script fills it without an event. */
  readonly #readField = () => {
    if (this.field) this.draft = this.field.value;
  };

  #key(event: KeyboardEvent) {
    if (this.#tools?.key(event)) return;
    const { key, ctrlKey, metaKey, altKey } = event;
    if ((this.empty || key === 'Enter') && !this.isUpdatePending) this.#readField();
    if (this.empty && !belongsToInputMethod(event) && !ctrlKey && !metaKey && !altKey) {
      // `/` opens the ready messages and templates, arrow up recalls the last message.
      const what = key === '/' && this.commands.length + this.templates.length > 0 ? 'commands' : key === 'ArrowUp' ? 'last' : undefined;
      if (what) event.preventDefault();
      // If the list fails to load, the key types its character. More may have been typed after it.
      const giveBack = () => what === 'commands' && (this.draft = `/${this.draft}`);
      if (what) return void this.#withTools((extras) => extras.open(what), giveBack);
    }
    if (!sendsByEnter(event)) return;
    event.preventDefault();
    if (!event.repeat) this.#send();
  }

  readonly #sendByClick = (event: MouseEvent) => {
    this.#clicked = { at: event.timeStamp, x: event.clientX, y: event.clientY };
    this.#send();
  };

  /** Stops the answer. The stop button replaces the send button, so the second click of a double click is ignored. */
  readonly #stop = (event: MouseEvent) => {
    const { at, x, y } = this.#clicked;
    const isSecond = event.timeStamp - at <= DOUBLE_CLICK && Math.hypot(event.clientX - x, event.clientY - y) <= MAX_CLICK_DISTANCE;
    if (!isSecond) this.services?.surface?.stop();
  };

  #send(text = this.draft) {
    if (!this.open) return;
    if (this.#tools) return void this.#tools.send(text);
    if (text.trim() === '') return;
    if (text === this.draft) this.draft = '';
    this.services?.send(trimMessage(text));
  }
}

/** Returns true for texts that fill the field in any case, so that their height need not be measured by a copy. Limit in UTF-16 units. */
const isLong = ({ length }: string): boolean => length > 4000;

/** Returns true if the clipboard has text other than the names of its files, which file managers add. */
function holdsText(data: DataTransfer): boolean {
  const names = new Set([...data.files].map(({ name }) => name));
  return data
    .getData('text/plain')
    .split(/[\r\n]/)
    .some((line) => line.trim() !== '' && !names.has(line.trim()));
}

/** Keeps the focus in place, so that a list closes by the click on its button and not by losing the focus. */
function keepFocus(event: Event) {
  event.preventDefault();
}

defineOnce('tool-chat-composer', ToolChatComposer);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-composer': ToolChatComposer;
  }
}

/** The keys of the catalog for messages that the composer shows instead of sending. */
export type WordProblem = 'stepNeedsButton' | 'wordTooEarly' | 'wordNotTyped';
