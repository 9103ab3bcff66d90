/** Where people write. Sends by a request to the panel; knows nothing of networks or tools. */
import { load } from '../../base/load.js';
import { ContextConsumer } from '@lit/context';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import type { ComposerTemplate } from '../../conversation/options/option-shapes.js';
import type { ToolChoice, ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { servicesContext, viewContext } from '../context.js';
import { icons } from '../icons.js';
import { PanelRequestEvent } from '../panel-requests.js';
import { shared } from '../shared.styles.js';
import type { Choice, PickedEvent } from '../tool-chat-picker/tool-chat-picker.js';
import type { nextSlot as NextSlot } from './picking.js';
import { styles } from './tool-chat-composer.styles.js';

interface Picking {
  what: 'tools' | 'templates';
  choices: readonly Choice[];
  tools: readonly ToolChoice[];
}

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
 * @csspart send-button - Sends what is written; disabled while an answer is under way.
 * @csspart stop-button - Stops the answer; there while one is under way.
 * @csspart quick-command - A ready-made message.
 * @csspart tool-picker - Offers the tools, to choose one for the next message.
 * @csspart locked-tool - The tool that was chosen, and the button that removes it.
 */
export class ToolChatComposer extends LitElement {
  static override styles = [shared, styles];
  static override properties = {
    placeholder: {},
    quickCommands: { attribute: false },
    whileBusy: { attribute: 'while-busy' },
    templates: { attribute: false },
    draft: { state: true },
    locked: { state: true },
    problem: { state: true },
    picking: { state: true },
  };
  static override shadowRootOptions: ShadowRootInit = { ...LitElement.shadowRootOptions, delegatesFocus: true };

  /** Shown while the field is empty. Default: from the catalogue. */
  declare placeholder: string;
  /** Messages that one press sends. */
  declare quickCommands: readonly string[];
  /** `draft`: write freely, sending waits. `queue`: sending queues. `disabled`: the field is closed, too (S0-122). */
  declare whileBusy: 'draft' | 'queue' | 'disabled';
  /** Texts to start from; `{name}` is a place to fill. */
  declare templates: readonly ComposerTemplate[];
  /** What is written and not sent. */
  declare draft: string;
  /** The tool that the next message is for. */
  declare protected locked: ToolChoice | undefined;
  /** Why the last message was not sent; until something is written. */
  declare protected problem: string;
  /** What is being chosen. */
  declare protected picking: Picking | undefined;

  readonly #services = new ContextConsumer(this, { context: servicesContext, subscribe: true });
  readonly #view = new ContextConsumer(this, { context: viewContext, subscribe: true });
  /** When and where a person last clicked to send. */
  #clicked = { at: -Infinity, x: 0, y: 0 };
  /** There since a template was used. */
  #nextSlot: typeof NextSlot | undefined;

  constructor() {
    super();
    this.placeholder = '';
    this.quickCommands = [];
    this.whileBusy = 'draft';
    this.templates = [];
    this.draft = '';
    this.problem = '';
  }

  /** Shows why a word confirmed nothing. */
  say(problem: WordProblem) {
    this.#complain(this.#services.value?.texts[problem] ?? '');
  }

  /** Into the field, whatever buttons stand before it. */
  override focus(options?: FocusOptions) {
    this.#field?.focus(options);
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
      ${this.picking ? this.#picker(this.picking, texts) : nothing} ${this.locked ? this.#lock(this.locked, texts) : nothing}
      <div part="composer" class="box">
        <slot name="start"></slot>
        ${view.hasTools ? this.#opener('tools', texts.chooseTool, icons.tool) : nothing}
        ${this.templates.length > 0 ? this.#opener('templates', texts.templates, icons.template) : nothing}
        <div class="grow" data-draft=${`${this.draft} `}>
          <textarea
            part="input"
            rows="1"
            enterkeyhint="send"
            placeholder=${placeholder}
            aria-label=${placeholder}
            ?disabled=${this.whileBusy === 'disabled' && !this.#open(view)}
            @input=${this.#write}
            @keydown=${this.#key}
          ></textarea>
        </div>
        <slot name="end"></slot>
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
          ?data-waiting=${view.isLoading && this.empty}
          @click=${this.#sendByClick}
        >
          ${icons.send}
        </button>
      </div>
      ${this.problem ? html`<p class="problem" dir="auto">${this.problem}</p>` : nothing}
    `;
  }

  #opener(what: Picking['what'], label: string, icon: unknown) {
    return html`<button
      type="button"
      part=${what === 'tools' ? 'tool-picker' : 'template-picker'}
      class="quiet square opener"
      data-what=${what}
      aria-haspopup="listbox"
      aria-expanded=${String(this.picking?.what === what)}
      aria-label=${label}
      title=${label}
      @mousedown=${keepFocus}
      @click=${() => void this.#pick(what)}
    >
      ${icon}
    </button>`;
  }

  #picker({ what, choices }: Picking, texts: Texts) {
    const tools = what === 'tools';
    return html`<tool-chat-picker
      .choices=${choices}
      .label=${tools ? texts.chooseTool : texts.templates}
      .filterLabel=${tools ? texts.filterTools : texts.filterTemplates}
      .emptyText=${tools && choices.length === 0 ? texts.noToolToChoose : texts.nothingFits}
      @tool-chat-picked=${this.#picked}
    ></tool-chat-picker>`;
  }

  #lock({ label, icon }: ToolChoice, texts: Texts) {
    const remove = texts.removeLock(label);
    return html`<div class="locks">
      <span part="locked-tool" class="locked"
        >${icon ? html`<span aria-hidden="true">${icon}</span>` : nothing}<span dir="auto">${texts.lockedTool(label)}</span
        ><button type="button" class="quiet" aria-label=${remove} title=${remove} @click=${this.#unlock}>${icons.close}</button></span
      >
    </div>`;
  }

  protected override willUpdate(changed: PropertyValues<this>) {
    if (changed.has('draft')) this.problem = '';
  }

  protected override updated(changed: PropertyValues<this>) {
    // Not by the template: writing to a field that already holds the text could end a composition.
    if (changed.has('draft') && this.#field && this.#field.value !== this.draft) this.#field.value = this.draft;
    if (changed.get('draft') !== undefined) this.#ask({ type: 'draft', text: this.draft });
  }

  #complain(problem: string) {
    this.problem = problem;
    this.#services.value?.announce(problem);
  }

  // ---- choosing

  async #pick(what: Picking['what']) {
    const { value: services } = this.#services;
    if (this.picking?.what === what || !services) return this.#close();
    const [{ definePicker, toolChoices }, tools] = await Promise.all([
      load(() => import('./picking.js')),
      what === 'tools' ? services.tools() : [],
    ]);
    definePicker();
    const choices =
      what === 'tools' ? toolChoices(tools, services.texts) : this.templates.map(({ label, text }) => ({ label, detail: text }));
    this.picking = { what, choices, tools };
  }

  #picked({ at }: PickedEvent) {
    const { what, tools } = this.picking ?? {};
    this.#close();
    const { texts } = this.#services.value ?? {};
    const tool = tools?.[at];
    const template = this.templates[at];
    if (what === 'tools' && tool && texts) {
      this.locked = tool;
      this.#services.value?.announce(texts.lockedTool(tool.label));
    } else if (what === 'templates' && template) void this.#insert(template.text);
  }

  /** Closes what is open, and leads back to where people write. */
  #close() {
    this.picking = undefined;
    this.#field?.focus();
  }

  #unlock() {
    const { texts } = this.#services.value ?? {};
    if (texts && this.locked) this.#services.value?.announce(texts.saidUnlocked(this.locked.label));
    this.locked = undefined;
    this.#field?.focus();
  }

  async #insert(text: string) {
    const field = this.#field;
    if (!field) return;
    const { insertTemplate, nextSlot } = await load(() => import('./picking.js'));
    insertTemplate(field, text);
    this.#nextSlot = nextSlot;
    this.draft = field.value;
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
    // While places of a template are open, Tab goes through them; then it leaves the field again.
    if (event.key === 'Tab' && this.#field && this.#nextSlot?.(this.#field, event.shiftKey)) return event.preventDefault();
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    // Safari ends a composition before the keydown that ended it; only this tells: https://bugs.webkit.org/show_bug.cgi?id=165004
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- see the line above
    if (event.keyCode === 229) return;
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
    if (!isSecond) this.#ask({ type: 'stop' });
  };

  #send(text = this.draft) {
    const view = this.#view.value;
    if (text.trim() === '' || !view || !this.#open(view)) return;
    if (this.locked) return void this.#sendLocked(text, this.locked);
    if (text === this.draft) this.draft = '';
    this.#ask({ type: 'send', text: text.trim() });
  }

  /** The tool may have gone since it was chosen; then nothing is sent that means something else. */
  async #sendLocked(text: string, locked: ToolChoice) {
    const { value: services } = this.#services;
    const tools = (await services?.tools()) ?? [];
    if (this.locked !== locked) return;
    this.locked = undefined;
    if (!tools.some(({ name }) => name === locked.name)) return this.#complain(services?.texts.lockGone(locked.label) ?? '');
    if (text === this.draft) this.draft = '';
    this.#ask({ type: 'send', text: text.trim(), tool: locked.name });
  }

  #ask(request: PanelRequestEvent['request']) {
    this.dispatchEvent(new PanelRequestEvent(request));
  }
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
